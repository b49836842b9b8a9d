"""Entries: a note cut into the pieces that can be remembered one by one.

A top-level list item with all that is nested in it, a paragraph, a line that begins with a time, a quote, a table or
a code block is one entry, with the headings it stands under. An entry is known by a hash of its words, which survives
re-indenting, re-wrapping and ticking a box. What programs wrote, and what is header or closure, is no entry.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from mneme.formats.block import BLANK, CODE, ITEM, QUOTE, TABLE, TEXT
from mneme.formats.span import to_bytes
from mneme.formats.standing import without_standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.formats.block import Heading, Item
    from mneme.formats.span import Lines

LIST_ITEM, PARAGRAPH, QUOTATION, TABULAR, LISTING = "item", "paragraph", "quote", "table", "code"
_NAMES = {TEXT: PARAGRAPH, QUOTE: QUOTATION, TABLE: TABULAR, CODE: LISTING}

HASH_DIGITS = 8
_LEAD = re.compile(
    r"[ \t]*(?:>[ \t]*)*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|[\u2022\u30fb][ \t]*|[0-9]{1,9}[\u3001\uff0e\uff09][ \t]*)?"
    r"(?:\[[^\[\]\n]?\](?=\s|$))?"
)
_LINE_END = re.compile(r"\r\n|\r|\n")

_TIME = re.compile(
    r"[\s*_`~(\[\uff08\u3010]*+(?P<half>\u4e0a\u5348|\u4e0b\u5348|\u665a\u4e0a|\u65e9\u4e0a|\u4e2d\u5348|\u5348\u524d|\u5348\u5f8c)?\s*"
    r"(?P<hour>[01]?[0-9]|2[0-3])(?:[:\uff1a](?P<minute>[0-5][0-9])|[\u70b9\u9ede\u65f6\u6642](?:(?P<cjk>[0-5]?[0-9])\u5206)?)"
    r"(?![0-9])(?::[0-5][0-9])?(?:\s*(?P<pm>[AaPp])\.?[Mm]\b\.?)?"
)
# A name of up to three words, in capitals where its script has them; a time or a mark of emphasis may stand before it.
_SPEAKER = re.compile(
    r"[\s*_]*(?:[\[(]?\d{1,2}[:.]\d\d(?:\s*[AaPp][Mm])?[\])]?[\s,:-]*)?[*_]*"
    r"(?P<name>user|assistant|(?![a-z])[^\W\d_][\w.'-]{0,19}(?: (?![a-z])[^\W\d_][\w.'-]{0,19}){0,2})"
    r"[*_]*(?::[*_]*(?=\s)|\uff1a)"
)
_AFTERNOON = ("\u4e0b\u5348", "\u665a\u4e0a", "\u5348\u5f8c")
_NOON = 12

# What a heading may say without saying anything about what stands below it.
_DATES = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{4}\u5e74\d{1,2}\u6708\d{1,2}[\u65e5\u53f7]|\d{1,2}\u6708\d{1,2}[\u65e5\u53f7]"
    r"|\b\d{1,2}\.?\s+[^\W\d]+\.?\s+\d{4}\b|\b[^\W\d]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b"
)
_CLOCK = re.compile(
    r"(?<!\d)(?:[01]?\d|2[0-3])[:\uff1a][0-5]\d(?::[0-5]\d)?(?:\s*[ap]\.?m\b\.?)?(?:\s*(?:UTC|GMT|Z|[A-Z]{3,4}|[+-]\d{2}:?\d{2})\b)?",
    re.IGNORECASE,
)
_EMPTY_WORD = re.compile(
    r"(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|today|yesterday|tomorrow|morning|afternoon"
    r"|evening|night|noon|midnight|daily|day|logs?|notes?|session|journal|diary|memory|md|txt|utc|the|of|for",
    re.IGNORECASE,
)
_EMPTY_CJK = re.compile(
    r"\u4eca\u5929|\u4eca\u65e5|\u6628\u5929|\u6628\u65e5|\u660e\u5929|\u660e\u65e5|\u4e0a\u5348|\u4e0b\u5348|\u665a\u4e0a|\u65e9\u4e0a|\u65e9\u6668|\u4e2d\u5348|\u508d\u665a|\u5348\u524d|\u5348\u5f8c"
    r"|(?:\u661f\u671f|\u5468|\u793c\u62dc)[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u65e5\u5929]|[\u6708\u706b\u6c34\u6728\u91d1\u571f\u65e5]\u66dc\u65e5?|\u65e5\u8bb0|\u65e5\u8a18|\u65e5\u5fd7|\u8bb0\u5f55|\u8a18\u9332"
)
_EDGE = " \t:\uff1a,;|/.-\u2013\u2014*_`#\u00b7"
_EMPTY_BRACKETS = re.compile(r"[(\[\uff08][\s,~\u2192\u2013\u2014-]*+[)\]\uff09]")
_EMPHASIS = re.compile(r"\*\*|__|`")
_LEAD_IN_ENDS = (":", "\uff1a", ":**", "\uff1a**", ":__", ":*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its text as written, the headings that say what it is about, outermost first, and its time.

    `context` ends with the line that led in to a list, if there was one; `time` is HH:MM or empty.
    """

    kind: str
    text: str
    start: int
    end: int
    line: int
    end_line: int
    context: tuple[str, ...]
    time: str

    @property
    def hash(self) -> str:
        """Return the identity of the entry within its note."""
        return entry_hash(self.text)


def normal_text(text: str) -> str:
    """Return an entry's words without what may change while it stays the same entry.

    List markers, checkboxes and quote marks go from every line and so does a comment with its standing, each run of
    white space becomes one space, and the characters are composed (NFC).
    """
    rows = _LINE_END.split(without_standing(text))
    words = " ".join(" ".join(row[_lead(row) :] for row in rows).split())
    return words if words.isascii() else unicodedata.normalize("NFC", words)


def _lead(row: str) -> int:
    match = _LEAD.match(row)
    return match.end() if match else 0


def entry_hash(text: str) -> str:
    """Return the first eight hex digits of the SHA-256 of an entry's normalised text."""
    return sha256(to_bytes(normal_text(text))).hexdigest()[:HASH_DIGITS]


def find_time(text: str) -> str:
    """Return the time of day (HH:MM) that a text begins with, or the empty string."""
    match = _TIME.match(text)
    if match is None:
        return ""
    hour, minute = int(match["hour"]), int(match["minute"] or match["cjk"] or 0)
    late = match["half"] in _AFTERNOON or (match["pm"] or "").lower() == "p"
    if late and hour < _NOON:
        hour += _NOON
    elif hour == _NOON and (match["pm"] or "").lower() == "a":
        hour = 0
    return f"{hour:02d}:{minute:02d}"


def find_speaker(text: str) -> str:
    """Return the name that an entry begins with before a colon, where somebody says it: "Ann: I moved in May"."""
    match = _SPEAKER.match(text, _lead(text))
    return match["name"].strip() if match else ""


def heading_context(text: str) -> str:
    """Return what a heading says besides dates, times and words that fit every day; empty for a generic one."""
    bare = _CLOCK.sub(" ", _DATES.sub(" ", text)) if any(char.isdigit() for char in text) else text
    words = re.findall(r"[^\W\d_]+", bare)
    left = [word for word in words if not _EMPTY_WORD.fullmatch(word) and _EMPTY_CJK.sub("", word)]
    return _plain(_EMPTY_BRACKETS.sub(" ", bare)) if left else ""


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", text).split()).strip(_EDGE)


def parse_entries(
    lines: Lines,
    kinds: bytearray,
    headings: Sequence[Heading],
    items: Sequence[Item],
    skipped: Sequence[tuple[int, int]],
) -> tuple[Entry, ...]:
    """Cut a note into entries; `skipped` are the lines (from 1, both ends) that are none, in order."""
    cutter = _Cutter(lines, kinds, headings, [item for item in items if item.depth == 0])
    return tuple(cutter.cut(_skip_mask(len(kinds), skipped)))


def _skip_mask(count: int, skipped: Sequence[tuple[int, int]]) -> bytearray:
    mask = bytearray(count)
    for first, last in skipped:
        mask[first - 1 : last] = b"\1" * (min(last, count) - first + 1)
    return mask


class _Cutter:
    """Walks down a note once, keeping the headings above the row it is at."""

    __slots__ = ("headings", "items", "kinds", "lead", "lines", "stack")

    def __init__(self, lines: Lines, kinds: bytearray, headings: Sequence[Heading], items: Sequence[Item]) -> None:
        self.lines = lines
        self.kinds = kinds
        self.headings = {heading.line - 1: heading for heading in headings}
        self.items = {item.line - 1: item for item in items}
        self.stack: list[tuple[int, str, str]] = []
        self.lead: tuple[int, str] | None = None

    def cut(self, skip: bytearray) -> Iterator[Entry]:
        index = 0
        while index < len(self.kinds):
            kind = self.kinds[index]
            if skip[index]:
                index += 1
            elif index in self.headings:
                index = self.enter(self.headings[index])
            elif index in self.items:
                item = self.items[index]
                last = self.stop_at(skip, index, item.tree_end_line - 1)
                yield self.entry(LIST_ITEM, index, last)
                index = last + 1
            elif kind in _NAMES:
                last = self.run(skip, index)
                if not self.leads_in(kind, index, last):
                    yield self.entry(_NAMES[kind], index, last)
                index = last + 1
            else:
                index += 1

    def enter(self, heading: Heading) -> int:
        """Take a heading into the context; it ends those of its level and below, and says its own words if any."""
        while self.stack and self.stack[-1][0] >= heading.level:
            self.stack.pop()
        self.lead = None
        self.stack.append((heading.level, heading_context(heading.text), find_time(heading.text)))
        return heading.end_line

    def run(self, skip: bytearray, index: int) -> int:
        """Return the last row of the paragraph, quote, table or code block that begins at a row."""
        kind = self.kinds[index]
        last = index
        while last + 1 < len(self.kinds) and self.kinds[last + 1] == kind and not skip[last + 1]:
            if kind == TEXT and find_time(self.lines.rows[last + 1]):
                break
            if kind == CODE and last > index and self.lines.rows[last].strip()[:3] in ("```", "~~~"):
                break
            last += 1
        return last

    def stop_at(self, skip: bytearray, index: int, last: int) -> int:
        """Return the last row of an item that is not skipped."""
        stop = skip.find(1, index, last + 1)
        last = stop - 1 if stop >= 0 else last
        while last > index and self.kinds[last] == BLANK:
            last -= 1
        return last

    def leads_in(self, kind: int, first: int, last: int) -> bool:
        """Take a line such as 'Decided today:' right above a list as context, not as an entry."""
        row = self.lines.rows[last].strip()
        below = last + 1
        if kind != TEXT or first != last or not row.endswith(_LEAD_IN_ENDS):
            return False
        if below < len(self.kinds) and self.kinds[below] == BLANK:
            below += 1
        if below >= len(self.kinds) or self.kinds[below] != ITEM:
            return False
        self.lead = (below, _plain(row))
        return True

    def entry(self, kind: str, first: int, last: int) -> Entry:
        start = self.lines.starts[first] + len(self.lines.rows[first]) - len(self.lines.rows[first].lstrip())
        end = self.lines.end_of(last)
        text = self.lines.text[start:end]
        context = [words for _, words, _ in self.stack if words]
        if self.lead and first >= self.lead[0]:
            context.append(self.lead[1])
            self.lead = (last + 1, self.lead[1]) if self.lead_goes_on(last) else None
        time = find_time(text[_lead(text) :]) or next((at for *_, at in reversed(self.stack) if at), "")
        return Entry(kind, text, start, end, first + 1, last + 1, tuple(context), time)

    def lead_goes_on(self, last: int) -> bool:
        """Return whether the list that was led in to goes on below a row, at most one blank row apart."""
        below = last + 1
        if below < len(self.kinds) and self.kinds[below] == BLANK:
            below += 1
        return below < len(self.kinds) and self.kinds[below] == ITEM
