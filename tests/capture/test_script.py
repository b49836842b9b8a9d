"""A workflow as a script: it runs, in a real shell, and does nothing that it was not."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from mneme.capture.script import print_script
from mneme.formats.outcome import Step, Workflow

if TYPE_CHECKING:
    from pathlib import Path


def script(*steps: Step, situation: str = "ship it") -> str:
    """Return the script of a workflow of these steps."""
    return print_script(Workflow(situation, tuple(step.tool for step in steps), at="2026-01-31", steps=steps))


def test_what_was_run_can_be_run_again(tmp_path: Path) -> None:
    """Commands in order, other tools as comments between them, failed steps left out."""
    text = script(
        Step("Bash", {"command": "echo one > a.txt"}),
        Step("Edit", {"file_path": "a.txt", "new_string": "x\ny"}),
        Step("Bash", {"command": "echo wrong >> a.txt"}, ok=False),
        Step("Bash", {"command": "for n in 2 3; do\n  echo $n >> a.txt\ndone"}),
    )
    subprocess.run(["sh"], input=text, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "a.txt").read_text() == "one\n2\n3\n"
    assert '# 2. Edit {"file_path": "a.txt", "new_string": "x\\ny"}' in text


def test_a_secret_must_be_given_anew(tmp_path: Path) -> None:
    """The script stops where it is not set, before anything is done with it."""
    text = script(Step("Bash", {"command": "echo [secret] > a.txt"}))
    assert subprocess.run(["sh"], input=text, text=True, cwd=tmp_path, capture_output=True, check=False).returncode
    assert not (tmp_path / "a.txt").exists()
    env = {"SECRET_1": "given", "PATH": "/bin:/usr/bin"}
    subprocess.run(["sh"], input=text, text=True, cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "a.txt").read_text() == "given\n"


def test_a_comment_cannot_become_a_command(tmp_path: Path) -> None:
    """Line ends in a situation, in a tool's name and in what it was given stay in the comment."""
    evil = "x\ntouch evil\r\u2028touch evil\x85touch evil"
    text = script(Step(evil, {"file": evil}), Step("Bash", {"command": "touch cut…"}), situation=evil)
    subprocess.run(["sh"], input=text, text=True, cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []
