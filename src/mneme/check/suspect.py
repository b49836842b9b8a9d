"""Suspects: records that rest, directly or by way of others, on one that was superseded or retired since.

A record that was seen to hold after its ground fell is no suspect, and neither is what rests on it alone: whoever
affirmed it has looked. Pure: what each record says of itself is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mneme.formats.record import RETIRED, SUPERSEDED, WORKING_STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GONE = frozenset((SUPERSEDED, RETIRED))
DEPENDS_ON = "depends-on"


class Ground(NamedTuple):
    """What a record says that matters here: its state, its days, the ids that it rests on, and when it was affirmed."""

    state: str
    since: str
    seen: str
    rests: tuple[str, ...] = ()
    affirmed: str = ""


class Suspect(NamedTuple):
    """Why a record is one: the chain from what it rests on to what fell, and the day on which that fell."""

    chain: tuple[str, ...]
    fell: str


def find_suspects(grounds: Mapping[str, Ground], fell_on: Callable[[str], str]) -> dict[str, Suspect]:
    """Return the records in force that rest on something that fell; `fell_on` says when a fallen record did."""
    found: dict[str, Suspect] = {}
    resting: dict[str, list[str]] = {}
    for name, ground in grounds.items():
        for target in ground.rests:
            resting.setdefault(target, []).append(name)
    fallen = [target for target in resting if target in grounds and grounds[target].state in GONE]
    queue = [(target, Suspect((target,), fell_on(target)[:10])) for target in fallen]
    while queue:
        target, why = queue.pop(0)
        for name in resting.get(target, ()):
            if name in found or grounds[name].state not in WORKING_STATES or _was_affirmed(grounds[name], why.fell):
                continue
            found[name] = why
            queue.append((name, Suspect((name, *why.chain), why.fell)))
    return found


def _was_affirmed(ground: Ground, fell: str) -> bool:
    """Say whether a record was seen to hold after its ground fell: on a later day, or on that day and it says so."""
    return bool(fell) and (ground.seen[:10] > fell or ground.affirmed >= fell)
