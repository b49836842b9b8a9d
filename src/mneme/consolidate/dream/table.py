"""What Deep decides on, and what it decides: the table of one night, and the decision that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mneme.consolidate.dream.entry import iso_day
from mneme.consolidate.dream.sentence import Promotion, sentence
from mneme.consolidate.dream.taint import day_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from mneme.consolidate.dream.chunk import Chunk
    from mneme.consolidate.dream.entry import Entry, Signal
    from mneme.consolidate.dream.ingest import Notes
    from mneme.consolidate.dream.memo import Memo
    from mneme.consolidate.dream.rules import Rules
    from mneme.consolidate.dream.score import Candidate

Fits = Callable[[Sequence[Promotion]], bool]
Heir = tuple[Promotion, "Candidate", "Chunk"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A candidate that was not promoted, and why."""

    key: str
    text: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Left:
    """A promotion that leaves MEMORY.md, and why."""

    promotion: Promotion
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What Deep has decided: the promotions as they shall stand, and what changed."""

    standing: tuple[Promotion, ...]
    added: tuple[tuple[Promotion, Candidate, Chunk], ...] = ()
    reconciled: tuple[str, ...] = ()
    stale: tuple[Promotion, ...] = ()
    left: tuple[Left, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    owed: bool = False  # something may leave that the night's share kept
    others: Callable[[], Sequence[Skipped]] = tuple  # those too seldom asked for to be weighed unless somebody looks

    def waiting(self) -> tuple[Skipped, ...]:
        """Return every candidate that was not promoted, those nearest to it first."""
        return (*self.skipped, *self.others())


@dataclass(frozen=True, slots=True)
class Table:
    """What Deep decides on: the entries and their signals, the notes, what MEMORY.md says, and the rules of the night."""

    entries: Mapping[str, Entry]
    signals: Mapping[str, Signal]
    notes: Notes
    memo: Memo
    rules: Rules
    now: datetime
    written: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    promotions: tuple[Promotion, ...] = field(default_factory=tuple)

    @property
    def today(self) -> str:
        """Return the day of the night."""
        return self.rules.day(self.now)

    def said(self, entry: Entry) -> str:
        """Return what an entry says, as a sentence where its note still has it."""
        chunk = self.notes.find_live(entry)
        return sentence(chunk, day_of(entry.path)) if chunk else entry.snippet


def last_seen(table: Table, one: Promotion) -> str:
    """Return the day on which a promotion was last recalled, affirmed or promoted."""
    entry = table.entries.get(one.key)
    days = [table.memo.seen.get(one.key, ""), iso_day(entry.promoted_at) if entry else ""]
    days += [iso_day(entry.last_at) if entry and entry.recalls else "", one.seen, table.memo.seen.get(one.place, "")]
    return max(filter(None, days), default=table.today)


def skipped_for(candidate: Candidate, reason: str) -> Skipped:
    """Return a candidate as one that waits, with why."""
    return Skipped(candidate.entry.key, candidate.entry.snippet, candidate.score, reason)
