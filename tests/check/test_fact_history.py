"""Facts against what they were: in a file that was edited, in one that is gone, and in one that was never memory."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)
ITEMS = "brain/areas/acme/items.json"


def facts(*rows: tuple[str, str, str]) -> str:
    """Return a file of facts: each its id, its status, and the one that took its place."""
    common = {"category": "status", "timestamp": "2026-03-01", "source": "conversation"}
    listed = [
        {"id": name, "fact": f"What {name} says", **common, "status": status, "supersededBy": by or None}
        for name, status, by in rows
    ]
    return json.dumps(listed, indent=2) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace in a repository, with one fact and another program's file of the same name, committed."""
    for path in (ITEMS, "shop/items.json"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(facts(("acme-001", "active", "")))
    (tmp_path / "brain/areas/acme/summary.md").write_text("# Acme\n\n- What acme-001 says\n")
    (tmp_path / "mneme.toml").touch()
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *who, "-C", tmp_path, *words], check=True)
    assert rules(tmp_path) == []
    return tmp_path


def rules(root: Path) -> list[tuple[str, str]]:
    """Return what a check finds, and where."""
    problems = Memory(open_workspace(root), lambda: NOW).check().problems
    return [(one.path, one.rule) for one in problems]


def test_the_only_file_of_facts_is_deleted(root: Path) -> None:
    """Its facts are gone, as the last commit has them; where they were moved to another file, none is."""
    (root / "shop/items.json").write_text("[]\n")
    text = (root / ITEMS).read_text()
    (root / ITEMS).unlink()
    assert rules(root) == [(ITEMS, "vanished-fact")]
    (root / "brain/areas/other").mkdir()
    (root / "brain/areas/other/items.json").write_text(text)
    assert "vanished-fact" not in [rule for _, rule in rules(root)]


def test_another_programs_file_is_none_of_ours(root: Path) -> None:
    """An `items.json` that is no memory may change and go."""
    (root / "shop/items.json").write_text("[]\n")
    assert rules(root) == []
    (root / "shop/items.json").unlink()
    assert rules(root) == []


def test_without_git_the_history_knows(tmp_path: Path) -> None:
    """What our own plans wrote is missed as well."""
    (tmp_path / "mneme.toml").write_text('profile = "protocol"\n')
    with Memory(open_workspace(tmp_path), lambda: NOW) as memory:
        memory.remember("Acme pays yearly", kind="entity", about="Acme")
    path = next(tmp_path.glob("brain/areas/*/items.json"))
    path.unlink()
    assert (path.relative_to(tmp_path).as_posix(), "vanished-fact") in rules(tmp_path)


def test_facts_that_supersede_each_other_are_not_mended(root: Path) -> None:
    """In a circle nobody can tell which one holds, so none is marked, and the circle is told."""
    circle = facts(("acme-001", "active", "acme-002"), ("acme-002", "active", "acme-001"))
    (root / ITEMS).write_text(circle)
    assert rules(root) == [(ITEMS, "fact-cycle")]
    Memory(open_workspace(root), lambda: NOW).check(fix=True)
    assert (root / ITEMS).read_text() == circle
