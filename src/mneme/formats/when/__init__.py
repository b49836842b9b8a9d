"""Dates in words: "last Tuesday", "3 weeks ago", "in May 2025", "昨天", "上周二", as the days that they stand for.

`find_whens` reads any text, in English and Chinese, and says of each date where it stands, which days it covers and
which one it names best; `find_when` reads a text that is nothing but a date. Today is given. An expression that leaves
open which day it means ("Tuesday", "a few days ago", "in May") is read as the nearest one that lies behind us, and is
not `certain`. A library for dates gives one moment without its place in the text, and weighs more than all of this
project's own code; what people say of their days is little enough to be read here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from mneme.formats.when.days import DAY, MONTH, STRETCH, WEEK, YEAR, When, add_months

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from mneme.formats.when.days import Read

__all__ = ["DAY", "MONTH", "STRETCH", "WEEK", "YEAR", "When", "add_months", "find_when", "find_whens"]

_EDGE = " \t\n.,?!。，？！"
_LEAD = re.compile(r"(?:(?:on|in|at|of|from|for|during|the|about|around|earlier|later)\s+)+", re.IGNORECASE)
_PREPOSED = "in "
_DIGIT, _LETTERS = re.compile("[0-9]"), re.compile("[a-z]+")


def find_whens(text: str, today: date) -> tuple[When, ...]:
    """Return the dates in a text, in order; of two that overlap the one that begins first, then the longer one."""
    found: list[When] = []
    if text.isascii() and not _may_hold_dates(text):
        return ()
    for pattern, read in _rules(in_ascii=text.isascii()):
        for match in pattern.finditer(text):
            try:
                when = read(match, today)
            except (ValueError, OverflowError):  # there is no such day
                continue
            found.append(replace(when, start=match.start(), end=match.end()))
    return tuple(_apart(sorted(found, key=lambda when: (when.start, -when.end))))


def _may_hold_dates(text: str) -> bool:
    from mneme.formats.when.english import TELLING

    return _DIGIT.search(text) is not None or not TELLING.isdisjoint(_LETTERS.findall(text.lower()))


def find_when(text: str, today: date) -> When | None:
    """Return the date that a text stands for, or None where it says anything else."""
    words = text.strip(_EDGE)
    lead = _LEAD.match(words)
    bare = words[lead.end() :] if lead else words
    # A year or a month by itself is read as one where "in" stands before it.
    for said in (words, bare, _PREPOSED + bare):
        when = next(iter(find_whens(said, today)), None)
        if when and when.end == len(said) and when.start <= len(said) - len(bare):
            return replace(when, start=0, end=len(text))
    return None


def _apart(found: list[When]) -> Iterator[When]:
    end = 0
    for when in found:
        if when.start >= end:
            yield when
            end = when.end


@cache
def _rules(*, in_ascii: bool) -> tuple[tuple[re.Pattern[str], Read], ...]:
    """Return the rules that a text may fit; compiling those for Chinese takes a while, and no ASCII has any."""
    if in_ascii:
        from mneme.formats.when import english

        return tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in english.RULES)
    from mneme.formats.when import chinese

    return (*_rules(in_ascii=True), *((re.compile(pattern), read) for pattern, read in chinese.RULES))
