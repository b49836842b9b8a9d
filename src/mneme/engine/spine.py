"""The verbs that read cells: the spine, today or as of a day, and ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import BadInputError
from mneme.formats.record import SHARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.formats.cell import Cell
    from mneme.formats.record import Record
    from mneme.memory.cells.load import CellSet


def cells(memory: Memory, paths: Sequence[str] = ()) -> CellSet:
    """Return the cells of the workspace, or of the files that a person named."""
    from mneme.memory.cells.load import load_cells

    found = load_cells(memory.workspace, paths)
    memory.problems += found.problems
    return found


def spine(memory: Memory, paths: Sequence[str] = (), *, as_of: str | None = None) -> Sequence[str]:
    """Return the spine, a line for each cell that holds, or that held on a day."""
    from mneme.formats.spine import spine_line, spine_lines

    if as_of is None and not memory.shared:
        return [line for file in memory.cells(paths).files for line in spine_lines(file)]
    return [spine_line(cell) for _, cell in _held(memory, paths, as_of)]


def spine_records(memory: Memory, paths: Sequence[str] = (), *, as_of: str | None = None) -> Sequence[Record]:
    """Return the cells of the spine as records."""
    from mneme.formats.spine import cell_record

    return [cell_record(cell, path) for path, cell in _held(memory, paths, as_of)]


def _held(memory: Memory, paths: Sequence[str], as_of: str | None) -> Sequence[tuple[str, Cell]]:
    from mneme.formats.cell import is_date
    from mneme.formats.record import WORKING_STATES
    from mneme.formats.spine import spine_as_of

    known = memory.cells(paths)
    seen = [(file.path, cell) for file, cell in known.all() if not memory.shared or _is_shared(memory, file.path, cell)]
    if as_of is None:
        return [(path, cell) for path, cell in seen if cell.state in WORKING_STATES]
    if not is_date(as_of):
        message = f"'{as_of}' is not a date"
        raise BadInputError(message, "mneme spine --as-of 2026-01-31")
    places = {(cell.id, cell.line): path for path, cell in seen}
    held = spine_as_of([cell for _, cell in seen], as_of)
    return [(places[cell.id, cell.line], cell) for cell in held]


def _is_shared(memory: Memory, path: str, cell: Cell) -> bool:
    return (cell.audience or memory.workspace.audience_of(path)) == SHARED


def new_id(memory: Memory, prefix: str, paths: Sequence[str] = ()) -> str:
    """Return the next free id of a prefix, without taking it; files outside the workspace may be named too."""
    from mneme.engine.cells import free_id, named_prefix
    from mneme.memory.cells.ids import highest_in

    name, _ = named_prefix(memory, None, prefix, "new-id")
    named = [highest_in(content).get(name, 0) for content in memory.cells(paths).contents.values()] if paths else []
    return free_id(memory, name, take=False, least=max(named, default=0))
