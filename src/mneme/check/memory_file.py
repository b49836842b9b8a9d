"""MEMORY.md: what every session loads, so it is short, holds what lasts, and leaves few questions open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.check.relative import HABIT
from mneme.formats.block import CODE, COMMENT, FRONT, HEADING, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.note import Note
    from mneme.formats.section import Section
    from mneme.profiles import Budgets

OPEN_QUESTIONS = re.compile(
    r"\bopen (?:questions?|issues?|points?)\b|\u672a\u51b3|\u5f85\u89e3\u51b3|\u5f00\u653e\u95ee\u9898", re.IGNORECASE
)
ACTIVE_DECISIONS = re.compile(r"\bactive decisions?\b|\u5f53\u524d\u51b3\u7b56|\u751f\u6548\u51b3\u5b9a", re.IGNORECASE)

_LEAD = r"^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?"
# What was only of the moment, each with what it is; the first that fits a line is told.
_MOMENTS = (
    (re.compile(_LEAD + r"\[[ xX]\][ \t]"), "a task, and tasks belong in todos.md"),
    (
        re.compile(_LEAD + r"(?:\*\*)?(?:user|human|assistant|\u7528\u6237|\u52a9\u624b)(?:\*\*)?[ \t]*[:\uff1a](?:\*\*)?[ \t]+\S", re.IGNORECASE),
        "a line of a conversation",
    ),
    (re.compile(_LEAD + r"\[?(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\]?[ \t]*(?:[-\u2013\u2014:|]|[A-Z])"), "an event of a day"),
    (
        re.compile(
            _LEAD + r"(?:ok(?:ay)?|thanks?(?: you)?|thx|lol|haha+|done|got it|sure|hi|hello|hey(?: there)?|good (?:morning|night)|"
            r"sounds good|great|cool|nice|\u597d\u7684|\u8c22\u8c22|\u54c8\u54c8+|\u6536\u5230)[ \t]*[!.,~\u3002\uff01]*[ \t]*$",
            re.IGNORECASE,
        ),
        "chatter",
    ),
    (
        re.compile(
            r"\b(?:just now|right now|this (?:morning|afternoon|evening)|earlier today|later today|(?:is|are|am|was|were) (?:currently|still)"
            r" (?:running|working on|debugging|waiting|compiling|building|testing)|in a (?:minute|moment))\b"
            r"|\u521a\u521a|\u6b63\u5728|\u4eca\u5929(?:\u4e0a\u5348|\u4e0b\u5348|\u65e9\u4e0a|\u665a\u4e0a)",
            re.IGNORECASE,
        ),
        "of the moment",
    ),
)  # fmt: skip
_NO_PROSE = frozenset({CODE, COMMENT, FRONT, HEADING, TABLE})


def check_memory_file(note: Note, budgets: Budgets) -> Iterator[Found]:
    """Yield what is wrong with a MEMORY.md as the file that every session loads."""
    lines, characters = note.lines.count, len(note.text)
    if lines > budgets.memory_lines or characters > budgets.memory_chars:
        limits = {"limit": budgets.memory_lines, "most": budgets.memory_chars}
        yield find("overlong-memory", 1, value=lines, other=characters, **limits)
    yield from _moments(note)
    for pointer in note.pointers:
        if pointer.length > budgets.index_line_chars and not pointer.target.startswith(("http:", "https:")):
            yield find("overlong-index-line", pointer.line, value=pointer.length, limit=budgets.index_line_chars)
    for section in sections_called(note, OPEN_QUESTIONS):
        count = _open_items(note, section)
        if count > budgets.open_questions:
            yield find("many-open-questions", section.line, value=count, limit=budgets.open_questions)


def sections_called(note: Note, title: re.Pattern[str]) -> list[Section]:
    """Return the sections whose heading has some words."""
    return [section for section in note.sections if title.search(section.title)]


def _open_items(note: Note, section: Section) -> int:
    """Return how many list items of a section are open, what is nested in them not counted; rows of prose without."""
    items = [item for item in note.items if section.line < item.line <= section.end_line]
    return sum(item.depth == 0 and not item.done for item in items)


def _moments(note: Note) -> Iterator[Found]:
    kinds = note.shape.kinds
    owned = [(region.line, region.end_line) for region in note.regions]
    for index, row in enumerate(note.lines.rows):
        if kinds[index] in _NO_PROSE or any(first <= index + 1 <= last for first, last in owned):
            continue
        what = next((what for pattern, what in _MOMENTS if pattern.search(row)), "")
        if what and not HABIT.search(row):
            yield find("ephemeral-in-memory", index + 1, value=row.strip(), other=what)
