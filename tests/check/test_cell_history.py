"""Cells that are gone with their whole file: told cell by cell, until somebody takes them out on purpose."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import mneme
from mneme.files import Plan, plan_move

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "memory/team.mneme"


def faults(root: Path) -> list[tuple[str, str]]:
    """Return what a whole check says of cells that are gone, with what the linter says the same of."""
    with mneme.open(root) as memory:
        checked = [(one.path, one.message) for one in memory.check().problems if one.rule == "vanished-cell"]
        assert checked == [(one.path, one.message) for one in memory.lint().problems if one.rule == "vanished-cell"]
    return checked


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace with two cells in a file of their own."""
    (tmp_path / "mneme.toml").touch()
    with mneme.open(tmp_path) as memory:
        memory.remember("Local cache uses SQLite", kind="decision", file=str(tmp_path / PLACE))
        memory.remember("Backups run at night", kind="fact", file=str(tmp_path / PLACE))
    return tmp_path


def git(root: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True, capture_output=True
    )


def test_a_deleted_file_is_told_cell_by_cell(root: Path) -> None:
    """Also where it was the only one; put back, nothing is told any more."""
    assert faults(root) == []
    content = (root / PLACE).read_bytes()
    (root / PLACE).unlink()
    assert faults(root) == [(PLACE, "the cell 'DEC-0001' is gone"), (PLACE, "the cell 'FACT-0001' is gone")]
    (root / PLACE).write_bytes(content)
    assert faults(root) == []


def test_a_file_whose_cells_lie_elsewhere_has_lost_none(root: Path) -> None:
    """A file renamed by hand keeps its cells."""
    (root / PLACE).rename(root / "memory" / "renamed.mneme")
    assert faults(root) == []


def test_what_a_plan_takes_away_is_not_lost(root: Path) -> None:
    """Undone, moved or forgotten on purpose, nothing is missing."""
    with mneme.open(root) as memory:
        memory.apply(Plan("move", (plan_move(PLACE, (root / PLACE).read_bytes(), "memory/other.txt"),)), dry_run=False)
    assert faults(root) == []


def test_in_git_a_commit_is_the_last_word(root: Path) -> None:
    """Deleted from a checkout it is told; once the deletion is committed it is not."""
    (root / ".gitignore").write_text(".mneme.d\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    (root / PLACE).unlink()
    assert [path for path, _ in faults(root)] == [PLACE, PLACE]
    git(root, "commit", "-qam", "without them")
    assert faults(root) == []
