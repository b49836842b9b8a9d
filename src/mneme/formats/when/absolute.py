"""Dates in words made absolute, so that a text still says the same on another day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.formats.block import code_spans_in
from mneme.formats.span import apply_edits
from mneme.formats.when import DAY, MONTH, YEAR, find_whens

if TYPE_CHECKING:
    from datetime import date

    from mneme.formats.span import Splice
    from mneme.formats.when import When

# Words that say more than a day: they stay, and the day stands behind them.
_MORE_THAN_A_DAY = re.compile(r"night|morning|afternoon|evening|noon|weekend|晚|早|夜|上午|下午|中午")
_DATED = re.compile(r"\s*[(（]\d{4}\b")


def with_dates(text: str, today: date) -> str:
    """Return a text in which "yesterday" is the day that it was; what leaves open which day it means stays.

    A day takes the place of its words ("yesterday" is 2026-03-01 now); a stretch, or a part of a day, stands behind
    them in brackets: "last week (2026-02-16 to 2026-02-22)". What is code, or dated already, is left alone.
    """
    code = [] if "`" not in text else _code_spans(text)
    edits = [
        _edit(text, when)
        for when in find_whens(text, today)
        if when.relative
        and when.certain
        and not _DATED.match(text, when.end)
        and not any(start <= when.start < end for start, end in code)
    ]
    return apply_edits(text, edits)


def _code_spans(text: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for row in text.split("\n"):
        found += [(at + start, at + end) for start, end in code_spans_in(row)]
        at += len(row) + 1
    return found


def _edit(text: str, when: When) -> Splice:
    words = text[when.start : when.end]
    if when.size == DAY and when.first == when.last and not _MORE_THAN_A_DAY.search(words.lower()):
        before, after = text[: when.start][-1:].isalnum(), text[when.end :][:1].isalnum()
        return when.start, when.end, " " * before + when.day.isoformat() + " " * after
    return when.end, when.end, f" ({_days(when)})"


def _days(when: When) -> str:
    first, last = when.first.isoformat(), when.last.isoformat()
    if when.size == YEAR and not when.counted:
        return first[:4]
    if when.size == MONTH and not when.counted:
        return first[:7]
    return first if first == last else f"{first} to {last}"
