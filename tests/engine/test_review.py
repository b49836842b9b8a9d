"""A week is reviewed once: its outcomes go home, what is old is put away, and a week of nothing changes nothing."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import RefusedError
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = """# 2026-01-{day:02}

- 09:00 worked
- 10:00 #friction: waiting for the slow test runner again

Updated: 2026-01-{day:02}
Decisions: {decisions}
Signal: {signal}
Open: {open}
"""


class Clock:
    """A day that is set by hand; an editor may save a file when it is looked at for the so-manieth time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 12, 9, tzinfo=UTC)
        self.calls = 0
        self.edits: tuple[int, Path] | None = None

    def __call__(self) -> datetime:
        """Return the moment."""
        self.calls += 1
        if self.edits and self.edits[0] == self.calls:
            with self.edits[1].open("a") as file:
                file.write("- a line from an editor\n")
        return self.now


def put(root: Path, path: str, text: str) -> None:
    """Write a file."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


@pytest.fixture
def clock() -> Clock:
    """Return a clock of the test's own."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    """Return a week in the layout v4, in a repository."""
    for day, decisions, signal, left in (
        (7, "deploys go to Fly; none", "the importer needs UTF-8 paths", "who pays for Fly"),
        (8, "deploys go to Fly", "importers need UTF-8 paths", "none"),
        (9, "none", "the importer needs UTF-8 paths.", "when does Otto leave"),
    ):
        text = CLOSED.format(day=day, decisions=decisions, signal=signal, open=left)
        put(tmp_path, f"memory/episodic/2026-01-{day:02}.md", text)
    put(
        tmp_path,
        "memory/episodic/2025-11-01.md",
        CLOSED.format(day=1, decisions="none", signal="none", open="none").replace("2026-01-01", "2025-11-01"),
    )
    put(tmp_path, "MEMORY.md", "# Memory\n> last_updated: 2026-01-01\n\n## Open questions\n\n- who pays for Fly\n")
    run = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (
        ["init", "-q"],
        ["config", "user.name", "a"],
        ["config", "user.email", "a@b.c"],
        ["add", "."],
        ["commit", "-qm", "one"],
    ):
        subprocess.run([*run, *words], check=True)
    return Memory(Workspace(tmp_path, parse_settings('profile = "v4"\n'), trusted=True), clock)


def commits(root: Path) -> list[str]:
    """Return the subjects of a repository's commits, newest first."""
    told = subprocess.run(["git", "-C", str(root), "log", "--format=%s"], check=True, capture_output=True, text=True)
    return told.stdout.splitlines()


def test_the_week_goes_home_once_and_is_one_commit(memory: Memory, tmp_path: Path) -> None:
    """Decisions, lessons, friction that recurs, the archive, open questions, the date: all of it, and once."""
    reviewed = memory.review()
    decisions = (tmp_path / "memory/semantic/decisions.md").read_text()
    lessons = (tmp_path / "memory/procedural/lessons-learned.md").read_text()
    assert decisions.count("deploys go to Fly") == 1
    assert lessons.count("importer needs UTF-8") == 1
    assert lessons.count("slow test runner") == 1
    assert (tmp_path / "memory/archive/2025/11/2025-11-01.md").exists()
    head = (tmp_path / "MEMORY.md").read_text()
    assert "last_updated: 2026-01-12" in head
    assert head.count("who pays for Fly") == 1
    assert "- when does Otto leave" in head
    assert commits(tmp_path) == ["mneme: review of the week to 2026-01-12", "one"]
    again = memory.review()
    assert (again.steps, again.plans) == ([], [])
    assert len(commits(tmp_path)) == 2
    assert len(reviewed.plans) == 1
    assert len(reviewed.steps) > 3


def test_a_lesson_seen_three_times_is_flagged(memory: Memory) -> None:
    """And proposed as a rule for the file that every session loads; a person decides."""
    reviewed = memory.review()
    assert [one.partition(":")[0] for one in reviewed.flagged] == ["learned on 3 days, make it a rule"] * 2
    waiting = memory.proposals(by="review")
    assert {one.kind for one in waiting} == {"promotion"}
    assert "Learned again and again: the importer needs UTF-8 paths" in [one.text for one in waiting]


def test_a_dry_run_writes_nothing_and_shows_the_very_diff(memory: Memory, tmp_path: Path) -> None:
    """Of all steps, each planned on what the one before it came to."""
    planned = memory.review(dry_run=True)
    assert "deploys go to Fly" in planned.diff
    assert not (tmp_path / "memory/semantic").exists()
    assert commits(tmp_path) == ["one"]
    reviewed = memory.review()
    assert memory.diff(reviewed.plans[0])[1] == planned.diff
    assert reviewed.steps == planned.steps


def test_one_undo_takes_it_back(memory: Memory, tmp_path: Path) -> None:
    """To the byte, also where more was written since."""
    before = tree(tmp_path)
    (plan,) = memory.review().plans
    assert tree(tmp_path) != before
    memory.undo(plan)
    assert tree(tmp_path) == before


def tree(root: Path) -> dict[Path, bytes]:
    """Return the files of memory with what they hold."""
    return {path: path.read_bytes() for path in sorted(root.rglob("*.m*")) if ".mneme.d" not in path.parts}


def test_what_is_edited_meanwhile_is_kept_and_reviewed(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    """An editor saves between the planning and the writing: the plan is made again from what it saved."""
    memory.review(dry_run=True)
    clock.edits = (clock.calls - 3, tmp_path / "MEMORY.md")
    clock.calls = 0
    reviewed = memory.review()
    text = (tmp_path / "MEMORY.md").read_text()
    assert "- a line from an editor" in text
    assert "when does Otto leave" in text
    assert len(reviewed.plans) == 1


def test_a_link_to_what_is_no_memory_is_left_alone(memory: Memory, tmp_path: Path) -> None:
    """The stage has no pictures and no programs, and still no link is led elsewhere."""
    put(tmp_path, "tools/deploy.sh", "echo\n")
    put(
        tmp_path,
        "memory/semantic/deploy.sh.md",
        "# Deploy\n#tags: deploy\n> last_verified: 2026-01-10\n\nsee [it](../../tools/deploy.sh)\n",
    )
    memory.review(force=True)
    assert "(../../tools/deploy.sh)" in (tmp_path / "memory/semantic/deploy.sh.md").read_text()


def test_ids_are_not_given_again_by_a_stage(tmp_path: Path, clock: Clock) -> None:
    """Which knows what the history of the workspace remembers."""
    put(tmp_path, "memory/project.mneme", "")
    put(
        tmp_path,
        "memory/2026-01-12.md",
        CLOSED.format(day=12, decisions="deploys go to Fly", signal="none", open="none"),
    )
    memory = Memory(Workspace(tmp_path, trusted=True), clock)
    memory.remember("Retries are capped at three", kind="decision")
    memory.undo()
    memory.review()
    assert "@ DEC-0002" in (tmp_path / "memory/project.mneme").read_text()


def test_a_buffer_that_was_left_over_goes_to_its_day(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    """What was in it is kept; one in use is left alone."""
    memory.buffer_add("half of a thought")
    memory.review()
    assert "half of a thought" in (tmp_path / "memory/working-buffer.md").read_text()
    clock.now += timedelta(hours=5)
    memory.review()
    assert "half of a thought" not in (tmp_path / "memory/working-buffer.md").read_text()
    assert "half of a thought" in (tmp_path / "memory/episodic/2026-01-12.md").read_text()


def test_what_was_turned_down_is_not_brought_home(memory: Memory, tmp_path: Path) -> None:
    """A rejection holds for the review as well."""
    from mneme.formats.proposal import Proposal, Source

    memory.propose([Proposal("deploys go to Fly", "decision", "capture", sources=(Source("a.md:1"),))])
    memory.reject(["PROP-0001"], why="no")
    memory.review()
    assert not (tmp_path / "memory/semantic/decisions.md").exists()


def test_a_week_of_nothing_changes_nothing(tmp_path: Path, clock: Clock) -> None:
    """Which is what it says."""
    put(tmp_path, "MEMORY.md", "# Memory\n")
    memory = Memory(Workspace(tmp_path, trusted=True), clock)
    reviewed = memory.review()
    assert reviewed.as_json()["message"] == "No meaningful changes"
    assert (tmp_path / "MEMORY.md").read_text() == "# Memory\n"


def test_a_broken_memory_is_mended_first(memory: Memory, tmp_path: Path) -> None:
    """Errors that the review does not mend stop it."""
    put(tmp_path, "memory/other.mneme", "@ DEC-0009  a\ngist  one\n\n@ DEC-0009  a\ngist  two\n")
    with pytest.raises(RefusedError, match="integrity check failed"):
        memory.review()
