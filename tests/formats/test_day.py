"""Names of dated files, in every form they come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.day import DAY, DAY_SLUG, FOLDERS, LOOSE, SLUG_DAY, Day, parse_day


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-03-01.md", Day("2026-03-01", "", DAY)),
        ("2026-03-01.txt", Day("2026-03-01", "", DAY)),
        ("memory/日记/2026-03-01-ping-test.md", Day("2026-03-01", "ping-test", DAY_SLUG)),
        ("memory/2026-03-01-0200.md", Day("2026-03-01", "0200", DAY_SLUG)),
        ("memory/2026-03-01 站会.md", Day("2026-03-01", "站会", DAY_SLUG)),
        ("memory/heartbeat-2x-2026-02-17-0200.md", Day("2026-02-17", "heartbeat-2x-0200", SLUG_DAY)),
        ("a\\b\\2026-03-01.md", Day("2026-03-01", "", DAY)),
        ("memory/archive/2026/03/01.md", Day("2026-03-01", "", FOLDERS)),
        ("journal/2026/3/1-trip.md", Day("2026-03-01", "trip", FOLDERS)),
        ("notes/20260301.md", Day("2026-03-01", "", LOOSE)),
        ("notes/2026_03_01 log.md", Day("2026-03-01", "log", LOOSE)),
        ("notes/2026年3月1日.md", Day("2026-03-01", "", LOOSE)),
    ],
)
def test_dated_names(path: str, day: Day) -> None:
    """A date is found where names carry one, with the rest of the name."""
    assert parse_day(path) == day


@pytest.mark.parametrize(
    "path",
    [
        "memory/2026-02-30.md",
        "memory/2026-03-01",
        "MEMORY.md",
        "2026-03-01/notes.md",
        "v2026-03-011.md",
        "1202603011.md",
        "",
    ],
)
def test_names_without_a_date(path: str) -> None:
    """A day that never was, a number that only looks like one and a dated folder are no dated file."""
    assert parse_day(path) is None


@given(st.text(st.characters()), st.sampled_from(["", ".md"]))
def test_any_path_is_safe(path: str, suffix: str) -> None:
    """No path makes it fail."""
    parse_day(path + suffix)
