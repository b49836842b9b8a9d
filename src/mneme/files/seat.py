"""The one place of a service that runs once per user: a folder of the owner's alone, and a lock that dies with its holder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from mneme.errors import RefusedError
from mneme.files.disk import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRIVATE_FOLDER_MODE = 0o700
_OTHERS = 0o077


@contextlib.contextmanager
def taken_seat(folder: Path, *, names: tuple[str, ...] = ()) -> Iterator[bool]:
    """Hold the seat for the block; yields False where somebody else has it.

    The files that a former holder left under these names are removed when the seat is taken, and again when it is left.
    """
    with storage_errors(folder):
        folder.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
        _check_own(folder)
        handle = os.open(folder / "seat", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _try(handle):
            yield False
            return
        _clear(folder, names)
        os.pwrite(handle, f"{os.getpid()}\n".encode().ljust(16), 0)
        try:
            yield True
        finally:
            _clear(folder, names)
    finally:
        os.close(handle)


def find_holder(folder: Path) -> int | None:
    """Return the process that holds the seat, or None where nobody does."""
    try:
        handle = os.open(folder / "seat", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try(handle) else int(os.pread(handle, 16, 0).split()[0])
    except (ValueError, IndexError):
        return None
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _clear(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def _check_own(folder: Path) -> None:
    """Refuse a folder that others may enter: what is said there is not meant for them."""
    found = folder.lstat()
    if found.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink() or found.st_mode & _OTHERS:
        message = f"'{folder}' is not a folder of yours alone"
        raise RefusedError(message, f"ls -ld {folder}")
