"""The tools by name: which there are, which are offered unless settings say otherwise, and what a client may expect.

An alias answers like the tool that it stands for and is not listed unless it is asked for: two names for one thing in a
list only make a model choose.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One tool: its title, what it does to memory, and whether it is offered by default; `alias_of` names another one."""

    name: str
    title: str
    reads: bool = True
    destroys: bool = False
    repeats: bool = True
    offered: bool = False
    alias_of: str = ""


ROWS: tuple[Row, ...] = (
    Row("recall", "Find memories that answer a question", offered=True),
    Row("get", "Read a memory, a file or some of its lines", offered=True),
    Row("remember", "Store one memory", reads=False, repeats=True, offered=True),
    Row("note", "Write into today's note", reads=False, repeats=False, offered=True),
    Row("supersede", "Replace a memory by a new one", reads=False, repeats=False, offered=True),
    Row("affirm", "Confirm that a memory still holds", reads=False, offered=True),
    Row("boot", "Load what a session should begin with", offered=True),
    Row("spine", "List the working cells, a line each"),
    Row("list", "List memories by kind, state or topic"),
    Row("related", "Find what lies beside a memory"),
    Row("mark", "Set a memory's state", reads=False),
    Row("wrap_up", "End a session with its summary", reads=False),
    Row("buffer_add", "Write into the working buffer", reads=False, repeats=False),
    Row("capabilities", "Find the tools and skills for a task"),
    Row("record_correction", "Say which capability a request like this one wants", reads=False),
    Row("check", "Check the integrity of memory"),
    Row("proposals", "List what waits for a person's word"),
    Row("undo", "Take back the last change", reads=False, repeats=False),
    Row("memory_search", "Find memories that answer a question", alias_of="recall"),
    Row("memory_get", "Read some lines of a memory file", alias_of="get"),
)
ALL = "all"


def offered(said: list[str]) -> frozenset[str]:
    """Return the names that are listed: those that settings name, `all` of them, or the few that a session needs."""
    if ALL in said:
        return frozenset(row.name for row in ROWS if not row.alias_of)
    return frozenset(said) or frozenset(row.name for row in ROWS if row.offered)
