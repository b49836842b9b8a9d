"""What a workspace remembers, one package per kind of memory; neighbours do not know each other.

`read_pieces` is the one way from the bytes of a memory file, of whatever kind, to the pieces that lists, checks, the
index and recall work on.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mneme import files
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mneme.formats.piece import Piece
    from mneme.workspace import Workspace


def read_pieces(workspace: Workspace, path: str, content: bytes) -> tuple[Piece, ...]:
    """Return the pieces of a file of memory, in its order; a file that can't be read as what it is has none."""
    text = content.decode("utf-8", "surrogateescape")
    if path.endswith(CELL_SUFFIXES):
        from mneme.memory.cells.pieces import cell_pieces

        return cell_pieces(text, path, tier=workspace.tier_of(path), audience=workspace.audience_of(path))
    from mneme.profiles.profile import ITEMS

    if posixpath.basename(path) == ITEMS:
        from mneme.memory.graph.pieces import fact_pieces

        return fact_pieces(text, path, tier=workspace.tier_of(path), audience=workspace.audience_of(path))
    from mneme.memory.notes.pieces import note_pieces

    return note_pieces(text, path, workspace)


def all_paths(workspace: Workspace) -> tuple[str, ...]:
    """Return the workspace paths of everything that is memory: cells, notes and facts."""
    found = workspace.memory_files()
    return (*found.cells, *found.notes, *found.facts)


def load_pieces(workspace: Workspace, paths: Iterable[str] | None = None) -> Iterator[Piece]:
    """Yield the pieces of the files named, or of all memory, file by file; one that is gone meanwhile has none."""
    for path in all_paths(workspace) if paths is None else paths:
        place = files.place_of(workspace.root, path)
        if is_too_large(path, place):
            continue
        content = files.find_file(place)
        if content is not None:
            yield from read_pieces(workspace, path, content)


def is_too_large(path: str, place: Path) -> bool:
    """Say whether a note is one that is cut into nothing, so that nobody need read it."""
    from mneme.formats.note import LARGE_NOTE_BYTES
    from mneme.profiles.select import NOTE_SUFFIXES

    try:
        return path.endswith(NOTE_SUFFIXES) and place.stat().st_size > LARGE_NOTE_BYTES * 4
    except OSError:
        return False
