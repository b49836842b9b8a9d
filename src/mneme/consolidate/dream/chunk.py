"""A day's note cut into what may be remembered of it, with the lines that each piece stands on.

`note_chunks` gives the note's entries, one claim each, as everything else in the workspace reads them. `daily_chunks`
gives what OpenClaw cuts: up to four lines of a list or paragraph under the last heading that says something. Blocks
that dreaming wrote into a note are passed over by both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.consolidate.dream.taint import is_tainted, plain_snippet
from mneme.formats.echo import is_echo
from mneme.formats.entry import LISTING, TABULAR, normal_text
from mneme.formats.note import LARGE_NOTE_BYTES, parse_note
from mneme.formats.region import OPENCLAW

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST_CHUNK, LONGEST_CHUNK, MOST_LINES = 8, 280, 4
LONGEST_SNIPPET = 800

_BREAK = re.compile(r"\r?\n")
_HEADING = re.compile(r"#{1,6}\s+(.+)$")
_ITEM = re.compile(r"(?:[-*+]|\d+\.)\s+")
_NUMBER, _BULLET = re.compile(r"^\d+\.\s+"), re.compile(r"^[-*+]\s+")
_FILE_NAME = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_WEEKDAY = r"(?:mon|monday|tue|tues|tuesday|wed|wednesday|thu|thur|thurs|thursday|fri|friday|sat|saturday|sun|sunday)"
_MONTH = (
    r"(?:jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october"
    r"|nov|november|dec|december)"
)
_EMPTY_HEADING = re.compile(
    rf"(?:today|yesterday|tomorrow|morning|afternoon|evening|night|(?:{_WEEKDAY}(?:,\s+)?)?"
    rf"(?:{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,\s*\d{{4}})?|\d{{1,2}}[/-]\d{{1,2}}(?:[/-]\d{{2,4}})?"
    r"|\d{4}[/-]\d{2}[/-]\d{2}))",
    re.IGNORECASE,
)
_BLOCKS = {
    f"<!-- openclaw:dreaming:{phase}:start -->": (title, f"<!-- openclaw:dreaming:{phase}:end -->")
    for phase, title in (("light", "## Light Sleep"), ("rem", "## REM Sleep"))
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a note: its lines, its words on one line, and the headings it stands under."""

    line: int
    end_line: int
    snippet: str
    context: tuple[str, ...] = ()
    written: str = ""


def split_rows(text: str) -> list[str]:
    """Return the lines of a text; one that ends in a line end has one more, empty."""
    return _BREAK.split(text)


def note_chunks(text: str, path: str = "") -> tuple[Chunk, ...]:
    """Return the entries of a note that somebody wrote in words: no tables, no code, nothing of dreaming's own."""
    if len(text) > LARGE_NOTE_BYTES:
        return ()
    rows = without_blocks(split_rows(text))
    note = parse_note("\n".join(rows), path)
    hidden = [(region.line, region.end_line) for region in note.regions if region.owner == OPENCLAW]
    found = []
    for entry in note.entries:
        snippet = plain_snippet(normal_text(entry.text))[:LONGEST_SNIPPET]
        inside = any(first <= entry.line <= last for first, last in hidden)
        if entry.kind in (TABULAR, LISTING) or len(snippet) < SHORTEST_CHUNK or inside or _is_own(snippet):
            continue
        found.append(Chunk(entry.line, entry.end_line, snippet, entry.context, entry.text))
    return tuple(found)


def _is_own(snippet: str) -> bool:
    """Say whether dreaming wrote a text, or memory told it."""
    return is_tainted(snippet) or is_echo(snippet)


def daily_chunks(text: str, most: int) -> list[Chunk]:
    """Return the first chunks of a note as the reference cuts them."""
    builder = _Builder()
    for number, row in enumerate(without_blocks(split_rows(text)), 1):
        builder.take(number, row)
        if len(builder.chunks) >= most:
            break
    builder.flush()
    return builder.chunks[:most]


class _Builder:
    """Walks down a note, keeping the heading in force and the lines of the chunk that is open."""

    __slots__ = ("chunks", "end", "heading", "lines", "listed", "start")

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.lines: list[str] = []
        self.heading = ""
        self.listed = False
        self.start = self.end = 0

    def take(self, number: int, row: str) -> None:
        """Read one line: a heading, the end of a chunk, or more of it."""
        if heading := _heading(row):
            self.flush()
            self.heading = heading
            return
        line = _line(row)
        if not line:
            self.flush()
            return
        listed = _ITEM.match(row.strip()) is not None
        longer = _joined(self.heading, [*self.lines, line], listed=listed, cut=False)
        full = len(self.lines) >= MOST_LINES or len(longer[:LONGEST_CHUNK]) > LONGEST_CHUNK
        if self.lines and (listed != self.listed or full):
            self.flush()
        if not self.lines:
            self.start, self.listed = number, listed
        self.lines.append(line)
        self.end = number

    def flush(self) -> None:
        """End the chunk that is open."""
        if self.lines:
            snippet = _joined(self.heading, self.lines, listed=self.listed)
            if len(snippet) >= SHORTEST_CHUNK:
                self.chunks.append(Chunk(self.start, self.end, snippet))
        self.lines = []


def _joined(heading: str, lines: Sequence[str], *, listed: bool, cut: bool = True) -> str:
    body = ("; " if listed else " ").join(lines).strip()
    text = f"{heading}: {body}" if heading else body
    return plain_snippet(text[:LONGEST_CHUNK] if cut else text)


def _unmarked(line: str) -> str:
    return _BULLET.sub("", _NUMBER.sub("", line)).strip()


def _heading(row: str) -> str:
    found = _HEADING.match(row.strip())
    words = _unmarked(found[1]) if found else ""
    plain = plain_snippet(words)
    if not words or _FILE_NAME.fullmatch(words) or _EMPTY_HEADING.fullmatch(plain):
        return ""
    return plain_snippet(words[:LONGEST_CHUNK])


def _line(row: str) -> str:
    text = row.strip()
    if not text or text.startswith(("#", "<!--")):
        return ""
    words = _unmarked(text)
    return plain_snippet(words[:LONGEST_CHUNK]) if len(words) >= SHORTEST_CHUNK else ""


def without_blocks(rows: Sequence[str]) -> list[str]:
    """Blank the blocks that phases wrote into a note; one without its end stops at the next heading."""
    kept = list(rows)
    index = 0
    while index < len(kept):
        block = _BLOCKS.get(kept[index].strip())
        last = _block_end(kept, index, block[1]) if block else -1
        if block and last >= index:
            first = _title_above(kept, index, block[0])
            kept[first : last + 1] = [""] * (last + 1 - first)
            index = last
        index += 1
    return kept


def _block_end(rows: Sequence[str], start: int, end_marker: str) -> int:
    for index in range(start + 1, len(rows)):
        row = rows[index].strip()
        if row == end_marker:
            return index
        if row in _BLOCKS or _HEADING.match(row):
            return index - 1
    return -1


def _title_above(rows: Sequence[str], start: int, title: str) -> int:
    above: Iterator[int] = (index for index in range(start - 1, -1, -1) if rows[index].strip())
    index = next(above, start)
    return index if rows[index].strip() == title else start
