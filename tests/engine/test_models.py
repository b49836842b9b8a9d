"""Which language model a workspace gets: what its settings name, where the workspace is trusted."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.engine.models import calls, find_asking
from mneme.models import ModelError
from mneme.workspace import Workspace, parse_settings

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = json.dumps([sys.executable, "-c", "import os; print('[\"' + os.environ['MNEME_HOOKS'] + '\"]')"])


def memory_at(root: Path, settings: str, *, trusted: bool) -> Memory:
    """Return a memory with settings."""
    workspace = Workspace(root, parse_settings(settings), trusted=trusted)
    return Memory(workspace, lambda: datetime(2026, 1, 2, tzinfo=UTC))


def test_a_trusted_workspace_gets_its_model_and_a_log(tmp_path: Path) -> None:
    """The command is told to leave our hooks alone; the log says what was asked for, and no text."""
    memory = memory_at(tmp_path, f'[model]\nkind = "command"\ncommand = {COMMAND}\n', trusted=True)
    asking, _ = find_asking(memory)
    assert asking is not None
    assert asking.ask("test", "a secret thought", {"type": "array"}) == ["off"]
    line = (tmp_path / ".mneme.d/models.jsonl").read_text("utf-8")
    assert json.loads(line)["purpose"] == "test"
    assert "secret thought" not in line


def test_nothing_of_a_strangers_workspace_is_run(tmp_path: Path) -> None:
    """The reason says how it could be."""
    memory = memory_at(tmp_path, f'[model]\nkind = "command"\ncommand = {COMMAND}\n', trusted=False)
    asking, reason = find_asking(memory)
    assert asking is None
    assert "not trusted" in reason


def test_without_settings_there_is_none(tmp_path: Path) -> None:
    """The default needs no model."""
    assert find_asking(memory_at(tmp_path, "", trusted=True)) == (None, "no language model is set")


PRICED = f"""[model]
kind = "command"
command = {COMMAND}
price_in = 1000.0
price_out = 4000.0
spend_per_run = 1.0
spend_per_day = 0.5
"""


def test_what_a_day_may_spend_is_kept_to(tmp_path: Path) -> None:
    """Runs share it; what is left is told, and a question that would cost more is not asked."""
    memory = memory_at(tmp_path, PRICED, trusted=True)
    shape = {"type": "array"}
    asking, _ = find_asking(memory)
    assert asking is not None
    asking.ask("test", "a" * 400, shape)
    (call,) = calls(memory)
    assert 0.1 < call.cost < 0.2
    again, _ = find_asking(memory)
    assert again is not None
    assert again.limits.spend == pytest.approx(0.5 - call.cost)
    with pytest.raises(ModelError, match="more than is left"):
        again.ask("test", "a" * 2000, shape)
    assert len(calls(memory)) == 1
    tomorrow = Memory(memory.workspace, lambda: datetime(2026, 1, 3, tzinfo=UTC))
    fresh, _ = find_asking(tomorrow)
    assert fresh is not None
    assert fresh.limits.spend == 0.5


def test_what_was_spent_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each call with its cost, and the sum."""
    from mneme.cli import main

    (tmp_path / "mneme.toml").write_text(PRICED)
    memory = memory_at(tmp_path, PRICED, trusted=True)
    asking, _ = find_asking(memory)
    assert asking is not None
    asking.ask("capture", "a" * 400, {"type": "array"})
    assert main(["--workspace", str(tmp_path), "--today", "2026-01-02", "log", "--models"]) == 0
    told = capsys.readouterr()
    assert "capture" in told.out
    assert "taken" in told.out
    assert "today" in told.err
