"""The resident engine runs upkeep that has come due, in a process of its own, in trusted workspaces alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import User, new_user, wait_until

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
