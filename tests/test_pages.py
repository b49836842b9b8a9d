"""Generated pages: made from the tables the program uses, and checked for being up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages import DOCS, PAGES, find_stale

from mneme.check.rules import RULES
from mneme.cli.verbs import VERBS
from mneme.keys import SETTINGS

if TYPE_CHECKING:
    from pathlib import Path


def test_every_page_is_up_to_date() -> None:
    """`make docs` writes them; a change of the code without it is found here and by `make lint`."""
    assert find_stale(DOCS) == []


def test_a_page_that_fell_behind_is_found(tmp_path: Path) -> None:
    """The twin: a missing page and a page with another word in it are both stale."""
    for name, page in PAGES.items():
        (tmp_path / name).write_text(page(), encoding="utf-8")
    assert find_stale(tmp_path) == []
    (tmp_path / "cli.md").write_text(PAGES["cli.md"]().replace("mneme", "mnemo", 1), encoding="utf-8")
    (tmp_path / "rules.md").unlink()
    assert find_stale(tmp_path) == ["cli.md", "rules.md"]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("cli.md", [f"### mneme {verb.name}\n" for verb in VERBS]),
        ("rules.md", [f"## {name}\n" for name in RULES]),
        ("settings.md", [f"| `{setting.key}` |" for setting in SETTINGS]),
    ],
)
def test_nothing_is_left_out_of_a_page(page: str, names: list[str]) -> None:
    """Every verb, rule and setting has its place, once."""
    text = PAGES[page]()
    assert [name for name in names if text.count(name) != 1] == []
