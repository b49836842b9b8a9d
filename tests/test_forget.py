"""Forgetting: by id, by file and by text, until the bytes are nowhere under the workspace."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory, open_memory
from mneme.errors import BadInputError, NotFoundError, RefusedError

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 20, 12)  # noqa: DTZ001 - a day like any other


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Return a workspace with a little of everything in it."""
    (tmp_path / "mneme.toml").write_text("")
    return open_memory(str(tmp_path), now=lambda: NOW)


def places_of(root: Path, needle: str) -> list[str]:
    """Return every file under a folder that holds a text, however JSON would spell it."""
    forms = {needle.encode(), needle.encode("unicode_escape")}
    files = (place for place in root.rglob("*") if place.is_file())
    return [str(place.relative_to(root)) for place in files if any(form in place.read_bytes() for form in forms)]


def test_a_cell_leaves_only_its_tombstone(memory: Memory) -> None:
    """Gist, cue and body, a short body line too, are gone from file and history; the id is remembered."""
    memory.remember("The door code is 4711 for the back", kind="fact", cue="door / code", why="told by Ann\n9.9")
    memory.remember("Lunch is at noon on Fridays", kind="fact")
    assert places_of(memory.root, "4711")
    gone = memory.forget("FACT-0001")
    for needle in ("4711", "door / code", "told by Ann", "9.9"):
        assert places_of(memory.root, needle) == []
    text = (memory.root / "memory/project.mneme").read_text()
    assert "# forgotten FACT-0001 2026-07-20" in text
    assert "Lunch is at noon" in text
    assert gone.report
    assert memory.remember("Something else altogether", kind="fact").records[0].id == "FACT-0003"


def test_a_forgotten_cell_cannot_be_had_back(memory: Memory) -> None:
    """The plans that wrote it lost their text, and say so; so does the forgetting itself."""
    memory.remember("The door code is 4711 for the back", kind="fact")
    gone = memory.forget("FACT-0001")
    assert gone.report
    for n in (1, gone.report.n):
        with pytest.raises(RefusedError, match="forgotten on purpose"):
            memory.undo(n)
    with pytest.raises(NotFoundError):
        memory.forget("FACT-0001")


def test_a_superseded_text_is_gone_from_its_history_too(memory: Memory) -> None:
    """Every plan that shows the text loses it, as context or as content."""
    memory.remember("The door code is 4711 for the back", kind="fact")
    memory.supersede("FACT-0001", "There is no door code any more")
    memory.undo()
    memory.forget("FACT-0001")
    assert places_of(memory.root, "4711") == []


def test_a_file_goes_with_what_it_alone_said(memory: Memory) -> None:
    """Lines that other files share stay where they are; the rest is nowhere."""
    (memory.root / "a.mneme").write_text("# a heading of both files\n@ FACT-0009 a/b\ngist the secret of Atlantis\n")
    (memory.root / "b.md").write_text("# a heading of both files\n")
    memory.remember("the second secret of Atlantis", kind="gotcha", file=str(memory.root / "a.mneme"))
    memory.forget("a.mneme")
    assert not (memory.root / "a.mneme").exists()
    assert places_of(memory.root, "secret of Atlantis") == []
    assert places_of(memory.root, "a heading of both files") == ["b.md"]


def test_a_text_leaves_a_gap(memory: Memory) -> None:
    """Wherever it stands in the workspace's texts, also in scripts other than Latin."""
    memory.remember("Wang 的电话是 13800 不要外传", kind="fact")
    (memory.root / "MEMORY.md").write_text("the phone: 13800\n")
    memory.forget("13800")
    assert places_of(memory.root, "13800") == []
    assert "[forgotten]" in (memory.root / "MEMORY.md").read_text()


def test_a_text_that_only_history_has(memory: Memory) -> None:
    """What is no longer in any file can still be forgotten."""
    memory.remember("The door code is 4711 for the back", kind="fact")
    memory.undo()
    assert places_of(memory.root, "4711")
    memory.forget("4711")
    assert places_of(memory.root, "4711") == []


def test_what_cannot_be_reached_is_reported(memory: Memory) -> None:
    """A copy in a file of another kind, and the repository, are named."""
    memory.remember("The door code is 4711 for the back", kind="fact")
    (memory.root / "photo.bin").write_bytes(b"\x00The door code is 4711 for the back\x00")
    (memory.root / ".git").mkdir()
    gone = memory.forget("FACT-0001")
    assert gone.report
    assert gone.report.remains[0] == "photo.bin"
    assert gone.report.remains[1].startswith(".git")


def test_nothing_to_forget(memory: Memory) -> None:
    """An empty text would be everything, and an unknown one nothing."""
    with pytest.raises(BadInputError):
        memory.forget("  ")
    with pytest.raises(NotFoundError):
        memory.forget("never said")


def test_a_dry_run_shows_and_destroys_nothing(memory: Memory) -> None:
    """The diff is all there is."""
    memory.remember("The door code is 4711 for the back", kind="fact")
    before = {place: place.read_bytes() for place in memory.root.rglob("*") if place.is_file()}
    assert "-gist  The door code" in memory.forget("FACT-0001", dry_run=True).diff
    assert {place: place.read_bytes() for place in memory.root.rglob("*") if place.is_file()} == before
