"""Proposals wait as plain text, are settled for good, and nothing that was said before is proposed again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import NotFoundError, RefusedError
from mneme.formats.proposal import Proposal, Source
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

QUEUE = "memory/proposals.mneme"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Return the memory of an empty workspace."""
    return Memory(Workspace(tmp_path, trusted=True), lambda: datetime(2026, 1, 5, tzinfo=UTC))


def wanted(text: str, kind: str = "decision", **said: str) -> Proposal:
    """Return a proposal with a source."""
    return Proposal(
        text, kind, "capture", "storage", said, (Source("memory/2026-01-04.md#0a1b2c3d", "go with SQLite"),)
    )


def test_a_proposal_is_a_cell_that_reads_back_whole(memory: Memory) -> None:
    """What it would become, who proposes it and where it was found stay with it."""
    done, named = memory.propose([wanted("The cache uses SQLite", why="JSON lost writes", tags="db cache")])
    assert done.n == 1
    assert named[0].id == "PROP-0001"
    (found,) = memory.proposals()
    assert found == Proposal(
        "The cache uses SQLite", "decision", "capture", "storage",
        {"why": "JSON lost writes", "tags": "db cache"}, wanted("x").sources, "PROP-0001", "2026-01-05",
    )  # fmt: skip
    assert memory.lint().problems == ()
    assert [record.kind for record in memory.list()] == ["proposal"]


def test_nothing_is_proposed_twice(memory: Memory) -> None:
    """Neither what waits, nor what is remembered, nor the same thing twice at once."""
    memory.remember("Deploys go to Fly on Mondays", kind="fact", topic="ops")
    memory.propose([wanted("The cache uses SQLite")])
    again = [
        wanted("The cache uses SQLite."),
        wanted("Deploys go to Fly on Mondays"),
        wanted("Rust it is"),
        wanted("Rust it is"),
    ]
    _, named = memory.propose(again)
    assert [one.text for one in named] == ["Rust it is"]
    assert [one.id for one in memory.proposals()] == ["PROP-0001", "PROP-0002"]


def test_a_rejected_claim_does_not_come_back(memory: Memory) -> None:
    """The reason stays with it, and the queue is empty."""
    memory.propose([wanted("The cache uses SQLite")])
    memory.reject(["PROP-0001"], why="it was\na joke")
    assert memory.proposals() == ()
    (settled,) = memory.proposals(settled=True)
    assert (settled.fate, settled.outcome) == ("rejected", "it was a joke")
    done, named = memory.propose([wanted("The cache uses SQLite")])
    assert (done.n, named) == (0, ())
    with pytest.raises(RefusedError, match="rejected already: it was a joke"):
        memory.reject(["PROP-0001"])
    assert memory.lint().problems == ()


def test_one_that_was_retired_by_hand_is_rejected(memory: Memory) -> None:
    """Whoever edits the file has said their word."""
    memory.propose([wanted("The cache uses SQLite")])
    place = memory.root / QUEUE
    place.write_text(place.read_text("utf-8").replace("state proposed", "state retired"), "utf-8")
    assert memory.proposals() == ()
    assert memory.propose([wanted("The cache uses SQLite")])[1] == ()


def test_rejecting_can_be_undone(memory: Memory) -> None:
    """Byte for byte."""
    memory.propose([wanted("The cache uses SQLite"), wanted("Rust it is")])
    before = (memory.root / QUEUE).read_bytes()
    memory.reject(["PROP-0002", "PROP-0001"])
    assert memory.proposals() == ()
    memory.undo()
    assert (memory.root / QUEUE).read_bytes() == before


def test_an_unknown_proposal_is_told_with_the_nearest(memory: Memory) -> None:
    """As every unknown id."""
    memory.propose([wanted("The cache uses SQLite")])
    with pytest.raises(NotFoundError, match="the nearest: PROP-0001"):
        memory.reject(["PROP-001"])


def test_a_dry_run_takes_no_id(memory: Memory) -> None:
    """It shows the diff and the ids that would be given."""
    done, named = memory.propose([wanted("The cache uses SQLite"), wanted("Rust it is")], dry_run=True)
    assert [one.id for one in named] == ["PROP-0001", "PROP-0002"]
    assert "+gist  Rust it is" in done.diff
    assert not (memory.root / QUEUE).exists()
    assert memory.propose([wanted("Rust it is")])[1][0].id == "PROP-0001"


def test_a_secret_is_not_proposed(memory: Memory) -> None:
    """Neither in the claim nor in the quote; it is told, without the secret."""
    done, named = memory.propose([wanted("The key is AKIAIOSFODNN7EXAMPLQ")])
    assert named == ()
    assert [problem.rule for problem in done.problems] == ["secret"]
    assert "AKIA" not in str(done.problems)


def test_a_shared_context_sees_none(memory: Memory) -> None:
    """What waits for a person's word is private."""
    memory.propose([wanted("The cache uses SQLite")])
    memory.shared = True
    assert memory.proposals() == ()
