"""The day that a file's name stands for.

`parse_day` reads a path and says which date its name carries and what else the name says. Names in the wild put the
date first, last, in folders or in Chinese; the form tells them apart, so that a check can ask for the plain one.
Pure text: no file is looked at, and no path makes it fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

# How the name carries its date, from the one every tool knows to the ones only people read.
DAY, DAY_SLUG, SLUG_DAY, FOLDERS, LOOSE = "day", "day-slug", "slug-day", "folders", "loose"

_SUFFIX = re.compile(r"\.(?:md|markdown|mdx|txt)$", re.IGNORECASE)
_EXACT = re.compile(r"(\d{4})-(\d{2})-(\d{2})$")
_LEADING = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?=[^0-9])")
_INSIDE = re.compile(r"(?<![0-9])(\d{4})-(\d{2})-(\d{2})(?![0-9])")
_LOOSE = re.compile(
    r"(?<![0-9])(\d{4})(?:(\d{2})(\d{2})(?![0-9])|[_.](\d{1,2})[_.](\d{1,2})(?![0-9])|年(\d{1,2})月(\d{1,2})[日号])"
)
_PARTS = re.compile(r"(?:^|/)(\d{4})/(\d{1,2})/(\d{1,2})(?:[-_ .]([^/]*))?$")
_TRIM = " -_.,()[]\u2013\u2014\uff08\uff09"


@dataclass(frozen=True, slots=True)
class Day:
    """A date (ISO), the rest of the name, and the form the name has."""

    date: str
    slug: str
    form: str


def parse_day(path: str) -> Day | None:
    """Return the day a note's path stands for, or None when its name holds no real date."""
    path = path.replace("\\", "/")
    stem = _SUFFIX.sub("", path)
    if stem == path:
        return None
    name = stem.rsplit("/", 1)[-1]
    return _by_name(name) or _by_folders(stem) or _by_loose_name(name)


def _by_name(name: str) -> Day | None:
    for pattern, form in ((_EXACT, DAY), (_LEADING, DAY_SLUG)):
        match = pattern.match(name)
        if match and (day := _iso(*match.groups())):
            return Day(day, name[match.end() :].strip(_TRIM), form)
    for match in _INSIDE.finditer(name):
        if day := _iso(*match.groups()):
            return Day(day, _rest(name, match), SLUG_DAY)
    return None


def _by_folders(stem: str) -> Day | None:
    match = _PARTS.search(stem)
    if match and (day := _iso(*match.groups()[:3])):
        return Day(day, (match[4] or "").strip(_TRIM), FOLDERS)
    return None


def _by_loose_name(name: str) -> Day | None:
    for match in _LOOSE.finditer(name):
        numbers = [number for number in match.groups() if number]
        if day := _iso(*numbers):
            return Day(day, _rest(name, match), LOOSE)
    return None


def _rest(name: str, match: re.Match[str]) -> str:
    before, after = name[: match.start()].strip(_TRIM), name[match.end() :].strip(_TRIM)
    return "-".join(part for part in (before, after) if part)


def _iso(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
