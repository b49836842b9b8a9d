"""Which Markdown files are memory, and which only lie in the same folder.

A workspace is often a whole checkout: skills with their manuals, research, sources, a website's build. Memory is what
lies where memory lies, or has a name that the layouts give to it; everything else is left out and can be told. Decided
by paths alone, so that a hundred thousand files cost no more than their names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from mneme.formats.day import parse_day
from mneme.profiles.profile import DAY_FOLDERS, ITEMS, MEMORY_FOLDERS, SUMMARY, folders_of, is_memory_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.profiles.profile import Profile

NOTE_SUFFIXES = (".md", ".MD", ".markdown")
CELL_SUFFIXES = (".mneme", ".mn")
# The ends of the names of everything that may be memory.
SUFFIXES = (*NOTE_SUFFIXES, *CELL_SUFFIXES, ITEMS)

# Files with these names are memory at the root, and beside any MEMORY.md.
_NAMED = frozenset(
    {"user.md", "soul.md", "identity.md", "heartbeat.md", "tools.md", "dreams.md", "todos.md", "todo.md"}
)
# Folders at the root that hold memory, whatever the profile.
_ROOTS = MEMORY_FOLDERS | DAY_FOLDERS | {"brain", "life", "knowledge"}
# What programs and manuals lie in: a folder `memory` inside is about a program, unless a MEMORY.md lies beside it.
_PROGRAMS = frozenset(
    {
        *("skills", "plugins", "extensions", "packages", "crates", "pkg", "internal", "cmd", "src", "lib", "app"),
        *("docs", "doc", "test", "tests", "fixtures", "examples", "vendor", "dist", "build", "out", "public"),
        *("static", "assets", "scripts", "bench", "benchmarks"),
    }
)
# What explains a folder rather than being in it.
_MANUALS = re.compile(r"(?:readme.*|skill|memory-types|template)\.(?:md|markdown)", re.IGNORECASE)
# How the name of a MEMORY.md begins: looked at first, because a workspace has many files and few of these.
_MEMORY_BEGINS = ("M", "m")
_TEMPLATE_FOLDERS = frozenset({"template", "templates"})


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The files of a workspace that are memory, each kind in order of name, and the Markdown that is not."""

    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def select_memory(paths: Iterable[str], profile: Profile) -> MemoryFiles:
    """Sort the paths of a workspace into cells, notes, facts, and Markdown that is no memory."""
    ordered = sorted(paths)
    cells = tuple(path for path in ordered if path.endswith(CELL_SUFFIXES))
    marks = _Marks(profile, ordered)
    facts = tuple(path for path in ordered if marks.is_facts(path))
    notes: list[str] = []
    left_out: list[str] = []
    for path in ordered:
        if path.endswith(NOTE_SUFFIXES):
            (notes if marks.is_note(path) else left_out).append(path)
    return MemoryFiles(cells, tuple(notes), facts, tuple(left_out))


class _Marks:
    """What has to be known of all files to judge one: who has a MEMORY.md, where facts are, what the profile names."""

    __slots__ = ("_known", "exact", "fact_folders", "folders", "globs", "homes", "summaries")

    def __init__(self, profile: Profile, paths: Iterable[str]) -> None:
        places = profile.places
        self.globs = profile.notes
        self.folders = tuple(place for place in (places.palace, places.entities, places.knowledge) if place)
        self.folders += tuple(home.path for home in profile.homes.values() if home.path.endswith("/"))
        self.exact = {place for place in (places.memory, places.user, places.soul, places.todos) if place}
        self.exact |= {place for place in (places.heartbeat, places.dreams, places.buffer) if place}
        self.exact |= {home.path for home in profile.homes.values()}
        self.homes, self.fact_folders, self.summaries = {""}, set[str](), set[str]()
        self._known: dict[str, _Folder] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if name.startswith(_MEMORY_BEGINS) and is_memory_file(path) and not _is_template(path):
                self.homes.add(folder)
            elif name == SUMMARY:
                self.summaries.add(folder)
            elif name == ITEMS:
                self.fact_folders.add(folder)

    def is_facts(self, path: str) -> bool:
        """Say whether a file is the facts of an entity: by its name, and by what lies beside or around it."""
        folder, _, name = path.rpartition("/")
        if name != ITEMS or not folder:
            return False
        return path.startswith(self.folders) or folder in self.summaries or "areas" in folder.split("/")

    def is_note(self, path: str) -> bool:
        """Say whether a Markdown file is memory."""
        folder, _, name = path.rpartition("/")
        if path in self.exact or (self.globs and any(fnmatchcase(path, glob) for glob in self.globs)):
            return True
        about = self._known.get(folder) or self._look_at(folder)
        if about.is_template or name.startswith("TEMPLATE") or _MANUALS.fullmatch(name):
            return False
        if about.is_memory or (name.startswith(_MEMORY_BEGINS) and is_memory_file(path)):
            return True
        if folder in self.homes and _has_memory_name(name):
            return True
        if path.startswith(self.folders) or (name == SUMMARY and folder in self.fact_folders):
            return True
        day = parse_day(path) if about.may_hold_days else None
        return day is not None and not day.slug

    def _look_at(self, folder: str) -> _Folder:
        """Judge a folder by its path, once for all that lies in it."""
        parts = folders_of(f"{folder}/") if folder else [""]
        programs = next((number for number, part in enumerate(parts) if part in _PROGRAMS), len(parts))
        is_memory = parts[0] in _ROOTS or any(
            part in MEMORY_FOLDERS and (number < programs or "/".join(folder.split("/")[:number]) in self.homes)
            for number, part in enumerate(parts)
        )
        about = self._known[folder] = _Folder(_is_template(f"{folder}/."), is_memory, programs == len(parts))
        return about


class _Folder(NamedTuple):
    """What a folder's path says about the notes in it."""

    is_template: bool
    is_memory: bool
    may_hold_days: bool


def _has_memory_name(name: str) -> bool:
    (stem,) = folders_of(f"{name.rpartition('.')[0]}/")
    return name.lower() in _NAMED or stem in MEMORY_FOLDERS


def _is_template(path: str) -> bool:
    *folders, name = path.split("/")
    return name.startswith("TEMPLATE") or any(folder.lower() in _TEMPLATE_FOLDERS for folder in folders)
