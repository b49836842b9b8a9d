"""The working buffer: what is written down before it is answered, and where that goes when the task is over.

The buffer is a note with a header (`created`, `last_active`) and entries below it. Rotating puts its content into the
note of the day on which it was last written, above the closure block, and clears it, in one plan. A rotation that some
other tool broke off (the text in the note and still in the buffer, or put aside as `.pending`) is finished, not
doubled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError
from mneme.formats.edit import append_entry, set_stamp
from mneme.formats.note import parse_note
from mneme.formats.stamp import CREATED, LAST_ACTIVE
from mneme.memory.notes.days import BUFFER_SECTION, begin_day, entry_text, find_day_note

if TYPE_CHECKING:
    from mneme.formats.note import Note
    from mneme.memory.notes.drafts import Drafts
    from mneme.workspace import Workspace

EMPTY, ACTIVE, STALE = "empty", "active", "stale"
FRICTION = "#friction:"
_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Buffer:
    """A working buffer as it was read: its header, its content, and the work in it that is not ticked off."""

    path: str
    body: str
    created: datetime | None
    last_active: datetime | None
    lines: int
    pending: tuple[str, ...]

    def state_at(self, now: datetime, idle_hours: int) -> str:
        """Say whether there is nothing in it, a task is active, or it was left over."""
        if not self.body.strip():
            return EMPTY
        idle = self.idle_at(now)
        return ACTIVE if idle is not None and idle < timedelta(hours=idle_hours) else STALE

    def idle_at(self, now: datetime) -> timedelta | None:
        """Return for how long nobody has written to it, or None where it does not say."""
        return None if self.last_active is None else max(now - self.last_active, timedelta())


def read_buffer(note: Note, now: datetime) -> Buffer:
    """Read a buffer; a moment without an offset is taken for local time, as `now` has it."""
    header = note.buffer
    return Buffer(
        path=note.path,
        body=note.text[header.body_start :] if header else note.text,
        created=_moment(header.created.value, now) if header and header.created else None,
        last_active=_moment(header.last_active.value, now) if header and header.last_active else None,
        lines=note.lines.count if note.text else 0,
        pending=tuple(item.text for item in note.items if item.box is not None and not item.box.strip()),
    )


def _moment(value: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


def fresh_buffer(now: datetime) -> str:
    """Return a buffer with nothing in it."""
    moment = now.isoformat(timespec="seconds")
    return f"# Working Buffer\n{CREATED}: {moment}\n{LAST_ACTIVE}: {moment}\n\n"


def add_to_buffer(drafts: Drafts, path: str, text: str, now: datetime, *, friction: bool = False) -> str:
    """Add an entry to the buffer, begun where there is none, and return the entry."""
    before = drafts.note(path)
    buffer = read_buffer(before, now)
    empty = not buffer.body.strip()
    same_day = empty or buffer.created is None or buffer.created.date() == now.date()
    time = now.strftime("%H:%M" if same_day else "%Y-%m-%d %H:%M")
    entry = entry_text(text, f"{time} {FRICTION}" if friction else time)
    if empty:
        drafts.write(path, f"{fresh_buffer(now)}{entry}\n")
        return entry
    after = drafts.edit(path, append_entry(before, entry))
    kept = [one.hash for one in after.entries[:-1]] == [one.hash for one in before.entries]
    if not kept or len(after.problems) > len(before.problems):
        message = f"'{entry.splitlines()[0][2:60]}' cannot stand as one entry of '{path}'"
        raise BadInputError(message, "mneme buffer add 'one line in plain words'")
    if after.buffer is not None and after.buffer.last_active is not None:
        drafts.edit(path, set_stamp(after, LAST_ACTIVE, now.isoformat(timespec="seconds")))
    return entry


def rotate_buffer(drafts: Drafts, workspace: Workspace, now: datetime) -> tuple[str, ...]:
    """Put what the buffer holds, and what a broken-off rotation left, into the notes of their days; clear both.

    Returns the paths of the notes that hold it now.
    """
    path = workspace.profile.places.buffer
    kept = [_put_away(drafts, workspace, left, now) for left in pending_files(workspace)]
    for left in pending_files(workspace):
        drafts.remove(left)
    if (drafts.find(path) or "").strip() and read_buffer(drafts.note(path), now).body.strip():
        kept.append(_put_away(drafts, workspace, path, now))
        clear_buffer(drafts, path, now)
    return tuple(dict.fromkeys(filter(None, kept)))


def clear_buffer(drafts: Drafts, path: str, now: datetime) -> None:
    """Take out of the buffer what it holds; one that holds nothing stays as it is."""
    if read_buffer(drafts.note(path), now).body.strip():
        drafts.write(path, fresh_buffer(now))


def pending_files(workspace: Workspace) -> tuple[str, ...]:
    """Return the files that a broken-off rotation of another tool left beside the buffer."""
    path = workspace.profile.places.buffer
    names = (f"{path}.pending", f"{path.removesuffix('.md')}.pending")
    return tuple(name for name in names if files.place_of(workspace.root, name).is_file())


def _put_away(drafts: Drafts, workspace: Workspace, path: str, now: datetime) -> str:
    """Put the content of a buffer into the note of the day it was last written on; returns that note's path."""
    buffer = read_buffer(drafts.note(path), now)
    body = _closed(buffer.body).strip("\r\n")
    if not body.strip():
        return ""
    day = min(buffer.last_active or now, now).date()
    target = find_day_note(workspace, day)
    note = begin_day(drafts, target, workspace.profile, day)
    if not _holds(note.text, body):
        begun = buffer.created.date() if buffer.created else day
        lead = f"Begun on {begun.isoformat()}:\n\n" if begun < day else ""
        drafts.edit(target, append_entry(note, lead + body, BUFFER_SECTION))
    return target


def _holds(text: str, body: str) -> bool:
    """Say whether whole lines stand in a text already, however its lines end."""
    plain, wanted = ("\n".join(part.splitlines()) for part in (text, body))
    return f"\n{wanted}\n" in f"\n{plain}\n"


def _closed(body: str) -> str:
    """Return a text that ends what it began, so that it can stand above other text: a code fence, a comment."""
    note = parse_note(body)
    if note.shape.unclosed_comment:
        return f"{body.rstrip()}\n-->\n"
    last = note.fences[-1] if note.fences else None
    if last is None or last.closed:
        return body
    mark = _FENCE.match(note.lines.rows[last.line - 1])
    return f"{body.rstrip()}\n{mark[1] if mark else '```'}\n"
