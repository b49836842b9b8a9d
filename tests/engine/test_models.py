"""Which language model a workspace gets: what its settings name, where the workspace is trusted."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mneme.engine.memory import Memory
from mneme.engine.models import find_asking
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
