"""Where MEMORY.md is an index, a promotion is a classified memory with a line there, and lives like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.consolidate.dream.nights import Place, after

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "memory/2026-04-01.md"
LINES = (
    "Backups go to S3 Glacier every night.",
    "The gateway stays on port 18789.",
    "Ann prefers short answers without tables.",
    "The printer on the second floor needs A3 paper.",
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a workspace of the profile never-forget, after the night that promoted four lines of a day."""
    place = Place(tmp_path)
    place.write("mneme.toml", 'profile = "never-forget"\n[dream]\nstale_days = 4\narchive_days = 3\n')
    place.write("MEMORY.md", "# Memory\n\nWhat I keep.\n")
    place.write(NOTE, "# 2026-04-01\n\n" + "".join(f"- {row}\n" for row in LINES))
    for number in range(len(LINES)):
        place.ask_thrice(NOTE, 3 + number)
    place.dream(after(3))
    return place


def shelved(place: Place) -> dict[str, str]:
    """Return the classified memories that were promoted and lie in their folders, by path."""
    found = {path: content.decode() for path, content in place.files().items() if path.endswith(".md")}
    return {path: text for path, text in found.items() if "\npromoted: " in text and "/archive/" not in path}


def live_on(place: Place, first: int, last: int) -> None:
    """Let days go by on which something happens, and dream each night."""
    for day in range(first, last):
        at = after(day)
        place.write(f"memory/{at.date()}.md", f"# {at.date()}\n\n- Walked around the lake, lap {day} of the year.\n")
        place.dream(at)


def test_each_promotion_is_a_file_of_its_class_with_its_source_and_an_index_line(place: Place) -> None:
    """MEMORY.md holds lines that link and no content; what is about the user is in USER.md as well."""
    memory = place.read("MEMORY.md")
    assert memory.startswith("# Memory\n\nWhat I keep.\n")
    assert "openclaw-memory-promotion" not in memory
    assert len(shelved(place)) == len(LINES)
    for path, text in shelved(place).items():
        assert f"]({path}) \u2014 " in memory
        assert f'source: "{NOTE}#' in text
    user = next(text for path, text in shelved(place).items() if path.startswith("memory/user/"))
    assert "type: user\ncreated: 2026-04-01\n" in user
    assert "Ann prefers short answers" in place.read("USER.md")
    with place.open(after(3)) as opened:
        assert opened.check().problems == ()


def test_the_night_is_idle_the_second_time_and_taken_back_whole(place: Place) -> None:
    """Nothing is promoted twice; undo leaves no file behind."""
    before = place.files()
    assert place.dream(after(3)).status == "idle"
    assert place.files() == before
    with place.open(after(3)) as opened:
        opened.undo()
    assert shelved(place) == {}
    assert place.read("MEMORY.md") == "# Memory\n\nWhat I keep.\n"


def test_what_was_noted_later_takes_its_place(place: Place) -> None:
    """The old file moves to the archive, each names the other, and the index leads to the new one alone."""
    place.write("memory/2026-04-06.md", "# 2026-04-06\n\n- The gateway stays on port 9090.\n")
    place.dream(after(5))
    gateways = [path for path in place.files() if "gateway" in path]
    old, new = sorted(gateways, key=lambda path: "/archive/" not in path)
    assert f"superseded_by: {new}" in place.read(old)
    assert f"supersedes: {old}" in place.read(new)
    assert "9090.md" in place.read("MEMORY.md")
    assert "18789" not in place.read("MEMORY.md")


def test_what_nobody_needs_is_stale_then_archived_and_what_was_affirmed_stays(place: Place) -> None:
    """One a night at most of four; the index loses its line."""
    kept = next(path for path in shelved(place) if "backups" in path)
    live_on(place, 4, 6)
    with place.open(after(6)) as opened:
        opened.affirm(kept)
    live_on(place, 6, 9)
    assert {path for path, text in shelved(place).items() if "\nstate: stale\n" in text} == {*shelved(place)} - {kept}
    live_on(place, 9, 12)
    assert len(shelved(place)) < len(LINES)
    assert kept in shelved(place)
    lines = place.read("MEMORY.md").count("](memory/")
    assert lines == len(shelved(place))
    assert sum("/archive/" in path and "promoted: " in place.read(path) for path in place.files()) == len(LINES) - lines


def test_a_memory_that_somebody_wrote_is_not_promoted_again(tmp_path: Path) -> None:
    """In a classified file of their own, in other words."""
    place = Place(tmp_path)
    place.write("mneme.toml", 'profile = "never-forget"\n')
    place.write(NOTE, "# 2026-04-01\n\n- The gateway stays on port 18789.\n")
    with place.open(after(0)) as opened:
        opened.remember("The gateway stays on port 18789", kind="reference")
    place.ask_thrice(NOTE, 3)
    night = place.dream(after(3))
    assert shelved(place) == {}
    assert night.report is not None
    assert [one.reason for one in night.report.skipped] == ["MEMORY.md says so already"]
