"""Days' notes as a whole: each called by its day, one for a day, and none at hand for longer than it should be."""

from __future__ import annotations

import posixpath
import re
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.formats.day import DAY, DAY_SLUG, SLUG_DAY, parse_day

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mneme.check.role import Role
    from mneme.profiles import Profile

# The whole name is a date, or means to be one.
_DATE_NAME = re.compile(r"\d{4}[-_.]?\d{1,2}[-_.]?\d{1,2}|\d{4}\u5e74\d{1,2}\u6708\d{1,2}[\u65e5\u53f7]?")


def check_days(roles: Mapping[str, Role], profile: Profile, today: date) -> Iterator[tuple[str, Found]]:
    """Yield by path what is wrong with the names and the ages of days' notes."""
    first_of: dict[tuple[str, str], str] = {}
    own_folder = _own_folder(profile)
    limit = profile.budgets.day_ttl_days
    for path, role in roles.items():
        named = role.day is not None and role.day.form == DAY
        if not role.archived and not named and (target := _right_name(path, role, profile, own_folder)):
            yield path, _misnamed(path, role, target, roles)
        if role.day is None:
            continue
        if named:
            key = path.rpartition("memory/")[0], role.day.date
            other = first_of.setdefault(key, path)
            if other != path:
                yield path, find("repeated-day", 0, value=role.day.date, other=f"'{other}'", target=other)
        age = (today - date.fromisoformat(role.day.date)).days
        if age > limit and not role.archived:
            yield path, find("expired-day", 0, value=age, limit=limit)


def _misnamed(path: str, role: Role, target: str, roles: Mapping[str, Role]) -> Found:
    """Return that a day's note is not called by its day; where that name is taken, that the day has two notes."""
    if target in roles and role.day is not None:
        return find("repeated-day", 0, value=role.day.date, other=f"'{target}'", target=target)
    return find("misnamed-day", 0, value=posixpath.basename(path), target=target)


def _own_folder(profile: Profile) -> str:
    """Return the folder in which nothing but days' notes lies, or nothing where they share one with other memory."""
    folder = posixpath.dirname(profile.places.day)
    shared = {posixpath.dirname(home.path.rstrip("/")) for home in profile.homes.values() if "{date}" not in home.path}
    return "" if folder in {"", "memory"} or folder in shared else folder + "/"


def _right_name(path: str, role: Role, profile: Profile, own_folder: str) -> str:
    """Return how a note that should be a day's, and is not called by it, should be called; else nothing."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    inside = bool(own_folder) and f"/{own_folder}" in f"/{folder}/"
    day = role.day or parse_day(path)
    if inside:
        return posixpath.join(folder, f"{day.date if day else 'YYYY-MM-DD'}.md")
    if role.kind not in {"day", "note"} or folder != posixpath.dirname(profile.places.day):
        return ""
    if _DATE_NAME.fullmatch(stem) and (day is None or day.form not in (DAY, DAY_SLUG, SLUG_DAY)):
        return posixpath.join(folder, f"{day.date if day else 'YYYY-MM-DD'}.md")
    return ""
