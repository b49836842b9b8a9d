"""The weekly review: what the week's closures came to goes home, what is broken is mended, what is old is put away.

The steps are taken one after the other on a stage, and what they come to is one plan: a dry run is its very diff, one
undo takes it back, and a crash leaves all of it or nothing. A week in which nothing happened changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.engine.check import mend, refuse_shared
from mneme.errors import INFO, ConflictError, MnemeError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.consolidate.review import Outcome
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.cell import Cell
    from mneme.formats.note import Note
    from mneme.formats.proposal import Proposal
    from mneme.memory.notes.drafts import Drafts

BY = "review"
DAYS = 7
# What the review is there to mend does not stand in its way.
_MENDED = frozenset({"expired-day", "orphaned-buffer", "long-buffer", "unverified-note", "pending-file", "stale-lock"})
NOTHING = "No meaningful changes"


@dataclass(slots=True)
class Reviewed:
    """What a review came to, step by step; `plans` holds the number of the one change that was made."""

    steps: list[str] = field(default_factory=list)
    plans: list[int] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    flagged: list[str] = field(default_factory=list)
    diff: str = ""
    problems: list[Problem] = field(default_factory=list)

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        return tuple(dict.fromkeys(self.written))

    def take(self, step: str, done: Done | None) -> None:
        """Take in what a step did on the stage; one that did nothing leaves no trace."""
        if done is None:
            return
        self.problems += done.problems
        if done.n:
            self.steps.append(step)

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "steps": self.steps,
            "plans": self.plans,
            "paths": list(self.paths),
            "flagged": self.flagged,
            "message": "" if self.steps else NOTHING,
            "diff": self.diff,
        }


def review(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Reviewed:
    """Review the last seven days: outcomes home, repairs, archive, freshness, the buffer, as one plan and one commit."""
    from mneme.check.rules import RULES

    mends = _MENDED | {name for name, rule in RULES.items() if rule.fixable}
    refuse_shared(memory, "review")
    memory.check_first("review", force=force, mends=mends)
    try:
        return _reviewed(memory, dry_run=dry_run)
    except ConflictError:  # somebody edited meanwhile: what they wrote is looked at as well
        return _reviewed(memory, dry_run=dry_run)


def _reviewed(memory: Memory, *, dry_run: bool) -> Reviewed:
    from mneme.engine.staging import staged

    reviewed = Reviewed()
    with staged(memory) as stage:
        _steps(stage.memory, reviewed)
        changes = stage.changes()
    with memory.writing("review", dry_run=dry_run):
        done = memory.apply(files.Plan("review", changes, f"of the week to {memory.today}"), dry_run=dry_run)
    reviewed.problems += done.problems
    reviewed.diff = done.diff
    if done.n:
        reviewed.plans, reviewed.written = [done.n], list(done.paths)
        memory.check()  # the alarm that a failed check left behind may be over
    return reviewed


def _steps(memory: Memory, reviewed: Reviewed) -> None:
    """Take the steps in their order: what a later one puts away, an earlier one has read."""
    notes = list(_notes_of_week(memory))
    _bring_home(memory, reviewed, notes)
    reviewed.take("mended what is mechanical", mend(memory))
    _put_buffer_away(memory, reviewed)
    archived = memory.archive(force=True)
    moved = len(archived.moved)
    reviewed.take(f"archived {moved} note{'' if moved == 1 else 's'}", archived.done)
    _freshen(memory, reviewed, notes)


def _notes_of_week(memory: Memory, days: int = DAYS) -> Iterator[tuple[str, Note]]:
    """Yield the days' notes of the last days with their day, oldest first; the buffer counts as today's."""
    from mneme.formats.note import parse_note

    profile = memory.workspace.profile
    oldest, today = (memory.today - timedelta(days=days)).isoformat(), memory.today.isoformat()
    found = []
    for path in memory.workspace.note_files():
        day = profile.find_day(path)
        if day is not None and oldest <= day.date <= today:
            found.append((day.date, path))
    buffer = [(today, profile.places.buffer)] if profile.places.buffer else []
    for date, path in (*sorted(found), *buffer):
        content = files.find_file(files.place_of(memory.root, path))
        if content is not None:
            yield date, parse_note(content.decode("utf-8", "replace"), path)


# Decisions and lessons


def _bring_home(memory: Memory, reviewed: Reviewed, notes: Sequence[tuple[str, Note]]) -> None:
    """Write each decision and lesson of the week to its home, once, unless somebody turned it down."""
    from mneme.check.asked import duplicate_claim
    from mneme.consolidate.review import outcomes_of

    claims = _claims(memory)
    for one in outcomes_of(notes):
        if not duplicate_claim(one.text, "", claims):
            reviewed.take(f"{one.kind}: {one.text}", _remember(memory, one, reviewed))
    flagged = [
        one
        for one in outcomes_of(list(_notes_of_week(memory, memory.workspace.profile.budgets.day_ttl_days)))
        if one.flagged
    ]
    for one in flagged:
        told = f"learned on {len(one.days)} days, make it a rule: {one.text}"
        reviewed.flagged.append(told)
    if flagged:
        done, named = memory.propose(list(map(_rule, flagged)), verb="review")
        count = f"{len(named)} lesson{'' if len(named) == 1 else 's'}"
        reviewed.take(f"{count} seen three times, proposed as rules", done)


def _claims(memory: Memory) -> list[Cell]:
    """Return what is remembered, and what was turned down."""
    from mneme.check.asked import claims_of, settled_claims
    from mneme.consolidate.refine.look import FLEETING
    from mneme.formats.proposal import PREFIX, REJECTED
    from mneme.memory import load_pieces
    from mneme.memory.cells.proposals import load_queue

    queue = load_queue(memory.workspace)
    rejected = {one.id for one in queue.proposals if one.fate == REJECTED}
    known = claims_of(piece for piece in load_pieces(memory.workspace) if piece.record.kind not in FLEETING)
    kept = [one for one in known if not one.id.startswith(f"{PREFIX}-")]
    return kept + settled_claims(cell for cell in queue.file.cells if cell.id in rejected)


def _remember(memory: Memory, one: Outcome, reviewed: Reviewed) -> Done | None:
    from mneme.engine.accept import home_kind
    from mneme.engine.remember import TAKEN_BY, Wish, form_of

    kind = home_kind(memory, one.kind)
    form = form_of(memory, Wish(one.text, kind))
    why = f"{'held us up on' if one.friction else 'noted at the close of'} {', '.join(one.days)}"
    given: dict[str, Any] = {"why": why, "since": one.days[0]}
    try:
        return memory.remember(
            one.text, kind=kind, **{name: value for name, value in given.items() if form in TAKEN_BY[name]}
        )
    except MnemeError as fault:
        path, _, line = one.anchors[0].rpartition(":")
        message = f"not brought home: {fault.message}"
        reviewed.problems.append(Problem(path, int(line), "left-in-day", INFO, message, fault.hint))
        return None


def _rule(one: Outcome) -> Proposal:
    """Return a lesson that was learned again and again as something for the file that every session loads."""
    from mneme.engine.accept import PROMOTION
    from mneme.formats.proposal import Proposal, Source

    sources = tuple(Source(anchor) for anchor in one.anchors)
    why = f"learned on {len(one.days)} days"
    text = f"Learned again and again: {one.text}"
    return Proposal(text, PROMOTION, BY, said={"why": why}, sources=sources)


# The buffer and MEMORY.md


def _put_buffer_away(memory: Memory, reviewed: Reviewed) -> None:
    """Clear a buffer that was left over; what is in it goes to the note of its day."""
    from mneme.formats.note import parse_note
    from mneme.memory.notes.buffer import STALE, read_buffer

    path = memory.workspace.profile.places.buffer
    content = files.find_file(files.place_of(memory.root, path)) if path else None
    if content is None:
        return
    buffer = read_buffer(parse_note(content.decode("utf-8", "replace"), path), memory.now())
    if buffer.state_at(memory.now(), memory.workspace.profile.budgets.buffer_idle_hours) == STALE:
        rotation = memory.buffer_rotate(force=True)
        reviewed.take("put a buffer that was left over into its day's note", rotation.done)


def _freshen(memory: Memory, reviewed: Reviewed, notes: Sequence[tuple[str, Note]]) -> None:
    """Bring MEMORY.md's open questions up to the last closure, and date it where anything changed."""
    from mneme.formats.edit import set_stamp
    from mneme.formats.stamp import LAST_UPDATED, LAST_VERIFIED
    from mneme.memory.notes.drafts import Drafts

    path = memory.workspace.profile.places.memory
    drafts = Drafts(memory.root)
    if not path or drafts.find(path) is None:
        return
    with memory.writing("review", dry_run=False):
        asked = _ask_open(memory, drafts, path, notes, reviewed)
        stamps = drafts.note(path).stamps
        for name in (LAST_UPDATED, LAST_VERIFIED):
            if name in stamps and (reviewed.steps or asked):
                drafts.edit(path, set_stamp(drafts.note(path), name, memory.today.isoformat()))
        done = memory.apply(files.Plan("review", drafts.changes("freshness"), path), dry_run=False)
    reviewed.take("brought MEMORY.md up to date", done)


def _ask_open(memory: Memory, drafts: Drafts, path: str, notes: Sequence[tuple[str, Note]], reviewed: Reviewed) -> bool:
    """Add what the last closure leaves open to the section for it, as far as its budget goes; tell what does not fit."""
    from mneme.check.memory_file import OPEN_QUESTIONS, sections_called
    from mneme.consolidate.review import missing_questions, open_questions
    from mneme.formats.edit import append_item

    note = drafts.note(path)
    section = next(iter(sections_called(note, OPEN_QUESTIONS)), None)
    if section is None:
        return False
    there = [item for item in note.items if section.line < item.line <= section.end_line and item.depth == 0]
    missing = missing_questions(open_questions(notes), [item.text for item in there])
    room = max(0, memory.workspace.profile.budgets.open_questions - sum(not item.done for item in there))
    for question in missing[:room]:
        drafts.edit(path, append_item(drafts.note(path), question, section.title))
    if missing[room:]:
        message = f"{len(missing) - room} open questions do not fit: '{missing[room]}'"
        reviewed.problems.append(Problem(path, section.line, "many-open-questions", INFO, message))
    return bool(missing[:room])
