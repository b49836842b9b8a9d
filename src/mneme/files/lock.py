"""One writer at a time: a lock on the workspace that dies with its process.

The lock is the kernel's (`flock`), so a killed holder leaves nothing to clean up. What lies in the file only names the
holder, for whoever has to wait. Holding it is a value that is passed along; there is no hidden state.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from typing import TYPE_CHECKING

from mneme.errors import LockedError
from mneme.files.disk import WORKPLACE, is_named, make_folder, storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT_SECONDS = 10.0
_IGNORE_ALL = "# everything here is derived or machine state\n*\n"


@contextlib.contextmanager
def locked(root: Path, verb: str, *, wait: float = WAIT_SECONDS) -> Iterator[Path]:
    """Hold the workspace's lock for the block; yields the workplace folder. Says who holds it when time runs out."""
    # What a writer needs is loaded before it keeps others waiting.
    from mneme.files import writer  # noqa: F401

    deadline = time.monotonic() + wait
    handle = _open_lock(root)
    try:
        _wait_for(handle, root / WORKPLACE / "lock", deadline, wait)
        while not is_named(handle, root / WORKPLACE / "lock"):
            # Somebody deleted the folder while we waited: a lock on a file without a name keeps nobody out.
            os.close(handle)
            handle = _open_lock(root)
            _wait_for(handle, root / WORKPLACE / "lock", deadline, wait)
        _sign(handle, verb)
        yield root / WORKPLACE
    finally:
        os.close(handle)


def _open_lock(root: Path) -> int:
    path = workplace(root) / "lock"
    with storage_errors(path):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)


def workplace(root: Path) -> Path:
    """Return the workspace's folder of machine state, made where it is missing."""
    place = root / WORKPLACE
    if not place.is_dir():
        with storage_errors(place):
            make_folder(place)
            # It holds what private files said.
            place.chmod(0o700)
    ignore = place / ".gitignore"
    if not ignore.exists():
        with storage_errors(ignore):
            ignore.write_text(_IGNORE_ALL)
    return place


def is_locked(root: Path) -> bool:
    """Say whether somebody is writing to the workspace right now."""
    try:
        handle = os.open(root / WORKPLACE / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _try(handle)
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait_for(handle: int, path: Path, deadline: float, wait: float) -> None:
    with storage_errors(path, "lock"):
        if _try(handle) or _wait_in_line(handle, deadline - time.monotonic()):
            return
    holder, hint = _holder(path)
    message = f"the workspace is being written by {holder}; waited {wait:g} seconds"
    raise LockedError(message, hint)


def _wait_in_line(handle: int, seconds: float) -> bool:
    """Wait for the lock in the kernel's own line, where many writers get it in turn; False when time runs out.

    The kernel knows no time limit, so a thread does the waiting. Should its turn come too late, nobody has the lock's
    handle any more but the thread, and closing that frees it.
    """
    if seconds <= 0:
        return False
    import threading

    came, failed = threading.Event(), []
    own = os.dup(handle)

    def wait() -> None:
        try:
            fcntl.flock(own, fcntl.LOCK_EX)
        except OSError as error:
            failed.append(error)
        os.close(own)
        came.set()

    threading.Thread(target=wait, daemon=True).start()
    if not came.wait(seconds):
        return False
    if failed:
        raise failed[0]
    return True


def _sign(handle: int, verb: str) -> None:
    signature = json.dumps({"pid": os.getpid(), "verb": verb, "since": time.strftime("%H:%M:%S")}).encode()
    # A full disk may refuse the signature; the lock itself holds all the same.
    with contextlib.suppress(OSError):
        os.pwrite(handle, signature + b"\n", 0)
        os.ftruncate(handle, len(signature) + 1)


def _holder(path: Path) -> tuple[str, str]:
    try:
        name = json.loads(path.read_bytes())
        pid = int(name["pid"])
        return f"process {pid} ('mneme {name['verb']}', since {name['since']})", f"ps -p {pid}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process", f"fuser {path}"
