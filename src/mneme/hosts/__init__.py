"""The programs that mneme can be installed into: one module each, and one table that names them.

A host's module offers `plan_install` and `plan_uninstall`; both return an `Installation`, which writes nothing until it
is put in place. Putting it in place twice changes nothing, and taking it away gives every file back to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from mneme.files.outside import put_outside
from mneme.files.plan import hunks_of, plan_replace, print_diff

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Protocol

    class HostModule(Protocol):
        """What the module of a host offers."""

        def plan_install(self, wish: Wish, /) -> Installation:
            """Return what installing changes."""

        def plan_uninstall(self, wish: Wish, /) -> Installation:
            """Return what taking it away changes."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants installed: from where they stand, for which workspace, for this project alone or for all.

    With `files`, a host also asks before a tool touches a file what was decided about that file. With `alone`, what the
    host remembers by itself is switched off.
    """

    here: Path
    asked: str | None = None
    project: bool = False
    files: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """One row: a program, and what installing into it does."""

    name: str
    summary: str

    def load(self) -> HostModule:
        """Import the host's module."""
        module: HostModule = import_module(f"mneme.hosts.{self.name.replace('-', '_')}")
        return module


HOSTS: tuple[Host, ...] = (
    Host("claude-code", "tell Claude Code what bears on each session and prompt, and keep what came of it"),
    Host("codex", "the same for Codex"),
    Host("gemini", "the same for Gemini CLI"),
    Host("cursor", "the same for Cursor, which takes context at the start of a session alone"),
    Host("openclaw", "the same for OpenClaw, through a small plugin, and the skill"),
    Host("git", "merge cell files cell by cell, and check them before each commit"),
)


@dataclass(frozen=True, slots=True)
class HostFile:
    """One file of a host, as it is and as it shall be; None where there is none. `runs` makes a new one executable.

    `within` is a folder that is ours with all in it, and goes when nothing is left there.
    """

    place: Path
    name: str
    before: bytes | None
    after: bytes | None
    runs: bool = False
    within: Path | None = None

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = self.before or b"", self.after or b""
        change = plan_replace(self.name, old, new)
        hunks = hunks_of(old, change.edits) if change else ()
        return print_diff(
            hunks,
            "/dev/null" if self.before is None else f"a/{self.name}",
            "/dev/null" if self.after is None else f"b/{self.name}",
        )


@dataclass(frozen=True, slots=True)
class Installation:
    """What has to change in a host's files, and what the person should know about it."""

    files: tuple[HostFile, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Installation) -> Installation:
        """Join the changes of several files; a file that both change is changed as the second one says."""
        places = {file.place: file for file in (*self.files, *other.files)}
        return Installation(tuple(places.values()), tuple(dict.fromkeys((*self.notes, *other.notes))))

    def changed(self) -> Iterator[HostFile]:
        """Yield the files that are not yet as they shall be."""
        return (file for file in self.files if file.before != file.after)

    def diff(self) -> str:
        """Return all changes as one unified diff."""
        return "".join(file.diff() for file in self.changed())

    def put_in_place(self) -> tuple[str, ...]:
        """Write the changes, each file whole, and return the names of the files."""
        changed = tuple(self.changed())
        for file in changed:
            put_outside(file.place, file.after, runs=file.runs, within=file.within)
        return tuple(file.name for file in changed)


def said(*notes: str) -> Installation:
    """Return what changes nothing and tells something."""
    return Installation(notes=notes)


def plan_host(name: str, wish: Wish, *, away: bool = False) -> Installation:
    """Return what installing into a host of the table changes, or what taking it away does."""
    module = next(host for host in HOSTS if host.name == name).load()
    return module.plan_uninstall(wish) if away else module.plan_install(wish)
