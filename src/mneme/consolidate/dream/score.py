"""How much a snippet is worth keeping: six weighted components, what two phases add, and the gates.

Pure arithmetic on what an entry has counted. Two ways to count it: `openclaw`, the reference, number by number; and
`trusted`, in which only what somebody asked for counts, so that no note climbs by being looked at. The gates are one
list of checks; what promotes a snippet and what explains why it was not promoted read the same list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from mneme.consolidate.dream.entry import clamp, find_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from mneme.consolidate.dream.entry import Entry, Signal

TRUSTED, OPENCLAW = "trusted", "openclaw"
SCORINGS = (TRUSTED, OPENCLAW)

DAY_SECONDS = 86_400
WEIGHTS = {
    "frequency": 0.24,
    "relevance": 0.30,
    "diversity": 0.15,
    "recency": 0.15,
    "consolidation": 0.10,
    "conceptual": 0.06,
}
MANY_SIGNALS, MANY_CONTEXTS, MANY_TAGS, MANY_GROUNDED = 10, 5, 6, 3
ONE_DAY, SPACED_DAYS, SPAN_DAYS = 0.2, 5, 7
SPACING_SHARE, SPAN_SHARE = 0.55, 0.45
LIGHT_BOOST, REM_BOOST, MANY_HITS, BOOST_HALF_LIFE_DAYS = 0.06, 0.09, 6, 14.0
INGESTED_SCORE = 0.62

TRUTH_WEIGHTS = (0.45, 0.25, 0.20, 0.10)  # relevance, recalls, days, tags
TRUTH_DAYS, TRUTH_RECALLS = 3, 6


@dataclass(frozen=True, slots=True)
class Gates:
    """What a candidate must reach, and how quickly it ages; without an age limit `max_age_days` is None."""

    min_score: float = 0.5
    min_recalls: int = 3
    min_queries: int = 3
    half_life_days: float = 14.0
    max_age_days: float | None = 30.0
    limit: int = 10
    scoring: str = TRUSTED
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


@dataclass(frozen=True, slots=True)
class Check:
    """One gate: what it asks for, what the candidate has, and whether that will do."""

    name: str
    have: float
    need: float
    passed: bool

    def __str__(self) -> str:
        return f"{self.name} {self.have:g}, needs {'at most ' if self.name == AGE else ''}{self.need:g}"


SCORE, SIGNALS, QUERIES, AGE = "score", "recalls", "queries", "days since the last recall"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry with its score, the components it is made of, and its gates."""

    entry: Entry
    score: float
    components: Mapping[str, float]
    boost: float
    signals: int
    contexts: int
    age_days: float
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Say whether every gate is open."""
        return all(check.passed for check in self.checks)

    @property
    def missing(self) -> tuple[Check, ...]:
        """Return the gates that are shut."""
        return tuple(check for check in self.checks if not check.passed)


def score_entry(entry: Entry, signal: Signal | None, now: datetime, gates: Gates) -> Candidate:
    """Weigh one entry at a moment."""
    counts = _counts(entry, gates.scoring)
    age = age_days(entry.last_at, now)
    components = {
        "frequency": clamp(math.log1p(counts.signals) / math.log1p(MANY_SIGNALS)),
        "relevance": counts.relevance,
        "diversity": clamp(counts.contexts / MANY_CONTEXTS),
        "recency": clamp(decay(age, gates.half_life_days)),
        "consolidation": max(spacing(counts.days), clamp(counts.grounded / MANY_GROUNDED)),
        "conceptual": clamp(len(entry.tags) / MANY_TAGS),
    }
    weights = normal_weights(gates.weights)
    boost = phase_boost(signal, now)
    raw = 0.0
    for name, value in components.items():
        raw += weights[name] * value
    raw += boost
    checks = (
        Check(SCORE, round(raw, 6), gates.min_score, raw >= gates.min_score),
        Check(SIGNALS, counts.signals, max(1, gates.min_recalls), counts.signals >= max(1, gates.min_recalls)),
        Check(QUERIES, counts.contexts, gates.min_queries, counts.contexts >= gates.min_queries),
        *(
            (Check(AGE, round(age, 2), gates.max_age_days, age <= gates.max_age_days),)
            if gates.max_age_days is not None
            else ()
        ),
    )
    return Candidate(entry, clamp(raw), components, boost, counts.signals, counts.contexts, age, checks)


def fixed(value: float, places: int) -> str:
    """Return a figure with so many places as JavaScript prints it: what lies exactly between two goes up."""
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)}"


def rank(
    entries: Iterable[Entry], signals: Mapping[str, Signal], now: datetime, gates: Gates, *, promoted: bool = False
) -> list[Candidate]:
    """Return every candidate, best first; those already promoted only where asked for. Gates are not applied here."""
    found = [
        score_entry(entry, signals.get(entry.key), now, gates) for entry in entries if promoted or not entry.promoted_at
    ]
    found.sort(key=lambda one: (-one.score, -one.entry.recalls, _collated(one.entry.path)))
    return found


@dataclass(frozen=True, slots=True)
class _Counts:
    """What a scoring reads off an entry."""

    signals: int
    contexts: int
    relevance: float
    days: tuple[str, ...]
    grounded: int


def _counts(entry: Entry, scoring: str) -> _Counts:
    """Count an entry's signals: all of them as the reference does, or only what was asked for."""
    if scoring == OPENCLAW:
        contexts = max(len(entry.queries), len(entry.days))
        return _Counts(entry.signals, contexts, entry.average, entry.days, entry.grounded)
    asked = max(0.0, entry.total_score - INGESTED_SCORE * (entry.dailies + entry.grounded))
    relevance = min(clamp(asked / max(1, entry.recalls)), entry.max_score) if entry.recalls else 0.0
    days = entry.days[-min(len(entry.days), entry.recalls) :] if entry.recalls else ()
    return _Counts(entry.recalls, len(entry.asked), relevance, days, 0)


def normal_weights(weights: Mapping[str, float]) -> Mapping[str, float]:
    """Return weights that sum to one, none below zero; the defaults where nothing is left."""
    if weights is WEIGHTS and _NORMAL:
        return _NORMAL
    floored = {name: max(0.0, weights.get(name, default)) for name, default in WEIGHTS.items()}
    total = sum(floored.values())
    return {name: value / total for name, value in floored.items()} if total > 0 else WEIGHTS


_NORMAL: Mapping[str, float] = {}
_NORMAL = normal_weights(WEIGHTS)


def age_days(at: str, now: datetime) -> float:
    """Return how long ago a store's moment was, in days; the future and what is no moment are now."""
    moment = find_moment(at)
    return max(0.0, (now - moment).total_seconds() / DAY_SECONDS) if moment else 0.0


def decay(age: float, half_life_days: float) -> float:
    """Return what is left of one after an age, both in days."""
    return math.exp(-math.log(2) / half_life_days * age) if half_life_days > 0 else 1.0


def spacing(days: Iterable[str]) -> float:
    """Return how well recalls are spread over days: by their number and by the time between first and last."""
    known = sorted(filter(None, map(_date, days)))
    if len(known) < 2:  # noqa: PLR2004 - two days are needed for a distance
        return ONE_DAY if list(days) else 0.0
    span = (known[-1] - known[0]).days
    spread = clamp(math.log1p(len(known) - 1) / math.log1p(SPACED_DAYS - 1))
    return clamp(SPACING_SHARE * spread + SPAN_SHARE * clamp(span / SPAN_DAYS))


def _date(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def phase_boost(signal: Signal | None, now: datetime) -> float:
    """Return what Light and REM add by having chosen an entry, fading with the time since."""
    if signal is None:
        return 0.0
    light = LIGHT_BOOST * _strength(signal.light) * _freshness(signal.light_at, now)
    rem = REM_BOOST * _strength(signal.rem) * _freshness(signal.rem_at, now)
    return clamp(light + rem)


def _strength(hits: int) -> float:
    return clamp(math.log1p(max(0, hits)) / math.log1p(MANY_HITS))


def _freshness(at: str, now: datetime) -> float:
    return clamp(decay(age_days(at, now), BOOST_HALF_LIFE_DAYS)) if find_moment(at) else 0.0


def truth_confidence(entry: Entry) -> float:
    """Return how likely REM takes a snippet for a lasting truth."""
    parts = (
        entry.average,
        min(1.0, math.log1p(entry.recalls) / math.log1p(TRUTH_RECALLS)),
        min(1.0, len(entry.days) / TRUTH_DAYS),
        min(1.0, len(entry.tags) / MANY_TAGS),
    )
    total = 0.0
    for weight, part in zip(TRUTH_WEIGHTS, parts, strict=True):
        total += part * weight
    return clamp(total)


_MARKS = {mark: chr(place) for place, mark in enumerate("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$", 1)}


def _collated(text: str) -> tuple[str, str]:
    """Return a text as dictionaries order it: marks before digits before letters, capitals beside small ones."""
    return "".join(_MARKS.get(char, char) for char in text.casefold()), text
