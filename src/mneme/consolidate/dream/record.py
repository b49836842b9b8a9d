"""How the store of entries changes: a hit is counted, old shapes are repaired, and there is never too much of it.

Each function takes the entries and returns new ones. What is kept when there are too many is what was recalled, not
what was only seen last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.consolidate.dream.entry import (
    MOST_DAYS,
    MOST_QUERIES,
    Entries,
    Entry,
    Signal,
    clamp,
    entry_key,
    hash_claim,
    iso,
    iso_day,
    newest,
)
from mneme.consolidate.dream.tags import concept_tags
from mneme.consolidate.dream.taint import is_tainted, plain_path, plain_snippet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

RECALL, DAILY = "recall", "daily"
MOST_ENTRIES = 512


@dataclass(frozen=True, slots=True)
class Seen:
    """A place that a recall or a phase has come upon, its words, and how well it fitted."""

    path: str
    line: int
    end_line: int
    snippet: str
    score: float


def count_seen(
    entries: dict[str, Entry],
    query: str,
    seen: Iterable[Seen],
    *,
    now: datetime,
    day: str,
    kind: str = RECALL,
    once_a_day: bool = False,
) -> None:
    """Count the results of a query, named by its hash, as the reference does: a signal each, and the query and day."""
    if not query:
        return
    for one in seen:
        snippet = plain_snippet(one.snippet)
        if snippet and not is_tainted(snippet):
            entry = _found(entries, one, snippet, now)
            repeated = once_a_day and query in entry.queries and day in entry.days
            entries[entry.key] = _counted(
                entry, replace(one, snippet=snippet), kind, now, repeated=repeated, query=query, day=day
            )


def _found(entries: Mapping[str, Entry], seen: Seen, snippet: str, now: datetime) -> Entry:
    """Return the entry of a place: the one staged for these very words, else the place's own, else a new one."""
    path, line, end_line = plain_path(seen.path), max(1, seen.line), max(1, seen.end_line)
    staged, own = entry_key(path, line, end_line, hash_claim(snippet)), entry_key(path, line, end_line)
    known = entries.get(staged) or entries.get(own)
    return known or Entry(own, path, line, end_line, snippet, first_at=iso(now), last_at=iso(now))


def _counted(entry: Entry, seen: Seen, kind: str, now: datetime, *, repeated: bool, query: str, day: str) -> Entry:
    score = clamp(seen.score)
    one = 0 if repeated else 1
    return replace(
        entry,
        line=max(1, seen.line),
        end_line=max(1, seen.end_line),
        snippet=seen.snippet,
        recalls=entry.recalls + one * (kind == RECALL),
        dailies=entry.dailies + one * (kind == DAILY),
        total_score=entry.total_score + one * score,
        max_score=max(entry.max_score, one * score),
        last_at=iso(now),
        queries=newest(entry.queries, query, MOST_QUERIES),
        days=newest(entry.days, day, MOST_DAYS),
        tags=concept_tags(entry.path, seen.snippet) or entry.tags,
    )


def count_staged(
    entries: dict[str, Entry], query: str, seen: Iterable[Seen], *, signals: int, now: datetime, day: str
) -> None:
    """Count what a backfill found in old notes: a claim of its own, with as many signals as it is sure."""
    for one in seen:
        snippet = plain_snippet(one.snippet)
        if not snippet or is_tainted(snippet):
            continue
        path, claim = plain_path(one.path), hash_claim(snippet)
        key = entry_key(path, max(1, one.line), max(1, one.end_line), claim)
        first = Entry(key, path, one.line, one.end_line, snippet, first_at=iso(now), claim=claim)
        entry = entries.get(key) or first
        score = clamp(one.score)
        entries[key] = replace(
            entry,
            grounded=entry.grounded + signals,
            total_score=entry.total_score + score * signals,
            max_score=max(entry.max_score, score),
            last_at=iso(now),
            queries=newest(entry.queries, query, MOST_QUERIES),
            days=newest(entry.days, day, MOST_DAYS),
            tags=concept_tags(path, snippet) or entry.tags,
        )


def only_staged(entry: Entry) -> bool:
    """Say whether nothing but a backfill ever pointed to an entry."""
    return entry.grounded > 0 and entry.recalls == 0 and entry.dailies == 0


# What somebody asked, in our own way of counting


def count_asked(entries: dict[str, Entry], seen: Seen, *, at: datetime, day: str, query: str = "") -> str:
    """Count one recall of a place and return the entry's key; without a query (an injection) no query is counted.

    Words that were counted before stay one entry, wherever in their note they have moved to.
    """
    snippet = plain_snippet(seen.snippet)
    path = plain_path(seen.path)
    own = entry_key(path, seen.line, seen.end_line)
    known = entries.get(own)
    if known is None or known.snippet != snippet:
        known = next((one for one in entries.values() if one.path == path and one.snippet == snippet), known)
    if known is None or (known.snippet != snippet and known.promoted_at):
        known = Entry(own, path, seen.line, seen.end_line, snippet, first_at=iso(at), last_at=iso(at))
    score = clamp(seen.score)
    entries[known.key] = replace(
        known,
        line=seen.line,
        end_line=seen.end_line,
        snippet=snippet,
        recalls=known.recalls + 1,
        total_score=known.total_score + score,
        max_score=max(known.max_score, score),
        first_at=min(filter(None, (known.first_at, iso(at)))),
        last_at=max(known.last_at, iso(at)) if known.recalls else iso(at),
        queries=newest(known.queries, query, MOST_QUERIES),
        days=newest(known.days, day, MOST_DAYS) if known.recalls else (day,),
        tags=concept_tags(path, snippet) or known.tags,
    )
    return known.key


Said = dict[tuple[str, str], str]


def keys_by_words(entries: Mapping[str, Entry]) -> Said:
    """Return the keys of entries by where and what they say; of those that say the same the first."""
    said: Said = {}
    for key, one in entries.items():
        said.setdefault((one.path, one.snippet), key)
    return said


def stage_chunk(entries: dict[str, Entry], seen: Seen, said: Said, *, now: datetime) -> str:
    """Put a piece of a note into the store, once: it is there to be chosen from, and counts as one sight of it.

    `said` are the keys of the store by their words, and learns what is new.
    """
    snippet = plain_snippet(seen.snippet)
    path = plain_path(seen.path)
    own = said.get((path, snippet))
    if own is not None:
        known = entries[own]
        if (known.line, known.end_line) != (seen.line, seen.end_line):
            entries[own] = replace(known, line=seen.line, end_line=seen.end_line)
        return own
    key = entry_key(path, seen.line, seen.end_line)
    if key in entries:
        key = entry_key(path, seen.line, seen.end_line, hash_claim(snippet))
    said[path, snippet] = key
    entries[key] = Entry(
        key,
        path,
        seen.line,
        seen.end_line,
        snippet,
        dailies=1,
        total_score=clamp(seen.score),
        max_score=clamp(seen.score),
        first_at=iso(now),
        last_at=iso(now),
        tags=concept_tags(path, snippet),
    )
    return key


# Repair and budget


def repaired(entries: Entries, now: datetime) -> Entries:
    """Return the entries in normal form: tags anew, and the day of the last recall among the days."""
    fixed = {}
    for key, entry in entries.by_key.items():
        day = iso_day(entry.last_at) or iso(now)[:10]
        tags = concept_tags(entry.path, entry.snippet) or entry.tags
        fixed[key] = replace(
            entry, queries=entry.queries[-MOST_QUERIES:], days=newest(entry.days, day, MOST_DAYS), tags=tags
        )
    return replace(entries, by_key=fixed)


def within_budget(entries: Mapping[str, Entry], most: int = MOST_ENTRIES) -> dict[str, Entry]:
    """Return at most so many entries, in their order; what was recalled stays before what was only seen."""
    if len(entries) <= most:
        return dict(entries)
    by_worth = sorted(
        entries.values(),
        key=lambda one: (min(one.recalls, 1), bool(one.promoted_at), one.last_at, one.key),
        reverse=True,
    )
    kept = {one.key for one in by_worth[:most]}
    return {key: entry for key, entry in entries.items() if key in kept}


def hit_all(
    signals: Mapping[str, Signal], keys: Iterable[str], known: Mapping[str, Entry], phase: str, now: str
) -> dict[str, Signal]:
    """Count a phase's choice of entries; signals of entries that are gone go too."""
    counted = dict(signals)
    for key in dict.fromkeys(keys):
        if key in known:
            counted[key] = counted.get(key, Signal(key)).hit(phase, now)
    return {key: signal for key, signal in counted.items() if key in known}
