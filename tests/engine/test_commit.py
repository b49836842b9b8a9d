"""One commit for each applied plan, where that was asked for: its own files, and nothing that somebody has staged."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory, open_memory

if TYPE_CHECKING:
    from pathlib import Path


def git(root: Path, *args: str) -> str:
    """Run git and return what it prints."""
    return subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace in a repository that commits."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ann@example.com")
    git(tmp_path, "init", "-q")
    (tmp_path / "mneme.toml").write_text("commit = true\n")
    return tmp_path


def opened(root: Path) -> Memory:
    """Open the workspace on a fixed day."""
    return open_memory(str(root), now=lambda: datetime(2026, 3, 4, tzinfo=UTC))


def test_each_plan_is_one_commit(root: Path) -> None:
    """Writing, revising and taking back each make one, named after what was done."""
    memory = opened(root)
    memory.remember("Lunch is at noon", kind="fact")
    memory.supersede("FACT-0001", "Lunch is at one")
    memory.undo()
    assert git(root, "log", "--format=%s").splitlines() == [
        "mneme: undo of plan 2: supersede",
        "mneme: supersede FACT-0001 -> FACT-0002",
        "mneme: remember FACT-0001",
    ]
    assert git(root, "status", "--porcelain").splitlines() == ["?? mneme.toml"]


def test_what_is_staged_stays_staged(root: Path) -> None:
    """Somebody's half-finished commit is not finished for them."""
    (root / "theirs.txt").write_text("theirs\n")
    git(root, "add", "theirs.txt")
    opened(root).remember("Lunch is at noon", kind="fact")
    assert git(root, "show", "--name-only", "--format=").split() == ["memory/project.mneme"]
    assert "A  theirs.txt" in git(root, "status", "--porcelain")


def test_a_commit_that_fails_is_told(root: Path) -> None:
    """The memory is written all the same."""
    (root / ".git/index.lock").write_text("")
    done = opened(root).remember("Lunch is at noon", kind="fact")
    assert [problem.rule for problem in done.problems] == ["uncommitted-plan"]
    assert "Lunch is at noon" in (root / "memory/project.mneme").read_text()


def test_without_a_repository_nothing_is_committed(tmp_path: Path) -> None:
    """A workspace need not lie in one."""
    (tmp_path / "mneme.toml").write_text('profile = "v4"\n')
    assert opened(tmp_path).remember("Lunch is at noon", kind="lesson").problems == ()


def test_making_a_workspace_and_forgetting_are_commits_too(root: Path) -> None:
    """A layout that commits does so from its first plan on, and what is forgotten leaves no change behind."""
    from mneme.engine.setup import init_workspace

    (root / "mneme.toml").unlink()
    init_workspace(str(root), now=lambda: datetime(2026, 3, 4, tzinfo=UTC), profile="v4")
    memory = opened(root)
    name = memory.remember("The index runs on port 6333", kind="infrastructure").records[0].id
    memory.forget(name)
    assert git(root, "log", "--format=%s").splitlines()[2] == "mneme: init v4"
    assert git(root, "status", "--porcelain") == ""
