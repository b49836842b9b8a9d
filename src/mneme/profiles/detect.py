"""Which profile a folder is laid out by, told by the marks that each layout leaves, with their points.

The highest score wins, a tie is the default profile, and every mark that counted is told. What lies elsewhere than the
profile has it becomes a place of its own in the settings, so that a folder is adopted as it stands.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mneme.formats.day import DAY, parse_day
from mneme.profiles.profile import is_memory_file
from mneme.profiles.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mneme.profiles.profile import Profile
    from mneme.profiles.select import MemoryFiles

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Reason:
    """A mark that was found, and what it counts."""

    profile: str
    path: str
    points: int


@dataclass(frozen=True, slots=True)
class Detection:
    """The profile that fits best, every profile's score, and why."""

    profile: str
    scores: Mapping[str, int]
    reasons: tuple[Reason, ...]

    @property
    def why(self) -> str:
        """Return in a line what decided."""
        mine = [reason for reason in self.reasons if reason.profile == self.profile]
        best = max(self.scores.values(), default=0)
        tied = [name for name, score in self.scores.items() if score == best]
        if not best:
            return "nothing here is peculiar to one layout"
        if len(tied) > 1:
            return f"{' and '.join(tied)} have {best} points each"
        return ", ".join(f"{reason.path} ({reason.points})" for reason in mine)


def detect(found: MemoryFiles, exists: Callable[[str], bool]) -> Detection:
    """Score every layout by its marks; `exists` says whether a path is there, a folder's ends in `/`."""
    paths = (*found.cells, *found.notes, *found.facts)
    reasons = []
    for name, table in TABLES.items():
        for mark, points in table.marks:
            if (path := _find_mark(mark, paths, exists)) is not None:
                reasons.append(Reason(name, path, points))
    scores = {name: sum(reason.points for reason in reasons if reason.profile == name) for name in TABLES}
    best = max(scores.values())
    tied = [name for name, score in scores.items() if score == best]
    return Detection(tied[0] if best and len(tied) == 1 else DEFAULT, scores, tuple(reasons))


def _find_mark(mark: str, paths: tuple[str, ...], exists: Callable[[str], bool]) -> str | None:
    """Return the path, or paths, that a mark is found by."""
    found = [_find_one(part, paths, exists) for part in mark.split(" + ")]
    named = [path for path in found if path is not None]
    return " + ".join(named) if len(named) == len(found) else None


def _find_one(mark: str, paths: tuple[str, ...], exists: Callable[[str], bool]) -> str | None:
    if mark.startswith("**/"):
        name = mark.removeprefix("**/")
        return next((path for path in paths if path.rpartition("/")[2] == name), None)
    if "*" in mark or "?" in mark:
        return next((path for path in paths if fnmatchcase(path, mark)), None)
    return mark if exists(mark) else None


def odd_places(profile: Profile, found: MemoryFiles) -> dict[str, str]:
    """Return the places that lie elsewhere than the profile has them, by the names the settings give them."""
    places = {"memory": _odd_memory(profile, found)}
    beside = posixpath.dirname(places["memory"]) if places["memory"] else ""
    for name in ("user", "soul", "heartbeat", "todos", "dreams"):
        usual = getattr(profile.places, name)
        places[name] = path if beside and usual and (path := f"{beside}/{usual}") in found.notes else ""
    places["day"] = _odd_days(profile, found)
    places["entities"] = _odd_entities(profile, found)
    return {name: place for name, place in places.items() if place and _is_sayable(place)}


def _is_sayable(place: str) -> bool:
    """Say whether settings can name a place: they are UTF-8, and a brace begins a field there."""
    plain = place.removesuffix("{date}.md")
    return "{" not in plain and "}" not in plain and not any("\ud800" <= char <= "\udfff" for char in plain)


def _odd_memory(profile: Profile, found: MemoryFiles) -> str:
    """Return the one MEMORY.md there is, where it does not lie at the root."""
    usual = profile.places.memory
    here = [path for path in found.notes if is_memory_file(path)]
    named = [path for path in here if posixpath.basename(path) == posixpath.basename(usual)]
    return named[0] if usual not in here and len(named) == 1 else ""


def _odd_days(profile: Profile, found: MemoryFiles) -> str:
    """Return the pattern of most days' notes, where none lies at the profile's place."""
    days = [path for path in found.notes if (day := parse_day(path)) and day.form == DAY]
    days = [path for path in days if not profile.is_archived(path)]
    usual = posixpath.dirname(profile.day_path("0001-01-01"))
    folders = Counter(posixpath.dirname(path) for path in days if profile.is_day(path))
    if not folders or usual in folders:
        return ""
    folder = min(folders, key=lambda name: (-folders[name], name))
    return posixpath.join(folder, "{date}.md")


def _odd_entities(profile: Profile, found: MemoryFiles) -> str:
    """Return the folder of most entities, where none lies at the profile's place."""
    usual = profile.places.entities
    if not found.facts or (usual and any(path.startswith(usual) for path in found.facts)):
        return ""
    roots = Counter(_areas(posixpath.dirname(posixpath.dirname(path))) for path in found.facts)
    root = min(roots, key=lambda name: (-roots[name], name))
    return f"{root}/" if root else ""


def _areas(folder: str) -> str:
    """Return the folder named `areas` that a folder lies in, else the folder: people and companies share one home."""
    parts = folder.split("/")
    return "/".join(parts[: parts.index("areas") + 1]) if "areas" in parts else folder
