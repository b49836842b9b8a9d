"""What was believed on a day, and what took the place of what: supersession, retirement, and records that rest on others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.check.suspect import DEPENDS_ON, Ground, find_suspects
from mneme.formats.record import LIVE, PROPOSED, RETIRED, WORKING_STATES
from mneme.index.backend import EVERY_STATE, Wanted
from mneme.recall.trust import GONE_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mneme.formats.piece import Piece
    from mneme.formats.record import Record
    from mneme.index.backend import Backend

SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded-by"
LONGEST_CHAIN = 8


def find_successors(backend: Backend, record: Record, wanted: Wanted) -> list[tuple[int, Piece]]:
    """Return what took a record's place, by links written on either side; nothing that the asker may not see."""
    visible = Wanted(states=EVERY_STATE, shared_only=wanted.shared_only)
    named = [link.target for link in record.links if link.relation == SUPERSEDED_BY]
    found = dict(backend.get(named, visible)) if named else {}
    for row, piece in backend.linking([record.id], visible):
        if any(link.relation == SUPERSEDES and link.target == record.id for link in piece.record.links):
            found[row] = piece
    return sorted(found.items(), key=lambda one: (one[1].record.since, one[1].record.path, one[1].record.line))


def last_successor(backend: Backend, record: Record, wanted: Wanted, as_of: str) -> tuple[int, Piece] | None:
    """Return the end of the chain of what took a record's place: what holds now, or held on a day."""
    seen, last = {record.id}, None
    for _ in range(LONGEST_CHAIN):
        next_ones = [
            one
            for one in find_successors(backend, record, wanted)
            if one[1].record.id not in seen and (not as_of or "" < one[1].record.since[:10] <= as_of)
        ]
        if not next_ones:
            break
        last = next_ones[0]
        record = last[1].record
        seen.add(record.id)
    return last


def as_it_was(backend: Backend, piece: Piece, day: str, wanted: Wanted) -> Piece | None:
    """Return a piece as it was believed on a day; None where it was not, or where nobody wrote since when it was.

    A record holds from its `since` until the `since` of its first successor, or until the day it was retired; where
    neither is written, as long as it was last seen to. A proposal was never believed.
    """
    record = piece.record
    if record.state == PROPOSED or not "" < record.since[:10] <= day:
        return None
    state = record.state
    if state in WORKING_STATES:
        state = LIVE if day <= record.seen[:10] else state
    else:
        end = _end_of(backend, piece, wanted)
        state = LIVE if (day < end if end else day <= record.seen[:10]) else state
    links = [link for link in record.links if state in GONE_STATES or link.relation != SUPERSEDED_BY]
    later = _later(backend, [link.target for link in links], day)
    return replace(
        piece,
        until="" if state == LIVE else piece.until,
        record=replace(
            record,
            state=state,
            seen=record.seen if record.seen[:10] <= day else record.since,
            links=tuple(link for link in links if link.target not in later),
        ),
    )


def _end_of(backend: Backend, piece: Piece, wanted: Wanted) -> str:
    if piece.record.state == RETIRED:
        return piece.until
    days = [one.record.since[:10] for _, one in find_successors(backend, piece.record, wanted) if one.record.since]
    return min(days, default="")


def _later(backend: Backend, targets: Sequence[str], day: str) -> set[str]:
    """Return those of some ids that came after a day."""
    if not targets:
        return set()
    found = backend.get(targets, Wanted(states=EVERY_STATE))
    return {piece.record.id for _, piece in found if piece.record.since[:10] > day}


def find_doubtful(backend: Backend, records: Iterable[Record], wanted: Wanted) -> set[str]:
    """Return the ids of records that rest, directly or by way of others, on one that fell and were not affirmed since."""
    named = {record.id: record for record in records}
    if not any(link.relation == DEPENDS_ON for record in named.values() for link in record.links):
        return set()
    visible = Wanted(states=EVERY_STATE, shared_only=wanted.shared_only)
    known = _resting(backend, named, visible)
    grounds = {name: _ground(piece) for name, piece in known.items()}
    return set(find_suspects(grounds, lambda name: _fell_on(backend, known[name], visible))) & set(named)


def _ground(piece: Piece) -> Ground:
    record = piece.record
    return Ground(record.state, record.since, record.seen, _rests(record), piece.affirmed)


def _rests(record: Record) -> tuple[str, ...]:
    return tuple(link.target for link in record.links if link.relation == DEPENDS_ON)


def _resting(backend: Backend, named: Mapping[str, Record], visible: Wanted) -> dict[str, Piece]:
    """Return the pieces of some records with all that they rest on, by way of others too."""
    known: dict[str, Piece] = {}
    asked = {name for name, record in named.items() if _rests(record)}
    for _ in range(LONGEST_CHAIN):
        if not asked:
            break
        found = {piece.record.id: piece for _, piece in backend.get(sorted(asked), visible)}
        known |= found
        asked = {target for piece in found.values() for target in _rests(piece.record)} - set(known)
    return known


def _fell_on(backend: Backend, piece: Piece, visible: Wanted) -> str:
    """Return the day on which a record fell, as the check reckons it."""
    record = piece.record
    days = [piece.record.since[:10] for _, piece in find_successors(backend, record, visible) if piece.record.since]
    return min(days, default="") or piece.until or record.seen
