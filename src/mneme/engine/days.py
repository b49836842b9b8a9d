"""The verbs of a day: an entry in its note, and the four lines that close it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.record import Record
    from mneme.memory.notes.drafts import Drafts


# How an entry begins that leads to a memory written on that day.
_REMEMBERED = re.compile(r"- \d\d:\d\d remembered (?=\[)")


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing a day did, and the lines that the note ends with now."""

    done: Done
    path: str
    lines: tuple[str, ...]


def note(memory: Memory, text: str, section: str | None = None, *, redact: bool = False, dry_run: bool = False) -> Done:
    """Add an entry to today's note: at its time of day, or under a section; the same one is not added twice."""
    from mneme.engine import results
    from mneme.engine.wording import word
    from mneme.formats.entry import entry_hash
    from mneme.memory.notes import days
    from mneme.memory.notes.drafts import Drafts

    worded = word(memory, {"text": text}, redact=redact, verb="note ...", dated=True)
    time = "" if section else memory.now().strftime("%H:%M")
    entry = days.entry_text(worded.texts["text"], time)
    profile = memory.workspace.profile
    with memory.writing("note", dry_run=dry_run):
        path = days.find_day_note(memory.workspace, memory.today)
        drafts = Drafts(memory.root)
        known = drafts.note(path).find_entry(entry_hash(entry)) is not None
        if not known:
            days.begin_day(drafts, path, profile, memory.today)
            where = section or next(iter(profile.day_sections), "")
            days.put_entry(drafts, path, entry, section=where, time=time)
        plan = files.Plan("note", drafts.changes("an entry of the day"), path)
        done = memory.apply(plan, dry_run=dry_run)
    done = replace(done, problems=(*worded.problems, *done.problems))
    if dry_run:
        return done
    status = results.EXISTS if known else results.NEW
    return replace(done, records=entry_records(memory, path, entry_hash(entry)), status=status)


def close_day(
    memory: Memory,
    *,
    decisions: str = "",
    signal: str = "",
    open: str = "",  # noqa: A002 - the name that the block itself has
    redact: bool = False,
    dry_run: bool = False,
) -> Closed:
    """Write the closure block of today's note, in the place of the one it has; what is not given stays as it is."""
    from mneme.engine.wording import word
    from mneme.memory.notes import days
    from mneme.memory.notes.drafts import Drafts

    worded = word(memory, days.closure_values(decisions, signal, open), redact=redact, verb="close ...")
    with memory.writing("close", dry_run=dry_run):
        path = days.find_day_note(memory.workspace, memory.today)
        drafts = Drafts(memory.root)
        days.begin_day(drafts, path, memory.workspace.profile, memory.today)
        closed = days.close(drafts, path, memory.today, worded.texts)
        plan = files.Plan("close", drafts.changes("the day's closure"), path)
        done = memory.apply(plan, dry_run=dry_run)
    done = replace(done, problems=(*worded.problems, *done.problems))
    return Closed(done, path, () if memory.shared else days.closure_lines(closed))


def put_today(memory: Memory, drafts: Drafts, text: str) -> str:
    """Add an entry to today's note at this time of day; return its id."""
    from mneme.formats.entry import entry_hash
    from mneme.memory.notes import days

    time, profile = memory.now().strftime("%H:%M"), memory.workspace.profile
    path = days.find_day_note(memory.workspace, memory.today)
    days.begin_day(drafts, path, profile, memory.today)
    entry = days.entry_text(text, time)
    days.put_entry(drafts, path, entry, section=next(iter(profile.day_sections), ""), time=time)
    return f"{path}#{entry_hash(entry)}"


def leave_pointer(memory: Memory, drafts: Drafts, title: str, path: str) -> None:
    """Leave a line in today's note that links to a memory just written, where the profile wants one."""
    import posixpath

    from mneme.formats.pointer import print_pointer
    from mneme.memory.notes import days

    if not memory.workspace.profile.pointers:
        return
    folder = posixpath.dirname(days.find_day_note(memory.workspace, memory.today))
    link = print_pointer(title, posixpath.relpath(path, folder or ".")).removeprefix("- ")
    put_today(memory, drafts, f"remembered {link}")


def drop_pointers(memory: Memory, drafts: Drafts, path: str) -> None:
    """Take the lines that link to a memory out of days' notes: those that we left there, and no others."""
    import posixpath

    from mneme.formats.pointer import find_pointer

    name = posixpath.basename(path)
    for day in memory.workspace.note_files():
        if not memory.workspace.profile.is_day(day) or name not in (drafts.find(day) or ""):
            continue
        note, folder = drafts.note(day), posixpath.dirname(day)
        for entry in reversed(note.entries):
            words = _REMEMBERED.match(entry.text)
            target = find_pointer(entry.text[words.end() :]) if words else ""
            if target and posixpath.normpath(posixpath.join(folder, target)) == path:
                drafts.edit(day, (note.lines.starts[entry.line - 1], note.lines.after(entry.end_line - 1), ""))


def pointer_drafts(memory: Memory, title: str, path: str) -> Drafts:
    """Return drafts that hold nothing but such a line."""
    from mneme.memory.notes.drafts import Drafts

    drafts = Drafts(memory.root)
    leave_pointer(memory, drafts, title, path)
    return drafts


def entry_records(memory: Memory, path: str, digest: str) -> tuple[Record, ...]:
    """Return the newest entry of a note with a hash as a record, where whoever asks may see it."""
    from mneme.memory import load_pieces

    name = f"{path}#{digest}"
    found = [piece.record for piece in load_pieces(memory.workspace, [path]) if piece.record.id.startswith(name)]
    return tuple(record for record in found[-1:] if memory.sees(record))
