"""The end of a session: its summary is written once, the buffer emptied, and what to keep and what may go is told."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import IGNORE, WARN, BadInputError, Problem
from mneme.formats.record import LIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.note import Note
    from mneme.memory.notes.drafts import Drafts

# As alike as this, two texts say the same thing.
ALIKE = 0.8
# What may stand in for a kind that a layout has no home for.
_INSTEAD = {"lesson": ("gotcha", "feedback", "fact"), "preference": ("user",), "decision": ("project", "fact")}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to do about a memory: what it says, why, and the command that does it."""

    what: str
    text: str
    why: str
    run: str

    def as_json(self) -> dict[str, object]:
        """Return the suggestion's JSON form."""
        return {"what": self.what, "text": self.text, "why": self.why, "run": self.run}


@dataclass(frozen=True, slots=True)
class WrapUp:
    """What the end of a session came to."""

    done: Done
    path: str
    written: bool
    emptied: tuple[str, ...]
    pending: tuple[str, ...]
    promote: tuple[Suggestion, ...]
    decay: tuple[Suggestion, ...]
    alarm: str
    problems: tuple[Problem, ...]


def wrap_up(
    memory: Memory, summary: str = "", *, session: str = "", redact: bool = False, dry_run: bool = False
) -> WrapUp:
    """End a session: append its summary, empty the buffer, check the day's closure, say what to keep and what may go.

    The same summary is not written twice; a session with a name has one, which a later one takes the place of.
    """
    from mneme.engine.overwritten import find_overwritten
    from mneme.engine.wording import word
    from mneme.memory.notes import days
    from mneme.memory.notes.buffer import rotate_buffer
    from mneme.memory.notes.drafts import Drafts

    given = {"text": summary} if summary.strip() else {}
    worded = word(memory, given, redact=redact, verb="wrap-up ...", dated=True)
    said = worded.texts.get("text", "")
    with memory.writing("wrap-up", dry_run=dry_run):
        drafts = Drafts(memory.root)
        path = days.find_day_note(memory.workspace, memory.today)
        written = bool(said) and _put_summary(memory, drafts, path, said, session)
        pending = () if memory.shared else memory.buffer_show().pending
        emptied = rotate_buffer(drafts, memory.workspace, memory.now())
        notes = [drafts.note(one) for one in dict.fromkeys((path, *emptied))]
        done = memory.apply(files.Plan("wrap-up", drafts.changes("the end of a session"), path), dry_run=dry_run)
    promote = () if memory.shared else tuple(_to_promote(memory, notes))
    problems = () if memory.shared else (*_closure_problems(memory, drafts), *find_overwritten(memory))
    decay = tuple(_may_decay(memory))
    return WrapUp(
        done,
        path,
        written,
        emptied,
        pending,
        promote,
        decay,
        memory.alarm,
        (*worded.problems, *done.problems, *problems),
    )


def _put_summary(memory: Memory, drafts: Drafts, path: str, said: str, session: str) -> bool:
    """Write a session's summary into the timeline, or in the place of the one it has; False where it stands there."""
    from mneme.memory.notes import days
    from mneme.memory.notes.promote import plain_words

    if session and not session.isprintable():
        message = f"'{session[:40]}' is no name for a session: it has to be printable"
        raise BadInputError(message, "mneme wrap-up 'what was done' --session NAME")
    # What hooks tell of a session says itself that it is one, and is known by that for nobody's own words.
    label = f"Session {' '.join(session.split())}:" if session else "" if said.startswith("Session ") else "Session:"
    time = memory.now().strftime("%H:%M")
    entry = days.entry_text(f"{label} {said}".lstrip(), time)
    profile = memory.workspace.profile
    note = days.begin_day(drafts, path, profile, memory.today)
    wanted = plain_words(entry)
    for known in note.entries:
        words = plain_words(known.text)
        if words == wanted:
            return False
        if session and words.startswith(f"{label} "):
            entry = days.entry_text(f"{label} {said}", known.time)
            drafts.edit(path, (known.start, known.end, entry.replace("\n", note.lines.newline)))
            return True
    days.put_entry(drafts, path, entry, section=next(iter(profile.day_sections), ""), time=time)
    return True


def _closure_problems(memory: Memory, drafts: Drafts) -> Iterator[Problem]:
    """Yield what is wrong with the closures of today and yesterday, where those days have a note."""
    from mneme.memory.notes import days

    severity = memory.workspace.profile.severities.get("incomplete-closure", WARN)
    for ago in (1, 0):
        day = memory.today - timedelta(days=ago)
        note = drafts.note(days.find_day_note(memory.workspace, day))
        fault = days.closure_fault(note) if note.text.strip() else ""
        if fault and severity != IGNORE:
            when = f" --today {day.isoformat()}" if ago else ""
            hint = f"mneme close{when} --decisions '...' --signal '...' --open '...'"
            yield Problem(note.path, 0, "incomplete-closure", severity, fault, hint)


def _to_promote(memory: Memory, notes: Sequence[Note]) -> Iterator[Suggestion]:
    """Yield what the notes of a session say that is remembered nowhere else."""
    from mneme.memory.notes.promote import find_candidates

    candidates = [(note, candidate) for note in notes for candidate in find_candidates(note)]
    known = list(_remembered(memory)) if candidates else []
    for note, candidate in candidates:
        if not any(_is_alike(candidate.text, text) for text in known):
            kind = _kind_here(memory, candidate.kind)
            command = f"mneme remember {shlex.quote(candidate.text)} --kind {kind}"
            yield Suggestion(kind, candidate.text, f"{note.path}:{candidate.line}", command)


def _kind_here(memory: Memory, kind: str) -> str:
    """Return a kind, or the one that stands in for it where this layout has no home for it."""
    homes = memory.workspace.profile.homes
    return next((one for one in (kind, *_INSTEAD.get(kind, ())) if one in homes), kind)


def _remembered(memory: Memory) -> Iterator[str]:
    """Yield what is remembered outside of days' notes and the buffer."""
    from mneme.memory import all_paths, load_pieces

    workspace = memory.workspace
    paths = [
        path for path in all_paths(workspace) if workspace.kind_of(path) not in {"day", "buffer", "report", "dream"}
    ]
    for piece in load_pieces(workspace, paths):
        yield piece.gist or piece.title
        yield piece.body or piece.record.text


def _is_alike(one: str, two: str) -> bool:
    from mneme.check.claim import claim_of, likeness

    if not two.strip():
        return False
    if one.casefold() in two.casefold():
        return True
    return likeness(claim_of(one).frame, claim_of(two.split("\n", 1)[0]).frame) >= ALIKE


def _may_decay(memory: Memory) -> Iterator[Suggestion]:
    """Yield what nobody has seen to hold for long, and what is old enough for the archive."""
    from mneme.formats.spine import cell_record
    from mneme.memory.notes.archive import count_expired

    limit = int(memory.workspace.settings["cells.stale_after_days"])
    for file, cell in memory.cells().all():
        record = cell_record(cell, file.path)
        age = _age(record.seen, memory.today)
        if record.state == LIVE and age > limit and memory.sees(record):
            yield Suggestion(cell.id, cell.gist, f"not seen to hold for {age} days", f"mneme affirm {cell.id}")
    if not memory.shared:
        yield from _unverified(memory)
        days = memory.workspace.profile.budgets.day_ttl_days
        if count := count_expired(memory.workspace, memory.today, days):
            what = f"{count} day's note" if count == 1 else f"{count} days' notes"
            yield Suggestion("archive", what, f"more than {days} days old", "mneme archive")


def _unverified(memory: Memory) -> Iterator[Suggestion]:
    """Yield the tagged files whose `last_verified` is too long ago."""
    from mneme.formats.note import parse_note

    workspace = memory.workspace
    limit = workspace.profile.budgets.verified_days
    for path in workspace.note_files():
        if workspace.profile.is_tagged(path):
            content = files.find_file(files.place_of(workspace.root, path)) or b""
            note = parse_note(content.decode("utf-8", "surrogateescape"), path)
            age = _age(note.last_verified, memory.today)
            if age >= limit and note.entries:
                title = note.headings[0].text if note.headings else path
                yield Suggestion(path, title, f"not verified for {age} days", f"mneme affirm {path}")


def _age(day: str, today: date) -> int:
    try:
        return (today - date.fromisoformat(day)).days
    except ValueError:
        return 0
