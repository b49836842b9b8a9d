"""Deep: what is promoted, what is replaced, what fades, and why each candidate that waits still waits.

Everything is decided on sentences, as they would stand in MEMORY.md. A candidate has to pass the gates, be found in its
note as the note is now, be worth keeping, say something new, not be contradicted by what was noted later, and find
room. What leaves goes to the archive, and only so much of it in one night.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from mneme.check.claim import Claim, claim_of, likeness
from mneme.check.secret import find_secrets
from mneme.check.twin import CONFLICT, DUPLICATE, judge_pair
from mneme.consolidate.dream.entry import iso, iso_day
from mneme.consolidate.dream.match import entries_within, find_window
from mneme.consolidate.dream.room import NO_ROOM, Draft, make_room, most_leaving
from mneme.consolidate.dream.score import rank, score_entry
from mneme.consolidate.dream.sentence import (
    STALE,
    SUPERSEDED,
    Promotion,
    markers,
    printed,
    promotion_as_openclaw,
    promotion_of,
    sentence,
)
from mneme.consolidate.dream.table import Decision, Left, last_seen, skipped_for
from mneme.consolidate.dream.taint import day_of, is_short_term, is_tainted
from mneme.consolidate.dream.worth import UNSAFE, find_fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mneme.consolidate.dream.chunk import Chunk
    from mneme.consolidate.dream.entry import Entry
    from mneme.consolidate.dream.score import Candidate
    from mneme.consolidate.dream.table import Fits, Heir, Skipped, Table

LEAST_FRAME, LEAST_ALIKE = 3, 0.75
PROVEN_DAYS = 3  # what is asked for over as many days has outlived its day
GONE = "it is no longer in its note"
SEVERAL = "it is several memories at once"


@lru_cache(maxsize=4096)
def _claim(text: str) -> Claim:
    return claim_of(text)


def relation(one: str, two: str) -> str:
    """Say whether two texts are duplicates, or contradict each other, or neither."""
    left, right = _claim(one), _claim(two)
    if judge_pair(left, right, same_topic=False)[0] == DUPLICATE:
        return DUPLICATE
    if likeness(left.frame, right.frame) < LEAST_ALIKE or len(left.frame | right.frame) < LEAST_FRAME:
        return ""
    return CONFLICT if judge_pair(left, right, same_topic=True)[0] == CONFLICT else ""


def decide(table: Table, fits: Fits) -> Decision:
    """Decide a night in trusted scoring."""
    standing, stale, leaving, heirs = _aged(table)
    added: list[tuple[Promotion, Candidate, Chunk]] = [heirs[key] for key in heirs]
    candidates, reconciled, skipped = _chosen(table, [*standing, *(one for one, _, _ in added)])
    limit = max(0, table.rules.gates.limit - len(added))
    skipped += [skipped_for(one, "the night's limit is reached") for _, one, _ in candidates[limit:]]
    settled = make_room(table, fits, Draft(standing, added, leaving), candidates[:limit])
    return Decision(
        tuple(settled.standing),
        tuple(settled.added),
        tuple(reconciled),
        tuple(one for one in stale if one.key in {each.key for each in settled.standing}),
        tuple(settled.leaving),
        (*skipped, *settled.skipped),
        settled.owed,
        others=lambda: _seldom(table, settled.all()),
    )


# What stands already


def _aged(table: Table) -> tuple[list[Promotion], list[Promotion], list[Left], dict[str, Heir]]:
    """Return the promotions with their fates, those that became stale, those that may leave, and who takes over."""
    standing: list[Promotion] = []
    stale: list[Promotion] = []
    leaving: list[Left] = []
    heirs: dict[str, Heir] = {}
    fresh = _fresh(table)
    for one in table.promotions:
        heir = None if one.fate == SUPERSEDED else _heir(table, one, fresh)
        if heir:
            heirs.setdefault(heir[0].key, heir)
            one = _fated(one, SUPERSEDED, heir[0].source)  # noqa: PLW2901 - the promotion as it is now
        if one.fate == SUPERSEDED:
            leaving.append(Left(one, f"{SUPERSEDED} {one.by}"))
        else:
            idle = table.memo.idle_days(last_seen(table, one))
            if idle >= table.rules.trial_days and _is_on_trial(table, one):
                leaving.append(Left(one, "it was needed for a day or two only"))
            elif idle < table.rules.stale_days:
                one = _fated(one, "", "") if one.fate == STALE else one  # noqa: PLW2901
            elif one.fate != STALE:
                one = _fated(one, STALE, table.today)  # noqa: PLW2901
                stale.append(one)
            elif idle >= table.rules.stale_days + table.rules.archive_days:
                leaving.append(Left(one, f"nobody asked for it since {last_seen(table, one)}"))
        standing.append(one)
    return standing, stale, leaving, heirs


def _is_on_trial(table: Table, one: Promotion) -> bool:
    """Say whether a promotion was only ever asked for within two days, so that it has yet to prove that it lasts."""
    entry = table.entries.get(one.key)
    if entry is None or not entry.days:
        return False
    asked = sorted(entry.days)
    last = max(asked[-1], last_seen(table, one) if one.key in table.memo.seen else "")
    promoted = iso_day(entry.promoted_at)
    return _apart(asked[0], last if last > promoted else asked[-1]) < PROVEN_DAYS


def _apart(first: str, last: str) -> int:
    """Return how many days lie between two days; many where one is none."""
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        return PROVEN_DAYS


def _fated(one: Promotion, fate: str, by: str) -> Promotion:
    """Return a promotion with its fate; the other program's form has no room for one, so it takes ours."""
    return printed(replace(one, fate=fate, by=by, heading=""))


def _fresh(table: Table) -> list[tuple[Entry, str]]:
    """Return what is new and not promoted, each with what it says, latest first."""
    found = (table.entries.get(key) for key in table.fresh)
    new = sorted(
        (entry for entry in found if entry is not None and not entry.promoted_at),
        key=lambda each: (day_of(each.path), each.line),
        reverse=True,
    )
    return [(entry, table.said(entry)) for entry in new]


def _heir(table: Table, one: Promotion, fresh: Sequence[tuple[Entry, str]]) -> Heir | None:
    """Return what was noted later, newly, and says otherwise than a promotion."""
    for entry, said in fresh:
        if day_of(entry.path) > one.day and relation(one.text, said) == CONFLICT and not find_fault(entry.snippet):
            candidate = score_entry(entry, table.signals.get(entry.key), table.now, table.rules.gates)
            chunk = _live(table, candidate)
            if chunk is not None:
                return promotion_of(candidate, chunk), candidate, chunk
    return None


# What is new


def _chosen(table: Table, standing: Sequence[Promotion]) -> tuple[list[Heir], list[str], list[Skipped]]:
    """Return the candidates that may be promoted, best first, those that were already, and why the others were not."""
    found: list[Heir] = []
    reconciled: list[str] = []
    skipped: list[Skipped] = []
    taken = {one.key for one in standing}
    said = [one.text for one in standing]
    asked = (one for one in table.entries.values() if one.key not in taken and _is_often_asked(table, one))
    for candidate in rank(asked, table.signals, table.now, table.rules.gates):
        entry = candidate.entry
        if not is_candidate(table, entry):
            continue
        if not candidate.passed:
            skipped.append(skipped_for(candidate, "; ".join(map(str, candidate.missing))))
        elif entry.key in table.known:
            reconciled.append(entry.key)
        else:
            chunk = _live(table, candidate)
            reason = _reason(table, candidate, chunk, [*said, *(one.text for one, _, _ in found)])
            if chunk is None or reason:
                skipped.append(skipped_for(candidate, reason))
            else:
                found.append((promotion_of(candidate, chunk), candidate, chunk))
    return found, reconciled, skipped


def _is_often_asked(table: Table, entry: Entry) -> bool:
    """Say whether an entry has the recalls and may have the questions that the gates ask for, whatever it scores."""
    gates = table.rules.gates
    return entry.recalls >= max(1, gates.min_recalls) and len(entry.queries) >= gates.min_queries


def _seldom(table: Table, standing: Sequence[Promotion]) -> list[Skipped]:
    """Return what was recalled but too seldom, best first, with what it lacks."""
    taken = {one.key for one in standing}
    asked = (one for one in table.entries.values() if one.recalls and one.key not in taken)
    seldom = [one for one in asked if not _is_often_asked(table, one) and is_candidate(table, one)]
    ranked = rank(seldom, table.signals, table.now, table.rules.gates)
    return [skipped_for(one, "; ".join(map(str, one.missing))) for one in ranked]


def verdict_on(table: Table, candidate: Candidate) -> str:
    """Return what would become of a candidate tonight, in words, by the checks that would decide."""
    entry = candidate.entry
    if entry.promoted_at:
        return f"promoted on {iso_day(entry.promoted_at)}"
    if not candidate.passed:
        return "; ".join(map(str, candidate.missing))
    if not table.rules.trusted:
        return "it passes every gate" if _window(table, candidate) else GONE
    return (
        _reason(table, candidate, _live(table, candidate), [one.text for one in table.promotions])
        or "it passes every gate"
    )


def is_candidate(table: Table, entry: Entry) -> bool:
    """Say whether an entry stands where promotions come from: in a day's note that is not in the archive."""
    profile = table.notes.workspace.profile
    if is_tainted(entry.snippet) or profile.is_archived(entry.path):
        return False
    return is_short_term(entry.path) or profile.is_day(entry.path)


def _live(table: Table, candidate: Candidate) -> Chunk | None:
    return table.notes.find_live(candidate.entry)


def _reason(table: Table, candidate: Candidate, chunk: Chunk | None, said: Sequence[str]) -> str:
    """Return why a candidate that passed the gates is not promoted, or the empty string."""
    entry = candidate.entry
    if chunk is None:
        return GONE
    text = sentence(chunk, day_of(entry.path))
    if fault := _several(table, entry, chunk) or find_fault(chunk.snippet, chunk.written) or _unsafe(text):
        return fault
    if (newer := _contradiction(table, entry, text)) is not None:
        return f"{newer.place} says otherwise, later"
    if any(relation(text, other) == DUPLICATE for other in said):
        return "MEMORY.md has it already, promoted"
    verdicts = {relation(text, other) or relation(chunk.snippet, other) for other in table.written}
    if DUPLICATE in verdicts:
        return "MEMORY.md says so already"
    return "MEMORY.md says otherwise" if CONFLICT in verdicts else ""


def _several(table: Table, entry: Entry, chunk: Chunk) -> str:
    """Say that a stretch of a note is more than one memory, as what other programs recall often is."""
    if chunk.written:
        return ""
    text = table.notes.text(entry.path) or ""
    return SEVERAL if len(entries_within(text, entry.path, chunk.line, chunk.end_line)) > 1 else ""


def _unsafe(text: str) -> str:
    return UNSAFE if find_secrets(text) else ""


def _contradiction(table: Table, entry: Entry, text: str) -> Entry | None:
    """Return an entry that was noted later and says otherwise."""
    here = (day_of(entry.path), entry.line)
    later = (one for one in table.entries.values() if one.key != entry.key and (day_of(one.path), one.line) > here)
    return next(
        (one for one in later if CONFLICT in (relation(entry.snippet, one.snippet), relation(text, one.snippet))), None
    )


# As the reference does


def decide_as_openclaw(table: Table, fits: Fits, memory: str) -> Decision:
    """Decide a night in OpenClaw's scoring: the best that pass, cut to the limit, as their lines are now."""
    gates = table.rules.gates
    ranked = rank(table.entries.values(), table.signals, table.now, gates)
    usable = [one for one in ranked if is_short_term(one.entry.path) and not is_tainted(one.entry.snippet)]
    passed = [one for one in usable if one.passed]
    skipped = [skipped_for(one, "; ".join(map(str, one.missing))) for one in usable if not one.passed]
    skipped += [skipped_for(one, "the night's limit is reached") for one in passed[gates.limit :]]
    known = markers(memory)
    added: list[Heir] = []
    reconciled: list[str] = []
    for candidate in passed[: gates.limit]:
        chunk = _window(table, candidate)
        if chunk is None or is_tainted(chunk.snippet):
            skipped.append(skipped_for(candidate, GONE))
        elif find_secrets(chunk.snippet):
            skipped.append(skipped_for(candidate, UNSAFE))
        elif candidate.entry.key in known:
            reconciled.append(candidate.entry.key)
        else:
            added.append((promotion_as_openclaw(candidate, chunk, table.today), candidate, chunk))
    standing, left = list(table.promotions), list[Left]()
    spare = most_leaving(table)
    while spare and standing and not fits([*standing, *(one for one, _, _ in added)]):
        left.append(Left(standing.pop(0), "MEMORY.md is over its budget"))
        spare -= 1
    owed = bool(standing) and not fits([*standing, *(one for one, _, _ in added)])
    while added and not fits([*standing, *(one for one, _, _ in added)]):
        skipped.append(skipped_for(added.pop()[1], NO_ROOM))
    return Decision(tuple(standing), tuple(added), tuple(reconciled), (), tuple(left), tuple(skipped), owed)


def _window(table: Table, candidate: Candidate) -> Chunk | None:
    for one in source_paths(candidate.entry.path):
        text = table.notes.text(one) if ".." not in one.split("/") else None
        found = find_window(candidate.entry, text) if text is not None else None
        if found is not None:
            return found
    return None


def source_paths(path: str) -> tuple[str, ...]:
    """Return the files in which the reference looks for what an entry says, the likeliest first."""
    return (path,) if path.startswith("memory/") else (path, f"memory/{path.rpartition('/')[2]}")


def promoted_entry(entry: Entry, chunk: Chunk, now: datetime) -> Entry:
    """Return an entry that was promoted, standing where it was found."""
    return replace(entry, line=chunk.line, end_line=chunk.end_line, snippet=chunk.snippet, promoted_at=iso(now))
