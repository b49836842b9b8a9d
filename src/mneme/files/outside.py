"""Files of other programs that mneme is installed into: replaced whole by one rename, or taken away.

They lie outside any workspace, so there is no journal and no history here: whoever changes one shows the diff first
and can take it back to the byte.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from typing import TYPE_CHECKING

from mneme.errors import RefusedError
from mneme.files.disk import make_folder, storage_errors, sync_folder, write_new

if TYPE_CHECKING:
    from pathlib import Path

_MAY_RUN = 0o111
_OTHERS = 0o077


def put_outside(place: Path, content: bytes | None, *, runs: bool = False, within: Path | None = None) -> None:
    """Give a file this content and keep its mode, or take it away; a new one that `runs` may be run by who may read it.

    A symbolic link stays one: the file it leads to is changed. With a file that goes, so do the folders down from
    `within` that have nothing left in them.
    """
    place = place.resolve()
    with storage_errors(place):
        if content is None:
            place.unlink(missing_ok=True)
            _leave_no_folder(place.parent, within)
        else:
            _replace(place, content, runs=runs and not place.exists())
        if place.parent.is_dir():
            sync_folder(place.parent)


def _leave_no_folder(folder: Path, within: Path | None) -> None:
    while within is not None and folder.is_relative_to(within.resolve()):
        try:
            folder.rmdir()
        except OSError:  # something is in it, or it has gone already
            return
        folder = folder.parent


def kept_secret(place: Path, fresh: str) -> str:
    """Return the secret that a file keeps, for its owner alone; a fresh one where there is no such file yet."""
    with storage_errors(place):
        make_folder(place.parent)
        if not place.exists():
            _keep(place, fresh)
        found = place.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            message = f"'{place}' may be read by others, so it keeps no secret"
            raise RefusedError(message, f"rm {shlex.quote(str(place))}")
        kept = place.read_text(encoding="ascii").strip()
        if not kept:  # an empty secret would let everybody in
            message = f"'{place}' keeps no secret"
            raise RefusedError(message, f"rm {shlex.quote(str(place))}")
        return kept


def _keep(place: Path, secret: str) -> None:
    """Write a secret under its name whole, unless somebody else is quicker: nobody ever reads a part of it."""
    temp = place.with_name(f".{place.name}.{os.getpid()}")
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secret)
        with contextlib.suppress(FileExistsError):
            os.link(temp, place)
    finally:
        temp.unlink(missing_ok=True)
    sync_folder(place.parent)


def _replace(place: Path, content: bytes, *, runs: bool) -> None:
    make_folder(place.parent)
    temp = place.with_name(f".{place.name}.mneme-new")
    temp.unlink(missing_ok=True)
    try:
        write_new(temp, content, like=place)
        if runs:
            mode = temp.stat().st_mode & 0o777
            temp.chmod(mode | (mode >> 2 & _MAY_RUN))
        temp.replace(place)
    finally:
        temp.unlink(missing_ok=True)
