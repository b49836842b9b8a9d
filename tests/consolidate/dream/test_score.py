"""Scores to the sixth decimal, the gates that they pass, and what only the trusted way of counting leaves out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log

import pytest

from mneme.consolidate.dream.entry import DAILY_QUERY, Entry, Signal, hash_query, iso
from mneme.consolidate.dream.record import DAILY, Seen, count_asked, count_seen, count_staged, hit_all
from mneme.consolidate.dream.score import (
    OPENCLAW,
    WEIGHTS,
    Gates,
    decay,
    fixed,
    normal_weights,
    phase_boost,
    rank,
    score_entry,
    spacing,
    truth_confidence,
)

NOW = datetime(2026, 4, 3, 10, tzinfo=UTC)
OPEN = Gates(min_score=0, min_recalls=0, min_queries=0, max_age_days=None, scoring=OPENCLAW)
FUNCTION = Gates(min_score=0.75, min_recalls=3, min_queries=2, max_age_days=None, scoring=OPENCLAW)
BACKUPS = Seen("memory/2026-04-01.md", 1, 2, "Move backups to S3 Glacier.", 0.62)


def recalled(*scores: float, now: datetime = NOW, place: Seen = BACKUPS) -> dict[str, Entry]:
    """Return the store after a place was recalled by a query of its own for each score."""
    entries: dict[str, Entry] = {}
    for number, score in enumerate(scores):
        count_seen(entries, f"query {number}", [replace(place, score=score)], now=now, day=now.date().isoformat())
    return entries


def best(entries: dict[str, Entry], now: datetime = NOW, gates: Gates = OPEN, signals: dict[str, Signal] | None = None):  # noqa: ANN201
    """Return the best candidate."""
    return rank(entries.values(), signals or {}, now, gates)[0]


def test_two_recalls() -> None:
    """Every component and the sum of two recalls of one place on one day."""
    place = Seen("memory/2026-04-02.md", 3, 5, "Configured VLAN 10 on Omada router", 0)
    found = best(recalled(0.9, 0.8, place=place))
    assert found.entry.tags == ("router", "vlan", "configured", "omada")
    assert found.components == pytest.approx(
        {
            "frequency": 0.458157,
            "relevance": 0.85,
            "diversity": 0.4,
            "recency": 1,
            "consolidation": 0.2,
            "conceptual": 0.666667,
        },
        abs=1e-6,
    )
    assert found.score == pytest.approx(0.634958, abs=1e-6)


def test_one_recall_does_not_pass() -> None:
    """However well it fitted; and the checks say which gates are shut."""
    found = best(recalled(0.96), gates=FUNCTION)
    assert not found.passed
    assert [check.name for check in found.missing] == ["score", "recalls", "queries"]


def test_three_nights_of_looking() -> None:
    """The reference lets a chunk climb that nobody asked for: past its function's gate, not yet past the nightly one."""
    entries: dict[str, Entry] = {}
    signals: dict[str, Signal] = {}
    scores = []
    for day in ("2026-04-01", "2026-04-02", "2026-04-03"):
        now = datetime.fromisoformat(f"{day}T10:00:00+00:00")
        count_seen(entries, hash_query(f"{DAILY_QUERY}{day}"), [BACKUPS], now=now, day=day, kind=DAILY, once_a_day=True)
        signals = hit_all(signals, entries, entries, "light", iso(now))
        signals = hit_all(signals, entries, entries, "rem", iso(now + timedelta(minutes=1)))
        asked = now + timedelta(minutes=1) if day == "2026-04-03" else now
        scores.append(best(entries, asked, signals=signals).score)
    assert scores == pytest.approx([0.538807, 0.650760, 0.752007], abs=1e-6)
    found = best(entries, NOW + timedelta(minutes=1), FUNCTION, signals)
    assert (found.passed, found.boost) == (True, pytest.approx(0.106861, abs=1e-6))
    assert found.entry.days == ("2026-04-01", "2026-04-02", "2026-04-03")
    assert not best(entries, NOW, replace(FUNCTION, min_score=0.8, min_queries=3), signals).passed


def test_what_was_only_looked_at_scores_nothing_by_it() -> None:
    """In trusted scoring those three nights count no signal and no question at all."""
    entries: dict[str, Entry] = {}
    for day in ("2026-04-01", "2026-04-02", "2026-04-03"):
        count_seen(entries, hash_query(f"{DAILY_QUERY}{day}"), [BACKUPS], now=NOW, day=day, kind=DAILY, once_a_day=True)
    found = score_entry(next(iter(entries.values())), None, NOW, Gates())
    assert (found.signals, found.contexts, found.components["relevance"]) == (0, 0, 0)
    assert not found.passed


def test_grounded_claims() -> None:
    """What a backfill staged counts threefold, under a key of its own."""
    entries: dict[str, Entry] = {}
    text = 'Always use "Happy Together" calendar for flights and reservations.'
    place = Seen("memory/2026-04-03.md", 1, 1, text, 0.92)
    query = "__dreaming_grounded_backfill__"
    count_staged(entries, f"{query}:lasting-update", [place], signals=2, now=NOW, day="2026-04-03")
    count_staged(entries, f"{query}:candidate", [replace(place, score=0.82)], signals=1, now=NOW, day="2026-04-03")
    found = best(entries, gates=replace(FUNCTION, min_score=0.75))
    assert (found.entry.grounded, len(found.entry.queries), found.entry.claim) == (3, 2, "3ca88553fa7e")
    assert found.entry.average == pytest.approx(0.886667, abs=1e-6)
    assert (found.passed, found.score) == (True, pytest.approx(0.774751, abs=1e-6))


@pytest.mark.parametrize(("half_life", "recency", "score"), [(14.0, 0.5, 0.500376), (7.0, 0.25, 0.462876)])
def test_recency(half_life: float, recency: float, score: float) -> None:
    """Two weeks halve it once, or twice."""
    then = datetime(2026, 4, 1, 10, tzinfo=UTC)
    entries = recalled(0.92, now=then)
    found = best(entries, datetime(2026, 4, 15, 10, tzinfo=UTC), replace(OPEN, half_life_days=half_life))
    assert found.components["recency"] == pytest.approx(recency)
    assert found.score == pytest.approx(score, abs=1e-6)


def test_too_old_is_a_gate() -> None:
    """Seven days after fourteen is too late."""
    found = best(recalled(0.9), NOW + timedelta(days=14), replace(OPEN, max_age_days=7))
    assert [check.name for check in found.missing] == ["days since the last recall"]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([], 0),
        ([1], 0.2),
        ([1, 2], 0.3012),
        ([1, 4], 0.4297),
        ([1, 8], 0.6869),
        ([1, 2, 3], 0.5040),
        ([1, 2, 3, 4, 5], 0.8071),
        ([1, 3, 5, 7, 9], 1.0),
    ],
)
def test_spacing(days: list[int], expected: float) -> None:
    """Recalls on several days count by their number and by the time between."""
    assert spacing([f"2026-04-{day:02d}" for day in days]) == pytest.approx(expected, abs=5e-5)


def test_phases_fade() -> None:
    """What Light and REM add halves in two weeks, and without a time there is nothing."""
    signal = Signal("k", 6, 6, iso(NOW), iso(NOW))
    assert phase_boost(signal, NOW) == pytest.approx(0.15)
    assert phase_boost(signal, NOW + timedelta(days=14)) == pytest.approx(0.075)
    assert phase_boost(Signal("k", 6, 6), NOW) == 0
    assert decay(30, 14) == pytest.approx(0.2264, abs=5e-5)


def test_weights_sum_to_one() -> None:
    """None counts below zero, and where all are zero the defaults hold."""
    assert sum(normal_weights({**WEIGHTS, "recency": -1}).values()) == pytest.approx(1)
    assert normal_weights(dict.fromkeys(WEIGHTS, 0.0)) == WEIGHTS


def test_truths() -> None:
    """A fresh chunk is no truth; two days and six tags are."""
    fresh = Entry(
        "k", "memory/2026-04-01.md", 1, 1, "x", dailies=1, total_score=0.62, days=("a",), tags=("a", "b", "c")
    )
    assert truth_confidence(fresh) == pytest.approx(0.3957, abs=5e-5)
    seasoned = replace(fresh, dailies=2, total_score=1.24, days=("a", "b"), tags=tuple("abcdef"))
    assert truth_confidence(seasoned) == pytest.approx(0.5123, abs=5e-5)


def test_order_of_equals() -> None:
    """By recalls, then by path."""
    one = Entry("a", "memory/2026-04-02.md", 1, 1, "x", recalls=1, total_score=0.5, last_at=iso(NOW))
    two, three = replace(one, key="b", path="memory/2026-04-01.md"), replace(one, key="c", recalls=0, dailies=1)
    assert [each.entry.key for each in rank([three, one, two], {}, NOW, OPEN)] == ["b", "a", "c"]


def test_trusted_counts_what_was_asked() -> None:
    """Injections recall without asking, and the same question twice is one question."""
    entries: dict[str, Entry] = {}
    for query in ("where do backups go", "backup place", "where do backups go", ""):
        count_asked(entries, replace(BACKUPS, score=0.8), at=NOW, day="2026-04-03", query=query)
    found = score_entry(next(iter(entries.values())), None, NOW, Gates())
    assert (found.signals, found.contexts) == (4, 2)
    assert found.components["relevance"] == pytest.approx(0.8)
    assert found.components["frequency"] == pytest.approx(log(5) / log(11))
    assert [check.name for check in found.missing] == ["queries"]


@pytest.mark.parametrize(
    ("value", "places", "printed"),
    [(0.8125, 3, "0.813"), (0.62, 3, "0.620"), (1.0, 3, "1.000"), (0.6234999999, 3, "0.623"), (0.125, 2, "0.13")],
)
def test_figures_are_printed_as_the_reference_prints_them(value: float, places: int, printed: str) -> None:
    """Exactly between two goes up; what only looks so does not."""
    assert fixed(value, places) == printed
