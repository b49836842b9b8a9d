"""The page about profiles says what the tables say."""

from __future__ import annotations

from pathlib import Path

from mneme.profiles import KINDS, PROFILES, profile_of
from mneme.profiles.tables import TABLES
from mneme.settings import parse_settings

PAGE = Path(__file__).parents[2] / "docs" / "profiles.md"


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table as the page writes it."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def homes_table() -> str:
    """Return where each kind lives, by profile."""
    layouts = [profile_of(parse_settings(f'profile = "{name}"')) for name in PROFILES]
    rows = []
    for kind in KINDS:
        homes = [layout.find_home(kind) for layout in layouts]
        rows.append((f"`{kind}`", *(f"`{home.path}`" if home else "" for home in homes)))
    return table(("kind", *PROFILES), rows)


def marks_table() -> str:
    """Return what each profile is known by."""
    marks = {name: ", ".join(f"`{mark}` {points}" for mark, points in TABLES[name].marks) for name in PROFILES}
    return table(("profile", "marks and points"), list(marks.items()))


def test_the_page_has_the_tables() -> None:
    """Homes and marks, row for row."""
    page = PAGE.read_text(encoding="utf-8")
    assert homes_table() in page
    assert marks_table() in page


def test_the_page_names_every_tag() -> None:
    """The five groups of the frozen vocabulary, in their order."""
    page = PAGE.read_text(encoding="utf-8")
    for group, tags in TABLES["v4"].tags.items():
        assert f"| {group} | {', '.join(tags)} |" in page
