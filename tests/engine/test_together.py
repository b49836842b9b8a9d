"""Two agents and a person in an editor at one workspace: nothing that anybody wrote is lost without a word."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.engine.together import HOME
from tests.engine.workspaces import put
from tests.files.workbench import tree

from mneme import files
from mneme.engine import open_memory
from mneme.profiles import templates_of

SCRIPT = Path(__file__).with_name("together.py")
BURNERS = 4


@pytest.mark.parametrize(
    ("seconds", "burners"), [(3, 0), pytest.param(60, BURNERS, marks=pytest.mark.campaign)], ids=["short", "long"]
)
def test_nothing_is_lost_without_a_word(tmp_path: Path, seconds: int, burners: int) -> None:
    """What agents were told is written is there, or somebody saved over it: then it is in history, and told."""
    root = tmp_path / "w"
    for template in templates_of("v4"):
        put(
            root, template.path, template.content(datetime.now(UTC)).decode().replace("commit = true", "commit = false")
        )
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(burners)]
    try:
        ledgers = at_work(root, tmp_path, seconds)
    finally:
        for one in load:
            one.kill()
            one.wait()
    check_ledgers(root, ledgers)


def at_work(root: Path, folder: Path, seconds: int) -> dict[str, list[dict[str, object]]]:
    """Let all three work at once; return their ledgers."""
    people = {"anna": "agent", "bert": "agent", "mine": "person"}
    running = [
        subprocess.Popen([sys.executable, SCRIPT, who, root, folder / name, str(seconds), name], stderr=subprocess.PIPE)
        for name, who in people.items()
    ]
    for one in running:
        _, said = one.communicate(timeout=seconds * 5 + 60)
        assert one.returncode == 0, said.decode()
    return {name: [json.loads(line) for line in (folder / name).read_text().splitlines()] for name in people}


def check_ledgers(root: Path, ledgers: dict[str, list[dict[str, object]]]) -> None:
    """Hold every row of every ledger against the files, the history and what was told."""
    with open_memory(str(root), now=lambda: datetime.now(UTC)) as memory:
        told = list(memory.check().problems)
        told += memory.wrap_up("all went home").problems
    reported = {problem.path for problem in told if problem.rule in ("overwritten-plan", "overwritten-version")}
    there = b"\n".join(tree(root).values())
    rows = [row for name in ("anna", "bert") for row in ledgers[name]]
    assert len([row for row in rows if row["status"] == "ok"]) > 5
    for row in rows:
        word = str(row["word"]).encode()
        if row["status"] == "refused":
            assert row["message"]
            assert word not in there
        elif word not in there:
            assert is_in_history(root, word), row
            assert HOME in reported, row
    said = "\n".join(str(row.get("problems", "")) for row in rows)
    for row in ledgers["mine"]:
        word = str(row["word"]).encode()
        if word not in there:
            assert is_in_history(root, word), row
            assert "their version is kept" in said or HOME in reported, row


def is_in_history(root: Path, word: bytes) -> bool:
    """Say whether a version with a word is kept."""
    folder = root / files.WORKPLACE
    return any(word in place.read_bytes() for place in folder.rglob("*") if place.is_file())
