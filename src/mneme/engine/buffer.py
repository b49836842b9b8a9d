"""The verbs of the working buffer: write before you answer, look, rotate, clear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import WARN, Problem

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.memory.notes.buffer import Buffer


@dataclass(frozen=True, slots=True)
class BufferView:
    """A working buffer as it stands: its text, how full and how fresh it is, and what in it is still to be done."""

    path: str = ""
    text: str = ""
    state: str = "empty"
    lines: int = 0
    limit: int = 0
    created: str = ""
    last_active: str = ""
    idle_minutes: int | None = None
    pending: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the buffer's JSON form, problems excepted."""
        names = ("path", "text", "state", "lines", "limit", "created", "last_active", "idle_minutes")
        return {name: getattr(self, name) for name in names} | {"pending": list(self.pending)}


@dataclass(frozen=True, slots=True)
class Rotation:
    """What a rotation did: the notes that hold the content now, or why it was put off."""

    done: Done
    notes: tuple[str, ...] = ()
    put_off: str = ""


def buffer_show(memory: Memory) -> BufferView:
    """Return the buffer as it stands; in a shared context there is none."""
    from mneme.memory.notes.buffer import pending_files, read_buffer
    from mneme.memory.notes.drafts import Drafts

    path = memory.workspace.profile.places.buffer
    if memory.shared:
        return BufferView()
    note = Drafts(memory.root).note(path)
    now, budgets = memory.now(), memory.workspace.profile.budgets
    buffer = read_buffer(note, now)
    idle = buffer.idle_at(now)
    return BufferView(
        path=path,
        text=note.text,
        state=buffer.state_at(now, budgets.buffer_idle_hours),
        lines=buffer.lines,
        limit=budgets.buffer_lines,
        created=_iso(buffer.created),
        last_active=_iso(buffer.last_active),
        idle_minutes=None if idle is None else int(idle.total_seconds() // 60),
        pending=buffer.pending,
        problems=tuple(map(_left_over, pending_files(memory.workspace))),
    )


def buffer_add(
    memory: Memory, text: str, *, friction: bool = False, redact: bool = False, dry_run: bool = False
) -> Done:
    """Write an entry into the buffer; a full one that was left over is rotated first, in the same plan."""
    from mneme.engine.days import entry_records
    from mneme.engine.wording import word
    from mneme.formats.entry import entry_hash
    from mneme.memory.notes.buffer import STALE, add_to_buffer, read_buffer, rotate_buffer
    from mneme.memory.notes.drafts import Drafts

    worded = word(memory, {"text": text}, redact=redact, verb="buffer add ...", dated=True)
    profile = memory.workspace.profile
    path, budgets = profile.places.buffer, profile.budgets
    with memory.writing("buffer add", dry_run=dry_run):
        drafts, now = Drafts(memory.root), memory.now()
        buffer = read_buffer(drafts.note(path), now)
        if buffer.lines > budgets.buffer_lines and buffer.state_at(now, budgets.buffer_idle_hours) == STALE:
            rotate_buffer(drafts, memory.workspace, now)
        entry = add_to_buffer(drafts, path, worded.texts["text"], now, friction=friction)
        full = _full(drafts.note(path).lines.count, budgets.buffer_lines, path)
        done = memory.apply(
            files.Plan("buffer add", drafts.changes("written before it is answered"), path), dry_run=dry_run
        )
    records = () if dry_run else entry_records(memory, path, entry_hash(entry))
    return replace(done, records=records, problems=(*worded.problems, *done.problems, *full))


def buffer_rotate(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Rotation:
    """Move a full buffer into the day's note and clear it, in one plan; put off while a task is active."""
    from mneme.memory.notes.buffer import pending_files, read_buffer, rotate_buffer
    from mneme.memory.notes.drafts import Drafts

    path = memory.workspace.profile.places.buffer
    with memory.writing("buffer rotate", dry_run=dry_run):
        drafts, now = Drafts(memory.root), memory.now()
        buffer = read_buffer(drafts.note(path), now)
        reason = "" if force or pending_files(memory.workspace) else _reason_to_wait(memory, buffer, now)
        notes = () if reason else rotate_buffer(drafts, memory.workspace, now)
        plan = files.Plan("buffer rotate", drafts.changes("the buffer's content"), ", ".join(notes))
        return Rotation(memory.apply(plan, dry_run=dry_run), notes, reason)


def buffer_clear(memory: Memory, *, dry_run: bool = False) -> Done:
    """Take everything out of the buffer; what was in it is in history and comes back with undo."""
    from mneme.memory.notes.buffer import clear_buffer
    from mneme.memory.notes.drafts import Drafts

    path = memory.workspace.profile.places.buffer
    with memory.writing("buffer clear", dry_run=dry_run):
        drafts = Drafts(memory.root)
        clear_buffer(drafts, path, memory.now())
        return memory.apply(files.Plan("buffer clear", drafts.changes("the task is over"), path), dry_run=dry_run)


def _reason_to_wait(memory: Memory, buffer: Buffer, now: datetime) -> str:
    from mneme.memory.notes.buffer import ACTIVE

    budgets = memory.workspace.profile.budgets
    if buffer.lines <= budgets.buffer_lines:
        return (
            f"the buffer has {buffer.lines} of {budgets.buffer_lines} lines" if buffer.body.strip() else "it is empty"
        )
    idle = buffer.idle_at(now)
    if buffer.state_at(now, budgets.buffer_idle_hours) == ACTIVE and idle is not None:
        return f"a task is active: the buffer was written {ago(idle)}"
    return ""


def ago(idle: timedelta) -> str:
    """Return how long ago something was, in the largest unit that says enough."""
    minutes = int(idle.total_seconds() // 60)
    for size, name in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            number = minutes // size
            return f"{number} {name}{'' if number == 1 else 's'} ago"
    return "just now"


def _full(lines: int, limit: int, path: str) -> tuple[Problem, ...]:
    if lines <= limit:
        return ()
    message = f"the buffer has {lines} lines, of {limit}; it is rotated when the task is over"
    return (Problem(path, 0, "long-buffer", WARN, message, "mneme wrap-up\nmneme buffer rotate --force"),)


def _left_over(path: str) -> Problem:
    message = "a rotation of the buffer was broken off and left this behind"
    return Problem(path, 0, "orphaned-buffer", WARN, message, "mneme buffer rotate")


def _iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
