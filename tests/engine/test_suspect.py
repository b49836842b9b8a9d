"""What rests on a superseded record is suspect, by way of others too, until somebody affirms it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = {"depends-on-dead", "rests-on-suspect"}


class Clock:
    """A day that is set by hand."""

    def __init__(self) -> None:
        self.day = 5

    def __call__(self) -> datetime:
        """Return the moment."""
        return datetime(2026, 1, self.day, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    """Return a clock of the test's own."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """Give an empty workspace on that clock."""
    with Memory(Workspace(tmp_path, trusted=True), clock) as opened:
        yield opened


def suspects(memory: Memory) -> dict[str, str]:
    """Return the ids that the check names as resting on something that fell."""
    return {one.message.split("'")[1]: one.rule for one in memory.check().problems if one.rule in RULES}


def labels(memory: Memory) -> dict[str, str]:
    """Return what recall says that each record may be used for."""
    hits = memory.recall("harbour crane").hits
    return {hit.record.id: hit.trust for hit in hits}


@pytest.mark.parametrize("days", [0, 3])
def test_a_chain_is_suspect_until_it_is_affirmed(memory: Memory, clock: Clock, days: int) -> None:
    """Also where all of it happens on one day."""
    memory.remember("The harbour crane lifts forty tons", kind="fact", topic="harbour/crane")
    memory.remember(
        "The harbour crane needs two drivers", kind="fact", topic="harbour/staff", links=["depends-on FACT-0001"]
    )
    memory.remember(
        "Rosters list two names for the harbour crane",
        kind="fact",
        topic="harbour/roster",
        links=["depends-on FACT-0002"],
    )
    assert suspects(memory) == {}
    clock.day += days
    memory.supersede("FACT-0001", "The harbour crane lifts sixty tons")
    assert suspects(memory) == {"FACT-0002": "depends-on-dead", "FACT-0003": "rests-on-suspect"}
    told = labels(memory)
    assert (told["FACT-0002"], told["FACT-0003"], told["FACT-0004"]) == ("verify first", "verify first", "use")
    memory.affirm("FACT-0002")
    assert suspects(memory) == {}
    told = labels(memory)
    assert (told["FACT-0002"], told["FACT-0003"]) == ("use", "use")
    clock.day += 1
    assert suspects(memory) == {}
    memory.supersede("FACT-0004", "The harbour crane lifts seventy tons")
    assert suspects(memory) == {}


def test_affirming_the_last_of_a_chain_clears_it_alone(memory: Memory, clock: Clock) -> None:
    """What is between stays suspect."""
    memory.remember("The harbour crane lifts forty tons", kind="fact", topic="harbour/crane")
    memory.remember(
        "The harbour crane needs two drivers", kind="fact", topic="harbour/staff", links=["depends-on FACT-0001"]
    )
    memory.remember(
        "Rosters list two names for the harbour crane",
        kind="fact",
        topic="harbour/roster",
        links=["depends-on FACT-0002"],
    )
    clock.day += 1
    memory.mark("FACT-0001", "retired")
    memory.affirm("FACT-0003")
    assert suspects(memory) == {"FACT-0002": "depends-on-dead"}
    assert labels(memory)["FACT-0003"] == "use"
