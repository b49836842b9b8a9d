"""Times that only the day of writing could tell: "yesterday" in a memory that is to last.

A day's note may say "yesterday": its name says of which day. In a memory that lasts nobody knows. What can be told all
the same is left alone: a date in the same line or in a heading above, a quotation, an instruction that means every day.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.formats.block import CODE, COMMENT, FRONT, HEADING, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.note import Note

_NEEDLES = ("yesterday", "tomorrow", " ago", "last ", "next ", "tonight")
_CJK_NEEDLES = ("\u6628", "\u524d\u5929", "\u660e\u5929", "\u540e\u5929", "\u4e0a\u5468", "\u4e0b\u5468", "\u4e0a\u4e2a\u6708", "\u4e0b\u4e2a\u6708", "\u4e0a\u661f\u671f", "\u4e0b\u661f\u671f", "\u521a\u624d", "\u4eca\u665a", "\u5929\u524d", "\u5468\u524d", "\u6708\u524d")  # fmt: skip

_UNITS = "week|weekend|month|year|quarter|night|spring|summer|autumn|fall|winter"
_DAYS = "mon|tues|wednes|thurs|fri|satur|sun"
_COUNT = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|a couple of"
_SAID = re.compile(
    rf"\b(?:yesterday|tomorrow|tonight|(?:last|next)\s+(?:{_UNITS}|(?:{_DAYS})day)|"
    rf"(?:{_COUNT})\s+(?:minute|hour|day|week|month|year)s?\s+ago)\b(?!['\u2019]s\b)"
    r"|\u6628\u5929|\u6628\u665a|\u524d\u5929|\u660e\u5929|\u540e\u5929|[\u4e0a\u4e0b]\u4e2a?(?:\u5468|\u661f\u671f|\u6708)[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u65e5\u5929\u672b]?"
    r"|\u521a\u624d|\u4eca\u665a|[0-9\u4e00\u4e8c\u4e24\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u51e0]+(?:\u5929|\u5468|\u4e2a\u661f\u671f|\u4e2a\u6708|\u5e74)\u524d",
    re.IGNORECASE,
)
# A day that is written down beside it: the time can be told.
_DATED = re.compile(
    r"\d{4}[-/.]\d{1,2}|\b\d{1,2}[/.]\d{1,2}\b|\u5e74|\d\u6708|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}\b",
    re.IGNORECASE,
)
# What is done every time means no day in particular.
HABIT = re.compile(
    r"\b(?:every|each|always|daily|nightly|weekly|monthly|whenever|today\s*(?:\+|&|and|or|,|/)|(?:\+|&|and|or)\s*today|"
    r"if|read|reads|review|reviews|load|loads|summari[sz]es?|compares?|carried over|e\.g\.)\b|\u6bcf|\u5982\u679c",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u300c[^\u300d]*\u300d|(?<!\w)'[^']*'(?!\w)")
_NO_PROSE = frozenset({CODE, COMMENT, FRONT, HEADING, TABLE})


def relative_dates(note: Note) -> Iterator[Found]:
    """Yield the times of a lasting note that nobody can tell any more, one for each line."""
    if not is_suspect(note.text):
        return
    kinds = note.shape.kinds
    dated = [(section.line, section.end_line) for section in note.sections if _DATED.search(section.title)]
    for index, row in enumerate(note.lines.rows):
        if kinds[index] in _NO_PROSE or any(first <= index + 1 <= last for first, last in dated):
            continue
        if said := relative_time(row):
            yield find("relative-date", index + 1, value=said)


def is_suspect(text: str) -> bool:
    """Say whether a text may tell a time by the day it was written: a quick look that misses none."""
    lower = text.lower()
    if any([needle in lower for needle in _NEEDLES]):  # noqa: C419 - a list is quicker than what yields one by one
        return True
    return not text.isascii() and any(needle in text for needle in _CJK_NEEDLES)


def relative_time(row: str) -> str:
    """Return the first words of a line that tell a time from the day of writing, and no other way; else nothing."""
    if not is_suspect(row):
        return ""
    bare = _QUOTED.sub(" ", row)
    match = _SAID.search(bare)
    if match is None or _DATED.search(bare) or HABIT.search(bare):
        return ""
    return match[0]
