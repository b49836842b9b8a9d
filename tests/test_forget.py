"""Forgetting: by id, by file and by text, until the bytes are nowhere under the workspace."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import make, shared

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


class TestKinds:
    """Forgetting a memory of any kind takes with it what was drawn from it."""

    def test_a_fact_keeps_its_id_and_says_nothing(self, tmp_path: Path) -> None:
        """The chain stays whole, the summary is drawn anew, and the id is not given again."""
        memory = make(tmp_path, "protocol")
        memory.remember("Acme hides gold in the cellar", about="acme")
        memory.supersede("acme-001", "Acme hides gold in the attic")
        memory.forget("acme-001")
        assert places_of(memory.root, "in the cellar") == []
        memory.forget("acme-002")
        assert places_of(memory.root, "hides gold") == []
        assert [(one.id, one.state) for one in memory.list(entity="acme")] == [
            ("acme-001", "superseded"),
            ("acme-002", "retired"),
        ]
        assert "forgotten" not in (memory.root / "brain/areas/acme/summary.md").read_text()
        assert not [one for one in memory.check().problems if one.severity == "error"]
        assert memory.remember("Acme moved to the harbour", about="acme").records[0].id == "acme-003"
        with pytest.raises(NotFoundError, match="was forgotten already"):
            memory.forget("acme-002")

    def test_a_classified_memory_goes_with_what_leads_to_it(self, tmp_path: Path) -> None:
        """Index, USER.md and the day's pointer lose their lines; what stands beside them stays."""
        memory = make(tmp_path, "never-forget")
        memory.remember("Drinks plum brandy at night", kind="user")
        memory.remember("Speaks Danish", kind="user")
        memory.note("remembered what Bo said about plums")
        memory.forget("memory/user/drinks-plum-brandy-at-night.md")
        assert places_of(memory.root, "plum brandy") == []
        assert "Speaks Danish" in (memory.root / "USER.md").read_text()
        assert "about plums" in (memory.root / "memory/2026-01-31.md").read_text()
        assert not [one for one in memory.check().problems if one.severity in ("error", "warn")]

    def test_an_entry_leaves_its_file(self, tmp_path: Path) -> None:
        """With its reason; its neighbours stay."""
        memory = make(tmp_path, "v4")
        memory.remember("The index runs on port 6333", kind="infrastructure")
        name = (
            memory.remember("The vault key is under the stone", kind="infrastructure", why="Bo said so").records[0].id
        )
        memory.forget(name)
        assert places_of(memory.root, "under the stone") == []
        assert places_of(memory.root, "Bo said so") == []
        assert "port 6333" in (memory.root / "memory/semantic/infrastructure.md").read_text()

    def test_a_short_entry_is_gone_from_history_too(self, tmp_path: Path) -> None:
        """A text too short to be searched for is searched for as the line that it is."""
        memory = make(tmp_path, "openclaw")
        memory.forget(memory.remember("Tee", kind="preference").records[0].id)
        assert places_of(memory.root, "- Tee") == []

    def test_a_section_goes_with_its_heading(self, tmp_path: Path) -> None:
        """Its subsections are others."""
        memory = make(
            tmp_path, **{"memory__harbour.md": "# Harbour\n\nBoats.\n\n## Secret pier\n\nNorth.\n\n## Else\n\nx\n"}
        )
        memory.forget("memory/harbour.md#secret-pier")
        assert (memory.root / "memory/harbour.md").read_text() == "# Harbour\n\nBoats.\n\n## Else\n\nx\n"

    def test_a_shared_context_forgets_nothing_private(self, tmp_path: Path) -> None:
        """Neither by id nor by text, nor does it learn that there is something."""
        memory = make(tmp_path, "never-forget")
        memory.remember("Drinks plum brandy at night", kind="user")
        guest = shared(memory)
        for what in ("memory/user/drinks-plum-brandy-at-night.md", "plum brandy", "never said"):
            for dry_run in (True, False):
                with pytest.raises(NotFoundError):
                    guest.forget(what, dry_run=dry_run)
        assert "plum brandy" in (memory.root / "USER.md").read_text()

    def test_of_a_section_goes_what_is_shown_of_it(self, tmp_path: Path) -> None:
        """A closure below the first entry is another memory, and stays with the heading."""
        memory = make(
            tmp_path, **{"memory__log.md": "# Log\n\n- tea\n\nUpdated: 2026-01-01\nDecisions: a\nSignal: b\nOpen: c\n"}
        )
        memory.forget("memory/log.md#log")
        assert (memory.root / "memory/log.md").read_text() == (
            "# Log\n\n\nUpdated: 2026-01-01\nDecisions: a\nSignal: b\nOpen: c\n"
        )
