"""Making a workspace where there is none, and trusting it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.memory import Memory
from mneme.errors import BadInputError
from mneme.workspace import CELL_SUFFIXES, given_folder, open_workspace, set_trust

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mneme.engine.results import Done


def init_workspace(asked: str | None, *, now: Callable[[], datetime], dry_run: bool = False) -> tuple[Path, Done]:
    """Make a workspace in the folder that is meant, adding only what is missing, and trust it."""
    root = given_folder(asked) if asked else Path.cwd()
    if root.exists() and not root.is_dir():
        message = f"'{root}' is not a folder"
        raise BadInputError(message, "mneme init --workspace DIR")
    memory = Memory(open_workspace(root), now)
    with memory.writing("init", dry_run=dry_run):
        missing = [(name, text) for name, text in _TEMPLATE if not (root / name).exists()]
        if memory.workspace.cell_files():
            missing = [(name, text) for name, text in missing if not name.endswith(CELL_SUFFIXES)]
        changes = tuple(files.plan_create(name, text.encode(), "a new workspace") for name, text in missing)
        done = memory.apply(files.Plan("init", changes), dry_run=dry_run)
    if not dry_run:
        set_trust(root, trusted=True)
    return root, done


_SETTINGS_TEXT = """\
# The settings of this workspace; docs/settings.md describes every key.
# [cells]
# stale_after_days = 45
"""
_CELLS_TEXT = """\
# One claim per cell. What a cell says is never edited: `mneme supersede ID` puts a new one in its place.
"""
_TEMPLATE = (("mneme.toml", _SETTINGS_TEXT), ("memory/project.mneme", _CELLS_TEXT))
