"""A workspace and a home with something private in every place that memory has, each thing known by its own odd word.

Whoever asks in a shared context must never meet one of these words, an id or a name of a private file that holds one.
One cell, one note and one entity's fact are shared, so that a test can see that anything is told at all.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.engine.workspaces import put

from mneme.engine import open_memory
from mneme.formats.proposal import Proposal, Source

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
TODAY, YESTERDAY = "2026-03-04", "2026-03-03"
SHARED_ID, SHARED_FILE, SHARED_TEXT = "DEC-0001", "memory/semantic/open.md", "Deploys go out on Tuesdays"
SECRET = re.compile(r"quagga\w*|[A-Z]+-09\d\d", re.IGNORECASE)
SETTINGS = """profile = "default"

[audience]
shared = ["memory/open.mneme", "memory/semantic/open.md", "brain/areas/harbour/*"]

[mcp]
tools = ["all"]
"""
CELLS = """
@ DEC-0900  office/quaggatopic
gist  The ledger of quaggacell lies in the attic
cue   quaggacue
state live   conf high   since 2026-01-02   seen 2026-03-01
> because quaggabody

@ DEC-0901  office/ledger
gist  The ledger of quaggaold lay in the cellar
state superseded   conf high   since 2025-01-02   seen 2025-03-01
link  superseded-by DEC-0900

@ TODO-0902  office/ledger
gist  Buy quaggatodo for the attic
state live   conf med   since 2026-01-02   seen 2026-03-01
"""
OPEN = f"""@ {SHARED_ID}  ops/deploys
gist  {SHARED_TEXT}
state live   conf high   since 2026-01-02   seen 2026-03-01

@ DEC-0903  ops/deploys
gist  The deploys of quaggaamong go out in secret
# audience: private
state live   conf high   since 2026-01-02   seen 2026-03-01
"""
FACT = '{{"id": "{id}", "fact": "{text}", "category": "status", "timestamp": "2026-03-02", "source": "conversation", "status": "active", "supersededBy": null}}'
# Every file that memory has a place for, with a text of its own; `{}` is its word.
FILES = {
    "MEMORY.md": "# Memory\n\n## Ledger\n\n- The ledger of quaggacurated lies in the attic\n",
    "USER.md": "# User\n\n- The user keeps quaggauser in the attic\n",
    "SOUL.md": "# Soul\n\nCalm as a quaggasoul.\n",
    "todos.md": "# Todos\n\n- [ ] Buy quaggatask for the attic\n",
    "DREAMS.md": "# Dreams\n\nA dream of quaggadream in the attic.\n",
    "memory/quaggaloose.md": "# Loose\n\nThe ledger of quaggaloose lies in the attic.\n",
    f"memory/{TODAY}.md": f"# {TODAY}\n\n- 09:00 We decided to keep quaggatoday in the attic\n",
    f"memory/{YESTERDAY}.md": f"# {YESTERDAY}\n\n## Ledger\n\n- 09:00 Saw quaggayesterday in the attic\n",
    "memory/2026-01-05.md": "# 2026-01-05\n\n- 09:00 Saw quaggamonth in the attic\n",
    "memory/working-buffer.md": "# Working buffer\n\n- [ ] quaggabuffer in the attic\n",
    "memory/semantic/quaggawarm.md": "# Warm\n#tags: quaggatag\n\n> last_verified: 2026-03-01\n\nThe ledger of quaggawarm lies in the attic.\n",
    "memory/procedural/quaggahow.md": "# How to find quaggahow\n#tags: howto\n\n> last_verified: 2026-03-01\n\nLook in the attic.\n",
    **{
        f"memory/{kind}/quagga{kind}.md": f"---\nname: quagga{kind}\ndescription: the ledger of quagga{kind}\ntype: {kind}\ncreated: 2026-01-03\n---\n\n## Rule\n\nThe ledger of quagga{kind} lies in the attic.\n\n## Why\n\nquaggawhy\n"
        for kind in ("user", "feedback", "project", "reference")
    },
    "memory/palace/quaggaroom.md": "# Room\n\nThe ledger of quaggaroom lies in the attic.\n",
    "memory/dreaming/verify/2026-03-01.md": "# Verify\n\n- quaggaverify is doubtful\n",
    "memory/archive/2025/01/2025-01-05.md": "# 2025-01-05\n\n- 09:00 Saw quaggaarchive in the attic\n",
    "brain/areas/quaggaperson/summary.md": "# Quaggaperson\n\nKeeps quaggasummary in the attic.\n",
    "brain/areas/quaggaperson/items.json": "[\n" + FACT.format(id="quaggaperson-001", text="Quaggaperson pays with quaggafact") + "\n]\n",
    **{
        f"knowledge/{name}.md": f"# {name}\n\n## Quagga{name[:7]}\n\n- 2026-01-03: the ledger of quaggaknown lies in the attic\n"
        for name in ("project-tracker", "project-postmortem", "user-work-style-guide", "user-playbook")
    },
    "memory/private.mneme": CELLS.lstrip(),
    "memory/open.mneme": OPEN,
    SHARED_FILE: "# Open\n#tags: deploys\n\n> last_verified: 2026-03-01\n\nDeploys are announced in the hall.\n",
    "brain/areas/harbour/items.json": "[\n" + FACT.format(id="harbour-001", text="The harbour opens at nine") + "\n]\n",
}  # fmt: skip
CARD = """- id: quaggacard
  name: Quaggacard
  category: comms
  action_verb: look for the ledger in the attic
  triggers: [ledger, attic]
  description: Finds the ledger of quaggacard
  params_required: []
  params_optional: []
  example: quaggacard "ledger"
  schema_version: "1"
  source: manual
"""
PROMPT = "find the ledger in the attic"


def plant(root: Path, home: Path) -> None:
    """Write all of it, and do what leaves traces: a proposal, a search, changes that are in history, an outcome."""
    put(root, "mneme.toml", SETTINGS)
    for name, text in FILES.items():
        put(root, name, text)
    with open_memory(str(root), now=lambda: NOW) as memory:
        memory.propose([Proposal("The attic has a quaggaproposal", "fact", "capture", sources=(Source(f"memory/{TODAY}.md", "quaggaquote"),))])  # fmt: skip
        memory.remember("The roof of quaggawritten leaks", kind="gotcha", topic="office/roof")
        memory.recall("where is the ledger of quaggasearch?")
    put(home, "capabilities.yaml", CARD)
    step = {"tool": "Bash", "input": {"command": "grep quaggastep"}}
    workflow = {"situation": PROMPT, "sequence": ["Bash"], "steps": [step], "outcome": "quaggaoutcome", "timestamp": "2026-03-01T00:00:00Z"}  # fmt: skip
    put(home, "procedural.jsonl", json.dumps(workflow) + "\n")
    put(home, "reflections.jsonl", json.dumps({"ts": "2026-03-01T00:00:00Z", "situation": PROMPT, "tool": "Bash", "lesson": "quaggalesson"}) + "\n")  # fmt: skip
    put(home, "feedback.jsonl", json.dumps({"ts": "2026-03-01T00:00:00Z", "query": PROMPT, "tool_id": "quaggacard"}) + "\n")  # fmt: skip


def secrets_in(told: str, said: object = "") -> list[str]:
    """Return the private words in what was told, but for those that whoever asked had said themselves."""
    known = {word.lower() for word in SECRET.findall(str(said))}
    return sorted({word.lower() for word in SECRET.findall(told)} - known)
