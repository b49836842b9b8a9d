"""Places in a text: lines, offsets and the edits that name them.

Every format of this package reads a text as lines that end in LF, CRLF or a lone CR, with or without a byte order
mark, and says where each piece lies by line (from 1) and by character offset. An edit is `(start, end, new_text)`
and touches nothing outside its span. Nothing here reads files, and no text makes it fail.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BOM = "\ufeff"

# What every editing function returns: replace the characters from start up to end with the new text.
Splice = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Lines:
    """A text cut into lines.

    `flat` is the text at the same length with every line end turned into one LF (CRLF becomes space and LF, the
    byte order mark LF), so that an offset in `flat` is an offset in `text`. `rows` are its lines without their ends,
    `starts` their offsets; a text that ends in a line end has one more, empty row.
    """

    text: str
    flat: str
    rows: list[str]
    starts: list[int]

    @property
    def count(self) -> int:
        """Return how many lines a reader would count."""
        return len(self.rows) - (not self.rows[-1])

    @property
    def newline(self) -> str:
        """Return the line end the text uses, by its first one; LF when it has none."""
        at = self.flat.find("\n", self.starts[0])
        if at < 0 or self.text[at] == "\r":
            return "\n" if at < 0 else "\r"
        return "\r\n" if self.text[at - 1 : at] == "\r" else "\n"

    def line_of(self, offset: int) -> int:
        """Return the 1-based line that holds this offset."""
        return bisect_right(self.starts, offset) or 1

    def end_of(self, index: int) -> int:
        """Return where the row with this index (from 0) ends, before its line end."""
        end = self.starts[index] + len(self.rows[index])
        return end - 1 if end > self.starts[index] and self.text[end - 1] == "\r" else end

    def after(self, index: int) -> int:
        """Return where the row after this index starts: past its line end, or the end of the text."""
        return self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)


def split_lines(text: str) -> Lines:
    """Cut any text into lines."""
    flat = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    first = 0
    if flat.startswith(BOM):
        flat = "\n" + flat[1:]
        first = 1
    rows = flat[first:].split("\n")
    # A row starts behind all rows before it and one LF for each of them.
    starts = list(map(add, accumulate(map(len, rows), initial=first), range(len(rows))))
    return Lines(text, flat, rows, starts)


def apply_edits(text: str, edits: Iterable[Splice]) -> str:
    """Return the text with edits made; their spans refer to the text as given and may not overlap."""
    parts: list[str] = []
    done = 0
    for start, end, new in sorted(edits, key=_place):
        if start < done or end < start:
            msg = f"edits overlap at offset {start}"
            raise ValueError(msg)
        parts += (text[done:start], new)
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _place(edit: Splice) -> tuple[int, int]:
    return edit[0], edit[1]


def to_bytes(text: str) -> bytes:
    """Return the bytes a text was read from; one that no file can hold is encoded with its surrogates."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
