"""The note of a day: where it lies, how one begins, what an entry looks like, and whether it is closed.

An entry is one list item, `- 09:30 what happened`, in the order of the day; under a section of its own choosing it
needs no time. Every edit is read back before it is planned: a text that would change how the rest of the note reads
is refused, never bent.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError
from mneme.formats.closure import DECISIONS, LABELS, OPEN, SIGNAL, UPDATED
from mneme.formats.edit import append_entry, put_timed, set_closure
from mneme.formats.entry import entry_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from mneme.formats.note import Note
    from mneme.memory.notes.drafts import Drafts
    from mneme.profiles import Profile
    from mneme.workspace import Workspace

# The section that a rotated buffer goes to; the timeline of the day stays above it.
BUFFER_SECTION = "Working buffer"

_MARKER = re.compile(r"\A(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_BOX = re.compile(r"\[[ xX]\][ \t]+")
_LINE_END = re.compile(r"\r\n|\r|\n")


def find_day_note(workspace: Workspace, day: date) -> str:
    """Return the path of a day's note: where it is, in the archive too, else where it belongs."""
    path = workspace.day_path(day)
    archived = workspace.profile.archive_path(path, day)
    there = [one for one in (path, archived) if files.place_of(workspace.root, one).is_file()]
    return there[0] if there else path


def begin_day(drafts: Drafts, path: str, profile: Profile, day: date) -> Note:
    """Return the note of a day; one that nobody has begun begins with its date and the profile's sections."""
    if (drafts.find(path) or "").strip():
        return drafts.note(path)
    sections = "".join(f"\n## {title}\n" for title in profile.day_sections)
    return drafts.write(path, f"# {day.isoformat()}\n{sections}")


def entry_text(text: str, time: str = "") -> str:
    """Return a text as one list item: its own marker goes, its checkbox comes first, further lines are indented."""
    rows = [row.rstrip() for row in _LINE_END.split(text.strip())]
    first = _MARKER.sub("", rows[0])
    box = _BOX.match(first)
    words = first[box.end() :] if box else first
    lead = " ".join(part for part in (f"[{box[0][1]}]" if box else "", time) if part)
    head = f"- {lead} {words}" if lead else f"- {words}"
    return "\n".join([head, *(f"  {row}" if row else "" for row in rows[1:])])


def put_entry(drafts: Drafts, path: str, entry: str, *, section: str = "", time: str = "") -> Note:
    """Add an entry to a day's note: in a section, or in the timeline at its time."""
    note = drafts.note(path)
    timed = put_timed(note, entry, time, section, apart=BUFFER_SECTION) if time else None
    after = drafts.edit(path, timed or append_entry(note, entry, section))
    _check_reading(note, after, entry)
    return after


def _check_reading(before: Note, after: Note, entry: str) -> None:
    """Refuse an entry that is not read back as one, or that changes what else the note says."""
    expected = Counter(one.hash for one in before.entries) + Counter([entry_hash(entry)])
    broken = len(after.problems) > len(before.problems)
    if not broken and Counter(one.hash for one in after.entries) == expected and _said(before) == _said(after):
        return
    first = entry.split("\n", 1)[0].removeprefix("- ")
    message = f"'{first[:60]}' cannot stand as one entry of '{after.path}': it would change how the rest is read"
    raise BadInputError(message, "mneme note 'one line in plain words'")


def _said(note: Note) -> list[dict[str, str]]:
    """Return what each closure block of a note says."""
    return [{label: closure.text(label) for label in LABELS} for closure in note.closures]


def close(drafts: Drafts, path: str, day: date, said: Mapping[str, str]) -> Note:
    """Write a note's closure block, in the place of the one it has; what is not said stays."""
    note = drafts.note(path)
    return drafts.edit(path, set_closure(note, {UPDATED: day.isoformat(), **said}))


def closure_values(decisions: str = "", signal: str = "", open_items: str = "") -> dict[str, str]:
    """Return the lines of a closure block that are given, by their labels."""
    said = {DECISIONS: decisions, SIGNAL: signal, OPEN: open_items}
    return {label: " ".join(value.split()) for label, value in said.items() if value.strip()}


def closure_lines(note: Note) -> tuple[str, ...]:
    """Return the lines of the closure block that counts."""
    closure = note.closure
    return tuple(f"{label}: {closure.text(label)}" for label in LABELS) if closure else ()


def closure_fault(note: Note) -> str:
    """Return what is wrong with the closure of a note, or the empty string."""
    closure = note.closure
    if closure is None:
        return "it has no closure block"
    missing = [label for label in LABELS if not closure.text(label)]
    if missing:
        return f"its closure block does not say {', '.join(missing)}"
    return "" if closure.last else "its closure block is not the last thing in it"


def day_notes(workspace: Workspace, paths: tuple[str, ...], day: date) -> Iterator[str]:
    """Yield the notes of a day that are not archived, the day's own first."""
    own = workspace.day_path(day)
    others = [path for path in paths if path != own and _is_of(workspace.profile, path, day.isoformat())]
    yield from ([own] if own in paths else [])
    yield from others


def _is_of(profile: Profile, path: str, day: str) -> bool:
    found = profile.find_day(path)
    return found is not None and found.date == day and not profile.is_archived(path)
