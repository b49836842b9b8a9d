"""What is installed is read by the programs that it is for, and however many ask at once, a job runs once."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mneme.hosts import timers

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("plain", "my 100% memory", 'quo"te $HOME \\x', "日记", "two\nlines")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Let a home of the test's own be written to, and note what the system would be asked."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(timers, "_run", lambda command, given=None: commands.append(tuple(command)))  # noqa: ARG005
    return commands


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here to judge")
@pytest.mark.usefixtures("asked")
def test_systemd_finds_no_fault_with_its_units(tmp_path: Path) -> None:
    """Whatever the folder is called."""
    for name in NAMES[:4]:
        (tmp_path / name).mkdir()
        timers.put_in_place(timers.plan_timer("systemd", tmp_path / name))
    units = sorted(map(str, (tmp_path / "home/.config/systemd/user").iterdir()))
    (tmp_path / "run").mkdir(mode=0o700)
    told = subprocess.run(
        ["systemd-analyze", "--user", "verify", *units],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(units) == 8
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.usefixtures("asked")
def test_a_folder_cannot_write_lines_of_a_unit(tmp_path: Path) -> None:
    """A line break in its name stays in the words that say what it is."""
    root = tmp_path / "a\n[Service]\nExecStartPre=evil"
    timers.put_in_place(timers.plan_timer("systemd", root))
    for unit in (tmp_path / "home/.config/systemd/user").iterdir():
        assert "\nExecStartPre" not in unit.read_text("utf-8").partition("ExecStart=")[0]


@pytest.mark.usefixtures("asked")
def test_launchd_gets_the_words_as_they_are(tmp_path: Path) -> None:
    """Its property list is read back by the library that knows the format."""
    for name in NAMES:
        timers.put_in_place(timers.plan_timer("launchd", tmp_path / name))
    lists = [plistlib.loads(one.read_bytes()) for one in (tmp_path / "home/Library/LaunchAgents").iterdir()]
    folders = {one["ProgramArguments"][one["ProgramArguments"].index("--workspace") + 1] for one in lists}
    assert folders == {str(tmp_path / name) for name in NAMES}
    assert {one["StartInterval"] for one in lists} == {600}


def test_processes_that_ask_at_once_run_a_job_once(tmp_path: Path) -> None:
    """Each of four is told that all is well, and there is one capture."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "mneme.toml").write_text('profile = "never-forget"\n')
    (tmp_path / "memory/2026-01-05.md").write_text(
        "# 2026-01-05\n\n- 09:00 We decided to use Postgres for the ledger.\n"
    )
    stamp = "2026-01-01T09:00:00+00:00"
    runs = {"capture": {"began": stamp, "ended": stamp, "outcome": "ok", "message": ""}}
    state = tmp_path / ".mneme.d/schedule.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"version": 1, "runs": runs}))
    command = [sys.executable, "-m", "mneme", "--workspace", str(tmp_path), "--today", "2026-01-06", "schedule", "run"]
    running = [subprocess.Popen([*command, "--due"], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    told = [one.communicate()[0] for one in running]
    assert [one.returncode for one in running] == [0, 0, 0, 0]
    assert sum("capture" in one for one in told) == 1
    plans = [json.loads(one.read_bytes())["verb"] for one in (tmp_path / ".mneme.d/history").glob("*/plan.json")]
    assert plans == ["capture"]
