"""What the rest of the engine sees of cells: records, what is immutable in them, and the spine, now or as of a day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.formats.cell import ID_WIDTH, KINDS, STATE_WIDTH, is_date, parse_cells
from mneme.formats.record import LIVE, PRIVATE, PROPOSED, RETIRED, STATES, WORKING_STATES, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.cell import Cell, CellFile, Content


def kind_of(cell_id: str) -> str:
    """Return the kind of memory that an id's prefix names: for an unknown prefix, the prefix itself."""
    prefix = cell_id.rpartition("-")[0]
    return KINDS.get(prefix, "proposal" if prefix == "PROP" else prefix.lower())


def cell_record(cell: Cell, path: str) -> Record:
    """Return a cell as the record that every other part of the engine reads."""
    return Record(
        id=cell.id,
        kind=kind_of(cell.id),
        path=path,
        line=cell.line,
        end_line=cell.end_line,
        text="\n".join((cell.gist, *cell.body)),
        state=cell.state,
        conf=cell.conf,
        since=cell.since,
        seen=cell.seen,
        audience=cell.audience or PRIVATE,
        links=cell.links,
    )


def content_of(cell: Cell) -> Content:
    """Return what may never change in a cell: its gist, its body and its cue."""
    return cell.gist, cell.body, cell.cue


def immutable_parts(text: str) -> dict[str, Content]:
    """Return the content of every cell of a text by id; the second cell with one id is `DEC-0042 (2)`, and so on."""
    parts: dict[str, Content] = {}
    repeats: dict[str, int] = {}
    for cell in parse_cells(text).cells:
        again = repeats[cell.id] = repeats.get(cell.id, 0) + 1
        parts[cell.id if again == 1 else f"{cell.id} ({again})"] = content_of(cell)
    return parts


def spine_line(cell: Cell) -> str:
    """Return the one line that stands for a cell at boot."""
    return _spine_row(cell.id, cell.state, cell.gist, cell.topic)


def _spine_row(cell_id: str, state: str, gist: str, topic: str) -> str:
    return f"{cell_id:<{ID_WIDTH}} {state:<{STATE_WIDTH}} {gist}  [{topic}]"


def spine_lines(file: CellFile) -> list[str]:
    """Return the spine of a file: a line for every cell in a working state, in file order."""
    columns = file.columns
    rows = zip(columns.ids, columns.states, columns.gists, columns.topics, strict=True)
    return [_spine_row(*row) for row in rows if row[1] in WORKING_STATES]


def spine_as_of(cells: Sequence[Cell], day: str) -> list[Cell]:
    """Return the cells that were believed on a day, in the state they then had.

    A cell holds from its `since` until the `since` of its first successor, or until its `# retired` date; where neither
    is written, it holds as long as it was last seen to. A proposed cell was never believed. A stale one was live for as
    long as it was still being affirmed.
    """
    successors = _successor_days(cells)
    found = []
    for cell in cells:
        if cell.state not in STATES or cell.state == PROPOSED or not is_date(cell.since) or day < cell.since:
            continue
        if cell.state in WORKING_STATES:
            found.append(replace(cell, state=LIVE) if day <= cell.seen else cell)
            continue
        end = cell.retired if cell.state == RETIRED else successors.get(cell.id, "")
        if day < end if end else day <= cell.seen:
            found.append(replace(cell, state=LIVE))
    return found


def _successor_days(cells: Sequence[Cell]) -> dict[str, str]:
    """Return for every superseded id the first day on which a successor held, by links written on either side."""
    since = {cell.id: cell.since for cell in cells if is_date(cell.since)}
    pairs = [(cell.id, link.target) for cell in cells for link in cell.links if link.relation == "superseded-by"]
    pairs += [(link.target, cell.id) for cell in cells for link in cell.links if link.relation == "supersedes"]
    days: dict[str, str] = {}
    for loser, winner in pairs:
        if winner in since:
            days[loser] = min(days.get(loser, since[winner]), since[winner])
    return days
