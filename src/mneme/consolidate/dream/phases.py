"""Light and REM: what the last days were about, which words came back, and what may last.

Both only choose. Light takes the entries that were touched lately, one for each thing said; REM counts tags and weighs
which entries may be lasting truths. What they write is the diary's business, what comes of their choice is Deep's.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from mneme.consolidate.dream.entry import find_moment
from mneme.consolidate.dream.ingest import is_within
from mneme.consolidate.dream.rules import (
    ALIKE,
    ALIKE_TRUTHS,
    LEAST_PATTERN,
    LEAST_TRUTH,
    LIGHT_LIMIT,
    MOST_TRUTHS,
    REM_LIMIT,
)
from mneme.consolidate.dream.score import fixed, truth_confidence
from mneme.consolidate.dream.taint import day_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from mneme.consolidate.dream.entry import Entry, Signal
    from mneme.consolidate.dream.rules import Rules

LIGHT, REM, DEEP = "light", "rem", "deep"
PHASES = (LIGHT, REM, DEEP)
MOST_EVIDENCE = 3

_TOKEN = re.compile(r"[a-z0-9]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Theme:
    """A tag that kept coming back: in how many entries, how strongly, and where."""

    tag: str
    count: int
    strength: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """An entry that may say something lasting, and how sure that is."""

    entry: Entry
    confidence: float


def in_lookback(entries: Iterable[Entry], now: datetime, days: int, rules: Rules) -> list[Entry]:
    """Return the entries that the last days touched: by a recall, or by being noted then."""
    since = now - timedelta(days=days)
    found = []
    for entry in entries:
        last = find_moment(entry.last_at)
        recent = last is not None and last >= since and (not rules.trusted or entry.recalls > 0)
        noted = any(
            is_within(day, now, days) for day in (*entry.days, *((day_of(entry.path),) if rules.trusted else ()))
        )
        if recent or noted:
            found.append(entry)
    return found


def light_choice(entries: Iterable[Entry], now: datetime, rules: Rules) -> list[Entry]:
    """Return what Light stages: the latest entries, near-duplicates of one note put together."""
    recent = in_lookback(entries, now, rules.light_days, rules)
    recent.sort(key=lambda one: (_stamp(one.last_at), one.recalls), reverse=True)
    return merge_alike(recent[:LIGHT_LIMIT], ALIKE)


def _stamp(at: str) -> float:
    moment = find_moment(at)
    return moment.timestamp() if moment else 0.0


def rem_themes(entries: Sequence[Entry]) -> list[Theme]:
    """Return the tags that are in so many entries that they say what the week was about."""
    counts = Counter(tag for entry in entries for tag in entry.tags)
    themes = []
    for tag, count in counts.items():
        strength = min(1.0, count / max(1, len(entries)) * 2)
        if strength >= LEAST_PATTERN:
            places = dict.fromkeys(entry.place for entry in entries if tag in entry.tags)
            themes.append(Theme(tag, count, strength, tuple(places)[:MOST_EVIDENCE]))
    return sorted(themes, key=lambda one: (-one.strength, -one.count, one.tag))[:REM_LIMIT]


def rem_truths(entries: Iterable[Entry], rules: Rules) -> list[Truth]:
    """Return the entries that REM takes for lasting; in trusted scoring only what somebody recalled."""
    waiting = merge_alike([one for one in entries if not one.promoted_at], ALIKE_TRUTHS)
    weighed = [Truth(one, truth_confidence(one)) for one in waiting if one.recalls or not rules.trusted]
    sure = [one for one in weighed if one.confidence >= LEAST_TRUTH]
    sure.sort(key=lambda one: (-one.confidence, one.entry.snippet))
    return sure[:MOST_TRUTHS]


def chosen_keys(phase: str, entries: Iterable[Entry], signals: Mapping[str, Signal], rules: Rules) -> list[str]:
    """Return the keys that a phase's choice counts for: in trusted scoring only those with new evidence since its last."""
    if not rules.trusted:
        return [entry.key for entry in entries]
    chosen = []
    for entry in entries:
        signal = signals.get(entry.key)
        last = (signal.light_at if phase == LIGHT else signal.rem_at) if signal else ""
        if entry.recalls and entry.last_at > last:
            chosen.append(entry.key)
    return chosen


def merge_alike(entries: Iterable[Entry], least: float) -> list[Entry]:
    """Return entries without near-duplicates of the same note; the first one takes over what the others counted."""
    kept: list[Entry] = []
    for entry in entries:
        at = next(
            (
                n
                for n, one in enumerate(kept)
                if one.path == entry.path and likeness(one.snippet, entry.snippet) >= least
            ),
            None,
        )
        if at is None:
            kept.append(entry)
        else:
            kept[at] = _merged(kept[at], entry)
    return kept


def _merged(one: Entry, other: Entry) -> Entry:
    return replace(
        one,
        recalls=max(one.recalls, other.recalls),
        total_score=max(one.total_score, other.total_score),
        max_score=max(one.max_score, other.max_score),
        queries=tuple(dict.fromkeys((*one.queries, *other.queries))),
        days=tuple(sorted({*one.days, *other.days})),
        tags=tuple(dict.fromkeys((*one.tags, *other.tags))),
        last_at=max(one.last_at, other.last_at, key=_stamp),
    )


def likeness(one: str, two: str) -> float:
    """Return how alike two snippets are by their words; of writing without Latin letters, by characters."""
    left, right = _words(one), _words(two)
    if not left or not right:
        return float(one.strip().lower() == two.strip().lower())
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def _words(text: str) -> set[str]:
    return {*_TOKEN.findall(text.lower()), *_WIDE.findall(text)}


# What the reference writes into its reports


def light_body(entries: Sequence[Entry]) -> list[str]:
    """Return the lines of Light's report."""
    lines = []
    for entry in entries:
        lines += [
            f"- Candidate: {entry.snippet or '(no snippet captured)'}",
            f"  - confidence: {fixed(entry.average, 2)}",
            f"  - evidence: {entry.place}",
            f"  - recalls: {entry.recalls}",
            "  - status: staged",
        ]
    return lines or ["- No notable updates."]


def rem_body(themes: Sequence[Theme], truths: Sequence[Truth]) -> list[str]:
    """Return the lines of REM's report."""
    lines = ["### Reflections"]
    for theme in themes:
        lines += [
            f"- Theme: `{theme.tag}` kept surfacing across {theme.count} memories.",
            f"  - confidence: {fixed(theme.strength, 2)}",
            f"  - evidence: {', '.join(theme.evidence)}",
            "  - note: reflection",
        ]
    lines += [] if themes else ["- No strong patterns surfaced."]
    lines += ["", "### Possible Lasting Truths"]
    lines += [
        f"- {one.entry.snippet or '(no snippet captured)'} [confidence={fixed(one.confidence, 2)} evidence={one.entry.place}]"
        for one in truths
    ]
    return lines + ([] if truths else ["- No strong candidate truths surfaced."])
