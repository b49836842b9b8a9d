"""What has ripened is proposed with its evidence, once; what is accepted is a page that links to its sources."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

TODOS = "# Todos\n\n## Atlas\n\n- [x] Draw the map\n- [{tick}] Print the map\n\n## Now\n\n- [ ] Paint the fence\n"


def put(root: Path, path: str, text: str) -> None:
    """Write a file."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def keep(root: Path, kind: str, name: str, text: str, day: str = "2026-01-02") -> None:
    """Write a classified memory."""
    front = f"---\nname: {name.replace('-', ' ')}\ndescription: {text}\ntype: {kind}\ncreated: {day}\n---\n"
    put(root, f"memory/{kind}/{name}.md", f"{front}\n## Rule / Fact\n\n{text}\n")


@pytest.fixture(params=["default", "never-forget"])
def memory(tmp_path: Path, request: pytest.FixtureRequest) -> Memory:
    """Return an empty workspace of a layout that has a place for knowledge."""
    settings = parse_settings(f'profile = "{request.param}"\n')
    return Memory(Workspace(tmp_path, settings, trusted=True), lambda: datetime(2026, 1, 12, 10, tzinfo=UTC))


def pages(memory: Memory) -> list[tuple[str, int]]:
    """Return the pages that sublimation proposes, each with the number of its sources."""
    found = memory.sublimate().proposed
    return [(one.said["category"], len(one.sources)) for one in found]


def atlas(root: Path, tick: str = "x") -> None:
    """Lay out a project with three memories and two tasks."""
    keep(root, "project", "atlas-scale", "Atlas is drawn at 1:50000 because hikers asked for it")
    keep(root, "project", "atlas-paper", "Atlas is printed on tear-proof sheets", "2026-01-03")
    keep(root, "project", "atlas-late", "Atlas was late because the coast changed", "2026-01-04")
    put(root, "todos.md", TODOS.format(tick=tick))


def test_a_complete_project_becomes_a_postmortem(memory: Memory, tmp_path: Path) -> None:
    """Its memories stay where they are, and the page links to each of them; then nothing is proposed again."""
    atlas(tmp_path)
    assert pages(memory) == [("project-postmortem", 3)]
    (accepted,) = memory.accept(["PROP-0001"])
    page = (tmp_path / "knowledge/project-postmortem.md").read_text()
    assert accepted.became == "knowledge/project-postmortem.md#atlas"
    assert (
        "- 2026-01-03: Atlas is printed on tear-proof sheets. ([atlas paper](../memory/project/atlas-paper.md))" in page
    )
    assert (tmp_path / "memory/project/atlas-paper.md").exists()
    assert pages(memory) == []
    assert [one for one in memory.check().problems if one.path.startswith("knowledge/")] == []
    memory.undo()
    assert not (tmp_path / "knowledge/project-postmortem.md").exists()
    assert [one.id for one in memory.proposals()] == ["PROP-0001"]


def test_an_open_task_or_too_few_memories_keep_a_project_open(memory: Memory, tmp_path: Path) -> None:
    """Both are asked for."""
    atlas(tmp_path, " ")
    assert pages(memory) == []
    atlas(tmp_path)
    (tmp_path / "memory/project/atlas-late.md").unlink()
    assert pages(memory) == []


def test_feedback_that_keeps_coming_back_becomes_style(memory: Memory, tmp_path: Path) -> None:
    """Three about one thing, not three about three."""
    keep(tmp_path, "feedback", "no-tables", "Never answer with tables")
    keep(tmp_path, "feedback", "lists", "Lists read better than tables on a phone")
    keep(tmp_path, "feedback", "umlauts", "Spell umlauts out in file names")
    assert pages(memory) == []
    keep(tmp_path, "feedback", "wide-tables", "Wide tables break in the terminal")
    assert pages(memory) == [("user-work-style-guide", 3)]
    (proposal,) = memory.proposals()
    assert proposal.said["why"] == "3 pieces of feedback are about 'table'"
    memory.accept([proposal.id])
    assert "## Table\n" in (tmp_path / "knowledge/user-work-style-guide.md").read_text()


def test_a_user_who_is_known_well_has_a_playbook(memory: Memory, tmp_path: Path) -> None:
    """Role, preferences and habits, over more than a day."""
    keep(tmp_path, "user", "role", "Ann works as a data analyst")
    keep(tmp_path, "user", "short", "Ann prefers short answers")
    keep(tmp_path, "user", "tea", "Ann likes green tea", "2026-01-05")
    assert pages(memory) == []
    keep(tmp_path, "user", "review", "Ann reviews code every morning", "2026-01-06")
    assert pages(memory) == [("user-playbook", 4)]


def test_a_dense_category_is_a_suggestion(memory: Memory, tmp_path: Path) -> None:
    """Five memories of a class about one thing that no other trigger has."""
    for number, text in enumerate(("north", "south", "east", "west", "central")):
        keep(tmp_path, "reference", f"gauge-{number}", f"The {text} gauge reports to the river portal")
    (found,) = memory.sublimate().proposed
    assert found.text.startswith("Found reference memories about ")
    assert found.text.endswith("merge them into knowledge?")
    assert len(found.sources) == 5


def test_where_a_project_stands_is_written_at_once(memory: Memory, tmp_path: Path) -> None:
    """Progress and blockers of a known project, with the day they are from, each once."""
    put(tmp_path, "knowledge/project-tracker.md", "# Projects\n\n## Atlas\n\n- 2026-01-01: begun\n")
    note = "# 2026-01-11\n\n- 09:00 Atlas is blocked by the printer in Graz\n- 10:00 Lunch was late\n"
    put(tmp_path, "memory/2026-01-11.md", note)
    found = memory.sublimate()
    assert len(found.tracked) == 1
    tracker = (tmp_path / "knowledge/project-tracker.md").read_text()
    assert "Atlas is blocked by the printer in Graz ([2026-01-11](../memory/2026-01-11.md))" in tracker
    assert memory.proposals() == ()
    again = memory.sublimate()
    assert (again.tracked, again.proposed, again.paths) == ((), (), ())


def test_a_rejected_page_does_not_come_back(memory: Memory, tmp_path: Path) -> None:
    """Neither with the same memories nor with one more."""
    atlas(tmp_path)
    memory.sublimate()
    memory.reject(["PROP-0001"], why="it is not over")
    assert pages(memory) == []
    keep(tmp_path, "project", "atlas-more", "Atlas sold out in a week")
    assert pages(memory) == []


def test_a_dry_run_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    """The diff shows the queue."""
    atlas(tmp_path)
    assert "Atlas is complete" in memory.sublimate(dry_run=True).diff
    assert memory.proposals() == ()


def test_a_layout_without_a_place_for_knowledge_says_so(tmp_path: Path) -> None:
    """And nothing else happens."""
    settings = parse_settings('profile = "v4"\n')
    memory = Memory(Workspace(tmp_path, settings, trusted=True), lambda: datetime(2026, 1, 12, tzinfo=UTC))
    assert memory.sublimate().message == "the profile 'v4' has no place for knowledge"
