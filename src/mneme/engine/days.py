"""The verbs of a day: an entry in its note, and the four lines that close it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, RefusedError

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.record import Record
    from mneme.memory.notes.drafts import Drafts


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing a day did, and the lines that the note ends with now."""

    done: Done
    path: str
    lines: tuple[str, ...]


def note(memory: Memory, text: str, section: str | None = None, *, force: bool = False, dry_run: bool = False) -> Done:
    """Add an entry to today's note: at its time of day, or under a section; the same one is not added twice."""
    from mneme.engine import results
    from mneme.formats.entry import entry_hash
    from mneme.memory.notes import days
    from mneme.memory.notes.drafts import Drafts

    said = worded(memory, text, "note", force=force)
    time = "" if section else memory.now().strftime("%H:%M")
    entry = days.entry_text(said, time)
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
    force: bool = False,
    dry_run: bool = False,
) -> Closed:
    """Write the closure block of today's note, in the place of the one it has; what is not given stays as it is."""
    from mneme.memory.notes import days
    from mneme.memory.notes.drafts import Drafts

    said = days.closure_values(decisions, signal, open)
    said = {label: worded(memory, value, "close", force=force) for label, value in said.items()}
    with memory.writing("close", dry_run=dry_run):
        path = days.find_day_note(memory.workspace, memory.today)
        drafts = Drafts(memory.root)
        days.begin_day(drafts, path, memory.workspace.profile, memory.today)
        closed = days.close(drafts, path, memory.today, said)
        plan = files.Plan("close", drafts.changes("the day's closure"), path)
        done = memory.apply(plan, dry_run=dry_run)
    return Closed(done, path, () if memory.shared else days.closure_lines(closed))


def worded(memory: Memory, text: str, verb: str, *, force: bool) -> str:
    """Return a text as it may be written down: with days for "yesterday", not empty, and without a secret.

    A secret is written only where that is insisted on.
    """
    from mneme.check.secret import find_secrets
    from mneme.formats.when.absolute import with_dates

    if not text.strip():
        message = "there is nothing to write down: the text is empty"
        raise BadInputError(message, f"mneme {verb} --help")
    found = find_secrets(text)
    if found and not force:
        message = f"this looks like a secret ({found[0].kind}); memory is plain text that others may read"
        raise RefusedError(message, f"mneme {verb} ... --force")
    return with_dates(text, memory.today)


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
