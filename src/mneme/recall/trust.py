"""What a record may be used for, in four words, and what that is worth in a score.

`history` was superseded or retired. `not authoritative` is what nobody accepted yet, and all of a workspace whose word is
not taken. `verify first` is stale, doubtful or old. `use` is the rest. Terms are bounded: trust moves a hit a few places,
it never makes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mneme.formats.record import HIGH, LOW, PROPOSED, RETIRED, STALE, SUPERSEDED

if TYPE_CHECKING:
    from mneme.formats.record import Record

USE, VERIFY, NOT_AUTHORITATIVE, HISTORY = "use", "verify first", "not authoritative", "history"
LABELS = (USE, VERIFY, NOT_AUTHORITATIVE, HISTORY)

GONE_STATES = frozenset((SUPERSEDED, RETIRED))
# What was written as things happened: its worth fades, where a decision's does not.
EPISODIC_KINDS = frozenset(("day", "event", "dream", "buffer", "report", "turn"))
CELL_SUFFIXES = (".mneme", ".mn")

_STATE_TERMS = {STALE: -0.3, PROPOSED: -0.4, SUPERSEDED: -0.5, RETIRED: -0.5}
_CONF_TERMS = {HIGH: 0.1, LOW: -0.3}
OLDEST_TERM, OLDEST_DAYS = -0.2, 365.0
HALF_LIFE_DAYS = 365.0
# Half of one at most: what happened long ago happened all the same, and most questions about days are not about the last.
MOST_HALF_LIVES = 0.5
HALVED = -0.6931


@dataclass(frozen=True, slots=True)
class Standing:
    """What trust depends on beside the record: the day, whose word is taken, and after how long one looks again."""

    today: date
    authoritative: bool = True
    stale_days: int = 45
    verified_days: int = 30


def label(record: Record, standing: Standing, *, doubtful: bool = False) -> str:
    """Return what a record may be used for; a `doubtful` one rests on another that fell."""
    if record.state in GONE_STATES:
        return HISTORY
    if record.state == PROPOSED or not standing.authoritative:
        return NOT_AUTHORITATIVE
    limit = standing.stale_days if record.path.endswith((*CELL_SUFFIXES, ".json")) else standing.verified_days
    if record.state == STALE or doubtful or record.conf == LOW or (age_days(record.seen, standing.today) or 0) > limit:
        return VERIFY
    return USE


def terms(record: Record, today: date, *, timeless: bool) -> tuple[tuple[str, float], ...]:
    """Return the terms of trust and recency; a question about a time, or as of a day, has nothing to do with recency."""
    found = [("state", _STATE_TERMS.get(record.state, 0.0)), ("conf", _CONF_TERMS.get(record.conf, 0.0))]
    if record.kind in EPISODIC_KINDS:
        age = age_days(record.since, today)
        if age and not timeless:
            found.append(("recency", HALVED * min(age / HALF_LIFE_DAYS, MOST_HALF_LIVES)))
    elif age := age_days(record.seen, today):
        found.append(("seen", OLDEST_TERM * min(age / OLDEST_DAYS, 1.0)))
    return tuple((name, value) for name, value in found if value)


def age_days(day: str, today: date) -> int | None:
    """Return how many days ago a day was, or None where none is written; one ahead of us is today."""
    try:
        return max(0, (today - date.fromisoformat(day[:10])).days)
    except ValueError:
        return None
