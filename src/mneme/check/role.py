"""What a note is, as far as its path tells: which of the rules of notes are asked of it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.formats.day import Day
    from mneme.profiles import Profile

# Kinds of notes that are not the home of a fact: what happened, what is in hand, what programs drew.
_FLEETING = frozenset({"day", "buffer", "dream", "report", "palace", "reminder", "task", "index", "identity", "status"})


@dataclass(frozen=True, slots=True)
class Role:
    """What is asked of a note: its kind, and whether it names its tags, has frontmatter, or is a home of facts."""

    kind: str
    tagged: bool = False
    classified: bool = False
    archived: bool = False
    durable: bool = False
    day: Day | None = None

    @property
    def is_memory(self) -> bool:
        """Say whether this is somebody's MEMORY.md."""
        return self.kind == "memory"


class Roles:
    """The roles of the notes of one profile; those of ordinary names are worked out once for a folder."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._places: dict[str, tuple[bool, bool, bool]] = {}

    def of(self, path: str) -> Role:
        """Return the role of a note."""
        profile = self._profile
        folder, _, name = path.rpartition("/")
        place = self._places.get(folder)
        if place is None:
            inside = posixpath.join(folder, "x.md")
            place = profile.is_tagged(inside), profile.is_classified(inside), profile.is_archived(inside)
            self._places[folder] = place
        tagged, classified, archived = place
        kind = profile.kind_of(path)
        day = profile.find_day(path) if kind == "day" else None
        classified = classified and name.lower() not in {"index.md", "readme.md"}
        return Role(kind, tagged, classified, archived, kind not in _FLEETING and not archived, day)
