"""A cell file as a sequence of items: its cells, and the lines between them that belong to no cell.

Each item carries the line break and the blank lines behind it, so that joined items are the file again, byte for byte.
What stands before the first cell stays before it: a line that means nothing there could mean something inside a cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from mneme.formats.cell import BOM, count_lines, newline_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from mneme.formats.cell import Cell, CellFile, TextEdit

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK_LINES = 2


class After(NamedTuple):
    """What follows an item: its line break with the blank lines behind it, and whether the file ends there."""

    text: str
    is_end: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A cell or a line, without what follows it; `key` says what it is the same as in another version."""

    key: Hashable
    text: str
    after: After
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a file, taken apart."""

    preamble: tuple[Item, ...]
    items: tuple[Item, ...]


def without_bom(text: str) -> tuple[bool, str]:
    """Return whether a text begins with a byte-order mark, and the rest."""
    marked = text.startswith(BOM) and not text.startswith(BOM, 1)
    return marked, text[1:] if marked else text


def split_version(file: CellFile, names: Iterable[Hashable]) -> Version:
    """Take a file without its byte-order mark apart; `names` are the keys of its cells."""
    text = file.text
    cells = file.cells
    if not cells:
        return Version(tuple(_lines(text, at_end=True)), ())
    preamble = tuple(_lines(text[: cells[0].start], at_end=False))
    items: list[Item] = []
    stops = [*(cell.start for cell in cells[1:]), len(text)]
    for cell, name, stop in zip(cells, names, stops, strict=True):
        items += _cell_items(text, cell, name, stop)
    return Version(preamble, tuple(items))


def _cell_items(text: str, cell: Cell, name: Hashable, stop: int) -> Iterator[Item]:
    """Yield a cell, the lines behind it, and in one piece what a header that lost its column has made unreadable."""
    at_end = stop == len(text)
    lost = cell.end < stop and text[cell.end : stop].strip() != ""
    lines_end = cell.end if lost else stop
    after, rest = _split_blank(text[cell.tail : lines_end])
    yield Item(("cell", name), text[cell.start : cell.tail], After(after, at_end and not rest and not lost), cell)
    yield from _lines(rest, at_end=at_end and not lost)
    if lost:
        piece = text[cell.end : stop]
        kept = piece.rstrip()
        yield Item(("lost", kept), kept, After(piece[len(kept) :], at_end))


def _split_blank(text: str) -> tuple[str, str]:
    """Split off a line's end and the blank lines behind it."""
    end = 0
    first = True
    while end < len(text):
        found = _LINE.match(text, end)
        if found is None or (found[1] and not found[1].isspace()):
            break
        if first and found[1] and not found[2]:
            return text, ""
        first = False
        end = max(found.end(), end + 1)
    return text[:end], text[end:]


def _lines(text: str, *, at_end: bool) -> Iterator[Item]:
    rest = text
    while rest:
        found = _LINE.match(rest)
        line = found[1] if found and not found[1].isspace() else ""
        after, rest = _split_blank(rest[len(line) :])
        yield Item(("line", line), line, After(after, at_end and not rest))


def join_items(items: Iterable[tuple[str, After, bool]], newline: str) -> tuple[str, list[int]]:
    """Return the text of items, given as text, what follows and whether it is a cell, and where each begins.

    An item that ended its own file without a line break, or without a blank line, gets one where another follows.
    """
    parts: list[str] = []
    starts: list[int] = []
    size = 0
    listed = list(items)
    for (text, after, _), following in zip_longest(listed, listed[1:]):
        starts.append(size)
        whole = text + (after.text if following is None else _parted(after, newline, before_cell=following[2]))
        parts.append(whole)
        size += len(whole)
    return "".join(parts), starts


def _parted(after: After, newline: str, *, before_cell: bool) -> str:
    text = after.text
    if not _BREAK.search(text) or text[-1] not in "\r\n":
        text += newline
    if after.is_end and before_cell and count_lines(text) < _BLANK_LINES:
        text += newline
    return text


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with edits made that do not overlap."""
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        parts += (text[done:start], new)
        done = end
    return "".join([*parts, text[done:]])


def same_breaks(base: str, one: str, two: str) -> tuple[str, str, str]:
    """Give all three texts the line breaks of the side that changed them throughout; else return them as they are."""
    kinds = [_only_break(text) for text in (base, one, two)]
    if not kinds[1] or not kinds[2] or kinds[1] == kinds[2] or kinds[0] not in kinds[1:]:
        return base, one, two
    wanted = kinds[2] if kinds[0] == kinds[1] else kinds[1]
    return tuple(
        text if kind == wanted else _BREAK.sub(wanted, text) for text, kind in zip((base, one, two), kinds, strict=True)
    )  # type: ignore[return-value]


def _only_break(text: str) -> str:
    found = set(_BREAK.findall(text)) if "\r" in text else {"\n"} if "\n" in text else set()
    return found.pop() if len(found) == 1 else ""


def newline_in(*texts: str) -> str:
    """Return the line break that texts use: of the first that has any."""
    return next((newline_of(text) for text in texts if "\n" in text or "\r" in text), "\n")
