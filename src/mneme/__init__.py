"""Mneme: durable memory for agents, as plain text that people and agents edit together.

import mneme

with mneme.open("~/memory") as memory:
memory.remember("Local cache uses SQLite, not JSON", kind="decision", topic="storage/cache")
"""

from __future__ import annotations

TYPE_CHECKING = False  # every hook imports this module, and `typing` takes longer than Python itself to start
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mneme.engine import Memory

__all__ = ["open"]


def open(workspace: str | None = None, *, now: Callable[[], datetime] | None = None) -> Memory:  # noqa: A001
    """Open a workspace: the folder named, or the one that the command line would find from here.

    `now` stands in for the clock.
    """
    from mneme.engine import open_memory

    return open_memory(None if workspace is None else str(workspace), now=now or _clock, make=True)


def _clock() -> datetime:
    from datetime import datetime

    return datetime.now().astimezone()
