"""A view as Markdown: rows that link to their sources, and a diagram where a reader draws one."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.consolidate.palace.views import Group, Row, View

DIAGRAM_GROUPS = 12
DIAGRAM_ROWS = 3
_DIAGRAM_CHARS = 48
_UNSAFE_IN_DIAGRAM = re.compile(r"[^\w\s.,'()/+-]+")
EMPTY = "Nothing yet."


def print_view(view: View, folder: str) -> str:
    """Return what stands between the marks of a view's page, which lies in `folder`."""
    if not any(group.rows for group in view.groups):
        return EMPTY
    diagram = _timeline(view.groups) if view.name == "timeline" else _graph(view)
    parts = [*diagram, *(line for group in view.groups for line in _group(group, folder))]
    return "\n".join(parts).rstrip()


def _group(group: Group, folder: str) -> Iterator[str]:
    yield f"## {_plain(group.title)}"
    yield ""
    for row in group.rows:
        yield _row(row, folder)
    if not group.rows:
        yield EMPTY
    if group.more:
        yield f"- and {group.more} more"
    yield ""


def _row(row: Row, folder: str) -> str:
    day = f"{row.day} " if row.day else ""
    state = f" ({row.state})" if row.state != "live" else ""
    return f"- {day}{_plain(row.text)}{state} [{_plain(_name(row))}]({_target(row, folder)})"


def _name(row: Row) -> str:
    """Return what a source is called: a cell or a fact by its id, a note by its file."""
    return row.id if "#" not in row.id and row.id != row.path else posixpath.basename(row.path)


def _target(row: Row, folder: str) -> str:
    anchor = row.id.removeprefix(row.path) if row.id.startswith(f"{row.path}#") else ""
    return quote(posixpath.relpath(row.path, folder), safe="/.-_~") + anchor


def _plain(text: str) -> str:
    """Return text that makes no link, no tag, no comment and no mark of ours out of what somebody wrote."""
    return re.sub(r"([\\\[\]<>])", r"\\\1", text)


def _timeline(groups: Sequence[Group]) -> Iterator[str]:
    yield from ("```mermaid", "timeline")
    for group in reversed(groups[:DIAGRAM_GROUPS]):
        labels = [label for row in group.rows if (label := _label(row.text))][:DIAGRAM_ROWS]
        yield " : ".join((f"    {group.title}", *(labels or ["\u2026"])))  # a row of nothing but signs is no event
    yield from ("```", "")


def _graph(view: View) -> Iterator[str]:
    """Yield a graph of the groups and what links them: memories that belong to several."""
    groups = [group for group in view.groups if group.rows][:DIAGRAM_GROUPS]
    yield from ("```mermaid", "graph LR")
    for number, group in enumerate(groups):
        count = len(group.rows) + group.more
        yield f'    g{number}["{_label(group.title)} ({count})"]'
    for one, first in enumerate(groups):
        for two in range(one + 1, len(groups)):
            both = {row.id for row in first.rows} & {row.id for row in groups[two].rows}
            if both:
                yield f"    g{one} ---|{len(both)}| g{two}"
    yield from ("```", "")


def _label(text: str) -> str:
    """Return text that is a label in a diagram, whatever is in it."""
    plain = " ".join(_UNSAFE_IN_DIAGRAM.sub(" ", text).split())
    return plain if len(plain) <= _DIAGRAM_CHARS else plain[:_DIAGRAM_CHARS].rsplit(" ", 1)[0] + "\u2026"
