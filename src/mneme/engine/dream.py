"""The verbs of dreaming: a night, how it stands, why a candidate waits, and whether nights happen at all."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.openclaw import dream_rules, is_set_to_dream
from mneme.errors import BadInputError, NotFoundError, RefusedError
from mneme.workspace import given_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from mneme.consolidate.dream.memo import Memo
    from mneme.consolidate.dream.rules import Rules
    from mneme.consolidate.dream.score import Candidate
    from mneme.consolidate.dream.sessions import Transcript
    from mneme.consolidate.dream.state import Night, Report
    from mneme.consolidate.dream.table import Table
    from mneme.engine.memory import Memory
    from mneme.engine.replay import Worse
    from mneme.engine.results import Done
    from mneme.errors import Problem

DREAMT, IDLE, OFF, ELSEWHERE, HELD = "dreamt", "idle", "off", "elsewhere", "held"
HOST_DREAMS_DAYS = 3  # a host program that has dreamt within so many days is still dreaming
MOST_PLANS = 3  # a night is planned anew where a note that it rests on was edited meanwhile
MOST_EXPLAINED = 10


@dataclass(frozen=True, slots=True)
class Dreamt:
    """What came of a night: the plan, the report, or why there was none."""

    status: str
    report: Report | None = None
    done: Done | None = None
    message: str = ""
    worse: tuple[Worse, ...] = ()

    @property
    def fault(self) -> str:
        """Return why the night was held back, for whoever runs it; empty where it was not."""
        return self.message if self.status == HELD else ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        return self.done.paths if self.done else ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what was noticed on the way."""
        return (*(self.report.problems if self.report else ()), *(self.done.problems if self.done else ()))

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "status": self.status,
            "message": self.message,
            "plan": self.done.n if self.done else 0,
            "diff": self.done.diff if self.done else "",
            "worse": [one.as_json() for one in self.worse],
            "report": _report_json(self.report) if self.report else None,
        }


@dataclass(frozen=True, slots=True)
class DreamStatus:
    """How dreaming stands: whether it is on, when each phase last ran, how much there is, and by which rules."""

    state: str
    message: str
    last: dict[str, str]
    entries: int
    recalled: int
    promoted: int
    standing: int
    waiting: int
    undreamt: tuple[str, ...]
    rules: dict[str, object]

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a candidate was promoted, or what it lacks, by the very checks that decide."""

    key: str
    text: str
    path: str
    line: int
    end_line: int
    score: float
    terms: dict[str, float]
    boost: float
    checks: tuple[tuple[str, float, float, bool], ...]
    verdict: str

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        names = ("name", "have", "need", "passed")
        return asdict(self) | {"checks": [dict(zip(names, check, strict=True)) for check in self.checks]}


def dream(
    memory: Memory,
    phases: Sequence[str] = (),
    *,
    since: str | None = None,
    sessions: Sequence[str] = (),
    force: bool = False,
    dry_run: bool = False,
) -> Dreamt:
    """Dream a night: the phases that are named, in their order, or all three; one plan, empty where nothing is new.

    A plan after which a pinned question or a recent one would be answered worse is shown and held back, unless forced.
    """
    from mneme.consolidate.dream.phases import PHASES
    from mneme.engine.replay import find_worse

    if unknown := [phase for phase in phases if phase not in PHASES]:
        message = f"there is no phase '{unknown[0]}'; there are {', '.join(PHASES)}"
        raise BadInputError(message, "mneme dream --dry-run")
    rules = dream_rules(memory)
    if not force:
        state, message = _standing(memory, _memo(memory))
        if state != DREAMT:
            return Dreamt(state, message=message)
        memory.check_first("dream")
    if since is not None:
        rules = _looking_back(memory, rules, since)
    transcripts = tuple(_transcripts(memory, sessions))
    with memory.writing("dream", dry_run=dry_run), _with_openclaw(memory, dry_run=dry_run):
        night = _planned(memory, rules, tuple(phases) or PHASES, transcripts)
        worse = () if force else find_worse(memory, night.plan, memory.workspace.settings["dream.pinned"])
        done = memory.apply(night.plan, dry_run=dry_run or bool(worse))
    if worse:
        return Dreamt(HELD, night.report, done, _held_message(worse), worse)
    status = IDLE if night.report.idle_since else DREAMT
    return Dreamt(status, night.report, done, _idle_message(night))


def dream_status(memory: Memory) -> DreamStatus:
    """Return how dreaming stands; looking at it changes nothing."""
    from mneme.consolidate.dream.night import undreamt
    from mneme.consolidate.dream.score import rank

    table = _table(memory)
    memo, rules = table.memo, table.rules
    state, message = _standing(memory, memo)
    candidates = rank(table.entries.values(), table.signals, table.now, rules.gates)
    gates = rules.gates
    told: dict[str, object] = {
        "scoring": gates.scoring,
        "min_score": gates.min_score,
        "min_recalls": gates.min_recalls,
        "min_queries": gates.min_queries,
        "half_life_days": gates.half_life_days,
        "max_age_days": gates.max_age_days,
        "limit": gates.limit,
        "short_term_turns": memory.workspace.settings["dream.short_term_turns"],
        "working_days": rules.working_days,
    }
    return DreamStatus(
        state="on" if state == DREAMT else state,
        message=message,
        last=dict(memo.last),
        entries=len(table.entries),
        recalled=sum(entry.recalls > 0 for entry in table.entries.values()),
        promoted=sum(bool(entry.promoted_at) for entry in table.entries.values()),
        standing=len(table.promotions),
        waiting=sum(one.passed for one in candidates),
        undreamt=undreamt(table.notes, memo, rules, table.now),
        rules=told,
    )


def dream_switch(memory: Memory, *, on: bool, dry_run: bool = False) -> Done:
    """Turn dreaming on or off; the schedule keeps to it, and so does `mneme dream` unless it is forced."""
    from mneme.consolidate.dream import memo as memos
    from mneme.consolidate.dream.entry import iso

    with memory.writing("dream", dry_run=dry_run):
        before = files.find_file(files.place_of(memory.root, memos.PATH))
        known = memos.parse_memo(before)
        if known.enabled is on:
            return memory.apply(files.Plan("dream"), dry_run=dry_run)
        after = memos.print_memo(replace(known, enabled=on, since=iso(memory.now()) if on else known.since))
        change = files.plan_replace(memos.PATH, before, after, f"dreaming is {'on' if on else 'off'}")
        plan = files.Plan("dream", (change,) if change else (), "on" if on else "off")
        return memory.apply(plan, dry_run=dry_run)


def dream_explain(memory: Memory, wanted: str = "") -> tuple[Explained, ...]:
    """Explain the candidates whose key, path or words hold a text; without one, the best there are."""
    from mneme.consolidate.dream.deep import is_candidate
    from mneme.consolidate.dream.score import rank

    table = _table(memory)
    sought = wanted.strip().lower()
    ranked = rank(table.entries.values(), table.signals, table.now, table.rules.gates, promoted=True)
    found = [
        one
        for one in ranked
        if is_candidate(table, one.entry)
        and (sought in one.entry.key.lower() or sought in one.entry.path.lower() or sought in one.entry.snippet.lower())
    ]
    if not found:
        message = f"no candidate has '{wanted}' in its key, path or words" if wanted else "there is no candidate yet"
        raise NotFoundError(message, "mneme dream status")
    exact = [one for one in found if one.entry.key.lower() == sought]
    return tuple(_explained(table, one) for one in (exact or found)[:MOST_EXPLAINED])


def _explained(table: Table, one: Candidate) -> Explained:
    from mneme.consolidate.dream.deep import verdict_on
    from mneme.consolidate.dream.score import normal_weights

    weights = normal_weights(table.rules.gates.weights)
    entry = one.entry
    return Explained(
        entry.key,
        entry.snippet,
        entry.path,
        entry.line,
        entry.end_line,
        one.score,
        {name: weights[name] * value for name, value in one.components.items()},
        one.boost,
        tuple((check.name, check.have, check.need, check.passed) for check in one.checks),
        verdict_on(table, one),
    )


# Where dreaming stands


def _memo(memory: Memory) -> Memo:
    from mneme.consolidate.dream import memo as memos

    return memos.parse_memo(files.find_file(files.place_of(memory.root, memos.PATH)))


def _standing(memory: Memory, memo: Memo) -> tuple[str, str]:
    """Say whether a night may begin, and if not, why."""
    from mneme.consolidate.dream.entry import find_moment
    from mneme.consolidate.dream.outcome import host_dreamt_at
    from mneme.consolidate.dream.state import EVENTS

    if memo.enabled is False:
        return OFF, "dreaming is off; mneme dream on"
    if memo.enabled is None and is_set_to_dream(memory):
        return (
            ELSEWHERE,
            "OpenClaw is set to dream here itself; turn that off in its openclaw.json, then: mneme dream on",
        )
    at = host_dreamt_at(files.find_file(files.place_of(memory.root, EVENTS)))
    moment, since = find_moment(at), find_moment(memo.since)
    if moment is None or (since is not None and moment <= since):
        return DREAMT, ""
    if memory.now() - moment > timedelta(days=HOST_DREAMS_DAYS):
        return DREAMT, ""
    return ELSEWHERE, f"OpenClaw dreams here itself, last at {at}; turn its dreaming off, then: mneme dream on"


def _looking_back(memory: Memory, rules: Rules, since: str) -> Rules:
    """Return rules by which the phases look back as far as a day."""
    try:
        days = (memory.today - date.fromisoformat(since)).days
    except ValueError as error:
        message = f"'{since}' is not a date"
        raise BadInputError(message, "mneme dream --since 2026-01-31") from error
    return replace(rules, light_days=max(days, rules.light_days), rem_days=max(days, rules.rem_days))


def _planned(memory: Memory, rules: Rules, phases: tuple[str, ...], transcripts: tuple[Transcript, ...]) -> Night:
    """Plan the night; where a note that a promotion rests on was edited meanwhile, plan it anew."""
    from mneme.consolidate.dream.night import plan_night

    night = plan_night(memory.workspace, rules, memory.now(), phases, transcripts=transcripts)
    for _ in range(MOST_PLANS):
        if _still_stands(memory, night):
            return night
        night = plan_night(memory.workspace, rules, memory.now(), phases, transcripts=transcripts)
    message = "a note is being edited again and again while it is dreamt over"
    raise RefusedError(message, "mneme dream")


def _still_stands(memory: Memory, night: Night) -> bool:
    from mneme.consolidate.dream.ingest import digest_of

    found = ((path, files.find_file(files.place_of(memory.root, path))) for path in night.sources)
    return all(("" if now is None else digest_of(now)) == night.sources[path] for path, now in found)


def _idle_message(night: Night) -> str:
    return f"nothing is new since {night.report.idle_since}" if night.report.idle_since else ""


def _with_openclaw(memory: Memory, *, dry_run: bool) -> contextlib.AbstractContextManager[None]:
    """Hold the lock that OpenClaw's memory takes before it writes the same state."""
    from mneme.consolidate.dream.state import LOCK

    return contextlib.nullcontext() if dry_run else files.neighbour_lock(files.place_of(memory.root, LOCK))


def _held_message(worse: Sequence[Worse]) -> str:
    more = f", and {len(worse) - 1} more" if len(worse) > 1 else ""
    return f"the night is held back: {worse[0]}{more}"


def _transcripts(memory: Memory, given: Sequence[str]) -> Iterator[Transcript]:
    """Yield the transcripts of the folders that were given, or that a trusted workspace's settings name."""
    from mneme.consolidate.dream.sessions import Transcript

    named = list(given) or (memory.workspace.settings["dream.sessions"] if memory.workspace.trusted else [])
    for folder in map(given_folder, named):
        if not folder.is_dir():
            message = f"there is no folder of sessions at '{folder}'"
            raise NotFoundError(message, "mneme dream --sessions ~/.openclaw/agents/main/sessions")
        agent = folder.parent.name if folder.name == "sessions" else folder.name
        for place in sorted(folder.glob("*.jsonl*")):
            content = files.find_file(place) if place.is_file() else None
            if content is not None:
                yield Transcript(agent or "main", place.name, content, _written_ms(place))


def _written_ms(place: Path) -> float:
    try:
        return place.stat().st_mtime_ns / 1_000_000
    except OSError:
        return 0.0


def _table(memory: Memory) -> Table:
    """Return what Deep would decide on now."""
    from mneme.consolidate.dream.night import open_table

    return open_table(memory.workspace, dream_rules(memory), _now(memory))


def _now(memory: Memory) -> datetime:
    return memory.now()


def _report_json(report: Report) -> dict[str, object]:
    decision = report.decision
    return {
        "day": report.day,
        "phases": list(report.phases),
        "idle_since": report.idle_since,
        "recalls": report.recalls,
        "notes": list(report.notes),
        "staged": report.staged,
        "themes": [asdict(theme) for theme in report.themes],
        "truths": [
            {"key": one.entry.key, "text": one.entry.snippet, "confidence": one.confidence} for one in report.truths
        ],
        "promoted": [
            {"key": one.key, "text": one.text, "source": one.source, "score": candidate.score}
            for one, candidate, _ in (decision.added if decision else ())
        ],
        "reconciled": list(decision.reconciled if decision else ()),
        "stale": [{"key": one.key, "text": one.text} for one in (decision.stale if decision else ())],
        "left": [
            {"key": left.promotion.key, "text": left.promotion.text, "reason": left.reason}
            for left in (decision.left if decision else ())
        ],
        "skipped": [asdict(one) for one in report.skipped],
        "faded": [{"path": path, "what": what} for path, what in report.faded],
        "waiting": list(report.waiting),
        "undreamt": list(report.undreamt),
    }
