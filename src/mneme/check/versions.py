"""Versions that a memory names and that the project does not have any more, as far as the project says which it has.

What it has is read from the files that say so for machines: `pyproject.toml`, `package.json`, `.python-version`,
`.nvmrc`, `go.mod`, the first line of a Dockerfile. A memory that says `Node 18` where the project asks for 22 is out of date; one
that names a version that the project allows is not. Pure but for reading those files.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_VERSION = r"v?(\d+(?:\.\d+){0,2})"
_SAID = re.compile(
    rf"(?<![\w.-])([A-Za-z][\w.+-]{{1,40}}?)(?:\.js)?[ =@:]{{1,2}}(?:version )?(?:[<>=^~]{{1,2}})?{_VERSION}(?![\w]|\.\d)"
)
_ASKED = re.compile(rf"\s*([\w.@/-]+?)\s*(?:\[[^\]]*\])?\s*([<>=^~!]{{1,2}})?\s*{_VERSION}")
_FROM = re.compile(rf"^FROM\s+(?:\S+/)?([\w.-]+):{_VERSION}", re.IGNORECASE | re.MULTILINE)
_GONE_TOO = re.compile(
    r"\b(?:used to|until|was|were|before|formerly|upgraded from|moved from|instead of|old)\b|以前|之前|原来",
    re.IGNORECASE,
)
_LONGEST_BYTES = 1 << 20


class Asked(NamedTuple):
    """What the project asks for: the version, how it is bound, and which file says so."""

    version: tuple[int, ...]
    bound: str
    path: str


class Outdated(NamedTuple):
    """A version that a text names: of what, which, and what the project has."""

    name: str
    said: str
    asked: str
    path: str


def project_versions(root: Path) -> dict[str, Asked]:
    """Return what a project asks for, by name in small letters; what cannot be read asks for nothing."""
    found: dict[str, Asked] = {}
    for name, read in _READERS.items():
        place = root / name
        try:
            text = place.read_text("utf-8", "replace") if place.stat().st_size <= _LONGEST_BYTES else ""
            for what, bound, version in read(text):
                found.setdefault(what.lower(), Asked(_parts(version), bound, name))
        except (OSError, ValueError, TypeError, AttributeError):
            continue
    return found


def find_outdated(text: str, asked: Mapping[str, Asked]) -> Iterator[Outdated]:
    """Yield the versions in a text that the project does not have."""
    if not asked or _GONE_TOO.search(text):
        return
    for match in _SAID.finditer(text):
        one = asked.get(match[1].lower())
        if one is not None and not _is_allowed(_parts(match[2]), one):
            has = f"{one.bound}{'.'.join(map(str, one.version))}"
            yield Outdated(match[1], match[2], has, one.path)


def _is_allowed(said: tuple[int, ...], asked: Asked) -> bool:
    length = min(len(said), len(asked.version))
    mine, theirs = said[:length], asked.version[:length]
    if asked.bound.startswith(">"):
        return mine >= theirs
    if asked.bound.startswith("<"):
        return mine <= theirs
    if asked.bound in ("^", "~", "~="):
        return said[:1] == asked.version[:1] and mine >= theirs
    return mine == theirs


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


_Row = tuple[str, str, str]


def _pyproject(text: str) -> Iterator[_Row]:
    if match := re.search(rf"^requires-python\s*=\s*[\"']\s*([<>=~^]*)\s*{_VERSION}", text, re.MULTILINE):
        yield "python", match[1], match[2]
    listed = re.search(r"^dependencies\s*=\s*\[(.*?)\]\s*$", text, re.MULTILINE | re.DOTALL)
    for one in re.findall(r"[\"']([^\"'\n]+)[\"']", listed[1] if listed else ""):
        if match := _ASKED.match(one):
            yield match[1], match[2] or "", match[3]


def _package(text: str) -> Iterator[_Row]:
    tree = json.loads(text)
    for table in ("engines", "dependencies", "devDependencies"):
        for name, said in (tree.get(table) or {}).items():
            if match := re.match(rf"\s*([<>=~^]*)\s*{_VERSION}", str(said)):
                yield name, match[1], match[2]
                if name == "node":
                    yield "node.js", match[1], match[2]


def _single(name: str) -> Callable[[str], Iterator[_Row]]:
    def read(text: str) -> Iterator[_Row]:
        if match := re.match(rf"\s*(?:\w+[-/])?{_VERSION}", text):
            yield name, "", match[1]

    return read


def _go(text: str) -> Iterator[_Row]:
    if match := re.search(rf"^go {_VERSION}", text, re.MULTILINE):
        yield "go", ">=", match[1]


def _docker(text: str) -> Iterator[_Row]:
    for match in _FROM.finditer(text):
        yield match[1], "", match[2]


_READERS: Mapping[str, Callable[[str], Iterator[_Row]]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package,
    ".python-version": _single("python"),
    ".nvmrc": _single("node"),
    "go.mod": _go,
    "Dockerfile": _docker,
}
