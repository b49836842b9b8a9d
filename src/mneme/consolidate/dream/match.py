"""Is it still there? A snippet is looked for in its note as the note is now, before anything is promoted from it.

`find_live` reads the note with the very functions that the snippet was cut with, so that what was taken in can be
found again. `find_window` is the reference's search over windows of lines.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.consolidate.dream.chunk import Chunk, daily_chunks, note_chunks, split_rows
from mneme.consolidate.dream.taint import plain_snippet
from mneme.formats.entry import entry_hash
from mneme.index.words import parse_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.consolidate.dream.entry import Entry

EQUAL, WITHIN, PART = 3, 2, 1
MORE_LINES, LEAST_LINES = 3, 8
SHORTEST_PART = 24  # a shorter stretch of a snippet says nothing about where the rest has gone
MOST_CHUNKS = 10_000
_HASH = re.compile(r"[0-9a-f]{8}")


def find_live(entry: Entry, text: str, chunks: Sequence[Chunk] | None = None) -> Chunk | None:
    """Return the piece of the note that says what the entry says: the same words, or an entry around them.

    `chunks` are the note's pieces, where they are known.
    """
    wanted = plain_snippet(entry.snippet)
    chunks = note_chunks(text, entry.path) if chunks is None else chunks
    same = [chunk for chunk in chunks if chunk.snippet == wanted]
    same = same or [chunk for chunk in chunks if len(wanted) >= SHORTEST_PART and wanted in chunk.snippet]
    same = same or [chunk for chunk in daily_chunks(text, MOST_CHUNKS) if chunk.snippet == wanted]
    return min(same, key=lambda chunk: abs(chunk.line - entry.line), default=None) or _by_lines(entry, text, wanted)


def _by_lines(entry: Entry, text: str, wanted: str) -> Chunk | None:
    """Return the lines that say it whole, where no single entry does; the entry in them where there is only one."""
    found = find_window(entry, text)
    if found is None or not wanted or wanted not in found.snippet:
        return None
    inside = entries_within(text, entry.path, found.line, found.end_line)
    return inside[0] if len(inside) == 1 else found


def entries_within(text: str, path: str, line: int, end_line: int) -> list[Chunk]:
    """Return the entries of a note that lie wholly within some of its lines."""
    return [chunk for chunk in note_chunks(text, path) if line <= chunk.line and chunk.end_line <= end_line]


def find_meant(text: str, path: str, line: int, end_line: int, query: str) -> Chunk | None:
    """Return the entry within some lines that a query shares most words with; None where it shares none."""
    asked = set(parse_terms(query))
    shared = [(len(asked & set(parse_terms(one.snippet))), one) for one in entries_within(text, path, line, end_line)]
    best = max(shared, key=lambda each: each[0], default=(0, None))
    return best[1] if best[0] else None


def find_at(text: str, path: str, line: int, digest: str) -> Chunk | None:
    """Return the piece of a note that a hash names; without a hash, the one that stands on a line."""
    chunks = note_chunks(text, path)
    if _HASH.fullmatch(digest):
        return next((chunk for chunk in chunks if entry_hash(chunk.written) == digest), None)
    return next((chunk for chunk in chunks if chunk.line <= line <= chunk.end_line), None)


def find_window(entry: Entry, text: str) -> Chunk | None:
    """Return the lines that match best: equal, around, part; then nearest to where it stood, then most alike in length."""
    rows = split_rows(text)
    wanted, span = plain_snippet(entry.snippet), max(1, entry.end_line - entry.line + 1)
    here = _window(rows, entry.line, entry.end_line)
    if here == wanted or not wanted:
        return Chunk(entry.line, entry.end_line, here) if here else None
    best: tuple[tuple[int, int, int], Chunk] | None = None
    for chunk in _windows(rows, min(len(rows), max(span + MORE_LINES, LEAST_LINES))):
        if quality := _quality(wanted, chunk.snippet):
            lines = chunk.end_line - chunk.line + 1
            rating = (-quality, abs(chunk.line - entry.line), abs(lines - span))
            if best is None or rating < best[0]:
                best = rating, chunk
    return replace(best[1]) if best else None


def _windows(rows: Sequence[str], most: int) -> Iterator[Chunk]:
    plain = [plain_snippet(row) for row in rows]
    for start in range(len(plain)):
        words = ""
        for end in range(start, min(start + most, len(plain))):
            words = f"{words} {plain[end]}".strip()
            yield Chunk(start + 1, end + 1, words)


def _window(rows: Sequence[str], line: int, end_line: int) -> str:
    return plain_snippet(" ".join(rows[max(0, line - 1) : min(len(rows), end_line)]))


def _quality(wanted: str, window: str) -> int:
    if not window:
        return 0
    if window == wanted:
        return EQUAL
    return WITHIN if wanted in window else PART if window in wanted else 0
