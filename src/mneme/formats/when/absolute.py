"""Texts whose relative dates are made absolute, so that they mean the same when they are read in a year.

Only what is certain is written anew: "yesterday" becomes "on 2026-01-30", "last month" "in December 2025", "3 weeks ago"
"around 2026-01-10", "上周" "2026-01-19那一周". What leaves its day open ("Tuesday", "a few days ago") stays, and so does
what is quoted, what is code, and every date in a sentence about habits: "show today's tasks every morning" is no date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.when import DAY, MONTH, STRETCH, WEEK, YEAR, When, find_whens
from mneme.formats.when.days import WEEKEND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

_MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_QUOTED = re.compile(r"`[^`\n]+`|\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\u300c[^\u300d\n]+\u300d|```.*?```", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\u3002\uff01\uff1f\n]+(?:[.](?=\S)[^.!?\u3002\uff01\uff1f\n]*)*")
_HABIT = re.compile(
    r"\b(?:every|each|always|never|usually|often|whenever|daily|weekly|monthly|any)\b|每[天日周週月年次个個]|总是|總是|从不|從不|经常|通常",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:on|in|at|since|until|till|by|of|from|to|for|over|during|within|before|after|through|as|the|between|and)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[0-9A-Za-z]")
_NEARBY = re.compile(r"\b(?:ago|back|earlier|last|past|next|coming|from now|in)\b|[前后後近]", re.IGNORECASE)
_DATED = re.compile(r"\s*[(\uff08]\d{4}\b")
_DETERMINER = re.compile(r"\b(?:the|this|that|our|my|your|his|her|their|its)\s+$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['\u2019]s\b")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An expression as it was said, and as it is written."""

    said: str
    written: str


def with_dates(text: str, today: date) -> str:
    """Return a text in which "yesterday" is the day that it was; what leaves open which day it means stays."""
    return make_absolute(text, today)[0]


def make_absolute(text: str, today: date) -> tuple[str, tuple[Rewritten, ...]]:
    """Return a text with its relative dates made absolute, and what was written anew."""
    parts: list[str] = []
    done: list[Rewritten] = []
    at = 0
    for when in _told(text, today):
        if when.certain:
            end, words = _written(text, when)
            parts += (text[at : when.start], words)
            done.append(Rewritten(text[when.start : end], words))
            at = end
    return "".join([*parts, text[at:]]), tuple(done)


def open_dates(text: str, today: date) -> tuple[str, ...]:
    """Return what a text says of a time near the day it is said, but without a day: "a few days ago", "last summer".

    A bare "Friday" or "in August" may as well be every one, and is none.
    """
    said = (text[when.start : when.end] for when in _told(text, today) if not when.certain)
    return tuple(words for words in said if _NEARBY.search(words))


def _told(text: str, today: date) -> Iterator[When]:
    """Yield the relative dates that tell of a day: not quoted ones, nor those of a habit."""
    whens = [when for when in find_whens(text, today) if when.relative]
    if not whens:
        return
    hidden = [match.span() for match in _QUOTED.finditer(text)]
    hidden += [match.span() for match in _SENTENCE.finditer(text) if _HABIT.search(match[0])]
    for when in whens:
        if not _DATED.match(text, when.end) and not any(start <= when.start < end for start, end in hidden):
            yield when


def _written(text: str, when: When) -> tuple[int, str]:
    """Return up to where an expression is replaced, and by what: words that fit those around it."""
    said, before = text[when.start : when.end], text[: when.start]
    if _HAN.search(said):
        apart = (" " * bool(_LATIN.match(char)) for char in (before[-1:], text[when.end :][:1]))
        return when.end, _chinese(when).join(apart)
    name, preposition = _named(when, said)
    bare = name.removeprefix("the ")
    possessive = _POSSESSIVE.match(text, when.end)
    if possessive:
        return possessive.end(), bare if _DETERMINER.search(before) else _as_said(said, f"the {bare}")
    if _PREPOSITION.search(before):
        return when.end, bare if _DETERMINER.search(before) else name
    return when.end, _as_said(said, f"{preposition} {name}")


def _as_said(said: str, words: str) -> str:
    """Begin with a capital what stood at the beginning of a sentence."""
    return words[0].upper() + words[1:] if said[:1].isupper() else words


def _named(when: When, said: str) -> tuple[str, str]:
    """Return the name of the days, and the preposition that it takes."""
    if when.counted and when.size != DAY:
        about = {WEEK: when.day.isoformat(), MONTH: _month(when.day), YEAR: str(when.day.year)}
        return about[when.size], "around"
    if when.size == DAY:
        return when.day.isoformat() + _part_of_day(said), "on"
    if when.size == WEEK:
        return f"the week of {when.first.isoformat()}", "in"
    if when.size == MONTH:
        return _month(when.first), "in"
    if when.size == YEAR:
        return str(when.first.year), "in"
    days = f"{when.first.isoformat()} to {when.last.isoformat()}"
    return (f"the weekend of {when.first.isoformat()}", "on") if WEEKEND in said.lower() else (days, "from")


def _month(day: date) -> str:
    return f"{_MONTH_NAMES[day.month - 1]} {day.year}"


def _part_of_day(said: str) -> str:
    words = said.lower().split()
    if words[-1] in ("morning", "afternoon", "evening"):
        return f" in the {words[-1]}"
    return " at night" if words[-1] in ("night", "tonight") else ""


def _chinese(when: When) -> str:
    day = when.day.isoformat()
    if when.counted and when.size != DAY:
        return {WEEK: day, MONTH: f"{when.day.year}年{when.day.month}月", YEAR: f"{when.day.year}年"}[
            when.size
        ] + "前后"
    names = {
        DAY: day,
        WEEK: f"{when.first.isoformat()}那一周",
        MONTH: f"{when.first.year}年{when.first.month}月",
        YEAR: f"{when.first.year}年",
        STRETCH: f"{when.first.isoformat()}至{when.last.isoformat()}",
    }
    return names[when.size]
