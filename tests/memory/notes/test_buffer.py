"""The working buffer: its header, its rotation in one plan, and what a crash leaves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme import files
from mneme.engine import Memory, open_memory
from mneme.memory.notes.buffer import rotate_buffer
from mneme.memory.notes.drafts import Drafts

if TYPE_CHECKING:
    from pathlib import Path

BUFFER = "memory/working-buffer.md"
NOTE = "memory/2026-03-02.md"
HEADER = "# Working Buffer\ncreated: {0}\nlast_active: {0}\n\n"


def at(root: Path, moment: str = "2026-03-02T09:30", *, shared: bool = False) -> Memory:
    """Open the workspace at a moment."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return open_memory(str(root), now=lambda: now, shared=shared)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace of the default layout."""
    (tmp_path / "mneme.toml").write_text('profile = "default"\n')
    return tmp_path


def fill(root: Path, lines: int, moment: str = "2026-03-02T09:30") -> str:
    """Write a buffer of so many entries by hand, and return its content."""
    body = "".join(f"- 09:{number % 60:02d} step {number}\n" for number in range(lines))
    (root / "memory").mkdir(exist_ok=True)
    (root / BUFFER).write_text(HEADER.format(f"{moment}:00+00:00") + body)
    return body


def test_a_buffer_begins_with_its_header_and_says_when_it_was_written(root: Path) -> None:
    """`created` stays, `last_active` follows; what is to be done and what cost time are marked."""
    at(root).buffer_add("Ann wants a PDF")
    at(root, "2026-03-02T09:35").buffer_add("[ ] move the index")
    at(root, "2026-03-02T09:45").buffer_add("the emulator is slow", friction=True)
    assert (root / BUFFER).read_text() == (
        "# Working Buffer\ncreated: 2026-03-02T09:30:00+00:00\nlast_active: 2026-03-02T09:45:00+00:00\n\n"
        "- 09:30 Ann wants a PDF\n- [ ] 09:35 move the index\n- 09:45 #friction: the emulator is slow\n"
    )
    view = at(root, "2026-03-02T10:00").buffer_show()
    assert (view.state, view.lines, view.pending, view.idle_minutes) == ("active", 7, ("09:35 move the index",), 15)
    assert at(root, "2026-03-02T11:45").buffer_show().state == "stale"


def test_rotation_waits_for_a_full_buffer_and_an_idle_task(root: Path) -> None:
    """Below the limit there is nothing to do; in the middle of a task it is put off; --force overrules both."""
    fill(root, 76)
    assert "80 of 80 lines" in at(root, "2026-03-02T12:00").buffer_rotate().put_off
    body = fill(root, 77)
    assert (
        "a task is active: the buffer was written 30 minutes ago"
        in at(root, "2026-03-02T10:00").buffer_rotate().put_off
    )
    assert (root / BUFFER).read_text().endswith(body)
    assert at(root, "2026-03-02T10:00").buffer_rotate(force=True).notes == (NOTE,)


def test_rotation_puts_the_content_above_the_closure_and_clears_in_one_plan(root: Path) -> None:
    """Both files are in the same plan; a second rotation changes nothing; undo restores both."""
    at(root, "2026-03-02T08:00").note("came in")
    at(root, "2026-03-02T08:10").close_day(open="the index")
    body = fill(root, 90)
    before = {path: (root / path).read_bytes() for path in (BUFFER, NOTE)}
    done = at(root, "2026-03-02T12:00").buffer_rotate().done
    assert set(done.paths) == {BUFFER, NOTE}
    assert (root / NOTE).read_text() == (
        f"# 2026-03-02\n\n- 08:00 came in\n\n## Working buffer\n\n{body}\n"
        "Updated: 2026-03-02\nDecisions: none\nSignal: none\nOpen: the index\n"
    )
    assert (root / BUFFER).read_text() == HEADER.format("2026-03-02T12:00:00+00:00")
    assert at(root, "2026-03-02T12:05").buffer_rotate(force=True).done.n == 0
    at(root).undo()
    assert {path: (root / path).read_bytes() for path in before} == before


def test_what_was_left_over_goes_to_the_day_it_was_written_on(root: Path) -> None:
    """A buffer found the next morning belongs to yesterday; one that spans two days says when it was begun."""
    fill(root, 90)
    assert at(root, "2026-03-03T09:00").buffer_rotate().notes == (NOTE,)
    at(root, "2026-03-03T23:00").buffer_add("late")
    at(root, "2026-03-04T00:10").buffer_add("later still")
    assert at(root, "2026-03-04T09:00").buffer_rotate(force=True).notes == ("memory/2026-03-04.md",)
    text = (root / "memory/2026-03-04.md").read_text()
    assert "Begun on 2026-03-03:\n\n- 23:00 late\n- 2026-03-04 00:10 later still\n" in text


def test_a_full_buffer_that_was_left_over_makes_room_first(root: Path) -> None:
    """The next task does not begin in the middle of the last one; a buffer that fills up during a task says so."""
    fill(root, 90)
    done = at(root, "2026-03-02T09:40").buffer_add("in the same task")
    assert [problem.rule for problem in done.problems] == ["long-buffer"]
    done = at(root, "2026-03-02T14:00").buffer_add("a new task")
    assert set(done.paths) == {BUFFER, NOTE}
    assert (root / BUFFER).read_text().endswith("\n\n- 14:00 a new task\n")


@pytest.mark.parametrize("at_placed", [0, 1])
def test_a_crash_in_the_middle_is_finished_when_the_workspace_is_next_opened(root: Path, at_placed: int) -> None:
    """Committed, the rotation is done whole: the content is in the note once, and the buffer is empty."""
    from tests.files.workbench import interrupt

    fill(root, 90)
    memory = at(root, "2026-03-02T12:00")
    drafts = Drafts(root)
    rotate_buffer(drafts, memory.workspace, memory.now())
    interrupt(root, files.Plan("buffer rotate", drafts.changes()), placed=at_placed)
    at(root, "2026-03-02T12:01")
    assert (root / NOTE).read_text().count("step 42\n") == 1
    assert "step" not in (root / BUFFER).read_text()


def test_a_rotation_that_another_tool_broke_off_is_finished_and_not_doubled(root: Path) -> None:
    """Its text in the note and still in the buffer, or put aside as `.pending`: it ends up in the note once."""
    body = fill(root, 90)
    (root / NOTE).write_text(f"# 2026-03-02\n\n{body}")
    (root / f"{BUFFER}.pending").write_text(HEADER.format("2026-03-02T07:00:00+00:00") + "- 07:00 put aside\n")
    assert [problem.rule for problem in at(root).buffer_show().problems] == ["orphaned-buffer"]
    at(root, "2026-03-02T12:00").buffer_rotate()
    text = (root / NOTE).read_text()
    assert (text.count("step 42\n"), text.count("07:00 put aside")) == (1, 1)
    assert "step" not in (root / BUFFER).read_text()
    assert not (root / f"{BUFFER}.pending").exists()


def test_what_a_buffer_leaves_open_does_not_swallow_the_closure(root: Path) -> None:
    """A fence or a comment that nobody closed is closed on the way into the note."""
    for opened, closing in (("```sh\nmake", "```"), ("<!-- later", "-->")):
        (root / "memory").mkdir(exist_ok=True)
        at(root).close_day(open="the index")
        (root / BUFFER).write_text(HEADER.format("2026-03-02T09:00:00+00:00") + opened + "\n")
        at(root).buffer_rotate(force=True)
        assert f"{opened}\n{closing}\n\nUpdated: 2026-03-02" in (root / NOTE).read_text()
        assert at(root).close_day(signal=f"{closing[0]} read").lines[-1] == "Open: the index"


def test_a_buffer_without_a_header_is_content_from_its_first_line(root: Path) -> None:
    """A file that a person keeps loses nothing, and is never taken for an active task."""
    (root / "memory").mkdir()
    (root / BUFFER).write_text("scribbled down\n")
    assert at(root).buffer_show().state == "stale"
    at(root).buffer_rotate(force=True)
    assert "## Working buffer\n\nscribbled down\n" in (root / NOTE).read_text()


def test_clearing_twice_changes_nothing_the_second_time(root: Path) -> None:
    """What was cleared comes back with undo."""
    at(root).buffer_add("Ann wants a PDF")
    before = (root / BUFFER).read_bytes()
    assert at(root, "2026-03-02T10:00").buffer_clear().n == 2
    assert at(root, "2026-03-02T10:05").buffer_clear().n == 0
    at(root).undo()
    assert (root / BUFFER).read_bytes() == before


def test_a_shared_context_sees_no_buffer(root: Path) -> None:
    """The buffer is private, whoever asks for it."""
    at(root).buffer_add("salary talk")
    assert at(root, shared=True).buffer_show().text == ""
    assert at(root, shared=True).buffer_clear(dry_run=True).diff == ""
