"""What a week came to: the decisions and lessons of its closures, friction that recurs, questions left open.

Each thing once, however many days say it; what recurs is told with the days on which it did. Pure: notes in, values out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.check.claim import claim_of
from mneme.check.twin import DUPLICATE, judge_pair
from mneme.formats.closure import OPEN
from mneme.memory.notes.promote import DECISION, LESSON, find_candidates, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mneme.formats.note import Note

RECURS_AFTER, FLAGGED_AFTER = 2, 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision or a lesson, with the places that say it; `friction` is what held somebody up."""

    text: str
    kind: str
    anchors: tuple[str, ...]
    days: tuple[str, ...]
    friction: bool = False

    @property
    def flagged(self) -> bool:
        """Say whether it was learned so often that it should be a rule."""
        return self.kind == LESSON and len(self.days) >= FLAGGED_AFTER


def outcomes_of(notes: Sequence[tuple[str, Note]]) -> list[Outcome]:
    """Return what some days' notes came to, with the day of each note, in their order, each thing once."""
    found: list[Outcome] = []
    for day, note in notes:
        for one in _of_note(day, note):
            _join(found, one)
    return [one for one in found if not one.friction or len(one.anchors) >= RECURS_AFTER]


def _of_note(day: str, note: Note) -> Iterator[Outcome]:
    closure = note.closure
    frictions = {tag.line for tag in note.frictions}
    for one in find_candidates(note):
        anchor = (f"{note.path}:{one.line}",)
        if closure is not None and closure.line <= one.line <= closure.end_line and one.kind in (DECISION, LESSON):
            yield Outcome(one.text, one.kind, anchor, (day,))
        elif one.line in frictions:
            yield Outcome(one.text, LESSON, anchor, (day,), friction=True)


def _join(found: list[Outcome], one: Outcome) -> None:
    """Add an outcome, or the place of it where it is there already."""
    for at, known in enumerate(found):
        if known.kind == one.kind and says_the_same(known.text, one.text):
            anchors = tuple(dict.fromkeys((*known.anchors, *one.anchors)))
            days = tuple(sorted({*known.days, *one.days}))
            found[at] = replace(known, anchors=anchors, days=days, friction=known.friction and one.friction)
            return
    found.append(one)


def says_the_same(one: str, two: str) -> bool:
    """Say whether two texts claim the same thing."""
    mine, theirs = claim_of(one), claim_of(two)
    return one.casefold() == two.casefold() or judge_pair(mine, theirs, same_topic=True)[0] == DUPLICATE


def open_questions(notes: Sequence[tuple[str, Note]]) -> list[str]:
    """Return what the last closure of some notes leaves open."""
    for _, note in sorted(notes, key=lambda one: one[0], reverse=True):
        if note.closure is not None:
            return list(parts_of(note.closure.text(OPEN)))
    return []


def missing_questions(wanted: Iterable[str], there: Sequence[str]) -> list[str]:
    """Return the questions that none of those there asks."""
    return [one for one in wanted if not any(says_the_same(one, known) for known in there)]
