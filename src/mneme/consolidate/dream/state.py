"""A night while it is being planned, and what it becomes: the common ground of the phases and of the plan."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mneme.consolidate.dream.entry import iso, print_signals
from mneme.consolidate.dream.ingest import digest_of
from mneme.consolidate.dream.kept import print_kept
from mneme.consolidate.dream.record import within_budget

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from mneme import files
    from mneme.consolidate.dream.diary import Told
    from mneme.consolidate.dream.entry import Entries, Entry, Signal
    from mneme.consolidate.dream.ingest import Notes
    from mneme.consolidate.dream.memo import Memo
    from mneme.consolidate.dream.phases import Theme, Truth
    from mneme.consolidate.dream.rules import Rules
    from mneme.consolidate.dream.sessions import Progress
    from mneme.consolidate.dream.table import Decision, Skipped
    from mneme.errors import Problem

STORE, SIGNALS = "memory/.dreams/short-term-recall.json", "memory/.dreams/phase-signals.json"
EVENTS = "memory/.dreams/events.jsonl"
LOCK = "memory/.dreams/short-term-promotion.lock"
REPAIRS = ".openclaw-repair/dreaming"
VERB = "dream"


@dataclass(frozen=True, slots=True)
class Report:
    """What a night came to, for whoever asks in the morning."""

    day: str
    phases: tuple[str, ...] = ()
    idle_since: str = ""
    recalls: int = 0
    notes: tuple[str, ...] = ()
    staged: int = 0
    themes: tuple[Theme, ...] = ()
    truths: tuple[Truth, ...] = ()
    decision: Decision | None = None
    faded: tuple[tuple[str, str], ...] = ()
    waiting: tuple[str, ...] = ()
    undreamt: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Return the candidates that were not promoted, each with its reason."""
        return self.decision.waiting() if self.decision else ()


@dataclass(frozen=True, slots=True)
class Night:
    """A planned night: what changes, what came of it, and the notes that it rests on."""

    plan: files.Plan
    report: Report
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """What is known while a night is being planned; each phase moves it on."""

    notes: Notes
    rules: Rules
    now: datetime
    before: Entries
    entries: dict[str, Entry]
    signals: dict[str, Signal]
    memo: Memo
    report: Report
    stamps: dict[str, dict[str, int]]
    progress: Progress
    signals_before: Mapping[str, Signal] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    corpus: dict[str, list[str]] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    bodies: dict[str, list[str]] = field(default_factory=dict)

    @property
    def today(self) -> str:
        """Return the day of the night."""
        return self.rules.day(self.now)


def fingerprint(state: State, store: bytes | None, signals: bytes | None, memory: bytes | None) -> str:
    """Return the digest of what phases work on, besides notes and recalls."""
    parts = [store or b"", signals or b"", memory or b"", repr(state.rules).encode()]
    return digest_of(b"\0".join(digest_of(part).encode() for part in parts))


def closing_entries(state: State) -> tuple[Entries, bytes]:
    """Return the entries within their budget, and their file: written anew only where something changed."""
    kept = within_budget(state.entries) if state.rules.trusted else dict(state.entries)
    entries = replace(state.before, by_key=kept)
    if list(kept.items()) == list(state.before.by_key.items()):
        same = print_kept(entries)
        if same == state.notes.content(STORE):
            return entries, same
    entries = replace(entries, updated_at=iso(state.now))
    return entries, print_kept(entries)


def closing_signals(state: State, known: Mapping[str, Entry]) -> bytes | None:
    """Return the file of phase signals; the one there is where they are as they were."""
    signals = {key: signal for key, signal in state.signals.items() if key in known}
    if signals == state.signals_before:
        return state.notes.content(SIGNALS)
    return print_signals(signals, iso(state.now))
