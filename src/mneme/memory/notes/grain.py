"""How finely a note is cut, told by its path alone: who only asks that need not know how notes are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.formats.record import ENTRIES, FILE, SECTIONS

if TYPE_CHECKING:
    from mneme.workspace import Workspace

# Kinds of files that are collected entry by entry, whatever the profile.
_COLLECTED = frozenset({"memory", "day", "buffer", "task", "user-file", "reminder", "dream"})


def grain_of(path: str, workspace: Workspace) -> str:
    """Return what a note is cut into: nothing, its sections, or its entries."""
    profile = workspace.profile
    if profile.is_classified(path):
        return FILE
    kind = profile.kind_of(path)
    return ENTRIES if kind in _COLLECTED or profile.is_tagged(path) or kind in profile.homes else SECTIONS
