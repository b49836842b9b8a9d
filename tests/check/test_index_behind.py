"""A check says when the index does not know the files as they are, and never makes an index itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Return a workspace with two notes."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "mneme.toml").touch()
    for name in ("a", "b"):
        (tmp_path / "memory" / f"{name}.md").write_text(f"# {name}\n\nThe importer retries {name} times.\n")
    return Memory(open_workspace(tmp_path), lambda: NOW)


def behind(memory: Memory) -> list[str]:
    """Return what a check says of the index."""
    return [one.message for one in memory.check().problems if one.rule == "index-behind"]


def test_an_index_that_falls_behind(memory: Memory) -> None:
    """No index is no fault; a changed, a new and a removed file are counted, and gone after the next indexing."""
    assert behind(memory) == []
    assert not (memory.root / ".mneme.d" / "index.sqlite").exists()
    memory.index(words=True)
    assert behind(memory) == []
    notes = memory.root / "memory"
    (notes / "a.md").write_text("# a\n\nThe importer gives up.\n")
    assert behind(memory) == ["the index is 1 file behind"]
    (notes / "c.md").write_text("# c\n\nThe exporter retries.\n")
    (notes / "b.md").unlink()
    assert behind(memory) == ["the index is 3 files behind"]
    memory.index(words=True)
    assert behind(memory) == []
