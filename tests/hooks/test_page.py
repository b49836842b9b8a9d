"""The pages about hooks and Active Memory say what the tables of the program say."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mneme.engine.hooks import find_dialect
from mneme.hooks.call import DEADLINE_MS, THINKING_MS
from mneme.keys import SETTINGS
from mneme.recall.active.settings import RANGES, ActiveSettings

DOCS = Path(__file__).resolve().parents[2] / "docs"
COLUMNS = {"claude-code": 2, "gemini": 3, "cursor": 4, "openclaw": 5}


def rows(page: str) -> dict[str, list[str]]:
    """Return the rows of a page's tables by their first cell; of two with the same, the one with more cells."""
    found: dict[str, list[str]] = {}
    for line in (DOCS / page).read_text("utf-8").splitlines():
        if line.startswith("| "):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            name = cells[0].strip("`")
            if len(cells) > len(found.get(name, ())):
                found[name] = cells
    return found


@pytest.mark.parametrize("event", DEADLINE_MS)
def test_every_deadline_is_on_the_page(event: str) -> None:
    """With the name that each host has for the event."""
    row = rows("hooks.md")[event]
    assert row[1] == f"{DEADLINE_MS[event]} ms"
    for host, column in COLUMNS.items():
        dialect = find_dialect(host)
        assert dialect is not None
        assert row[column].startswith(dialect.EVENTS.get(event, "AfterTool" if host == "gemini" else ""))
    assert f"{THINKING_MS} ms" in (DOCS / "hooks.md").read_text("utf-8")


@pytest.mark.parametrize("name", [field.name for field in fields(ActiveSettings)])
def test_every_setting_is_on_the_page(name: str) -> None:
    """With its default and its range."""
    row = rows("active-memory.md")[name]
    default = next(one.default for one in SETTINGS if one.key == f"active.{name}")
    said = {True: "true", False: "false"}[default] if isinstance(default, bool) else str(default).replace("'", '"')
    assert row[2].strip("`") == (said or ("by mode" if name == "style" else "none"))
    if name in RANGES:
        least, most = RANGES[name]
        assert row[3] == f"{least} to {most}"
