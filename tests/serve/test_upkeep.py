"""The resident engine runs upkeep that has come due, in a process of its own, in trusted workspaces alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import User, new_user, wait_until
from tests.index.tiny_model import write_tiny_model

from mneme.index.sqlite import SqliteBackend

if TYPE_CHECKING:
    from collections.abc import Iterator

JOBS = ("capture", "dream", "refine", "review", "synthesize", "sublimate", "decay", "archive", "palace")


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user of our own, whose palace has been due for an hour."""
    with new_user() as one:
        off = "".join(f'{job} = "off"\n' for job in JOBS if job != "palace")
        (one.workspace / "mneme.toml").write_text(f'[schedule]\n{off}palace = "every 30m"\n', "utf-8")
        stamp = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
        run = {"began": stamp, "ended": stamp, "outcome": "ok", "message": ""}
        state = one.workspace / ".mneme.d"
        state.mkdir(exist_ok=True)
        (state / "schedule.json").write_text(json.dumps({"version": 1, "runs": dict.fromkeys(JOBS, run)}), "utf-8")
        yield one


@pytest.mark.parametrize("trusted", [True, False])
def test_what_is_due_runs_while_nobody_asks(user: User, trusted: bool) -> None:  # noqa: FBT001 - a table
    """A few seconds after the last event; a stranger's folder is left as it is."""
    user.mneme("trust", *(() if trusted else ("--no",)))
    user.start_engine()
    user.hook("SessionStart", {"session_id": "s", "cwd": str(user.workspace), "source": "startup"})
    page = user.workspace / "memory/palace/timeline.md"
    assert wait_until(page.exists, 15 if trusted else 7) is trusted


def test_another_embedder_takes_over_while_nobody_asks(user: User) -> None:
    """Whoever chooses another embedder asks nothing and runs nothing: its vectors are made, and then it serves."""
    entries = "".join(f"- entry {number} about harbour {number % 7}\n" for number in range(700))
    (user.workspace / "MEMORY.md").write_text(f"# Memory\n\n{entries}", "utf-8")
    user.mneme("index")
    folder = write_tiny_model(user.place / "tiny")
    settings = user.workspace / "mneme.toml"
    settings.write_text(f'{settings.read_text("utf-8")}[embedder]\nkind = "onnx"\nfolder = "{folder}"\n', "utf-8")
    user.mneme("trust")
    user.start_engine()
    user.hook("SessionStart", {"session_id": "s", "cwd": str(user.workspace), "source": "startup"})
    assert wait_until(lambda: _serving(user).startswith("tiny/4@"), 20)
    assert len(list((user.workspace / ".mneme.d").glob("index.sqlite-vectors-*"))) == 1


def _serving(user: User) -> str:
    """Return the embedder that has a vector of every record."""
    backend = SqliteBackend(user.workspace / ".mneme.d/index.sqlite")
    try:
        return str(json.loads(backend.meta("serving") or "{}").get("name", ""))
    finally:
        backend.close()
