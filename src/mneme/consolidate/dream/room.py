"""Room in MEMORY.md: what may leave goes, as far as one night allows, then what is new comes in as far as it fits.

`fits` says whether the file stays within its budget with some promotions. What finds no room waits, unless something
that nobody has asked for in a while is worth clearly less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from mneme.consolidate.dream.score import score_entry
from mneme.consolidate.dream.table import Left, last_seen, skipped_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.consolidate.dream.sentence import Promotion
    from mneme.consolidate.dream.table import Fits, Heir, Skipped, Table

BETTER_BY = 0.05  # a promotion gives way only to what is worth clearly more
SETTLED_DAYS = 14  # active days for which a promotion that was recalled is not displaced
NO_ROOM = "MEMORY.md has no room for it"


@dataclass(slots=True)
class Draft:
    """The promotions while room is being made."""

    standing: list[Promotion]
    added: list[Heir]
    leaving: list[Left]
    owed: bool = False
    skipped: list[Skipped] = field(default_factory=list)

    def all(self) -> list[Promotion]:
        """Return what would stand."""
        return [*self.standing, *(one for one, _, _ in self.added)]


def make_room(table: Table, fits: Fits, draft: Draft, candidates: Sequence[Heir]) -> Draft:
    """Let what may leave go, as far as one night allows, then let in what fits or is worth clearly more."""
    budget = most_leaving(table)
    gone = draft.leaving[:budget]
    draft.owed = len(gone) < len(draft.leaving)
    _take_out(draft, [left.promotion.key for left in gone])
    spare = budget - len(gone)
    while spare and draft.standing and not fits(draft.all()):
        worst = _worst(table, draft.standing)
        gone.append(Left(worst, "MEMORY.md is over its budget"))
        _take_out(draft, [worst.key])
        spare -= 1
    for one in list(draft.added):  # an heir that finds no room waits; what it replaces says so meanwhile
        if not fits(draft.all()):
            draft.added.remove(one)
            draft.skipped.append(skipped_for(one[1], NO_ROOM))
    for one in candidates:
        draft.added.append(one)
        if fits(draft.all()):
            continue
        rival = _rival(table, draft.standing, one[1].score) if spare else None
        if rival is not None:
            _take_out(draft, [rival.key])
            if fits(draft.all()):
                spare -= 1
                gone.append(Left(rival, f"{one[0].source} is asked for more"))
                continue
            draft.standing.append(rival)
        draft.added.remove(one)
        draft.skipped.append(skipped_for(one[1], NO_ROOM))
    draft.leaving = gone
    return draft


def most_leaving(table: Table) -> int:
    """Return how many promotions may leave tonight: a share of those that stand.

    Where that is less than one, one may leave after as many nights of waiting as hold the share: of two, after two. Else
    what is superseded or long stale would stand in a small memory for ever.
    """
    share = table.rules.loss_share * len(table.promotions)
    if not 0 < share < 1:
        return int(share)
    return int(bool(table.memo.owed) and table.memo.idle_days(table.memo.owed) >= ceil(1 / share))


def _take_out(draft: Draft, keys: Iterable[str]) -> None:
    out = set(keys)
    draft.standing = [one for one in draft.standing if one.key not in out]


def worth(table: Table, one: Promotion) -> float:
    """Return what a promotion is worth today: its score, nothing where nobody knows it any more."""
    entry = table.entries.get(one.key)
    if entry is None or one.fate:
        return 0.0
    return score_entry(entry, table.signals.get(one.key), table.now, table.rules.gates).score


def _worst(table: Table, standing: Sequence[Promotion]) -> Promotion:
    return min(standing, key=lambda one: (worth(table, one), last_seen(table, one), one.key))


def _rival(table: Table, standing: Sequence[Promotion], score: float) -> Promotion | None:
    """Return the promotion that gives way to a candidate, if one is old enough and worth clearly less."""
    old = [one for one in standing if table.memo.idle_days(last_seen(table, one)) >= SETTLED_DAYS]
    worst = _worst(table, old) if old else None
    return worst if worst is not None and worth(table, worst) + BETTER_BY < score else None
