"""The Python API: what the command line does, with the same words."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from typing import TYPE_CHECKING

import mneme

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_one_process_stores_and_another_finds(tmp_path: Path) -> None:
    """Memory outlives the process."""
    (tmp_path / "mneme.toml").touch()
    with mneme.open(str(tmp_path)) as memory:
        done = memory.remember("Local cache uses SQLite, not JSON", kind="decision", topic="storage/cache")
        assert done.records[0].id == "DEC-0001"
    program = f"import mneme; print(*mneme.open({str(tmp_path)!r}).spine())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Local cache uses SQLite, not JSON" in found.stdout


def test_the_clock_is_the_caller_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A given clock dates what is written; without a folder the one around us is meant."""
    (tmp_path / "mneme.toml").touch()
    monkeypatch.chdir(tmp_path)
    with mneme.open(now=lambda: datetime(2026, 3, 4)) as memory:  # noqa: DTZ001 - a day like any other
        memory.remember("Lunch is at noon", kind="fact")
        assert memory.show("FACT-0001")[0].record.since == "2026-03-04"


def test_importing_costs_nothing() -> None:
    """The package imports no part of itself until it is used."""
    program = "import sys, mneme; print([name for name in sys.modules if name.startswith('mneme.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
