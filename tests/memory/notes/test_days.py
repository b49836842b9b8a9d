"""A day's note: entries in the order of the day, sections, the closure, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory, open_memory
from mneme.errors import BadInputError, RefusedError

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "memory/2026-03-02.md"


def at(root: Path, moment: str = "2026-03-02T09:30", *, shared: bool = False) -> Memory:
    """Open the workspace at a moment."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return open_memory(str(root), now=lambda: now, shared=shared)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace of the default layout."""
    (tmp_path / "mneme.toml").write_text('profile = "default"\n')
    return tmp_path


def test_entries_stand_in_the_order_of_the_day(root: Path) -> None:
    """However late something is written down, it stands at its time; sections and the closure stay below."""
    at(root, "2026-03-02T10:00").note("learned a thing", "Learned")
    at(root, "2026-03-02T09:30").note("- moved the cache - at last")
    at(root, "2026-03-02T11:00").close_day(decisions="cache moved")
    at(root, "2026-03-02T12:15").note("after the closing\nin two lines")
    at(root, "2026-03-02T08:00").note("[ ] early")
    assert (root / NOTE).read_text() == (
        "# 2026-03-02\n\n- [ ] 08:00 early\n- 09:30 moved the cache - at last\n- 12:15 after the closing\n  in two lines\n\n"
        "## Learned\n\n- learned a thing\n\n"
        "Updated: 2026-03-02\nDecisions: cache moved\nSignal: none\nOpen: none\n"
    )


def test_a_note_that_a_person_wrote_keeps_every_byte(root: Path) -> None:
    """An entry is put in; CRLF, odd spacing and the closure in bold stay as they are."""
    (root / "memory").mkdir()
    (root / NOTE).write_bytes(b"# Monday\r\n\r\nWe met.  \r\n\r\n**Updated:** 2026-03-02\r\n**Open:** none\r\n")
    at(root).note("moved the cache")
    assert (root / NOTE).read_bytes() == (
        b"# Monday\r\n\r\nWe met.  \r\n\r\n- 09:30 moved the cache\r\n\r\n**Updated:** 2026-03-02\r\n**Open:** none\r\n"
    )


def test_the_same_entry_is_written_once(root: Path) -> None:
    """A call that is repeated because its answer was lost changes nothing."""
    at(root).note("moved the cache")
    before = (root / NOTE).read_bytes()
    again = at(root).note("moved the cache")
    assert (again.status, again.n) == ("exists", 0)
    assert again.records[0].text == "- 09:30 moved the cache"
    assert (root / NOTE).read_bytes() == before


def test_the_sections_of_a_layout_are_there_from_the_start(root: Path) -> None:
    """A day of the protocol begins with its five sections, and what happened goes under the first."""
    (root / "mneme.toml").write_text('profile = "protocol"\n')
    at(root).note("moved the cache")
    at(root).note("use one store", "Decisions")
    text = (root / NOTE).read_text()
    assert "## What happened\n\n- 09:30 moved the cache\n\n## What was learned\n" in text
    assert "## Decisions\n\n- use one store\n\n## Next\n" in text


def test_an_archived_day_is_not_begun_a_second_time(root: Path) -> None:
    """What belongs to a day whose note was archived goes into that note."""
    archived = root / "memory/archive/2026/03/2026-03-02.md"
    archived.parent.mkdir(parents=True)
    archived.write_text("# 2026-03-02\n\n- 08:00 early\n")
    at(root).note("moved the cache")
    assert archived.read_text() == "# 2026-03-02\n\n- 08:00 early\n- 09:30 moved the cache\n"
    assert not (root / NOTE).exists()


@pytest.mark.parametrize("text", ["Updated: 2026-01-01", "```\nopen fence", "<!-- a comment"])
def test_a_text_that_would_change_how_the_rest_reads_is_refused(root: Path, text: str) -> None:
    """A second closure, a fence or a comment that swallows what follows: nothing is written."""
    at(root).note("moved the cache", "Learned")
    at(root).close_day()
    before = (root / NOTE).read_bytes()
    with pytest.raises(BadInputError, match="would change how the rest is read"):
        at(root).note(text, "Learned")
    assert (root / NOTE).read_bytes() == before


def test_nothing_and_secrets_are_refused(root: Path) -> None:
    """An empty text says nothing; a token in a note is read by whoever reads the note."""
    with pytest.raises(BadInputError, match="the text is empty"):
        at(root).note("  \n")
    with pytest.raises(RefusedError, match="looks like a secret"):
        at(root).note("the key is AKIAIOSFODNN7EXAMPLA")
    assert (
        at(root).note("the key is AKIAIOSFODNN7EXAMPLA", redact=True).records[0].text == "- 09:30 the key is [secret]"
    )


def test_a_relative_date_is_written_as_the_day_that_it_was(root: Path) -> None:
    """A reader of next month does not know what yesterday was."""
    at(root).note("Ann left yesterday")
    at(root).close_day(open="call Bo tomorrow")
    text = (root / NOTE).read_text()
    assert "- 09:30 Ann left on 2026-03-01\n" in text
    assert "Open: call Bo on 2026-03-03\n" in text


def test_the_closure_is_replaced_and_never_doubled(root: Path) -> None:
    """What is not given stays; the same words again change nothing."""
    at(root).close_day(decisions="cache moved", open="tell Ann")
    at(root).close_day(signal="JSON is slow")
    closed = at(root).close_day(signal="JSON is slow")
    assert closed.done.n == 0
    assert closed.lines == (
        "Updated: 2026-03-02",
        "Decisions: cache moved",
        "Signal: JSON is slow",
        "Open: tell Ann",
    )
    assert (root / NOTE).read_text() == "# 2026-03-02\n\n" + "\n".join(closed.lines) + "\n"


def test_each_verb_is_taken_back_byte_for_byte(root: Path) -> None:
    """Undo restores the note as it was, and takes away one that was begun."""
    at(root).note("moved the cache")
    before = (root / NOTE).read_bytes()
    at(root).close_day(decisions="x")
    at(root).undo()
    assert (root / NOTE).read_bytes() == before
    at(root).undo(1)
    assert not (root / NOTE).exists()


def test_a_shared_context_is_told_nothing_private(root: Path) -> None:
    """What is written from there is kept; neither the record, nor the diff, nor the closure comes back."""
    at(root).note("salary talk")
    at(root).close_day(open="salary")
    done = at(root, "2026-03-02T10:00", shared=True).note("group said hello")
    assert (done.n, done.records) == (3, ())
    assert at(root, shared=True).note("x", dry_run=True).diff == ""
    assert at(root, shared=True).close_day(signal="y").lines == ()
    assert "group said hello" in (root / NOTE).read_text()
