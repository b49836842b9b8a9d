"""Many notes are looked at in two processes: what they find is what one finds."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from mneme.check.beside import LEAST_NOTES, look_beside, may_double
from mneme.engine import Memory
from mneme.workspace import open_workspace

MNEME = Path(sys.executable).with_name("mneme")
TWICE = """
import json, sys
from mneme.check.beside import LEAST_NOTES, look_beside
def look(path):
    if path == "bad" and sys.argv[1] == "fails":
        raise ValueError
    return [path.upper(), None]
answers = look_beside(["bad", *(str(n) for n in range(LEAST_NOTES))], look)()
print(json.dumps([len(answers), answers.get("bad")]))
"""


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    """Every fault of every half, with its line, and again from what was kept."""
    (tmp_path / "mneme.toml").touch()
    folder = tmp_path / "memory" / "topics"
    folder.mkdir(parents=True)
    for number in range(LEAST_NOTES + 50):
        fault = ("- [gone](nowhere.md)", "`tools/gone.py`", "<!-- open", "- It broke yesterday", "")[number % 5]
        (folder / f"n{number}.md").write_text(f"# N{number}\n\n- Statement number {number}\n{fault}\n")
    command = [str(MNEME), "--workspace", str(tmp_path), "--today", "2026-07-20", "check", "--json"]
    told = [json.loads(subprocess.run(command, capture_output=True, check=False).stdout) for _ in range(2)]
    assert told[0]["problems"] == told[1]["problems"]
    (tmp_path / ".mneme.d" / "check-notes.json").unlink()
    (tmp_path / ".mneme.d" / "check-tree").unlink()
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not may_double()
        alone = Memory(open_workspace(tmp_path), lambda: datetime(2026, 7, 20, tzinfo=UTC)).check().problems
    finally:
        ended.set()
        thread.join()
    assert len(alone) > LEAST_NOTES // 2
    found = [(one["path"], one["line"], one["rule"]) for one in told[0]["problems"]]
    assert found == [(one.path, one.line, one.rule) for one in alone]


def test_a_second_process_that_fails_is_done_without() -> None:
    """It gives no answers, so the caller looks itself; one that does well answers for every note."""
    said = [
        json.loads(subprocess.run([sys.executable, "-c", TWICE, how], capture_output=True, check=True).stdout)
        for how in ("fails", "does well")
    ]
    assert said == [[0, None], [LEAST_NOTES + 1, ["BAD", None]]]


def test_few_notes_are_looked_at_alone() -> None:
    """A second process for a handful would cost more than it saves."""
    assert look_beside(["a.md"], lambda path: path)() == {}
