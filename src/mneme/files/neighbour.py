"""The lock file of another program that writes the same files: made while we write them, and gone afterwards.

A file with the process that made it and when. One that was left behind is taken over: another program's when its process
is gone and a minute has passed, because that program may run where its processes can't be seen; our own at once.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from mneme.errors import StorageError
from mneme.files.disk import settled_before_ns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT_SECONDS, LOOK_SECONDS, STALE_SECONDS = 10.0, 0.04, 60.0
OURS = "mneme"
_FILE_MODE = 0o600


@contextlib.contextmanager
def neighbour_lock(place: Path, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file at a place; nothing to hold where its folder is not there. Late is an error, not a guess."""
    if not place.parent.is_dir():
        yield
        return
    ends = time.monotonic() + wait
    while not _is_made(place):
        if is_left_behind(place):
            place.unlink(missing_ok=True)
        elif time.monotonic() > ends:
            message = f"another program holds '{place.name}' for longer than {wait:g} seconds"
            raise StorageError(message, f"cat {place}")
        else:
            time.sleep(LOOK_SECONDS)
    try:
        yield
    finally:
        place.unlink(missing_ok=True)


def is_left_behind(place: Path) -> bool:
    """Say whether the file was made by somebody who is gone."""
    try:
        process, _, rest = place.read_text("utf-8", "replace").strip().partition(":")
        age = (settled_before_ns() - place.stat().st_mtime_ns) / 1e9
    except OSError:
        return False
    alive = process.isdecimal() and _is_alive(int(process))
    return not alive and (age > STALE_SECONDS or rest.endswith(f":{OURS}"))


def _is_made(place: Path) -> bool:
    """Make the file with all that it says, unless there is one; who gets here holds the workspace's own lock."""
    own = place.with_name(f".{place.name}.{OURS}")
    own.unlink(missing_ok=True)  # what a crash left may be the very file that lies at the place: it must not be written
    own.touch(_FILE_MODE)
    try:
        own.write_text(f"{os.getpid()}:{own.stat().st_mtime_ns // 1_000_000}:{OURS}\n", "utf-8")
        os.link(own, place)
    except FileExistsError:
        return False
    finally:
        own.unlink(missing_ok=True)
    return True


def _is_alive(process: int) -> bool:
    """Say whether a process runs; one that we may not ask about does."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return process > 0
