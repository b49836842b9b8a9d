"""Drift: files and functions that a memory names and the project does not have, or not any more.

A name alone proves nothing: memory speaks of other machines and other people's code. A path is missed when the folder
it begins with is there, or when git saw the file deleted; a function when the file named beside it lacks it, or when
git saw it defined and no source has it now. Names are gathered once from each note and judged together.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from mneme import git
from mneme.check.found import Found, find
from mneme.formats.block import CODE, COMMENT, FRONT
from mneme.formats.note import parse_note
from mneme.profiles.profile import ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from mneme.check.places import Places
    from mneme.formats.note import Note

MOST_FUNCTIONS = 40
SOURCE_BYTES = 4 * 1024 * 1024

_SPAN = re.compile(r"`([^`\n]{3,160})`")
_PATH = re.compile(r"(?:\./)?(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*(?:/|\.[A-Za-z][A-Za-z0-9]{0,9})(?::\d+(?:[-:]\d+)?)?")
_FUNCTION = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|#))*([A-Za-z_]\w{2,})\(\)")
_SAMPLE = re.compile(r"YYYY|MM-DD|\bfoo\b|\bbar\b|example|your|path/to|xxx|\.\.\.", re.IGNORECASE)
_GONE_TOO = re.compile(
    r"\b(?:deleted|removed|renamed|gone|replaced|no longer|deprecated|moved|will|todo|create|planned|used to|former)\b"
    r"|\u5220\u9664|\u79fb\u9664|\u91cd\u547d\u540d|\u4e0d\u518d|supprim",
    re.IGNORECASE,
)
_OTHER_PLACE = re.compile(r"\b(?:VPS|server|remote|ssh|container|host|prod(?:uction)?)\b", re.IGNORECASE)
_NO_PROSE = frozenset({CODE, COMMENT, FRONT})
_DEFINES = r"\b(?:def|class|function|fn|func|fun|sub|const|let|var|interface|struct|type|void|int)\s+(?:\([^)]*\)\s*)?"


class Named(NamedTuple):
    """A file or a function that a note names, on which line, and the files named on the same line."""

    name: str
    line: int
    beside: tuple[str, ...] = ()

    @property
    def is_function(self) -> bool:
        """Say whether it is the name of a function."""
        return self.name.endswith("()")


def names_in(text: str) -> tuple[str, ...]:
    """Return what a note may name of files and functions, each once: a quick look that misses none."""
    if "`" not in text:
        return ()
    spans = dict.fromkeys(_SPAN.findall(text))
    return tuple(span for span in spans if _PATH.fullmatch(span) or _FUNCTION.fullmatch(span))


def bare_path(span: str) -> str:
    """Return a path as it was named, without the line behind it."""
    return span.partition(":")[0].removeprefix("./")


def named_in(note: Note) -> list[Named]:
    """Return the files and functions that a note names as code within its prose."""
    kinds = note.shape.kinds
    found: list[Named] = []
    for index, row in enumerate(note.lines.rows):
        if "`" not in row or kinds[index] in _NO_PROSE or _GONE_TOO.search(row) or _OTHER_PLACE.search(row):
            continue
        spans = [span for span in _SPAN.findall(row) if not _SAMPLE.search(span)]
        paths = [bare_path(span) for span in spans if _PATH.fullmatch(span)]
        found += [Named(path, index + 1) for path in paths]
        functions = [match[1] for span in spans if (match := _FUNCTION.fullmatch(span))]
        found += [Named(f"{name}()", index + 1, tuple(paths)) for name in functions]
    return found


class Project:
    """The project around a workspace, as far as names are looked up in it; what git knows is asked once."""

    def __init__(self, root: Path, places: Places, read: Callable[[str], str | None]) -> None:
        self._root = root
        self._places = places
        self._read = read
        self._repository = git.find_repository(root)
        self._sources: dict[str, str] = {}
        self.read: set[str] = set()

    def find_drift(self, names: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Found]]:
        """Yield what notes name that is not there; `names` is what each may name."""
        named = {path: self._named(path) for path in self._suspects(names)}
        missing = [(path, one) for path, found in named.items() for one in found if not one.is_function]
        missing = [(path, one) for path, one in missing if self._place_of(path, one.name) is None]
        deleted = self._deleted({one.name for _, one in missing}) if missing else {}
        for path, one in missing:
            bare = one.name.strip("/")
            if bare in deleted:
                yield path, find("gone-file", one.line, value=one.name, other=deleted[bare], target=bare)
            elif "/" in bare and self._begins_here(path, bare):
                yield path, find("dead-path", one.line, value=one.name)
        yield from self._functions([(path, one) for path, found in named.items() for one in found if one.is_function])

    def _suspects(self, names: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the notes that are worth reading: they may name a file that is not there, or a function that is gone."""
        functions = {
            path: {match[1] for name in found if (match := _FUNCTION.fullmatch(name))} for path, found in names.items()
        }
        gone = self._undefined(set().union(*functions.values()))
        suspects = []
        for path, found in names.items():
            files = [bare_path(name) for name in found if not name.endswith("()")]
            beside = bool(files and functions[path])
            if beside or functions[path] & gone or any(self._place_of(path, name) is None for name in files):
                suspects.append(path)
        return suspects

    def _named(self, path: str) -> list[Named]:
        return named_in(parse_note(self._read(path) or "", path))

    def _bases(self, path: str) -> list[str]:
        bases = ["", posixpath.dirname(path)]
        if self._repository is not None and self._repository != self._root:
            bases.append(posixpath.relpath(self._repository, self._root))
        return bases

    def _place_of(self, path: str, name: str) -> str | None:
        for base in self._bases(path):
            place = posixpath.normpath(posixpath.join(base, name))
            if self._places.exists(place):
                return place
        return None

    def _begins_here(self, path: str, name: str) -> bool:
        """Say whether the folder that a path begins with is there, so that the path speaks of this project."""
        first = name.partition("/")[0]
        return first not in {".", ".."} and any(
            self._places.exists(posixpath.normpath(posixpath.join(base, first))) for base in self._bases(path)
        )

    def _deleted(self, names: set[str]) -> dict[str, str]:
        """Return which of some paths git saw deleted, with the day."""
        if self._repository is None:
            return {}
        wanted = sorted({name.strip("/") for name in names})
        globs = [f":(top,glob)**/{name}" for name in wanted if not name.startswith(":") and "*" not in name][:500]
        printed = git.run_git(
            self._repository, "log", "--no-renames", "--diff-filter=D", "--name-only", "--format=%x00%as", "--", *globs
        )
        deleted: dict[str, str] = {}
        day = ""
        for line in (printed or b"").decode("utf-8", "surrogateescape").split("\n"):
            if line.startswith("\0"):
                day = f" on {line[1:]}"
            elif line:
                _note_deleted(deleted, line, day)
        unsaved = git.run_git(self._repository, "diff", "--name-only", "--diff-filter=D", "-z", "HEAD", "--", *globs)
        for line in filter(None, (unsaved or b"").decode("utf-8", "surrogateescape").split("\0")):
            _note_deleted(deleted, line, "")
        return deleted

    # Functions

    def _functions(self, named: Sequence[tuple[str, Named]]) -> Iterator[tuple[str, Found]]:
        alone: list[tuple[str, Named]] = []
        for path, one in named:
            name = one.name.removesuffix("()")
            files = [place for beside in one.beside if (place := self._place_of(path, beside)) is not None]
            sources = [(file, text) for file in files if (text := self._source(file))]
            if not sources:
                alone.append((path, one))
            elif not any(re.search(rf"\b{name}\b", text) for _, text in sources):
                yield path, find("gone-function", one.line, value=one.name, other=f"'{sources[0][0]}'", target=name)
        gone = self._undefined({one.name.removesuffix("()") for _, one in alone})
        for path, one in alone:
            name = one.name.removesuffix("()")
            if name in gone:
                yield path, find("gone-function", one.line, value=one.name, other="any source", target=name)

    def _source(self, place: str) -> str:
        if place not in self._sources:
            self.read.add(place)
            try:
                with (self._root / place).open("rb") as file:
                    content = file.read(SOURCE_BYTES)
            except OSError:
                content = b""
            self._sources[place] = content.decode("utf-8", "replace")
        return self._sources[place]

    def _undefined(self, names: Collection[str]) -> frozenset[str]:
        """Return the functions that git saw defined and that no source has now."""
        wanted = sorted(names)[:MOST_FUNCTIONS]
        if self._repository is None or not wanted:
            return frozenset()
        sources = ("--", ".", ":(exclude)*.md", ":(exclude)*.markdown", ":(exclude)*.mneme", f":(exclude)*{ITEMS}")
        pattern = "\\|".join(wanted)
        now = git.run_git(self._repository, "grep", "-I", "-h", "-o", "-w", "--untracked", "-e", pattern, *sources)
        left = [name for name in wanted if name not in (now or b"").decode("utf-8", "replace").split()]
        if not left:
            return frozenset()
        log = (
            "log",
            "-p",
            "--unified=0",
            "--format=",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--pickaxe-regex",
        )
        printed = git.run_git(self._repository, *log, "-S", "|".join(left), *sources)
        lines = [line[1:] for line in (printed or b"").decode("utf-8", "replace").split("\n") if line[:1] == "-"]
        saved = git.run_git(self._repository, "grep", "-I", "-h", "-w", "-e", "\\|".join(left), "HEAD", *sources)
        told = "\n".join([*lines, (saved or b"").decode("utf-8", "replace")])
        return frozenset(name for name in left if re.search(rf"{_DEFINES}{name}\b", told))


def _note_deleted(deleted: dict[str, str], path: str, day: str) -> None:
    """Take down a deleted path by each of its ends, as a note may name it."""
    parts = path.split("/")
    for at in range(len(parts)):
        deleted.setdefault("/".join(parts[at:]), day)
