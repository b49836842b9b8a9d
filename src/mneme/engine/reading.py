"""Reading some lines of a memory file, as hosts ask for them: bounded, and telling where to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError
from mneme.formats.span import split_lines

if TYPE_CHECKING:
    from mneme.engine.memory import Memory

MOST_LINES = 120
MOST_CHARS = 12_000
_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a file, from one on; `next_line` is where to go on, 0 at the end or where one line was cut."""

    path: str
    text: str
    first: int
    lines: int
    truncated: bool = False
    next_line: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        more: dict[str, object] = {"truncated": True} if self.truncated else {}
        more |= {"nextFrom": self.next_line} if self.next_line else {}
        return {"text": self.text, "path": self.path, "from": self.first, "lines": self.lines, **more}


def read_lines(
    memory: Memory, path: str, first: int = 1, lines: int | None = None, most_chars: int = MOST_CHARS
) -> Excerpt:
    """Return lines of a Markdown memory file; one that is not there, or not to be seen, has none.

    Only what is memory is read: a path that is none, that leaves the workspace, or that is a link is an error.
    """
    wanted, first = MOST_LINES if lines is None else max(lines, 1), max(first, 1)
    if not _is_memory(memory, path):
        message = f"path required: '{path}' is no memory file of this workspace"
        raise BadInputError(message, "mneme list")
    content = files.find_file(memory.root / path)
    if content is None or (memory.shared and memory.workspace.audience_of(path) != "shared"):
        return Excerpt(path, "", first, 0)
    cut = split_lines(content.decode("utf-8", "replace"))
    rows = cut.rows[: cut.count][first - 1 :]
    return _excerpt(path, rows, first, min(wanted, len(rows)), most_chars)


def _excerpt(path: str, rows: list[str], first: int, wanted: int, most_chars: int) -> Excerpt:
    taken, room = 0, most_chars
    while taken < wanted and len(rows[taken]) + bool(taken) <= room:
        room -= len(rows[taken]) + bool(taken)
        taken += 1
    if rows and not taken:
        return Excerpt(path, rows[0][:most_chars], first, 1, truncated=True)
    more = taken < len(rows)
    text = "\n".join(rows[:taken])
    return Excerpt(path, text, first, taken, truncated=more, next_line=first + taken if more else 0)


def _is_memory(memory: Memory, path: str) -> bool:
    if not path.lower().endswith(_SUFFIX) or path.startswith("/") or ".." in path.split("/"):
        return False
    place = memory.root / path
    linked = any(one.is_symlink() for one in (place, *place.parents) if memory.root in one.parents)
    if linked:
        return False
    named = path in {memory.workspace.profile.places.memory, "memory.md", memory.workspace.profile.places.dreams}
    return named or path.startswith("memory/") or path in memory.workspace.note_files()
