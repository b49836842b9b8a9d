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
from operator import add, attrgetter, itemgetter
from typing import TYPE_CHECKING

from mneme.formats.cell import (
    BOM,
    ID_DIGITS,
    RELATIONS,
    Cell,
    Fault,
    count_lines,
    first_header_at,
    inline_comment,
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
    not canonical, by index: every canonical one has its fields in order, a well-formed id and topic, known words
    and real dates in its status, no inline or special comment and no body line that reads like a link. `bodies` are the
    body lines of the canonical ones as they stand.
    """

    __slots__ = (
        "_cells",
        "_faults",
        "_odd_faults",
        "_places",
        "bodies",
        "confs",
        "cues",
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

    def __init__(self, text: str, fields: Sequence[Sequence[str]], bodies: Sequence[str]) -> None:
        self.text = text
        self.set_fields(fields)
        self.bodies = bodies
        self.links: list[tuple[int, str, str, int]] = []
        self.strict: dict[int, Cell] = {}
        self._faults: list[Fault] | None = None
        self._odd_faults: list[Fault] = []
        self._places: list[tuple[int, int, int]] = []
        self._cells: dict[int, Cell] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def fields(self) -> tuple[Sequence[str], ...]:
        """Return the columns in the order of `FIELD_NAMES`."""
        return (self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues)

    def set_fields(self, fields: Sequence[Sequence[str]]) -> None:
        """Set the columns, given in the order of `FIELD_NAMES`."""
        self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues = fields

    @property
    def faults(self) -> list[Fault]:
        """What could not be read as it stands, in file order; looked for only when it is asked for."""
        if self._faults is None:
            first = first_header_at(self.text)
            start = len(BOM) if self.text.startswith(BOM) else 0
            faults = [*self._odd_faults, *_bare_faults(self)]
            read_preamble(split_lines(self.text[start:first], start), first, faults)
            self._faults = whole_faults(self.text, faults)
        return self._faults

    def add_faults(self, faults: list[Fault]) -> None:
        """Keep what was found wrong with a cell that is not canonical."""
        self._odd_faults += faults

    def settle_faults(self, faults: list[Fault]) -> None:
        """Say that these are all the faults there are."""
        self._faults = faults

    def place(self, at: int) -> tuple[int, int, int]:
        """Return the offset and the line at which a cell starts, and how far it is to the next one."""
        if not self._places:
            self._places = _places(self.text)
        return self._places[at]

    def line(self, at: int) -> int:
        """Return the line of a cell's header."""
        cell = self.strict.get(at)
        return cell.line if cell is not None else self.place(at)[1]

    def cell(self, at: int) -> Cell:
        """Return a whole cell, read strictly from its own stretch of the text."""
        cell = self.strict.get(at) or self._cells.get(at)
        if cell is None:
            cell = self._cells[at] = read_block(self.text, *self.place(at))[0]
        return cell

    def link_line(self, at: int, number: int) -> int:
        """Return the line of one of a cell's links."""
        return self.cell(at).links[number].line


def _places(text: str) -> list[tuple[int, int, int]]:
    """Return the offset, the line and the size of every block of a text without carriage returns."""
    first = first_header_at(text)
    blocks = text[first:].split("\n@")
    sizes = [len(block) + 2 for block in blocks]
    sizes[0] -= 1
    sizes[-1] -= 1
    breaks = [block.count("\n") + 1 for block in blocks]
    offsets = accumulate(sizes, initial=first)
    lines = accumulate(breaks, initial=1 + count_lines(text[:first]))
    return list(zip(offsets, lines, sizes, strict=False))


@cache
def _blocks() -> re.Pattern[str]:
    """Match one block: nearly a canonical cell (its fields in groups), else anything up to the next header.

    The cue may stand before the status line or after it. What is dear to tell by a pattern (words that exist, real
    dates, blanks at an end) is told by whole columns.
    """
    relation = "|".join(sorted(RELATIONS, key=len, reverse=True))
    return re.compile(
        rf"(?:@ ++([A-Z][A-Z0-9]*+-[0-9]{{{ID_DIGITS},}}+) ++([^ \n]++) *+\n"
        rf"gist ++([^\n]++)\n(?:cue ++([^\n]++)\n)?+"
        rf"state ++([a-z]++) ++conf ++([a-z]++) ++since ++([^ \n]++) ++seen ++([^ \n]++) *+\n"
        rf"(?:cue ++([^\n]++)\n)?+"
        rf"((?:>(?!\s*+(?:{relation})\s|>)[^\n]*+\n)*+)"
        rf"((?:link ++(?:{relation}) ++[^ \n#][^ \n]*+ *+\n)*+)"
        rf"\n*+(?=@|\Z)"
        rf"|@[^\n]*+\n?+(?:[^@\n][^\n]*+\n?+|\n)*+)"
    )


def read_columns(text: str) -> Columns:
    """Read all cells of a text into columns: the canonical ones in one pass, the others strictly."""
    with collector_off():
        first = first_header_at(text)
        rows = [] if "\r" in text else _blocks().findall(text, first)
        return _bulk_columns(text, rows) if rows else _strict_columns(text)


def _bulk_columns(text: str, rows: list[tuple[str, ...]]) -> Columns:
    ids, topics, gists, early, states, confs, sinces, seens, late, bodies, links = zip(*rows, strict=True)
    cues: Sequence[str] = late if not any(early) else list(map(add, early, late))
    columns = Columns(text, [ids, topics, gists, states, confs, sinces, seens, cues], bodies)
    odd = _odd_rows(columns, comments="#" in text)
    odd |= _read_links(columns, links)
    if cues is not late:
        odd |= {at for at, both in enumerate(zip(early, late, strict=True)) if all(both)}
    if odd:
        _read_odd(columns, odd)
    return columns


def _bare_faults(columns: Columns) -> Iterator[Fault]:
    """Yield what the canonical rows lack: a cue, a body."""
    for rule, column in (("missing-cue", columns.cues), ("missing-body", columns.bodies)):
        if "" in column:
            for at, value in enumerate(column):
                if not value and at not in columns.strict:
                    yield Fault(rule, columns.line(at), columns.ids[at], "")


def _odd_rows(columns: Columns, *, comments: bool) -> set[int]:
    """Return the rows that are not canonical: those the pattern did not take, and those with a value that is not one."""
    odd = {at for at, cell_id in enumerate(columns.ids) if not cell_id} if "" in columns.ids else set[int]()
    for column in (columns.gists, columns.cues):
        trimmed = list(map(str.strip, column))
        if trimmed != list(column):
            odd |= {at for at, value in enumerate(column) if value != trimmed[at]}
        if comments:
            search = inline_comment().search
            odd |= {at for at, value in enumerate(column) if "#" in value and search(value)}
    for column, is_sound in (
        (columns.topics, _is_topic),
        (columns.states, STATES.__contains__),
        (columns.confs, CONFS.__contains__),
        (columns.sinces, is_date),
        (columns.seens, is_date),
    ):
        unsound = {value for value in set(column) if not is_sound(value)}
        if unsound:
            odd |= {at for at, value in enumerate(column) if value in unsound}
    return odd


def _is_topic(text: str) -> bool:
    return text[:1] != "#" and all(text.split("/")) and text.split() == [text]


def _read_links(columns: Columns, written: Sequence[str]) -> set[int]:
    """Take the links out of each cell's link lines; return the rows where that is not plain."""
    odd: set[int] = set()
    for at, lines in enumerate(written):
        if lines:
            words = lines.split()
            if len(words) == 3:  # noqa: PLR2004 - link, relation, id
                columns.links.append((at, words[1], words[2], 0))
            elif (
                len(words) != 3 * lines.count("\n")
                or {*words[::3]} != {"link"}
                or not _RELATIONS.issuperset(words[1::3])
            ):
                odd.add(at)
            else:
                columns.links += zip(repeat(at), words[1::3], words[2::3], count())
    return odd


_RELATIONS = frozenset(RELATIONS)


def _read_odd(columns: Columns, odd: set[int]) -> None:
    """Read the cells that are not canonical strictly, and put them in their places."""
    fields = [list(field) for field in columns.fields()]
    links: list[tuple[int, str, str, int]] = []
    for at in sorted(odd):
        cell, found = read_block(columns.text, *columns.place(at))
        columns.strict[at] = cell
        columns.add_faults(found)
        links += _link_rows(at, cell)
        for field, name in zip(fields, FIELD_NAMES, strict=True):
            field[at] = getattr(cell, name)
    columns.set_fields(fields)
    kept = [link for link in columns.links if link[0] not in columns.strict]
    columns.links = sorted([*kept, *links], key=itemgetter(0, 3))


@contextmanager
def collector_off() -> Iterator[None]:
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
    columns = Columns(text, [list(map(attrgetter(name), cells)) for name in FIELD_NAMES], [""] * len(cells))
    columns.strict = dict(enumerate(cells))
    columns.links = [link for at, cell in enumerate(cells) for link in _link_rows(at, cell)]
    columns.settle_faults(faults)
    return columns


def _link_rows(at: int, cell: Cell) -> Iterator[tuple[int, str, str, int]]:
    return ((at, link.relation, link.target, number) for number, link in enumerate(cell.links))
