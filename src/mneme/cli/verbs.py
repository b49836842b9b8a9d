"""The table of verbs: the one place that names every command, its group and its one-line summary.

`mneme --help` is printed from this table alone, so it stays quick however many verbs there are: a verb's module is
imported only when that verb was chosen. Adding a verb is one row here and one module beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from typing import Protocol

    from mneme.cli.context import IO

    class VerbModule(Protocol):
        """What the module of a verb offers: its docstring is the description in `--help`."""

        __doc__: str | None
        EXAMPLES: str

        def add_arguments(self, parser: argparse.ArgumentParser, /) -> None:
            """Declare the verb's own arguments; the frame has added the ones that work everywhere."""

        def run(self, args: argparse.Namespace, io: IO, /) -> int:
            """Do it and return the exit code."""


EVERYDAY, CELLS, DAYS, UPKEEP, CAPABILITIES, HOSTS = "everyday", "cells", "days", "upkeep", "capabilities", "hosts"
GROUPS = (EVERYDAY, CELLS, DAYS, UPKEEP, CAPABILITIES, HOSTS)


@dataclass(frozen=True, slots=True)
class Verb:
    """One row: `writes` gives the verb `--dry-run`; `aliases` are names that are accepted and not shown."""

    name: str
    group: str
    summary: str
    writes: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """Return the name of the module under `mneme.cli` (a trailing underscore avoids a keyword)."""
        name = self.name.replace("-", "_")
        return f"{name}_" if name == "import" else name


VERBS: tuple[Verb, ...] = (
    Verb("init", EVERYDAY, "make a workspace here", writes=True),
    Verb("adopt", EVERYDAY, "make a workspace of a folder of memory, as it stands", writes=True),
    Verb("remember", EVERYDAY, "store one memory", writes=True),
    Verb("note", EVERYDAY, "write down what happened, in today's note", writes=True),
    Verb("recall", EVERYDAY, "find the memories that answer a question"),
    Verb("done", EVERYDAY, "tick a task", writes=True),
    Verb("show", EVERYDAY, "print records in full"),
    Verb("list", EVERYDAY, "list records by kind, state, topic or tag"),
    Verb("tags", EVERYDAY, "list the tags in use, or the records with one"),
    Verb("entities", EVERYDAY, "list the entities that facts are kept about"),
    Verb("serve", EVERYDAY, "run the resident engine that answers hooks"),
    Verb("boot", EVERYDAY, "print what a session loads when it begins"),
    Verb("check", EVERYDAY, "check all of memory; --fix repairs what is mechanical", writes=True),
    Verb("undo", EVERYDAY, "take back an applied change", writes=True),
    Verb("install", EVERYDAY, "connect git or a host program to this memory", writes=True),
    Verb("related", CELLS, "list what lies beside a record"),
    Verb("spine", CELLS, "print the working cells, one line each"),
    Verb("lint", CELLS, "check cells; --fix repairs what is mechanical", writes=True),
    Verb("new-id", CELLS, "print the next free id of a prefix"),
    Verb("supersede", CELLS, "replace a record by a new one and link both", writes=True),
    Verb("affirm", CELLS, "confirm that a record still holds", writes=True),
    Verb("mark", CELLS, "set a record's state or lower its confidence", writes=True),
    Verb("decay", CELLS, "mark records stale that nobody has seen for long", writes=True),
    Verb("merge", CELLS, "merge two versions of a cell file (git's merge driver)", writes=True),
    Verb("dream", UPKEEP, "promote what lasts, by night: light, REM, deep", writes=True),
    Verb("palace", UPKEEP, "write views by time, project and technology", writes=True),
    Verb("refine", UPKEEP, "verify what was dreamt and what is new", writes=True),
    Verb("review", UPKEEP, "review the week: outcomes home, repairs, archive", writes=True),
    Verb("synthesize", UPKEEP, "rewrite the summaries of entities from their facts", writes=True),
    Verb("sublimate", UPKEEP, "propose pages of knowledge of what has ripened", writes=True),
    Verb("capture", UPKEEP, "propose what was said in recent notes and sessions", writes=True),
    Verb("proposals", UPKEEP, "list what waits for your word"),
    Verb("accept", UPKEEP, "make memories of proposals", writes=True),
    Verb("reject", UPKEEP, "turn proposals down for good", writes=True),
    Verb("close", DAYS, "close the day: decisions, signal, what is open", writes=True),
    Verb("buffer", DAYS, "the working buffer: add, show, rotate, clear", writes=True),
    Verb("schedule", UPKEEP, "see when upkeep is due, run it, have it run by itself", writes=True),
    Verb("wrap-up", DAYS, "end a session: summary, buffer, what to keep", writes=True),
    Verb("archive", UPKEEP, "move old days' notes to the archive", writes=True),
    Verb("write", UPKEEP, "replace a file from standard input, whole or not at all", writes=True),
    Verb("index", UPKEEP, "bring the index up to date with the files"),
    Verb("active", CAPABILITIES, "see what memory says of its own accord, and switch it", writes=True),
    Verb("import", UPKEEP, "make old sessions of host programs searchable", writes=True),
    Verb("log", UPKEEP, "list the applied changes"),
    Verb("diff", UPKEEP, "show what one applied change did"),
    Verb("forget", UPKEEP, "destroy a memory everywhere, with a report", writes=True),
    Verb("trust", UPKEEP, "trust a workspace by its path", writes=True),
    Verb("cards", CAPABILITIES, "capability cards: find, list, add, search, verify, correct", writes=True),
    Verb("hook", HOSTS, "answer one event of a host program"),
    Verb("mcp", HOSTS, "serve this memory to clients of the Model Context Protocol"),
    Verb("uninstall", HOSTS, "take back what `install` did", writes=True),
    Verb("completion", HOSTS, "print a completion script for bash, zsh or fish"),
)


def find_verb(name: str) -> Verb | None:
    """Return the verb called `name`, by its own name or an alias."""
    return next((verb for verb in VERBS if name == verb.name or name in verb.aliases), None)


def load_verb(verb: Verb) -> VerbModule:
    """Import the module of one verb."""
    module: VerbModule = import_module(f"mneme.cli.{verb.module}")
    return module
