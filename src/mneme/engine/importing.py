"""Bringing in what was said before memory was there: the session logs that host programs keep, as something to search.

Nothing is copied and nothing becomes authoritative: settings name where the logs are, and the index reads them there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, NotFoundError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done

HOSTS = ("claude-code", "codex", "openclaw")
_NO_NAME = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Imported:
    """What can be searched now: where it lies, how many sessions and turns there are, from when to when."""

    sources: tuple[str, ...]
    sessions: int
    turns: int
    first: str
    last: str
    passed: int
    broken: int
    done: Done

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "sources": list(self.sources),
            "sessions": self.sessions,
            "turns": self.turns,
            "first": self.first,
            "last": self.last,
            "about_other_folders": self.passed,
            "broken_lines": self.broken,
        }


def import_transcripts(
    memory: Memory, paths: Sequence[str] = (), *, host: str = "", everywhere: bool = False, dry_run: bool = False
) -> Imported:
    """Make session logs searchable: those named, or those that the hosts on this machine keep about this workspace."""
    from mneme.engine.setting import set_settings

    if not memory.workspace.trusted:
        message = "this workspace is not trusted, so no session is searched for it"
        raise RefusedError(message, "mneme trust")
    if host and host not in HOSTS:
        message = f"the sessions of '{host}' cannot be read; those of {', '.join(HOSTS)} can"
        raise BadInputError(message, f"mneme import transcripts --host {HOSTS[0]}")
    wanted = [_named(path) for path in paths] or [source for source, _ in _kept(memory, host)]
    if not wanted:
        message = "no host on this machine keeps sessions about this workspace"
        raise NotFoundError(message, "mneme import transcripts FOLDER")
    known = list(memory.workspace.settings["transcripts.sources"])
    sources = list(dict.fromkeys([*known, *wanted]))
    values: dict[str, object] = {"transcripts.sources": sources}
    if everywhere:
        values["transcripts.everywhere"] = True
    done = set_settings(memory, values, dry_run=dry_run)
    return _counted(memory, tuple(wanted), done, everywhere=everywhere)


def _named(path: str) -> str:
    """Return a path that a person named as settings keep it: whole, with `~` for their own folder."""
    from mneme.workspace import given_folder

    place = given_folder(path)
    if not place.exists():
        message = f"'{path}' does not exist"
        raise NotFoundError(message, "mneme import transcripts")
    return _told(place)


def _told(place: Path) -> str:
    """Return a place as settings keep it."""
    from mneme.workspace import user_folder

    home = user_folder()
    return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)


def _kept(memory: Memory, host: str) -> Iterator[tuple[str, str]]:
    """Yield where hosts keep the sessions that may be about this workspace, as far as anything is there."""
    from mneme.workspace import program_folder

    named = _NO_NAME.sub("-", str(memory.root))
    places = (
        ("claude-code", program_folder("CLAUDE_CONFIG_DIR", ".claude") / "projects" / named),
        ("codex", program_folder("CODEX_HOME", ".codex") / "sessions"),
        ("openclaw", program_folder("OPENCLAW_STATE_DIR", ".openclaw") / "agents"),
    )
    for name, folder in places:
        if host in ("", name) and folder.is_dir():
            yield _told(folder), name


def _counted(memory: Memory, sources: tuple[str, ...], done: Done, *, everywhere: bool) -> Imported:
    from mneme import files
    from mneme.index.turns import read_log
    from mneme.workspace import Workspace

    settings = memory.workspace.settings.with_value("transcripts.sources", list(sources))
    if everywhere:
        settings = settings.with_value("transcripts.everywhere", True)  # noqa: FBT003 - a value
    workspace = Workspace(memory.root, settings, trusted=True)
    sessions = turns = passed = broken = 0
    days: set[str] = set()
    for path in workspace.transcript_files():
        pieces, unread = read_log(files.find_file(Path(path)) or b"", path, workspace)
        broken += unread
        sessions, turns, passed = sessions + bool(pieces), turns + len(pieces), passed + (not pieces)
        days.update(piece.record.since for piece in pieces if piece.record.since)
    return Imported(sources, sessions, turns, min(days, default=""), max(days, default=""), passed, broken, done)
