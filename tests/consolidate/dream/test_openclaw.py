"""OpenClaw itself, beside ours, on the same store: each reads what the other wrote, and both promote the same.

Runs where `tools/hosts.sh openclaw` has put it, or where `MNEME_HOSTS` says. Every command of it takes ten seconds of a
processor, so what one of them is enough to show is shown by one, and the rest is a campaign.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.consolidate.dream.nights import Place
from tests.real.hosting import HOSTS

from mneme.consolidate.dream.entry import parse_entries
from mneme.consolidate.dream.sentence import markers

MODULES = HOSTS / "openclaw" / "node_modules"
PROGRAM = MODULES / "openclaw" / "openclaw.mjs"
NODES = sorted(MODULES.glob("node-*/bin/node"))
NODE = str(NODES[0]) if NODES else ""
STORE = "memory/.dreams/short-term-recall.json"
GATES = ("--min-score", "0.5", "--min-recall-count", "3", "--min-unique-queries", "3")

needs_openclaw = pytest.mark.skipif(not PROGRAM.is_file() or not NODE, reason="tools/hosts.sh openclaw installs it")


def openclaw(place: Place, *words: str) -> Any:  # noqa: ANN401 - what its JSON holds
    """Run one of its commands on a workspace, and return the JSON it prints."""
    state = place.root.parent / "state"
    state.mkdir(exist_ok=True)
    config = state / "openclaw.json"
    dreaming = {"enabled": False, "timezone": "UTC"}
    config.write_text(
        json.dumps(
            {
                "agents": {"defaults": {"workspace": str(place.root), "userTimezone": "UTC"}},
                "plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}},
            }
        )
    )
    env = {
        **os.environ,
        "HOME": str(state),
        "OPENCLAW_STATE_DIR": str(state),
        "OPENCLAW_CONFIG_PATH": str(config),
        "TZ": "UTC",
        "PATH": f"{Path(NODE).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        [NODE, str(PROGRAM), "memory", *words],
        capture_output=True,
        text=True,
        env=env,
        cwd=state,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if "--json" not in words:
        return done.stdout
    return json.loads(done.stdout[min(at for at in map(done.stdout.find, "[{") if at >= 0) :])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a workspace whose store our Light and REM have written, from notes and recalls of the last days."""
    place = Place(tmp_path / "ws")
    now = datetime.now(UTC)
    place.write("mneme.toml", '[dream]\nscoring = "openclaw"\nmin_score = 0.5\n')
    place.write("MEMORY.md", "# Memory\n\n- Ann lives in Lisbon.\n")
    for ago, rows in (
        (2, ("Move backups to S3 Glacier every night.", "The gateway stays loopback-only on port 18789.")),
        (
            1,
            (
                "The router in the attic uses VLAN 10 for cameras.",
                "备份保留 365 天，路由器在阁楼。",
                "Sauvegarde du routeur chaque nuit.",
            ),
        ),
    ):
        day = (now - timedelta(days=ago)).date()
        place.write(f"memory/{day}.md", f"# {day}\n\n## Ops\n\n" + "".join(f"{row}\n\n" for row in rows))
        for number, _ in enumerate(rows):
            for turn in range(2 + number):
                at = now - timedelta(days=ago - 0.4 * turn, hours=2)
                place.ask(f"memory/{day}.md", 5 + 2 * number, at, f"question {number} {turn}", score=0.55 + 0.11 * turn)
    place.dream(now, ["light", "rem"])
    return place


@needs_openclaw
def test_both_promote_the_same_from_a_store_that_we_wrote(place: Place) -> None:
    """It finds nothing to complain of; the same candidates in the same order with the same scores, the same keys."""
    ours = Place(place.root.parent / "ours")
    shutil.copytree(place.root, ours.root)
    entries = parse_entries((place.root / STORE).read_bytes(), datetime.now(UTC))
    theirs = openclaw(place, "promote", "--apply", "--json", *GATES)
    audit = theirs["audit"]
    assert (audit["entryCount"], audit["invalidEntryCount"], audit["issues"]) == (len(entries.by_key), 0, [])
    night = ours.dream(datetime.now(UTC), ["deep"])
    assert night.report is not None
    assert night.report.decision is not None
    mine = [(candidate.entry.key, candidate.score) for _, candidate, _ in night.report.decision.added]
    applied = theirs["apply"]["appliedCandidates"]
    assert len(mine) > 1
    assert [key for key, _ in mine] == [one["key"] for one in applied]
    assert [score for _, score in mine] == pytest.approx([one["score"] for one in applied], abs=1e-3)
    assert markers(ours.read("MEMORY.md")) == markers(place.read("MEMORY.md")) == {key for key, _ in mine}
    # What it promoted is promoted: we read its store and its lines, and say nothing twice.
    before = place.read("MEMORY.md")
    with place.open(datetime.now(UTC)) as memory:
        assert memory.dream_status().promoted == theirs["apply"]["applied"] > 0
    place.dream(datetime.now(UTC), ["deep"])
    assert place.read("MEMORY.md") == before


@needs_openclaw
def test_what_it_searched_for_counts_as_asked(tmp_path: Path) -> None:
    """A search of its own leaves its store and its event; of the stretch that it hit we count the memory it meant."""
    place = Place(tmp_path / "ws")
    now = datetime.now(UTC)
    day = (now - timedelta(days=1)).date()
    place.write("MEMORY.md", "# Memory\n\n- Ann lives in Lisbon.\n")
    place.write(f"memory/{day}.md", f"# {day}\n\n- Backups go to Glacier.\n- The gateway stays on port 18789.\n")
    found = openclaw(place, "search", "gateway port", "--json")
    assert [one["path"] for one in found["results"]] == [f"memory/{day}.md"]
    place.dream(datetime.now(UTC))
    entries = parse_entries((place.root / STORE).read_bytes(), now).by_key
    counted = {entry.snippet: entry.recalls for entry in entries.values() if entry.line == entry.end_line}
    assert counted == {"The gateway stays on port 18789.": 1, "Backups go to Glacier.": 0}


@needs_openclaw
@pytest.mark.campaign
def test_it_tells_and_explains_what_we_wrote(place: Place) -> None:
    """Its status counts our entries; its explanation of one has our score."""
    entries = parse_entries((place.root / STORE).read_bytes(), datetime.now(UTC))
    (status,) = openclaw(place, "status", "--json")
    audit = status["audit"]
    assert (audit["entryCount"], audit["invalidEntryCount"], audit["issues"]) == (len(entries.by_key), 0, [])
    explained = openclaw(place, "promote-explain", "Glacier", "--include-promoted", "--json")
    with place.open(datetime.now(UTC)) as memory:
        (own,) = memory.dream_explain("Glacier")
    assert explained["candidate"]["key"] == own.key
    assert explained["candidate"]["score"] == pytest.approx(own.score, abs=1e-3)
