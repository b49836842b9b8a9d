"""A profile: one table with a workspace's settings applied, and the questions that are asked of it.

Paths are workspace paths. A workspace inside the workspace (`agents/ann/memory/...`) is understood as the layout it
repeats, so that a nested day's note is a day's note. Pure: no file is looked at.
"""

from __future__ import annotations

import difflib
import posixpath
import re
import unicodedata
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import lru_cache
from glob import escape
from typing import TYPE_CHECKING

from mneme.errors import BadInputError
from mneme.formats.day import Day, parse_day
from mneme.formats.record import BUFFER, COLD, HOT, PRIVATE, SHARED, WARM
from mneme.keys import KINDS
from mneme.profiles.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from mneme.profiles.tables import Table
    from mneme.settings import Settings

CELLS, FILE, FOLDER, DAY, FACTS = "cells", "file", "folder", "day", "facts"

ITEMS, SUMMARY = "items.json", "summary.md"
CLASSES = ("user", "feedback", "project", "reference")
# Folders of memory and of days, as people call them; compared in lower case and composed form.
MEMORY_FOLDERS = frozenset(
    {
        *("memory", "memories", "memoria", "memorias", "mémoire", "gedächtnis", "память"),
        *("记忆", "記憶", "记忆库", "メモリ", "기억"),
    }
)
DAY_FOLDERS = frozenset(
    {
        *("journal", "journals", "diary", "daily", "diario", "tagebuch", "дневник"),
        *("日记", "日記", "日志", "日誌", "일기"),
    }
)
_MEMORY_NAME = re.compile(r"memory(?:[-_. ].*)?\.(?:md|markdown)", re.IGNORECASE)
_TRANSCRIPT_FOLDERS = frozenset({"transcripts", "sessions", "session-corpus"})
_NESTED_PLACE = re.compile(r"(?:^|/)(?=(?:memory|brain|knowledge)/)")
_DATED_FOLDERS = MEMORY_FOLDERS | DAY_FOLDERS
YEAR = re.compile(r"\d{4}")
_TIER_ORDER = (BUFFER, HOT, WARM, COLD)


@dataclass(frozen=True, slots=True)
class Home:
    """Where memories of a kind live: any cell file, or a path in which fields may stand."""

    kind: str
    path: str

    @property
    def glob(self) -> str:
        """Return the glob of the files that this home may be: a field stands for anything, a folder for all in it."""
        return "*".join(map(escape, re.split(r"\{\w+\}", self.path))) + "*" * self.path.endswith("/")

    @property
    def form(self) -> str:
        """Return how this home holds them: as cells, in one file, one file each, in a day's note, or as facts."""
        if self.path == CELLS or self.path.endswith((".mneme", ".mn")):
            return CELLS
        if self.path.endswith(ITEMS):
            return FACTS
        if "{date}" in self.path:
            return DAY
        return FOLDER if self.path.endswith("/") else FILE

    def place(self, *, topic: str = "", day: date | str = "", entity: str = "") -> str:
        """Return the path with its fields filled; empty where any cell file will do."""
        if self.path == CELLS:
            return ""
        given = {"topic": topic or _DEFAULT_TOPICS.get(self.kind, "general"), "date": str(day), "entity": entity}
        return re.sub(r"\{(\w+)\}", lambda match: given.get(match[1], ""), self.path)


_DEFAULT_TOPICS = {"howto": "how-to"}


@dataclass(frozen=True, slots=True)
class Places:
    """The files and folders that have a name of their own; empty where the profile has no such thing."""

    memory: str = ""
    user: str = ""
    soul: str = ""
    todos: str = ""
    heartbeat: str = ""
    dreams: str = ""
    buffer: str = ""
    day: str = ""
    archive: str = ""
    palace: str = ""
    entities: str = ""
    reports: str = ""
    knowledge: str = ""


@dataclass(frozen=True, slots=True)
class Budgets:
    """How much of something there may be, and for how long; the settings table says what each one counts."""

    memory_lines: int
    memory_chars: int
    index_line_chars: int
    buffer_lines: int
    buffer_idle_hours: int
    open_questions: int
    day_ttl_days: int
    verified_days: int
    working_days: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that a layout decides, for one workspace."""

    name: str
    homes: Mapping[str, Home]
    places: Places
    tiers: tuple[tuple[str, str], ...]
    budgets: Budgets
    tags: Mapping[str, tuple[str, ...]]
    severities: Mapping[str, str]
    regions: frozenset[str]
    day_sections: tuple[str, ...]
    commit: bool
    pointers: bool
    qmd: bool = False
    tagged: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    class_folders: Mapping[str, str] = field(default_factory=dict)
    kinds_by_path: Mapping[str, str] = field(default_factory=dict)
    kinds_by_glob: tuple[tuple[str, str], ...] = ()

    # Homes

    def find_home(self, kind: str) -> Home | None:
        """Return where memories of a kind live, or None."""
        return self.homes.get(kind)

    def home_of(self, kind: str) -> Home:
        """Return where memories of a kind live; an error where there is no such kind, or no home for it."""
        if (home := self.homes.get(kind)) is not None:
            return home
        if kind in KINDS:
            message = f"the profile '{self.name}' has no home for the kind '{kind}'; it has " + ", ".join(self.homes)
            raise BadInputError(message, f'edit mneme.toml: [homes] {kind} = "PATH"')
        near = difflib.get_close_matches(kind, self.homes, n=1)
        message = f"there is no kind '{kind}'; there are " + ", ".join(self.homes)
        raise BadInputError(message, f"mneme remember ... --kind {near[0] if near else next(iter(self.homes))}")

    # Places

    def day_path(self, day: date | str) -> str:
        """Return the path of a day's note."""
        return self.places.day.replace("{date}", str(day))

    def report_path(self, day: date | str) -> str:
        """Return the path of a day's verification report."""
        return self.places.reports.replace("{date}", str(day))

    def archive_path(self, path: str, day: date | str) -> str:
        """Return where the note of a day goes when it moves to the archive."""
        year, month, _ = str(day).split("-")
        folder = self.places.archive.replace("{year}", year).replace("{month}", month)
        return posixpath.join(folder, posixpath.basename(path))

    # What a path is

    def kind_of(self, path: str) -> str:
        """Return the kind of what a file holds, as far as its place and name tell."""
        return self.kind_and_day(path)[0]

    def kind_and_day(self, path: str) -> tuple[str, Day | None]:
        """Return the kind of what a file holds, and its day if it is the note of one."""
        if kind := self._kind_by_name(path):
            return kind, None
        day = self.find_day(path)
        return ("day", day) if day else (self._kind_by_folder(_local(path)), None)

    def _kind_by_name(self, path: str) -> str:
        name = posixpath.basename(path).lower()
        if (kind := self.kinds_by_path.get(path) or KINDS_BY_NAME.get(name)) is not None:
            return kind
        if name == SUMMARY and (self._in(path, self.places.entities) or "/areas/" in path):
            return "entity"
        return "memory" if is_memory_file(path) else ""

    def _kind_by_folder(self, path: str) -> str:
        if self._in(path, _folder(self.places.reports)):
            return "report"
        if self._in(path, self.places.palace):
            return "palace"
        return next((kind for glob, kind in self.kinds_by_glob if fnmatchcase(path, glob)), "note")

    def is_day(self, path: str) -> bool:
        """Say whether a file is the note of a day, or a note that belongs to one, archived ones included."""
        return self.find_day(path) is not None

    def find_day(self, path: str) -> Day | None:
        """Return the day whose note a file is; None for dated files that are something else, such as a report."""
        day = parse_day(path) if YEAR.search(path) else None
        if day is None:
            return None
        local = _local(path)
        if self._in(local, _folder(self.places.reports)) or self._in(local, "memory/dreaming/"):
            return None
        if not day.slug:
            return day
        reserved = (*self.tagged, *self.class_folders.values(), self.places.palace, self.places.knowledge)
        if any(self._in(local, folder) for folder in reserved):
            return None
        folder = _folder(self.places.day)
        inside = (folder and path.startswith(folder)) or not _DATED_FOLDERS.isdisjoint(folders_of(path))
        return day if inside else None

    def is_buffer(self, path: str) -> bool:
        """Say whether a file is a working buffer."""
        return path == self.places.buffer or posixpath.basename(path).lower() == _NAMED["buffer"]

    def is_archived(self, path: str) -> bool:
        """Say whether a file lies in the archive."""
        return self._in(path, _folder(self.places.archive)) or self._in(_local(path), _folder(self.places.archive))

    def is_classified(self, path: str) -> bool:
        """Say whether a file is a memory of one of the four classes, with frontmatter; an index is none."""
        local = _local(path)
        inside = any(local.startswith(folder) for folder in self.class_folders.values())
        return inside and posixpath.basename(path).lower() not in {"index.md", "readme.md"}

    def is_tagged(self, path: str) -> bool:
        """Say whether a file must name its tags on its second line."""
        return any(self._in(_local(path), folder) for folder in self.tagged)

    def tier_of(self, path: str) -> str:
        """Return what decides when a file is loaded."""
        for glob, tier in self.tiers:
            if fnmatchcase(path, glob):
                return tier
        if path == self.places.memory:
            return HOT
        if self.is_buffer(path):
            return BUFFER
        local = _local(path)
        folders = (_folder(self.places.archive), _folder(self.places.reports), self.places.palace)
        cold = (
            any(self._in(local, folder) for folder in folders) or posixpath.basename(path).lower() == _NAMED["dreams"]
        )
        return COLD if cold or self.is_day(path) else WARM

    def audience_of(self, path: str) -> str:
        """Return for whom a file may be shown, as far as its path tells: private, unless a glob says shared."""
        path = posixpath.normpath(path)
        if not any(fnmatchcase(path, glob) for glob in self.shared) or self._is_never_shared(path):
            return PRIVATE
        return SHARED

    def _is_never_shared(self, path: str) -> bool:
        *folders, name = path.lower().split("/")
        if is_memory_file(path) or path in {self.places.memory, self.places.user} or name == _NAMED["user"]:
            return True
        return (
            self.is_buffer(path)
            or self.is_day(path)
            or name.endswith(".jsonl")
            or not _TRANSCRIPT_FOLDERS.isdisjoint(folders)
        )

    @staticmethod
    def _in(path: str, folder: str) -> bool:
        return bool(folder) and path.startswith(folder)


_NAMED = {
    "user": "user.md",
    "soul": "soul.md",
    "todos": "todos.md",
    "heartbeat": "heartbeat.md",
    "dreams": "dreams.md",
    "buffer": "working-buffer.md",
}
_PLACE_KINDS = {
    "buffer": "buffer",
    "user": "user-file",
    "soul": "identity",
    "todos": "task",
    "heartbeat": "reminder",
    "dreams": "dream",
    "memory": "memory",
}
KINDS_BY_NAME = {name: _PLACE_KINDS[place] for place, name in _NAMED.items()} | {
    "identity.md": "identity",
    "index.md": "index",
    ITEMS: "entity",
}


def is_memory_file(path: str) -> bool:
    """Say whether a file is by its name somebody's MEMORY.md: in capitals anywhere, in any case at the root."""
    name = posixpath.basename(path)
    if not _MEMORY_NAME.fullmatch(name):
        return False
    return name.startswith("MEMORY") or "/" not in path


def entity_of(path: str) -> str:
    """Return the entity that an `items.json` or a `summary.md` is about: the name of its folder."""
    return posixpath.basename(posixpath.dirname(path))


def _local(path: str) -> str:
    """Return a path as the workspace sees it that it lies in, which may be nested in another one."""
    match = _NESTED_PLACE.search(path)
    return path[match.end() :] if match else path


def folders_of(path: str) -> list[str]:
    """Return the names of the folders of a path, as names of memory are compared."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return path.lower().split("/")[:-1]


@lru_cache(maxsize=256)
def _folder(place: str) -> str:
    """Return the folder of a place, as far as no field stands in its name."""
    return place.partition("{")[0].rpartition("/")[0] + "/" if "/" in place.partition("{")[0] else ""


# Making one


def profile_of(settings: Settings) -> Profile:
    """Return the profile that settings name, with all that they say themselves."""
    name = str(settings["profile"])
    table = TABLES[name]
    places = Places(**{**table.places, **_said(settings, "places")})
    homes = _homes(table, places, settings)
    tags = {group: tuple(tags) for group, tags in {**table.tags, **settings.table("tags")}.items() if tags}
    regions = settings.find("regions")
    commit, pointers, qmd = (settings.find(name) for name in ("commit", "pointers", "qmd"))
    return Profile(
        name=name,
        homes=homes,
        places=places,
        tiers=(*_own_tiers(settings), *((glob.replace("{user}", places.user), tier) for glob, tier in table.tiers)),
        budgets=Budgets(**{one.name: _budget(table, settings, one.name) for one in fields(Budgets)}),
        tags=tags,
        severities={**table.severities, **settings.table("rules")},
        regions=frozenset(table.regions if regions is None else regions),
        day_sections=table.day_sections,
        commit=table.commit if commit is None else bool(commit),
        pointers=table.pointers if pointers is None else bool(pointers),
        qmd=table.qmd if qmd is None else bool(qmd),
        tagged=table.tagged,
        shared=tuple(settings["audience.shared"]),
        notes=tuple(settings["files.notes"]),
        vocabulary=frozenset(tag for group in tags.values() for tag in group),
        kinds_by_path={path: kind for place, kind in _PLACE_KINDS.items() if (path := getattr(places, place))},
        kinds_by_glob=_kinds_by_glob(homes),
        class_folders={kind: home.path for kind, home in homes.items() if kind in CLASSES and home.form == FOLDER},
    )


def _said(settings: Settings, table: str) -> dict[str, str]:
    return {name: _clean(value) for name, value in settings.table(table).items() if value}


def _clean(path: str) -> str:
    """Return a path as it is compared; a folder keeps the slash at its end."""
    return posixpath.normpath(path) + ("/" if path.endswith("/") else "")


def _homes(table: Table, places: Places, settings: Settings) -> dict[str, Home]:
    said = {**table.homes, **_said(settings, "homes")}
    words = {
        "memory": places.memory,
        "day": places.day,
        "todos": places.todos,
        "entities": f"{places.entities}{{entity}}/{ITEMS}" if places.entities else "",
    }
    return {kind: Home(kind, path) for kind, word in said.items() if (path := words.get(word, word))}


def _kinds_by_glob(homes: Mapping[str, Home]) -> tuple[tuple[str, str], ...]:
    """Return the globs of all homes, exact names before patterns."""
    pairs = [(home.glob, kind) for kind, home in homes.items() if home.form in (FILE, FOLDER)]
    return tuple(sorted(pairs, key=lambda pair: pair[0].count("*")))


def _own_tiers(settings: Settings) -> Iterable[tuple[str, str]]:
    return ((glob, tier) for tier in _TIER_ORDER for glob in settings[f"tiers.{tier}"])


def _budget(table: Table, settings: Settings, name: str) -> int:
    said = settings.find(f"budgets.{name}")
    return int(table.budgets.get(name, settings[f"budgets.{name}"]) if said is None else said)
