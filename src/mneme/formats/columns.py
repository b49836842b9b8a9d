"""The cells of a long file in one pass: canonical ones by a single pattern at C speed, the others strictly.

What it returns says exactly what the strict reader says; a property test holds the two together for any text. It is
for work that looks at every cell and builds none: the linter, the spine, the twin search.
"""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager
from functools import cache
from itertools import accumulate, count, repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from mneme.formats.cell import (
    BOM,
    ID_DIGITS,
    RELATIONS,
    Cell,
    Fault,
    count_lines,
    first_header_at,
    is_date,
    read_block,
    read_preamble,
    read_strictly,
    split_lines,
    whole_faults,
)
from mneme.formats.record import CONFS, STATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FIELD_NAMES = ("id", "topic", "gist", "state", "conf", "since", "seen", "cue")


class Columns:
    """All cells of a file as parallel sequences, for work that looks at every cell and builds none.

    Links are `(cell index, relation, target, how many links the cell has before it)`. `strict` holds the cells that are
    not canonical, by index: every canonical one has all seven fields in order, a well-formed id and topic, known words
    and real dates in its status, no inline or special comment and no body line that reads like a link.
    """

    __slots__ = (
        "_cells",
        "_starts",
        "blocks",
        "confs",
        "cues",
        "faults",
        "gists",
        "ids",
        "links",
        "seens",
        "sinces",
        "states",
        "strict",
        "text",
        "topics",
    )

    def __init__(self, text: str, blocks: Sequence[str], fields: Sequence[Sequence[str]]) -> None:
        self.text = text
        self.blocks = blocks
        self.set_fields(fields)
        self.links: list[tuple[int, str, str, int]] = []
        self.strict: dict[int, Cell] = {}
        self.faults: list[Fault] = []
        self._starts: list[tuple[int, int]] = []
        self._cells: dict[int, Cell] = {}

    def __len__(self) -> int:
        return len(self.blocks)

    def fields(self) -> tuple[Sequence[str], ...]:
        """Return the columns in the order of `FIELD_NAMES`."""
        return (self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues)

    def set_fields(self, fields: Sequence[Sequence[str]]) -> None:
        """Set the columns, given in the order of `FIELD_NAMES`."""
        self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues = fields

    def place(self, at: int) -> tuple[int, int]:
        """Return the offset and the line at which a cell starts."""
        if not self._starts:
            first = first_header_at(self.text)
            offsets = accumulate(map(len, self.blocks), initial=first)
            breaks = accumulate(map(count_lines, self.blocks), initial=1 + count_lines(self.text[:first]))
            self._starts = list(zip(offsets, breaks, strict=True))
        return self._starts[at]

    def line(self, at: int) -> int:
        """Return the line of a cell's header."""
        return self.place(at)[1]

    def cell(self, at: int) -> Cell:
        """Return a whole cell, read strictly from its own stretch of the text."""
        cell = self._cells.get(at) or self.strict.get(at)
        if cell is None:
            cell = self._cells[at] = read_block(self.text, *self.place(at), len(self.blocks[at]))[0]
        return cell

    def link_line(self, at: int, number: int) -> int:
        """Return the line of one of a cell's links."""
        return self.cell(at).links[number].line


@cache
def _blocks() -> re.Pattern[str]:
    """Match one block: a canonical cell (its fields in groups 2 to 11), else anything up to the next header."""
    text = r"[^\s#][^\n#]*+(?<!\s)"
    day = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    relation = "|".join(sorted(RELATIONS, key=len, reverse=True))
    return re.compile(
        rf"(@[ ]++([A-Z][A-Z0-9]*+-[0-9]{{{ID_DIGITS},}}+)[ ]++([^\s#/][^\s/]*+(?:/[^\s/]++)*+)[ ]*+\n"
        rf"gist[ ]++({text})\n"
        rf"state[ ]++({'|'.join(STATES)})[ ]++conf[ ]++({'|'.join(CONFS)})"
        rf"[ ]++since[ ]++({day})[ ]++seen[ ]++({day})[ ]*+\n"
        rf"cue[ ]++({text})\n"
        rf"((?:>(?!>|[ ]*+(?:{relation})[ ])[^\n]*+\n)*+)"
        rf"((?:link[ ]++(?:{relation})[ ]++[^\s#][^\s]*+[ ]*+\n)*+)"
        rf"\n*+(?=@|\Z)"
        rf"|@[^\n]*+\n?+(?:[^@\n][^\n]*+\n?+|\n)*+)"
    )


def read_columns(text: str) -> Columns:
    """Read all cells of a text into columns: the canonical ones in one pass, the others strictly."""
    with _collector_off():
        first = first_header_at(text)
        rows = [] if "\r" in text else _blocks().findall(text, first)
        return _bulk_columns(text, first, rows) if rows else _strict_columns(text)


def _bulk_columns(text: str, first: int, rows: list[tuple[str, ...]]) -> Columns:
    blocks, ids, topics, gists, states, confs, sinces, seens, cues, bodies, links = zip(*rows, strict=True)
    columns = Columns(text, blocks, (ids, topics, gists, states, confs, sinces, seens, cues))
    for at, written in enumerate(links):
        if written:
            words = written.split()
            columns.links += zip(repeat(at), words[1::3], words[2::3], count())
    odd = _odd_rows(ids, sinces, seens)
    faults: list[Fault] = []
    start = len(BOM) if text.startswith(BOM) else 0
    read_preamble(split_lines(text[start:first], start), first, faults)
    if "" in bodies:
        bare = [at for at, body in enumerate(bodies) if not body]
        faults += [Fault("missing-body", columns.line(at), ids[at], "") for at in bare if at not in odd]
    if odd:
        _read_odd(columns, odd, faults)
    columns.faults = whole_faults(text, faults)
    return columns


def _odd_rows(ids: Sequence[str], sinces: Sequence[str], seens: Sequence[str]) -> set[int]:
    """Return the rows the pattern did not take for canonical, and those that name a day which does not exist."""
    odd = {at for at, cell_id in enumerate(ids) if not cell_id} if "" in ids else set()
    unreal = {day for day in {*sinces, *seens} if day and not is_date(day)}
    if unreal:
        odd |= {at for at, days in enumerate(zip(sinces, seens, strict=True)) if not unreal.isdisjoint(days)}
    return odd


def _read_odd(columns: Columns, odd: set[int], faults: list[Fault]) -> None:
    """Read the cells that are not canonical strictly, and put them in their places."""
    fields = [list(field) for field in columns.fields()]
    links: list[tuple[int, str, str, int]] = []
    for at in sorted(odd):
        cell, found = read_block(columns.text, *columns.place(at), len(columns.blocks[at]))
        columns.strict[at] = cell
        faults += found
        links += _link_rows(at, cell)
        for field, name in zip(fields, FIELD_NAMES, strict=True):
            field[at] = getattr(cell, name)
    columns.set_fields(fields)
    kept = [link for link in columns.links if link[0] not in columns.strict]
    columns.links = sorted([*kept, *links], key=itemgetter(0, 3))


@contextmanager
def _collector_off() -> Iterator[None]:
    """Hold the cyclic collector back: bulk work makes many objects and no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _strict_columns(text: str) -> Columns:
    """Read a text strictly and lay its cells side by side."""
    cells, faults = read_strictly(text)
    starts = [cell.start for cell in cells]
    blocks = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=False)]
    columns = Columns(text, blocks, [list(map(attrgetter(name), cells)) for name in FIELD_NAMES])
    columns.strict = dict(enumerate(cells))
    columns.links = [link for at, cell in enumerate(cells) for link in _link_rows(at, cell)]
    columns.faults = faults
    return columns


def _link_rows(at: int, cell: Cell) -> Iterator[tuple[int, str, str, int]]:
    return ((at, link.relation, link.target, number) for number, link in enumerate(cell.links))
