"""One night as one plan: what the phases read, choose and decide, turned into changes of files.

`plan_night` reads the workspace once, lets the phases work on what it read, and returns a plan and a report. With no
new input the plan is empty, however many nights pass. Nothing is written here, and no daily note is ever touched.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.consolidate.dream import diary, ingest, outcome, phases, sessions
from mneme.consolidate.dream import memo as memos
from mneme.consolidate.dream.deep import decide, decide_as_openclaw, promoted_entry
from mneme.consolidate.dream.entry import entry_key, iso, parse_entries, parse_signals
from mneme.consolidate.dream.ingest import Notes, digest_of
from mneme.consolidate.dream.kept import parse_kept
from mneme.consolidate.dream.match import find_at, find_meant
from mneme.consolidate.dream.phases import DEEP, LIGHT, PHASES, REM
from mneme.consolidate.dream.recalls import read_events, read_log
from mneme.consolidate.dream.record import (
    DAILY,
    Seen,
    count_asked,
    count_seen,
    hit_all,
    repaired,
)
from mneme.consolidate.dream.rules import LIGHT_LIMIT, REM_LIMIT
from mneme.consolidate.dream.state import EVENTS, REPAIRS, SIGNALS, STORE, VERB, Night, Report, State, fingerprint
from mneme.consolidate.dream.table import Table
from mneme.consolidate.dream.taint import is_short_term
from mneme.consolidate.dream.worth import find_fault
from mneme.errors import WARN, Problem
from mneme.formats.recalled import ASKED, RECALL_LOG

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from mneme.consolidate.dream.entry import Entry
    from mneme.consolidate.dream.memo import Memo
    from mneme.consolidate.dream.recalls import Recall
    from mneme.consolidate.dream.rules import Rules
    from mneme.consolidate.dream.sessions import Transcript
    from mneme.consolidate.dream.table import Decision
    from mneme.formats import recalled
    from mneme.workspace import Workspace

PASSAGE_CHARS = 700  # of a stretch that was searched as OpenClaw searches, so much is counted as its words


def plan_night(
    workspace: Workspace,
    rules: Rules,
    now: datetime,
    asked: Sequence[str] = PHASES,
    *,
    transcripts: Sequence[Transcript] = (),
    memo: Memo | None = None,
) -> Night:
    """Plan the phases that were asked for, in their order."""
    state = _open(workspace, rules, now, memo)
    wanted = tuple(phase for phase in PHASES if phase in asked)
    recalls, mark = read_log(files.find_file(workspace.root / files.WORKPLACE / RECALL_LOG) or b"", state.memo.log)
    events, events_at = _events(state)
    if _is_idle(state, wanted, [*recalls, *events], transcripts):
        last = max((state.memo.last.get(phase, "") for phase in wanted), default="")
        return Night(files.Plan(VERB), replace(state.report, phases=wanted, idle_since=last))
    _count_recalls(state, recalls)
    _count_events(state, events)
    state.memo = replace(state.memo, log=mark, events_at=events_at)
    for phase in wanted:
        if phase == LIGHT:
            _light(state, transcripts)
        elif phase == REM:
            _rem(state, transcripts)
    decision = _deep(state) if DEEP in wanted else None
    state.report = replace(state.report, phases=wanted, recalls=len(recalls))
    return outcome.night_of(state, wanted, decision)


def _open(workspace: Workspace, rules: Rules, now: datetime, memo: Memo | None) -> State:
    notes = Notes(workspace)
    kept = memos.parse_memo(notes.content(memos.PATH)) if memo is None else memo
    ours = kept.store and kept.store == notes.digest(STORE)
    before = parse_kept(notes.content(STORE) or b"") if ours else parse_entries(notes.content(STORE), now)
    problems = []
    if before.broken:
        message = f"the store of recalls could not be read ({before.broken}); it is kept in {REPAIRS} and begun anew"
        problems.append(Problem(STORE, 1, "broken-dream-state", WARN, message))
    entries = dict(before.by_key) if rules.trusted else dict(repaired(before, now).by_key)
    signals = parse_signals(notes.content(SIGNALS))
    report = Report(rules.day(now), problems=tuple(problems), undreamt=undreamt(notes, kept, rules, now))
    return State(
        notes,
        rules,
        now,
        before,
        entries,
        signals,
        kept,
        report,
        ingest.parse_checkpoint(notes.content(ingest.CHECKPOINT)),
        sessions.parse_progress(notes.content(sessions.CHECKPOINT)),
        signals,
    )


def undreamt(notes: Notes, memo: Memo, rules: Rules, now: datetime) -> tuple[str, ...]:
    """Return the notes that are no longer working memory and that no night has looked at, oldest first."""
    oldest = (date.fromisoformat(rules.day(now)) - timedelta(days=rules.working_days)).isoformat()
    found = sorted((day, path) for path, day in notes.days().items() if day < oldest and not memo.has_dreamt(day))
    return tuple(path for _, path in found)


# Is there anything new?


def _is_idle(state: State, wanted: Iterable[str], recalls: Sequence[Recall], transcripts: Sequence[Transcript]) -> bool:
    """Say whether every phase that is wanted has seen all there is; the reference's scoring counts each night anew."""
    if recalls or any(phase not in state.memo.last for phase in wanted):
        return False
    if not state.rules.trusted and any(not _is_tonight(state, phase) for phase in wanted):
        return False
    memory = state.notes.content(state.notes.workspace.profile.places.memory)
    now = fingerprint(state, state.notes.content(STORE), state.notes.content(SIGNALS), memory)
    if any(state.memo.left.get(phase) != now for phase in wanted):
        return False
    windows = {LIGHT: state.rules.light_days, REM: state.rules.rem_days}
    for phase in wanted:
        days = windows.get(phase)
        if days is not None and _has_fresh_notes(state, phase, days):
            return False
    return not _new_lines(state, transcripts)


def _has_fresh_notes(state: State, phase: str, days: int) -> bool:
    """Say whether a phase has notes to read; each way of counting keeps its own checkpoint."""
    if state.rules.trusted:
        return bool(ingest.fresh_notes(state.notes, state.memo.read.get(phase, {}), state.now, days))
    return bool(ingest.fresh_as_openclaw(state.notes, state.stamps, state.now, days))


def _is_tonight(state: State, phase: str) -> bool:
    from mneme.consolidate.dream.entry import find_moment

    last = find_moment(state.memo.last.get(phase, ""))
    return last is not None and state.rules.day(last) == state.today


def _new_lines(state: State, transcripts: Sequence[Transcript]) -> bool:
    if not transcripts:
        return False
    found = sessions.sweep(
        transcripts, state.progress, {}, state.rules, now=state.now, lookback_days=state.rules.rem_days
    )
    return bool(found.lines)


# What was recalled


def _count_recalls(state: State, recalls: Sequence[Recall]) -> None:
    """Count what the log says: what was asked, and what was injected once for each session."""
    injected = list(state.memo.injected)
    seen = dict(state.memo.seen)
    for recall in recalls:
        at = min(recall.at, state.now)
        day = state.rules.day(at)
        for hit in recall.counted:
            if recall.origin != ASKED:
                once = digest_of(f"{recall.session}\0{hit.path}\0{hit.id or hit.line}".encode())
                if once in injected:
                    continue
                injected.append(once)
            _count_hit(state, recall, hit, seen, day=day)
    days = {state.rules.day(min(recall.at, state.now)) for recall in recalls}
    state.memo = replace(state.memo.with_active(days), injected=tuple(injected[-memos.MOST_SESSIONS :]), seen=seen)


def _count_hit(state: State, recall: Recall, hit: recalled.Seen, seen: dict[str, str], *, day: str) -> None:
    profile = state.notes.workspace.profile
    if hit.path == profile.places.memory:
        if key := outcome.promoted_at(state.notes, hit):
            seen[key] = max(day, seen.get(key, ""))
        return
    if profile.is_classified(hit.path):
        seen[hit.path] = max(day, seen.get(hit.path, ""))
        return
    if profile.is_archived(hit.path) or not (profile.is_day(hit.path) or is_short_term(hit.path)):
        return
    text = state.notes.text(hit.path) if ".." not in hit.path.split("/") else None
    if text is not None and not hit.id and not state.rules.trusted:
        passage = "\n".join(text.split("\n")[hit.line - 1 : hit.end_line])[:PASSAGE_CHARS]
        place = Seen(hit.path, hit.line, hit.end_line, passage, hit.score)
        count_seen(state.entries, recall.query, [place], now=min(recall.at, state.now), day=day)
        return
    chunk = find_at(text, hit.path, hit.line, hit.id.partition("#")[2][:8]) if text is not None else None
    if chunk is None:
        return
    place = Seen(hit.path, chunk.line, chunk.end_line, chunk.snippet, hit.score)
    at = min(recall.at, state.now)
    if state.rules.trusted:
        query = recall.query if recall.origin == ASKED else ""
        state.fresh.add(count_asked(state.entries, place, at=at, day=day, query=query))
    else:
        count_seen(state.entries, recall.query, [place], now=at, day=day)


def _events(state: State) -> tuple[list[Recall], str]:
    """Return what the other program has recorded since the last night; its own scoring needs no second look at it."""
    if not state.rules.trusted:
        return [], state.memo.events_at
    return read_events(state.notes.content(EVENTS) or b"", state.memo.events_at)


def _count_events(state: State, events: Sequence[Recall]) -> None:
    """Count what the other program recalled: of each stretch of a note the one memory that the query meant."""
    for event in events:
        at = min(event.at, state.now)
        for hit in event.counted:
            text = state.notes.text(hit.path) if is_short_term(hit.path) and ".." not in hit.path.split("/") else None
            chunk = find_meant(text, hit.path, hit.line, hit.end_line, event.words) if text is not None else None
            own = state.entries.get(entry_key(hit.path, hit.line, hit.end_line))
            if chunk is not None and (own is None or own.snippet != chunk.snippet):
                place = Seen(hit.path, chunk.line, chunk.end_line, chunk.snippet, hit.score)
                state.fresh.add(count_asked(state.entries, place, at=at, day=state.rules.day(at), query=event.query))
    days = {state.rules.day(min(event.at, state.now)) for event in events}
    state.memo = state.memo.with_active(days)


# Light and REM


def _light(state: State, transcripts: Sequence[Transcript]) -> None:
    rules = state.rules
    _take_in(state, LIGHT, transcripts, rules.light_days, LIGHT_LIMIT)
    chosen = phases.light_choice(state.entries.values(), state.now, rules)
    keys = phases.chosen_keys(LIGHT, chosen, state.signals, rules)
    state.signals = hit_all(state.signals, keys, state.entries, LIGHT, iso(state.now))
    new = [one for one in chosen if not rules.trusted or (one.key in {*keys, *state.fresh} and _is_worth(state, one))]
    new.sort(key=lambda one: one.recalls, reverse=True)
    told = diary.tell_light(state.today, len(state.report.notes), new)
    state.told += [told] if told else []
    state.bodies[LIGHT] = phases.light_body(chosen)
    state.report = replace(state.report, staged=len(chosen))


def _rem(state: State, transcripts: Sequence[Transcript]) -> None:
    rules = state.rules
    _take_in(state, REM, transcripts, rules.rem_days, REM_LIMIT)
    recent = phases.in_lookback(state.entries.values(), state.now, rules.rem_days, rules)
    worthy = [one for one in recent if not rules.trusted or _is_worth(state, one)]
    themes, truths = phases.rem_themes(worthy), phases.rem_truths(worthy, rules)
    keys = phases.chosen_keys(REM, [one.entry for one in truths], state.signals, rules)
    state.signals = hit_all(state.signals, keys, state.entries, REM, iso(state.now))
    new = [one for one in truths if not rules.trusted or one.entry.key in {*keys, *state.fresh}]
    told = diary.tell_rem(state.today, themes, new)
    state.told += [told] if told else []
    state.bodies[REM] = phases.rem_body(themes, truths)
    state.report = replace(state.report, themes=tuple(themes), truths=tuple(truths))


def _is_worth(state: State, entry: Entry) -> bool:
    """Say whether an entry is worth telling, as it stands in its note."""
    written = next((one.written for one in state.notes.chunks(entry.path) if one.snippet == entry.snippet), "")
    return not find_fault(entry.snippet, written)


def _take_in(state: State, phase: str, transcripts: Sequence[Transcript], days: int, limit: int) -> None:
    """Take in the notes and transcripts of a phase's window."""
    if state.rules.trusted:
        read = state.memo.read.get(phase, {})
        taken = ingest.take_in(state.entries, state.notes, read, state.now, days)
        by_path = state.notes.days()
        seen_days = {by_path[path] for path in taken.paths if path in by_path}
        kept = replace(state.memo, read={**state.memo.read, phase: taken.read})
        state.memo = kept.with_dreamt(seen_days).with_active(day for day in seen_days if day <= state.today)
        state.fresh |= set(taken.keys)
        state.report = replace(
            state.report,
            notes=tuple(dict.fromkeys((*state.report.notes, *taken.paths))),
            waiting=tuple(dict.fromkeys((*state.report.waiting, *taken.left_over))),
        )
    else:
        state.stamps = ingest.take_in_as_openclaw(
            state.entries, state.notes, state.stamps, state.rules, now=state.now, lookback_days=days, limit=limit
        )
    _take_in_sessions(state, transcripts, days)


def _take_in_sessions(state: State, transcripts: Sequence[Transcript], days: int) -> None:
    if not transcripts:
        return
    there = {
        day: (state.notes.content(sessions.corpus_path(day)) or b"") + "".join(f"{row}\n" for row in rows).encode()
        for day, rows in state.corpus.items()
    }
    found = sessions.sweep(
        transcripts, state.progress, _Corpus(state, there), state.rules, now=state.now, lookback_days=days
    )
    for day, rows in found.lines.items():
        state.corpus.setdefault(day, []).extend(rows)
        if not state.rules.trusted:
            query = sessions.query_of(day)
            count_seen(
                state.entries, query, found.seen[day], now=state.now, day=state.today, kind=DAILY, once_a_day=True
            )
    state.progress = found.progress


class _Corpus(dict[str, bytes]):
    """The days of the corpus as they are, with what this night has added."""

    def __init__(self, state: State, added: Mapping[str, bytes]) -> None:
        super().__init__(added)
        self.state = state

    def get(self, day: str, default: bytes = b"") -> bytes:  # type: ignore[override]
        """Return a day's file."""
        return self[day] if day in self else self.state.notes.content(sessions.corpus_path(day)) or default


# Deep


def _deep(state: State) -> Decision:
    """Decide, and mark in the store what was promoted."""
    rules = state.rules
    memory = outcome.memory_of(state.notes, rules.style)
    table = _table(state, memory)
    fits = memory.fits(rules)
    decision = decide(table, fits) if rules.trusted else decide_as_openclaw(table, fits, memory.text)
    for _, candidate, chunk in decision.added:
        key = candidate.entry.key
        state.entries[key] = promoted_entry(state.entries[key], chunk, state.now)
    for key in decision.reconciled:
        state.entries[key] = replace(state.entries[key], promoted_at=iso(state.now))
    seen = {one.key: state.memo.seen.get(one.key, state.today) for one in decision.standing}
    seen |= {one.key: state.today for one, _, _ in decision.added}
    others = {key: day for key, day in state.memo.seen.items() if not key.startswith("memory:")}
    state.memo = replace(state.memo, seen=others | seen)
    told = diary.tell_deep(
        state.today,
        [one.text for one, _, _ in decision.added],
        [one.text for one in decision.stale],
        [one.promotion.text for one in decision.left],
    )
    state.told += [told] if told else []
    return decision


def open_table(workspace: Workspace, rules: Rules, now: datetime) -> Table:
    """Return what Deep would decide on if it were night: for whoever asks why."""
    state = _open(workspace, rules, now, None)
    recalls, _ = read_log(files.find_file(workspace.root / files.WORKPLACE / RECALL_LOG) or b"", state.memo.log)
    _count_recalls(state, recalls)
    _count_events(state, _events(state)[0])
    return _table(state, outcome.memory_of(state.notes, rules.style))


def _table(state: State, memory: outcome.Memory) -> Table:
    return Table(
        state.entries,
        state.signals,
        state.notes,
        state.memo,
        state.rules,
        state.now,
        written=memory.written,
        known=memory.known,
        fresh=frozenset(state.fresh | _since(state, state.memo.last.get(DEEP, ""))),
        promotions=memory.promotions,
    )


def _since(state: State, at: str) -> set[str]:
    """Return the keys of entries that are newer than a moment."""
    return {key for key, entry in state.entries.items() if entry.first_at > at}
