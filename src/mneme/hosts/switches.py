"""What a host remembers or dreams by itself: told where it is on, switched off when that is wished, and back afterwards.

How a switch stood before is kept in the user's own configuration. A switch that somebody has set since is theirs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.formats.jsonc import parse_settings, print_settings
from mneme.hosts import HostFile
from mneme.workspace import switches_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting of a host that turns off what it does by itself; `what` says what that is.

    `by_default` says that the host does it where nothing is said. With `where_on` nothing is written where it is off.
    """

    path: tuple[str, ...]
    what: str
    by_default: bool = False
    where_on: bool = False

    def is_on(self, settings: object) -> bool:
        """Say whether the host does it, by its settings."""
        found = settings
        for step in self.path:
            found = found.get(step) if isinstance(found, dict) else None
        return found if isinstance(found, bool) else self.by_default


@dataclass(frozen=True, slots=True)
class Alone:
    """What a host would do by itself, and whether mneme is to be alone; `host` and `name` are what it is called."""

    host: str
    name: str
    switches: tuple[Switch, ...]
    wished: bool

    def wanted(self, settings: object) -> Iterator[Switch]:
        """Yield the switches to turn off."""
        return (one for one in self.switches if self.wished and (one.is_on(settings) or not one.where_on))

    def notes(self, settings: object) -> Iterator[str]:
        """Tell what the host does by itself, where it is left to: two must not keep the same memory."""
        for one in self.switches:
            if one.is_on(settings) and not self.wished:
                yield f"{self.host} {one.what}; let one of the two do it: mneme install {self.name} --alone"


def settings_in(text: str | None) -> object:
    """Return settings that are JSON of some kind, as values."""
    return parse_settings(text).plain() if text and text.strip() else {}


@dataclass(slots=True)
class Kept:
    """How things were before we switched them, as rows of file, path and value; no value where nothing was said."""

    place: Path
    before: bytes | None
    rows: list[dict[str, Any]]

    @classmethod
    def load(cls) -> Kept:
        """Read what is kept."""
        place = switches_file()
        before = files.find_file(place)
        return cls(place, before, json.loads(before) if before else [])

    def keep(self, file: Path, path: Iterable[str], **was: object) -> None:
        """Keep how something was; `was` has no value where nothing was said."""
        row = {"file": str(file), "path": list(path), "set": False, **was}
        self.rows = [*(one for one in self.rows if not _same(one, row)), row]

    def take(self, file: Path) -> list[dict[str, Any]]:
        """Return what was kept of a file, the last one first, and keep it no longer."""
        taken = [row for row in self.rows if row["file"] == str(file)]
        self.rows = [row for row in self.rows if row not in taken]
        return taken[::-1]

    def files(self) -> tuple[HostFile, ...]:
        """Return the file that it is kept in, if that changes."""
        after = print_settings(self.rows).encode("utf-8") if self.rows else None
        if (self.before or b"[]") == (after or b"[]"):
            return ()
        return (HostFile(self.place, str(self.place), self.before, after),)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one["file"], one["path"]) == (other["file"], other["path"])


def toml_settings(text: str) -> dict[str, Any]:
    """Return settings that are TOML, as values; none where they can't be read."""
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return {}


def turned(text: str, path: tuple[str, ...], *, on: bool) -> str | None:
    """Return TOML in which the switch at a path is turned, and no other byte is changed; None where that cannot be."""
    old, new = ("false", "true") if on else ("true", "false")
    wanted = toml_settings(text)
    inner = wanted
    for step in path[:-1]:
        inner = inner.get(step, {})
    if inner.get(path[-1]) is on:
        return text
    inner[path[-1]] = on
    for found in re.finditer(rf"\b{re.escape(path[-1])}[\"']?\s*=\s*{old}\b", text):
        tried = text[: found.end() - len(old)] + new + text[found.end() :]
        if toml_settings(tried) == wanted:
            return tried
    return None
