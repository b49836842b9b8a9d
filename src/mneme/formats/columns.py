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
from typing import TYPE_CHECKING, cast

from mneme.formats.cell import (
    BOM,
    ID_DIGITS,
    RELATIONS,
    Cell,
    Fault,
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
    from collections.abc import Callable, Iterable, Iterator, Sequence

# Lines are counted page by page, so that to tell the line of a cell is to count those of one page.
PAGE = 4096

FIELD_NAMES = ("id", "topic", "gist", "state", "conf", "since", "seen", "cue")


class Columns:
    """All cells of a file as parallel sequences, for work that looks at every cell and builds none.

    Links are `(cell index, relation, target, how many links the cell has before it)`. `strict` holds the cells that are
    not canonical, by index: every canonical one has its fields in order, a well-formed id and topic, known words
    and real dates in its status, no inline or special comment and no body line that reads like a link. `bodies` are the
    body lines of the canonical ones as they stand.
    """

    __slots__ = (
        "_breaks",
        "_cells",
        "_faults",
        "_odd_faults",
        "_starts",
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
        self._starts: list[int] = []
        self._breaks: list[int] = []
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
        if not self._starts:
            self._starts, self._breaks = _starts(self.text), _breaks(self.text)
        start = self._starts[at]
        page = start // PAGE
        line = 1 + self._breaks[page] + self.text.count("\n", page * PAGE, start)
        return start, line, self._starts[at + 1] - start

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


def _starts(text: str) -> list[int]:
    """Return the offset of every block of a text without carriage returns, and its end."""
    sizes = [len(block) + 2 for block in text[first_header_at(text) :].split("\n@")]
    sizes[0] -= 1
    sizes[-1] -= 1
    return list(accumulate(sizes, initial=first_header_at(text)))


def _breaks(text: str) -> list[int]:
    """Return how many line feeds there are before each page of a text."""
    return list(accumulate((text.count("\n", at, at + PAGE) for at in range(0, len(text), PAGE)), initial=0))


@cache
def _blocks() -> re.Pattern[str]:
    """Match one block: nearly a canonical cell (its fields in groups), else anything up to the next header.

    The cue may stand before the status line or after it. What is dear to tell by a pattern (words that exist, real
    dates, blanks at an end) is told by whole columns, what a status line says by each different one.
    """
    relation = "|".join(sorted(RELATIONS, key=len, reverse=True))
    return re.compile(
        rf"(?:@ ++([A-Z][A-Z0-9]*+-[0-9]{{{ID_DIGITS},}}+) ++([^ \n]++) *+\n"
        rf"gist ++([^\n]++)\n(?:cue ++([^\n]++)\n)?+"
        rf"state ++([^\n]++)\n"
        rf"(?:cue ++([^\n]++)\n)?+"
        rf"((?:>(?!\s*+(?:{relation})\s|>)[^\n]*+\n)*+)"
        rf"((?:link ++[a-z-]++ ++[^ \n#][^ \n]*+ *+\n)*+)"
        rf"\n*+(?=@|\Z)"
        rf"|@[^\n]*+\n?+(?:[^@\n][^\n]*+\n?+|\n)*+)"
    )


def read_columns(text: str) -> Columns:
    """Read all cells of a text into columns: the canonical ones in one pass, the others strictly."""
    with collector_off():
        first = first_header_at(text)
        pieces = [] if "\r" in text else _blocks().split(text[first:])
        return _bulk_columns(text, pieces) if len(pieces) > 1 else _strict_columns(text)


def _bulk_columns(text: str, pieces: list[str | None]) -> Columns:
    """Return the columns of a text that was split by its blocks: what stands between them is nothing."""
    ids, topics, gists, early, statuses, late, bodies, links = (
        _column(pieces, group) for group in range(1, 1 + _blocks().groups)
    )
    cues = late if not any(early) else list(map(add, early, late))
    said = [list(map(each.__getitem__, statuses)) for each in _sayings(statuses)]
    columns = Columns(text, [ids, topics, gists, *said, cues], bodies)
    odd = _odd_rows(columns, comments="#" in text)
    odd |= _read_links(columns, links)
    if cues is not late:
        odd |= {at for at, both in enumerate(zip(early, late, strict=True)) if all(both)}
    if odd:
        _read_odd(columns, odd)
    return columns


def _column(pieces: list[str | None], group: int) -> list[str]:
    """Return what a group of the pattern matched in every block."""
    column = pieces[group :: 1 + _blocks().groups]
    return [each or "" for each in column] if not all(column) else cast("list[str]", column)


def _sayings(statuses: Iterable[str]) -> list[dict[str, str]]:
    """Return, by status line, the state, the conf, since and seen; all empty where that is not plain or not so."""
    different = list(set(statuses))
    words = _status().findall("\n".join(different))
    if len(words) < len(different):
        words = [found.groups() if (found := _status().fullmatch(status)) else _NOTHING for status in different]
    sound = {
        word
        for column, check in zip(zip(*words, strict=True), _CHECKS, strict=True)
        for word in {*column}
        if check(word)
    }
    words = [each if sound.issuperset(each) else _NOTHING for each in words]
    return [dict(zip(different, column, strict=True)) for column in zip(*words, strict=True)]


_NOTHING = ("", "", "", "")
_CHECKS: tuple[Callable[[str], bool], ...] = (STATES.__contains__, CONFS.__contains__, is_date, is_date)


@cache
def _status() -> re.Pattern[str]:
    return re.compile(r"(?m)^([a-z]++) ++conf ++([a-z]++) ++since ++([^ \n]++) ++seen ++([^ \n]++) *+$")


def _bare_faults(columns: Columns) -> Iterator[Fault]:
    """Yield what the canonical rows lack: a cue, a body."""
    for rule, column in (("missing-cue", columns.cues), ("missing-body", columns.bodies)):
        if "" in column:
            for at, value in enumerate(column):
                if not value and at not in columns.strict:
                    yield Fault(rule, columns.line(at), columns.ids[at], "")


def _odd_rows(columns: Columns, *, comments: bool) -> set[int]:
    """Return the rows that are not canonical: those the pattern did not take, and those with a value that is not one."""
    odd: set[int] = set()
    for column in (columns.ids, columns.states):
        odd |= {at for at, value in enumerate(column) if not value} if "" in column else set()
    for column in (columns.gists, columns.cues):
        trimmed = list(map(str.strip, column))
        if trimmed != column:
            odd |= {at for at, value in enumerate(column) if value != trimmed[at]}
        if comments:
            search = inline_comment().search
            odd |= {at for at, value in enumerate(column) if "#" in value and search(value)}
    unsound = {topic for topic in set(columns.topics) if not _is_topic(topic)}
    if unsound:
        odd |= {at for at, topic in enumerate(columns.topics) if topic in unsound}
    return odd


def _is_topic(text: str) -> bool:
    return text[:1] != "#" and all(text.split("/")) and text.split() == [text]


def _read_links(columns: Columns, written: Sequence[str]) -> set[int]:
    """Take the links out of each cell's link lines; return the rows where that is not plain."""
    at_all = [at for at, lines in enumerate(written) if lines]
    joined = "".join(written)
    words = joined.split()
    if len(words) == 3 * len(at_all) == 3 * joined.count("\n") and _are_links(words):
        columns.links = list(zip(at_all, words[1::3], words[2::3], repeat(0)))
        return set()
    odd: set[int] = set()
    for at in at_all:
        words = written[at].split()
        if len(words) == 3 * written[at].count("\n") and _are_links(words):
            columns.links += zip(repeat(at), words[1::3], words[2::3], count())
        else:
            odd.add(at)
    return odd


def _are_links(words: Sequence[str]) -> bool:
    """Say whether some words are `link`, a relation and an id, over and over."""
    return {*words[::3]} <= {"link"} and _RELATIONS.issuperset(words[1::3])


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
