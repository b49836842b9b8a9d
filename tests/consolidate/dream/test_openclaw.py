"""OpenClaw itself, beside ours, on the same store: each reads what the other wrote, and both promote the same.

Runs where `MNEME_OPENCLAW` names a folder with `openclaw` in its `node_modules`, and `MNEME_NODE` (or `node`) is
version 22 or newer. Every command of it takes half a minute, so this is a campaign.
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

from mneme.consolidate.dream.entry import parse_entries
from mneme.consolidate.dream.sentence import markers

pytestmark = pytest.mark.campaign

NODE = os.environ.get("MNEME_NODE") or shutil.which("node") or ""
HOME = os.environ.get("MNEME_OPENCLAW", "")
PROGRAM = Path(HOME) / "node_modules" / "openclaw" / "openclaw.mjs"
STORE = "memory/.dreams/short-term-recall.json"
GATES = ("--min-score", "0.5", "--min-recall-count", "3", "--min-unique-queries", "3")
LEAST_NODE = 22


def _has_openclaw() -> bool:
    if not HOME or not PROGRAM.is_file() or not NODE:
        return False
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=False).stdout
    return version.startswith("v") and int(version[1:].split(".")[0]) >= LEAST_NODE


needs_openclaw = pytest.mark.skipif(
    not _has_openclaw(), reason="MNEME_OPENCLAW names no folder with openclaw, or node is old"
)


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
def test_it_reads_what_we_wrote_and_promotes_the_same(place: Place) -> None:
    """The same candidates in the same order with the same scores, and the same keys in MEMORY.md."""
    ours = Place(place.root.parent / "ours")
    shutil.copytree(place.root, ours.root)
    entries = parse_entries((place.root / STORE).read_bytes(), datetime.now(UTC))
    (status,) = openclaw(place, "status", "--json")
    audit = status["audit"]
    assert (audit["entryCount"], audit["invalidEntryCount"], audit["issues"]) == (len(entries.by_key), 0, [])
    theirs = openclaw(place, "promote", "--apply", "--json", *GATES)
    night = ours.dream(datetime.now(UTC), ["deep"])
    assert night.report is not None
    assert night.report.decision is not None
    mine = [(candidate.entry.key, candidate.score) for _, candidate, _ in night.report.decision.added]
    applied = theirs["apply"]["appliedCandidates"]
    assert len(mine) > 1
    assert [key for key, _ in mine] == [one["key"] for one in applied]
    assert [score for _, score in mine] == pytest.approx([one["score"] for one in applied], abs=1e-3)
    assert markers(ours.read("MEMORY.md")) == markers(place.read("MEMORY.md")) == {key for key, _ in mine}


@needs_openclaw
def test_we_go_on_where_it_stopped(place: Place) -> None:
    """What it promoted is promoted: we read its store and its lines, and say nothing twice."""
    theirs = openclaw(place, "promote", "--apply", "--json", *GATES)
    before = place.read("MEMORY.md")
    status = place.open(datetime.now(UTC)).dream_status()
    assert status.promoted == theirs["apply"]["applied"] > 0
    place.dream(datetime.now(UTC), ["deep"])
    assert place.read("MEMORY.md") == before
    explained = openclaw(place, "promote-explain", "Glacier", "--include-promoted", "--json")
    (own,) = place.open(datetime.now(UTC)).dream_explain("Glacier")
    assert explained["candidate"]["key"] == own.key
    assert explained["candidate"]["score"] == pytest.approx(own.score, abs=1e-3)
