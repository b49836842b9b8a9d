"""The working buffer and what a crash leaves beside it: work nobody goes on with, writes never put in place, locks."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.formats.block import BLANK, COMMENT, HEADING, RULE, UNDERLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.note import Note
    from mneme.profiles import Budgets

_NOTHING = frozenset({BLANK, COMMENT, HEADING, RULE, UNDERLINE})
_MOST_DIGITS = 9


def check_buffer(note: Note, budgets: Budgets, now: datetime) -> tuple[list[Found], datetime | None]:
    """Return what is wrong with a working buffer, and when that will be another thing though nobody touches it."""
    found: list[Found] = []
    count = note.lines.count
    if count > budgets.buffer_lines:
        found.append(find("long-buffer", budgets.buffer_lines + 1, value=count, limit=budgets.buffer_lines))
    work = _work_lines(note)
    if not work:
        return found, None
    last, line = _last_active(note)
    if last is None:
        other = "nothing says when somebody last wrote to it"
        return [*found, find("orphaned-buffer", line, value=work, other=other)], None
    last = last if last.tzinfo else last.replace(tzinfo=now.tzinfo)
    until = last + timedelta(hours=budgets.buffer_idle_hours)
    if now <= until:
        return found, until
    other = f"nobody wrote to it since {last.isoformat(sep=' ', timespec='minutes')[:16]}"
    return [*found, find("orphaned-buffer", line, value=work, other=other)], None


def _work_lines(note: Note) -> int:
    """Return how many lines of a buffer are work: not its header, not headings and comments alone."""
    header = {stamp.line for stamp in note.stamps.values()}
    return sum(kind not in _NOTHING and index + 1 not in header for index, kind in enumerate(note.shape.kinds))


def _last_active(note: Note) -> tuple[datetime | None, int]:
    for name in ("last_active", "last_updated", "created"):
        stamp = note.stamps.get(name)
        if stamp is not None:
            try:
                return datetime.fromisoformat(stamp.value.strip()), stamp.line
            except ValueError:
                return None, stamp.line
    return None, 1


def check_leftover(path: str, content: bytes) -> Iterator[Found]:
    """Yield what another program left: a write that was never put in place, or a lock that nobody holds."""
    if not path.endswith(".lock"):
        yield find("pending-file", 0)
        return
    match = re.search(rb"\d+", content)
    pid = int(match[0]) if match and len(match[0]) <= _MOST_DIGITS else 0
    if not pid:
        yield find("stale-lock", 0, value="the lock does not say who holds it")
    elif not _is_alive(pid):
        yield find("stale-lock", 0, value=f"the lock is held by process {pid}, which is gone")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
