"""What was saved over is told, with the plan that wrote it; what was taken away on purpose is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import make, put, read, shared

from mneme.engine.overwritten import find_overwritten

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine import Memory

HOME = "memory/semantic/infrastructure.md"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Return a workspace in which an editor has a file open since before the last two plans."""
    memory = make(tmp_path, "v4")
    before = read(memory, HOME)
    memory.remember("The index runs on port 6333", kind="infrastructure")
    memory.remember("The gateway listens on port 18789", kind="infrastructure")
    put(memory.root, "open", before)
    return memory


def told(memory: Memory) -> list[str]:
    """Return what is said of files that were saved over."""
    return [f"{problem.path}: {problem.message}" for problem in find_overwritten(memory)]


def test_a_save_over_two_plans_names_both(memory: Memory) -> None:
    """By check and at the end of a session too; what is there is not told of."""
    assert told(memory) == []
    (memory.root / "open").rename(memory.root / HOME)
    expected = [f"{HOME}: what plans 1, 2 wrote here is gone: somebody saved the file without it"]
    assert told(memory) == expected
    assert "overwritten-plan" in {problem.rule for problem in memory.check().problems}
    assert "overwritten-plan" in {problem.rule for problem in memory.wrap_up("done").problems}
    memory.remember("The cellar floods", kind="infrastructure")
    assert told(memory) == expected


def test_what_plans_took_away_is_not_told(memory: Memory) -> None:
    """Neither what was superseded, nor what was undone, forgotten, or went with its file."""
    name = memory.list(kind="infrastructure")[0].id
    memory.supersede(name, "The index runs on port 7333")
    memory.undo(2)
    memory.forget(memory.remember("The vault is open at night", kind="infrastructure").records[0].id)
    old = memory.remember("The attic leaks in autumn", kind="lesson").records[0].id
    memory.forget(memory.supersede(old, "The attic leaks all year").records[0].id)  # and with it, how the old one went
    memory.buffer_add("a thing in hand")
    memory.buffer_rotate(force=True)
    assert told(memory) == []
    (memory.root / HOME).unlink()
    assert told(memory) == []


def test_a_shared_context_is_not_told(memory: Memory) -> None:
    """The names of private files are private."""
    (memory.root / "open").rename(memory.root / HOME)
    assert told(shared(memory)) == []
