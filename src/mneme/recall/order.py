"""Hits in their order: successors before what they replaced, near-duplicates once, quarrels marked, variety, budgets.

Each step is a term of log-odds or leaves something out for a named reason, so that every answer can be explained.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from mneme.formats.record import HIGH, LOW, MED
from mneme.formats.tokens import count_tokens, cut_to_tokens
from mneme.index.rank import probability
from mneme.recall import trust
from mneme.recall.answer import Conflict, Hit
from mneme.recall.belief import as_it_was, find_successors, last_successor
from mneme.recall.why import SUCCESSOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend
    from mneme.recall.find import Request

# As little as a hit can be below another one, so that order and score agree.
STEP = 0.01
# Another section of a document that is already there says less than the first; so do a third and a fourth.
SAME_DOCUMENT, MOST_OF_DOCUMENT = -0.5, 3
# So many of the likeliest are compared with each other.
COMPARED = 30
LONGEST_GIST = 400
_CONFS = {HIGH: 2, MED: 1, LOW: 0}
_MARK = re.compile(r"\A[\s>]*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?")
DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Scored:
    """A piece on its way to be a hit: the terms of its log-odds so far, and what is known of its neighbours."""

    row: int
    piece: Piece
    terms: list[tuple[str, float]] = field(default_factory=list)
    relevance: float = 0.0
    label: str = ""
    note: str = ""
    same: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def odds(self) -> float:
        """The sum of its terms."""
        return math.fsum(value for _, value in self.terms)

    @property
    def key(self) -> tuple[float, str, int, str]:
        """What it is put in order by: the odds, then its place; never the row."""
        record = self.piece.record
        return (-self.odds, record.path, record.line, record.id)

    def held_below(self, other: Scored, name: str) -> Scored:
        """Return it with a term that holds it below another, where it was not."""
        above = self.odds - other.odds + STEP
        return replace(self, terms=[*self.terms, (name, -above)]) if above > 0 else self


def arrange(backend: Backend, scored: Sequence[Scored], request: Request, *, of_days: bool = False) -> tuple[Hit, ...]:
    """Return the hits of a request, best first: as many as were asked for and as the budget holds.

    Of whole days (`of_days`) something is told of each heading before more is told of one.
    """
    ordered = sorted(scored, key=lambda one: one.key)
    ordered = _with_successors(backend, ordered, request)
    ordered = _one_of_each(ordered, request)
    chosen = _varied(ordered, request, of_days=of_days)
    return _within(tuple(map(_hit, chosen)), request.budget_tokens)


def _with_successors(backend: Backend, ordered: list[Scored], request: Request) -> list[Scored]:
    """Put what replaced a belief before it, and bring it in where the question itself did not."""
    by_row = {one.row: one for one in ordered}
    gone = [one for one in ordered if one.piece.record.state in trust.GONE_STATES]
    direct: dict[int, list[int]] = {}
    for one in gone:
        record = one.piece.record
        direct[one.row] = [row for row, _ in find_successors(backend, record, request.wanted)]
        found = last_successor(backend, record, request.wanted, request.as_of)
        if found is not None:
            by_row[one.row] = replace(by_row[one.row], note=f"superseded by {found[1].record.id}")
            if found[0] not in by_row and (successor := _successor(backend, found, one, request)):
                by_row[found[0]] = successor
                direct[one.row].append(found[0])
    # From the newest back: each is held below what took its place, which may itself have been held below something.
    for one in sorted(gone, key=lambda one: one.piece.record.since, reverse=True):
        for row in direct[one.row]:
            if row in by_row:
                by_row[one.row] = by_row[one.row].held_below(by_row[row], "superseded")
    return sorted(by_row.values(), key=lambda one: one.key)


def _successor(backend: Backend, found: tuple[int, Piece], old: Scored, request: Request) -> Scored | None:
    """Return what took a hit's place as a hit of its own, as likely as the old one was; nothing that is not wanted."""
    row, piece = found
    then = as_it_was(backend, piece, request.as_of, request.wanted) if request.as_of else piece
    if then is None or not request.wanted.allows(then):
        return None
    standing = request.standing
    terms = [
        (f"{SUCCESSOR}{old.piece.record.id}", old.odds),
        *trust.terms(then.record, standing.today, timeless=True),
    ]
    return Scored(row, then, terms, label=trust.label(then.record, standing), note=f"in place of {old.piece.record.id}")


def _one_of_each(ordered: list[Scored], request: Request) -> list[Scored]:
    """Leave out what says the same as a better hit, and mark those that contradict each other."""
    kept = _parts_once(ordered, request)
    head, tail = kept[:COMPARED], kept[COMPARED:]
    if len(head) > 1:
        from mneme.check.twin import find_twins

        pieces = [one.piece for one in head]
        twins = find_twins(
            [_gist(piece) for piece in pieces],
            [piece.topic or piece.title for piece in pieces],
            [piece.record.state for piece in pieces],
        )
        head = _apart(head, twins.pairs)
    return sorted((*head, *tail), key=lambda one: one.key)


def _parts_once(ordered: list[Scored], request: Request) -> list[Scored]:
    """Keep the best part of each section of a document: the others are the same text, read on."""
    kept: dict[tuple[str, str, int], Scored] = {}
    for one in ordered:
        record = one.piece.record
        whole = request.is_cut(record.path)
        kept.setdefault((record.path, one.piece.title if whole else "", 0 if whole else one.row), one)
    return list(kept.values())


def _apart(head: list[Scored], pairs: Sequence[tuple[int, int, str, str]]) -> list[Scored]:
    found = dict(enumerate(head))
    for first, second, kind, what in pairs:
        if first not in found or second not in found:
            continue
        one, two = found[first], found[second]
        if kind == DUPLICATE:
            if not _told_twice(one.piece, two.piece):
                found[first] = replace(one, same=(*one.same, two.piece.record.id, *two.same))
                del found[second]
            continue
        winner, loser, by = (first, second, _wins(one.piece, two.piece))
        if by.startswith("-"):
            winner, loser, by = second, first, by[1:]
        found[winner] = _against(found[winner], found[loser], what, by, wins=bool(by))
        found[loser] = _against(found[loser], found[winner], what, by, wins=False)
        if by:
            found[loser] = found[loser].held_below(found[winner], "conflict")
    return list(found.values())


def _told_twice(one: Piece, two: Piece) -> bool:
    """Say whether two pieces tell of two days: what happened again is no duplicate."""
    kinds = {one.record.kind, two.record.kind}
    return kinds <= trust.EPISODIC_KINDS and one.record.since != two.record.since


def _against(one: Scored, other: Scored, what: str, by: str, *, wins: bool) -> Scored:
    return replace(one, conflicts=(*one.conflicts, Conflict(other.piece.record.id, what, wins, by)))


def _wins(one: Piece, two: Piece) -> str:
    """Return by what the first of two wins, by what the second does after a minus, or nothing where neither does."""
    ranks = [(_CONFS.get(piece.record.conf, 1), piece.record.seen) for piece in (one, two)]
    if ranks[0][0] != ranks[1][0]:
        return "conf" if ranks[0][0] > ranks[1][0] else "-conf"
    if ranks[0][1] != ranks[1][1]:
        return "seen" if ranks[0][1] > ranks[1][1] else "-seen"
    return ""


def _varied(ordered: list[Scored], request: Request, *, of_days: bool) -> list[Scored]:
    """Choose one by one; what comes from a document that is already there gives way a little each time."""
    left = {one.row: (one.key, one) for one in ordered}
    chosen: list[Scored] = []
    taken: dict[tuple[str, str], int] = {}

    def place(one: Scored) -> tuple[str, str]:
        return one.piece.record.path, one.piece.title if of_days else ""

    while left and len(chosen) < request.k:
        _, best = min(left.values(), key=itemgetter(0))
        del left[best.row]
        chosen.append(best)
        here = place(best)
        if of_days or request.is_cut(here[0]):
            taken[here] = taken.get(here, 0) + 1
            others = (one for one in ordered if one.row in left and place(one) == here)
            left |= {one.row: (given.key, given) for one in others if (given := _given_way(one, taken[here]))}
    return chosen


def _given_way(one: Scored, times: int) -> Scored:
    times = min(times, MOST_OF_DOCUMENT)
    return replace(one, terms=[*one.terms, ("diversity", SAME_DOCUMENT * times)]) if times else one


def _within(hits: tuple[Hit, ...], budget_tokens: int) -> tuple[Hit, ...]:
    """Return the hits whose texts fit a budget, best first; where none does, the best with its text cut."""
    if not budget_tokens:
        return hits
    kept, left = [], budget_tokens
    for hit in hits:
        cost = count_tokens(hit.text)
        if cost <= left:
            kept.append(hit)
            left -= cost
    if not kept and hits:
        record = hits[0].record
        kept = [replace(hits[0], record=replace(record, text=cut_to_tokens(record.text, budget_tokens)), cut=True)]
    return tuple(kept)


def _hit(one: Scored) -> Hit:
    summed: dict[str, float] = {}
    for name, value in one.terms:
        summed[name] = summed.get(name, 0.0) + value
    named = ((name, value) for name, value in summed.items() if value)
    terms = tuple(sorted(named, key=lambda term: (-abs(term[1]), term[0])))
    odds = math.fsum(value for _, value in terms)
    return Hit(
        record=one.piece.record,
        score=probability(odds),
        trust=one.label,
        log_odds=odds,
        why=terms,
        title=one.piece.title,
        topic=one.piece.topic,
        note=one.note,
        same=one.same,
        conflicts=one.conflicts,
    )


def _gist(piece: Piece) -> str:
    """Return the one line that a piece is compared by."""
    first = piece.gist or _MARK.sub("", piece.body, count=1).strip()
    return " ".join(first.split())[:LONGEST_GIST]
