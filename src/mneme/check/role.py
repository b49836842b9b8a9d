"""What a note is, as far as its path tells: which of the rules of notes are asked of it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.profiles.profile import KINDS_BY_NAME, SUMMARY, YEAR

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
        self._ordinary: dict[str, Role] = {}
        globs = [glob for glob, _ in profile.kinds_by_glob]
        self._named = {*KINDS_BY_NAME, SUMMARY, *(posixpath.basename(glob).lower() for glob in globs)}
        self._named |= {posixpath.basename(path).lower() for path in profile.kinds_by_path}
        self._by_folder = all(posixpath.basename(glob) in ("*", "*.md") for glob in globs if "*" in glob)

    def of(self, path: str) -> Role:
        """Return the role of a note."""
        folder, _, name = path.rpartition("/")
        if not self._is_ordinary(path, name):
            return self._role(path, folder, name)
        role = self._ordinary.get(folder)
        if role is None:
            role = self._ordinary[folder] = self._role(path, folder, name)
        return role

    def _is_ordinary(self, path: str, name: str) -> bool:
        """Say whether all that a path tells is told by its folder: no day in it, and no name that means something."""
        lower = name.lower()
        meant = lower in self._named or lower.startswith(("memory", "readme", "index"))
        return self._by_folder and name.endswith(".md") and not meant and not YEAR.search(path)

    def _role(self, path: str, folder: str, name: str) -> Role:
        profile = self._profile
        place = self._places.get(folder)
        if place is None:
            inside = posixpath.join(folder, "x.md")
            place = profile.is_tagged(inside), profile.is_classified(inside), profile.is_archived(inside)
            self._places[folder] = place
        tagged, classified, archived = place
        kind, day = profile.kind_and_day(path)
        classified = classified and name.lower() not in {"index.md", "readme.md"}
        return Role(kind, tagged, classified, archived, kind not in _FLEETING and not archived, day)
