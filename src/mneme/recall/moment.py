"""The days that a question is about: "last Tuesday", "in May", "since March", "after the migration".

Dates in words are read by `mneme.formats.when`. One that leaves its year open means the last one that memory knows
something of; what happened is looked up in memory itself, and the question is then about the days from there on, or up to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme.formats.when import add_months, find_whens
from mneme.index.rank import Days
from mneme.index.words import QUIET_WORDS, parse_query, parse_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from mneme.formats.when import When

# A little inside what a date can be, so that a week more or a day less is still one.
EARLIEST, LATEST = date(1, 2, 1), date(9999, 11, 30)
MOST_YEARS_BACK = 12
_YEAR_MONTHS = 12

_FROM, _AFTER, _UPTO, _BEFORE = "from", "after", "upto", "before"
_BOUND_WORDS = {
    "since": _FROM, "from": _FROM, "starting": _FROM, "after": _AFTER, "until": _UPTO, "till": _UPTO, "by": _UPTO,
    "up to": _UPTO, "before": _BEFORE, "prior to": _BEFORE, "自": _FROM, "自从": _FROM, "从": _FROM,
}  # fmt: skip
_BOUND_BEFORE = re.compile(rf"(?:^|(?<=\W))({'|'.join(map(re.escape, _BOUND_WORDS))})\s*(?:the\s+)?$", re.IGNORECASE)
_BOUND_AFTER = {"之后": _AFTER, "以后": _AFTER, "以来": _FROM, "之前": _BEFORE, "以前": _BEFORE}
_EVENT = re.compile(
    r"\b(since|after|before|until)\s+((?:the|our|my|that|this|we|i)\s+[^?.,;:!\n]{3,60}?)\s*(?=[?.,;:!\n]|$)",
    re.IGNORECASE,
)
_EVENT_CHINESE = re.compile(r"([\u3400-\u9fff]{2,12}?)(之后|以后|以来|之前|以前)")
# Words that ask for whatever there is.
_ANYTHING = frozenset(
    parse_terms(
        "happened happen happening did do done doing note notes noted entry entries log logged event events recall"
        " remember remembered work worked anything something everything thing things summary summarize list going on"
        " 发生了什么 做了什么 有什么事情 什么事 做过什么"
    )
) | frozenset(parse_terms(" ".join(QUIET_WORDS)))


@dataclass(frozen=True, slots=True)
class Moment:
    """The days that a question is about, whether it is about nothing else, and the words that told them by an event."""

    days: Days
    alone: bool = False
    event: str = ""

    def covers(self, day: str) -> bool:
        """Say whether a day is among them."""
        return bool(day) and self.days.first <= day[:10] <= self.days.last


def find_moment(text: str, today: date, *, holds: Callable[[Days], bool], dated: Callable[[str], str]) -> Moment | None:
    """Return the days that a question is about. `holds` says whether memory knows of some days, `dated` when it was."""
    whens = find_whens(text, today)
    if not whens:
        return _after_event(text, today, dated)
    spans = [_days_of(text, when, today, holds) for when in whens]
    days = Days(min(one.first for one in spans), max(one.last for one in spans))
    return Moment(days, alone=not _asks_more(text, whens))


def _asks_more(text: str, whens: tuple[When, ...]) -> bool:
    """Say whether a question asks for something beside its days."""
    rest = text
    for when in reversed(whens):
        rest = f"{rest[: when.start]} {rest[when.end :]}"
    return bool(set(parse_query(rest).terms) - _ANYTHING)


def _days_of(text: str, when: When, today: date, holds: Callable[[Days], bool]) -> Days:
    first, last = (min(max(day, EARLIEST), LATEST) for day in (when.first, when.last))
    if not when.certain:
        first, last = _last_known(first, last, holds)
    before = _BOUND_BEFORE.search(text[: when.start])
    bound = _BOUND_WORDS[before[1].lower()] if before else ""
    bound = next((kind for word, kind in _BOUND_AFTER.items() if text.startswith(word, when.end)), bound)
    return _bounded(bound, first, last, today)


def _bounded(bound: str, first: date, last: date, today: date) -> Days:
    if bound == _FROM:
        last = max(today, last)
    elif bound == _AFTER:
        first, last = last + timedelta(1), max(today, last + timedelta(1))
    elif bound == _UPTO:
        first = EARLIEST
    elif bound == _BEFORE:
        first, last = EARLIEST, first - timedelta(1)
    return Days(first.isoformat(), last.isoformat())


def _last_known(first: date, last: date, holds: Callable[[Days], bool]) -> tuple[date, date]:
    """Return the last such days of which memory knows anything: the same ones of this year, or of a year before."""
    for years in range(min(MOST_YEARS_BACK, first.year - EARLIEST.year)):
        there = add_months(first, -_YEAR_MONTHS * years), add_months(last, -_YEAR_MONTHS * years)
        if holds(Days(there[0].isoformat(), there[1].isoformat())):
            return there
    return first, last


def _after_event(text: str, today: date, dated: Callable[[str], str]) -> Moment | None:
    """Return the days after, or before, something that memory knows the date of."""
    found = _EVENT.search(text)
    bound, event = (found[1].lower(), found[2]) if found else ("", "")
    if not found and (found := _EVENT_CHINESE.search(text)):
        bound, event = found[2], found[1]
    day = dated(event) if event else ""
    if not day:
        return None
    there = date.fromisoformat(day)
    kind = _BOUND_WORDS.get(bound) or _BOUND_AFTER[bound]
    # What came after is told on the same day as often as not.
    days = _bounded({_AFTER: _FROM, _BEFORE: _UPTO}.get(kind, kind), there, there, today)
    return Moment(days, event=found[0] if found else "")
