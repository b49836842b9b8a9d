"""An accepted proposal is a memory in the home of its kind, in one change that can be taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import RefusedError
from mneme.formats.proposal import Proposal, Source
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = (Source("memory/2026-01-04.md#0a1b2c3d", "go with SQLite"),)
PROFILES = ("default", "openclaw", "v4", "never-forget", "protocol", "cells")
TEXTS = {
    "decision": "The cache uses SQLite because JSON lost writes",
    "preference": "The user prefers short answers",
    "feedback": "Do not use tables in answers",
    "gotcha": "The importer fails silently unless paths are UTF-8",
    "todo": "Rotate the signing key",
    "fact": "The user lives in Lisbon",
    "entity": "Coco is a puppy of the user",
}


def memory_of(tmp_path: Path, profile: str = "default") -> Memory:
    """Return the memory of an empty workspace of a profile."""
    settings = parse_settings(f'profile = "{profile}"\n')
    return Memory(Workspace(tmp_path, settings, trusted=True), lambda: datetime(2026, 1, 5, 9, tzinfo=UTC))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_kind_finds_a_home_in_every_profile(tmp_path: Path, profile: str) -> None:
    """What capture proposes can be accepted wherever it was found, and says what it became."""
    memory = memory_of(tmp_path, profile)
    wanted = [Proposal(text, kind, "capture", sources=SOURCE) for kind, text in TEXTS.items()]
    _, named = memory.propose(wanted)
    accepted = memory.accept([one.id for one in named])
    assert memory.proposals() == ()
    assert [one.outcome for one in memory.proposals(settled=True)] == [one.done.records[0].id for one in accepted]
    kept = " ".join(record.text for record in memory.list() if record.kind != "proposal" and record.state == "live")
    assert [text for text in TEXTS.values() if text not in kept] == []
    assert [one for one in memory.check().problems if one.severity == "error"] == []


def test_undo_takes_back_the_memory_and_the_acceptance(tmp_path: Path) -> None:
    """Both are one plan."""
    memory = memory_of(tmp_path)
    memory.propose([Proposal(TEXTS["decision"], "decision", "capture", "storage", {"why": "it broke"}, SOURCE)])
    (accepted,) = memory.accept(["PROP-0001"])
    assert (accepted.became, accepted.done.n) == ("DEC-0001", 2)
    assert memory.list(kind="decision")[0].path == "memory/project.mneme"
    memory.undo()
    assert [one.id for one in memory.proposals()] == ["PROP-0001"]
    assert not memory.list(kind="decision")


def test_what_is_remembered_already_is_not_remembered_twice(tmp_path: Path) -> None:
    """The proposal then leads to the record that was there."""
    memory = memory_of(tmp_path)
    memory.propose([Proposal(TEXTS["decision"], "decision", "capture", sources=SOURCE)])
    memory.remember(TEXTS["decision"], kind="decision")
    (accepted,) = memory.accept(["PROP-0001"])
    assert accepted.became == "DEC-0001"
    assert len(memory.list(kind="decision")) == 1
    assert memory.proposals() == ()


def test_a_dry_run_shows_both_and_writes_neither(tmp_path: Path) -> None:
    """The diff names the cell file and the queue."""
    memory = memory_of(tmp_path)
    memory.propose([Proposal(TEXTS["decision"], "decision", "capture", sources=SOURCE)])
    (accepted,) = memory.accept(["PROP-0001"], dry_run=True)
    assert "memory/project.mneme" in accepted.done.diff
    assert "accepted as DEC-0001" in accepted.done.diff
    assert len(memory.proposals()) == 1


def test_whoever_accepts_may_know_the_kind_better(tmp_path: Path) -> None:
    """What somebody names comes before what was proposed."""
    memory = memory_of(tmp_path, "protocol")
    memory.propose([Proposal("Acme pays within thirty days", "preference", "capture", sources=SOURCE)])
    (accepted,) = memory.accept(["PROP-0001"], kind="fact", about="Acme")
    assert accepted.done.records[0].path == "brain/areas/acme/items.json"


def test_a_broken_memory_accepts_nothing(tmp_path: Path) -> None:
    """Errors are mended first, unless it is forced."""
    memory = memory_of(tmp_path)
    memory.propose([Proposal(TEXTS["decision"], "decision", "capture", sources=SOURCE)])
    (tmp_path / "memory/other.mneme").write_text("@ DEC-0009\ngist: one\nstate nonsense\n\n@ DEC-0009\ngist: two\n")
    with pytest.raises(RefusedError, match="integrity check failed"):
        memory.accept(["PROP-0001"])
    memory.accept(["PROP-0001"], force=True)
    with pytest.raises(RefusedError, match="accepted already"):
        memory.accept(["PROP-0001"], force=True)
