"""Tables: rows of cells between pipes, below a row of dashes.

Finds pipe tables with or without outer pipes and cuts them into cells. Cells keep their markup; a pipe behind a
backslash belongs to its cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.block import TABLE, TEXT

if TYPE_CHECKING:
    from mneme.formats.span import Lines

_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the cells of its header and of each row below the dashes."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    start: int
    end: int
    line: int
    end_line: int


def parse_tables(lines: Lines, kinds: bytearray) -> tuple[Table, ...]:
    """Read every table of a text, in order."""
    if "|" not in lines.flat:
        return ()
    tables = []
    index = 1
    while index < len(lines.rows):
        above = kinds[index - 1]
        if above in (TABLE, TEXT) and "|" in lines.rows[index - 1] and _is_dashes(lines.rows[index]):
            last = index
            while last + 1 < len(kinds) and kinds[last + 1] in (TABLE, TEXT) and "|" in lines.rows[last + 1]:
                last += 1
            rows = tuple(_cells(row) for row in lines.rows[index + 1 : last + 1])
            start, end = lines.starts[index - 1], lines.end_of(last)
            tables.append(Table(_cells(lines.rows[index - 1]), rows, start, end, index, last + 1))
            index = last + 1
        index += 1
    return tuple(tables)


def _is_dashes(row: str) -> bool:
    return "-" in row and "|" in row and not row.strip("|:- \t")


def _cells(row: str) -> tuple[str, ...]:
    cells = [cell.strip() for cell in _PIPE.split(row.strip())]
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return tuple(cells)
