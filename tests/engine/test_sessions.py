"""The end of a session: everything once, in one plan, and what to do about the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.files.workbench import tree

from mneme.capture.scaffold import is_ours
from mneme.capture.session import Session
from mneme.engine import Memory, open_memory

if TYPE_CHECKING:
    from pathlib import Path

NOTE, BUFFER = "memory/2026-03-02.md", "memory/working-buffer.md"


def at(root: Path, moment: str = "2026-03-02T17:30", *, shared: bool = False) -> Memory:
    """Open the workspace at a moment."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return open_memory(str(root), now=lambda: now, shared=shared)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace of the default layout, in the middle of a session."""
    (tmp_path / "mneme.toml").write_text('profile = "default"\n')
    at(tmp_path, "2026-03-02T09:00").note("came in")
    at(tmp_path, "2026-03-02T09:30").buffer_add("[ ] move the index")
    return tmp_path


def test_a_session_ends_in_one_plan_and_a_second_time_changes_nothing(root: Path) -> None:
    """Summary into the timeline, buffer into its section; then nothing is left to do."""
    wrapped = at(root).wrap_up("The cache moved; the importer is next")
    assert set(wrapped.done.paths) == {NOTE, BUFFER}
    assert (wrapped.written, wrapped.emptied, wrapped.pending) == (True, (NOTE,), ("09:30 move the index",))
    assert (root / NOTE).read_text() == (
        "# 2026-03-02\n\n- 09:00 came in\n- 17:30 Session: The cache moved; the importer is next\n\n"
        "## Working buffer\n\n- [ ] 09:30 move the index\n"
    )
    after = tree(root)
    again = at(root, "2026-03-02T17:45").wrap_up("The cache moved; the importer is next")
    assert (again.done.n, again.written, again.emptied) == (0, False, ())
    assert tree(root) == after


def test_a_session_that_hooks_tell_of_is_called_one_once(root: Path) -> None:
    """And what they told is known for nobody's own words, so that nothing is captured from it."""
    said = Session(host="claude-code", first="2026-03-02T09:00:00", asked=["we decided to move the cache"]).summary()
    at(root).wrap_up(said)
    line = next(one for one in (root / NOTE).read_text().splitlines() if "claude-code" in one)
    assert line == '- 17:30 Session 09:00 (claude-code): asked "we decided to move the cache".'
    assert is_ours(line)
    assert at(root, "2026-03-02T17:45").wrap_up(said).done.n == 0


def test_undo_restores_every_byte(root: Path) -> None:
    """It is one plan, so it is one undo."""
    before = tree(root)
    at(root).wrap_up("Done")
    at(root).undo()
    assert tree(root) == before


def test_a_named_session_has_one_summary(root: Path) -> None:
    """A host that ends a session twice leaves one line, with the later words and the first time."""
    at(root).wrap_up("half of it", session="3f2a")
    at(root, "2026-03-02T18:00").wrap_up("all of it\nand more", session="3f2a")
    at(root, "2026-03-02T18:10").wrap_up("another", session="77")
    text = (root / NOTE).read_text()
    assert "- 17:30 Session 3f2a: all of it\n  and more\n- 18:10 Session 77: another\n" in text
    assert "half of it" not in text


def test_the_closure_of_today_and_yesterday_is_checked(root: Path) -> None:
    """A day without one is told, with the command that closes it; a closed day is not."""
    at(root, "2026-03-01T12:00").note("yesterday")
    problems = at(root).wrap_up().problems
    assert [(one.rule, one.path, one.severity) for one in problems] == [
        ("incomplete-closure", "memory/2026-03-01.md", "warn"),
        ("incomplete-closure", NOTE, "warn"),
    ]
    assert problems[0].hint.startswith("mneme close --today 2026-03-01 ")
    at(root, "2026-03-01T12:00").close_day()
    at(root).close_day(decisions="x")
    assert at(root).wrap_up().problems == ()


def test_what_is_remembered_nowhere_is_offered_with_its_command(root: Path) -> None:
    """Decisions and lessons of the day and friction of the buffer, until somebody remembers them."""
    at(root, "2026-03-02T10:00").buffer_add("the emulator's start takes ten minutes", friction=True)
    at(root).close_day(decisions="one store for all caches; drop JSON", signal="none")
    promote = at(root).wrap_up().promote
    assert [(one.what, one.text) for one in promote] == [
        ("lesson", "the emulator's start takes ten minutes"),
        ("decision", "one store for all caches"),
        ("decision", "drop JSON"),
    ]
    assert promote[0].run == "mneme remember 'the emulator'\"'\"'s start takes ten minutes' --kind lesson"
    at(root).remember("One store for all caches", kind="decision")
    assert [one.text for one in at(root).wrap_up().promote] == ["the emulator's start takes ten minutes", "drop JSON"]


def test_a_kind_without_a_home_is_offered_as_the_one_that_stands_in_for_it(root: Path) -> None:
    """What is offered can be run as it is printed."""
    (root / "mneme.toml").write_text('profile = "cells"\n')
    at(root).close_day(signal="JSON loses writes")
    (one,) = at(root).wrap_up().promote
    assert one.run == "mneme remember 'JSON loses writes' --kind gotcha"


def test_what_nobody_has_seen_for_long_may_decay(root: Path) -> None:
    """Cells, tagged files and days that are old enough, each with what to do about it."""
    at(root, "2025-12-01T12:00").remember("Lunch is at noon", kind="fact")
    at(root, "2026-01-15T12:00").note("long ago")
    (root / "memory/semantic").mkdir()
    (root / "memory/semantic/infrastructure.md").write_text(
        "# Hosts\n#tags: ssh\n> last_verified: 2026-01-01\n\n- one host\n"
    )
    assert [(one.what, one.why, one.run) for one in at(root).wrap_up().decay] == [
        ("FACT-0001", "not seen to hold for 91 days", "mneme affirm FACT-0001"),
        (
            "memory/semantic/infrastructure.md",
            "not verified for 60 days",
            "mneme affirm memory/semantic/infrastructure.md",
        ),
        ("archive", "more than 30 days old", "mneme archive"),
    ]


def test_a_shared_context_is_told_nothing_private(root: Path) -> None:
    """The session ends all the same."""
    at(root).close_day(decisions="raise salaries")
    at(root, "2025-12-01T12:00").remember("Lunch is at noon", kind="fact")
    wrapped = at(root, shared=True).wrap_up("the group said bye")
    assert (wrapped.pending, wrapped.promote, wrapped.decay, wrapped.problems) == ((), (), (), ())
    assert "the group said bye" in (root / NOTE).read_text()


def test_the_alarm_is_told_first(root: Path) -> None:
    """Whoever wraps up learns that the last check failed."""
    (root / ".mneme.d/alarm").write_text("the integrity check failed\n")
    assert at(root).wrap_up().alarm == "the integrity check failed"
