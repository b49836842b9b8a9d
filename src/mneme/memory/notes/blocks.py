"""A note in blocks that are loaded whole or not at all, each with the headings that it stands under.

A block is an entry, a line of an index, or the closure; comments, stamps, tags, frontmatter and the marks of regions
are none. A line that leads in to a list belongs to the first item of it. Also: which reminders are due.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.block import TEXT
from mneme.formats.entry import LIST_ITEM, entry_hash, normal_text, parse_entries
from mneme.formats.stamp import find_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from mneme.formats.entry import Entry
    from mneme.formats.note import Note

_DATED = re.compile(r"[*_`\[(]*\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file that belong together; `headings` are those above it, the file's title left out."""

    text: str
    line: int
    end_line: int
    digest: str
    headings: tuple[str, ...] = ()
    closure: bool = False


def note_blocks(note: Note) -> tuple[Block, ...]:
    """Return the blocks of a note, in its order."""
    skipped = [(stamp.line, stamp.line) for stamp in note.stamps.values()]
    skipped += [(closure.line, closure.end_line) for closure in note.closures]
    skipped += [(note.tag_line.line, note.tag_line.line)] if note.tag_line else []
    entries = parse_entries(note.lines, note.shape.kinds, note.headings, note.items, sorted(skipped))
    taken = {line for entry in entries for line in range(entry.line, entry.end_line + 1)}
    found = [
        Block(_lead(note, entry, taken) + entry.text, entry.line, entry.end_line, entry.hash, _above(note, entry.line))
        for entry in entries
    ]
    last = note.closure
    if last is not None:
        text = note.text[last.start : last.end]
        found.append(Block(text, last.line, last.end_line, entry_hash(text), closure=True))
    return tuple(sorted(found, key=lambda block: block.line))


def _lead(note: Note, entry: Entry, taken: set[int]) -> str:
    """Return the line right above a list item that leads in to its list, or the empty string."""
    rows, kinds = note.lines.rows, note.shape.kinds
    above = entry.line - 2
    while above >= 0 and not rows[above].strip():
        above -= 1
    led = entry.kind == LIST_ITEM and above >= 0 and kinds[above] == TEXT and above + 1 not in taken
    return f"{rows[above].strip()}\n" if led and rows[above].rstrip().rstrip("*_").endswith((":", "：")) else ""


def _above(note: Note, line: int) -> tuple[str, ...]:
    """Return the headings that a line stands under, outermost first, without the title that the note begins with."""
    stack: list[tuple[int, str]] = []
    for heading in note.headings:
        if heading.line >= line:
            break
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        stack.append((heading.level, heading.text))
    return tuple(f"{'#' * level} {text}" for level, text in stack if level > 1)


def due_reminders(note: Note, today: date) -> Sequence[Block]:
    """Return the reminders that are due, the longest overdue first; one without a date is always due.

    A reminder is a list item; one that begins with a date is due from that day on, until its box is ticked.
    """
    ticked = {item.line for item in note.items if item.box is not None and item.box.strip()}
    due = list(_due(note, today, ticked))
    return [block for _, block in sorted(due, key=lambda pair: pair[0] or today.isoformat())]


def _due(note: Note, today: date, ticked: set[int]) -> Iterator[tuple[str, Block]]:
    items = {entry.line for entry in note.entries if entry.kind == LIST_ITEM}
    for block in note_blocks(note):
        if block.line not in items or block.line in ticked:
            continue
        match = _DATED.match(normal_text(note.lines.rows[block.line - 1]))
        day = find_date(match[0]) if match else ""
        if day <= today.isoformat():
            yield day, block
