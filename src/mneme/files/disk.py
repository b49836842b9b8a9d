"""The few durable operations that everything else is made of, each with its fsync.

Paths are relative to the workspace and may not leave it, not even through a symbolic link. Nothing here knows what a
plan is; errors of the disk come out as `StorageError`, in the words of somebody who has to act on them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, NotFoundError, RefusedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NEW_FILE_MODE = 0o666
PRIVATE_FILE_MODE = 0o600
# No memory that people write is that long; what is would fill the machine before it was understood.
LARGEST_FILE_BYTES = 512 * 1024 * 1024
# A file written just now may be written again within the same tick of the clock: its times prove nothing yet.
TICK_NS = 50_000_000
WORKPLACE = ".mneme.d"
_RENAME_EXCHANGE = 2
_RENAME_SWAP_MACOS = 2
_AT_FDCWD = -100

_REASONS = {
    errno.ENOSPC: ("the disk is full", "df -h {folder}"),
    errno.EDQUOT: ("the disk quota is used up", "df -h {folder}"),
    errno.EROFS: ("the file system is read-only", "mount | grep {folder}"),
    errno.EACCES: ("permission denied", "ls -ld {folder}"),
    errno.EPERM: ("not permitted", "ls -ld {folder}"),
    errno.EIO: ("the disk reports an error", "dmesg | tail"),
    errno.EISDIR: ("it is a folder", "ls {path}"),
    errno.ENOTDIR: ("a part of the path is not a folder", "ls -ld {folder}"),
    errno.ELOOP: ("its symbolic links go round in a circle", "ls -l {folder}"),
    errno.ENAMETOOLONG: ("the name is too long", ""),
    errno.EMFILE: ("too many open files", "ulimit -n"),
}


@contextlib.contextmanager
def storage_errors(path: str | Path, doing: str = "write") -> Iterator[None]:
    """Turn an `OSError` inside the block into a `StorageError` about `path`."""
    try:
        yield
    except OSError as error:
        reason, hint = _REASONS.get(error.errno or 0, (error.strerror or str(error), ""))
        folder = Path(path).parent
        message = f"cannot {doing} '{path}': {reason}"
        raise StorageError(message, hint.format(folder=folder, path=path)) from error


def place_of(root: Path, path: str) -> Path:
    """Return where a workspace path really lies; refuses one that leaves the workspace or cannot be a name."""
    parts = path.split("/")
    if not path or path.startswith("/") or ".." in parts or "\0" in path:
        message = f"'{path}' is not a path inside the workspace"
        raise RefusedError(message)
    place = root / path
    with storage_errors(path, "open"):
        real = Path(os.path.realpath(place))
        inside = Path(os.path.realpath(root))
    if real != inside and inside not in real.parents:
        message = f"'{path}' leads out of the workspace, to '{real}'"
        raise RefusedError(message, f"ls -l {place}")
    return real


def read_file(place: Path, *, name: str | None = None) -> bytes:
    """Return the whole content of a file; a missing one is a `NotFoundError`."""
    try:
        with storage_errors(name or place, "read"):
            size = place.stat().st_size
            if size > LARGEST_FILE_BYTES:
                message = f"'{name or place}' has {size / 1e9:.1f} GB, which is too much to be read as memory"
                raise BadInputError(message, f"split -C 100m {place}")
            return place.read_bytes()
    except StorageError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            message = f"no such file: '{name or place}'"
            raise NotFoundError(message, f"ls {place.parent}") from error
        raise


def find_file(place: Path) -> bytes | None:
    """Return the whole content of a file, or None where there is none."""
    try:
        return read_file(place)
    except NotFoundError:
        return None


def find_tail(place: Path, longest_bytes: int) -> bytes:
    """Return the end of a file that another program may be writing; nothing where there is no plain file to be read."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return b""
        return os.pread(handle, longest_bytes, max(0, found.st_size - longest_bytes))
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file's inode said when its content was read; the same stamp later means the same content."""

    inode: int
    size: int
    modified_ns: int


def find_stamped(place: Path) -> tuple[bytes | None, Stamp | None]:
    """Return a file's content, and its stamp if that is old enough to prove anything later."""
    content = find_file(place)
    if content is None:
        return None, None
    stamp = stamp_of(place)
    if stamp is None or stamp.size != len(content) or stamp.modified_ns > time.time_ns() - TICK_NS:
        return content, None
    return content, stamp


def settled_before_ns() -> int:
    """Return the moment before which a file was touched whose stamp now proves something later."""
    return time.time_ns() - TICK_NS


def stamp_of(place: Path) -> Stamp | None:
    """Return the stamp of a file as it is now, or None where there is none."""
    try:
        found = place.stat()
    except OSError:
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def is_interrupted(root: Path) -> bool:
    """Say whether some plan did not reach its end: one listing, cheap enough for every reader."""
    try:
        return any(not name.startswith(".") for name in os.listdir(root / WORKPLACE / "journal"))
    except OSError:
        return False


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> list[Path]:
    """Make a folder and its missing parents, each durable in its own; returns those it made, outermost first."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):
            one.mkdir()
        sync_folder(one.parent)
    return missing[::-1]


def write_new(place: Path, content: bytes, *, like: Path | None = None) -> None:
    """Write a file that did not exist, with the mode and owner of `like` where it exists, and make its bytes durable."""
    mode = PRIVATE_FILE_MODE if like is not None and like.exists() else NEW_FILE_MODE
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        if like is not None:
            _copy_owner(like, handle)
        _write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_all(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _copy_owner(like: Path, handle: int) -> None:
    try:
        was = like.stat()
    except FileNotFoundError:
        return
    if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, was.st_uid, was.st_gid)
    # After the owner: a change of owner takes the special bits away.
    os.fchmod(handle, was.st_mode & 0o7777)


def append_line(place: Path, line: str) -> None:
    """Append one line in one write, so that lines of several writers never mix; a reader skips a torn last one."""
    payload = (line.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
    with storage_errors(place):
        make_folder(place.parent)
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, NEW_FILE_MODE)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            _write_all(handle, b"\n" * torn + payload)
        finally:
            os.close(handle)


def write_derived(place: Path, content: bytes) -> None:
    """Replace a file that may be lost at any moment: whole or not at all, but without waiting for the disk."""
    _replace(place, content)


def _replace(place: Path, content: bytes, *, like: Path | None = None, durable: bool = False) -> None:
    """Write a file beside `place` and rename it there.

    All writers of a place share one temporary name and lock the file under it: a crash leaves one such file at most,
    and the next writer takes it over.
    """
    temp = place.with_name(f".{place.name}.tmp")
    handle = _take(temp, PRIVATE_FILE_MODE if like is not None and like.exists() else NEW_FILE_MODE)
    try:
        os.ftruncate(handle, 0)
        if like is not None:
            _copy_owner(like, handle)
        _write_all(handle, content)
        if durable:
            os.fsync(handle)
        temp.replace(place)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _take(temp: Path, mode: int) -> int:
    """Open a temporary file as its only writer; a link that somebody left under its name is never followed."""
    while True:
        if temp.is_symlink():
            temp.unlink(missing_ok=True)
        handle = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if is_named(handle, temp):
                return handle
        except BaseException:
            os.close(handle)
            raise
        # The writer before us has renamed it into place meanwhile: it is no temporary any more.
        os.close(handle)


def is_named(handle: int, place: Path) -> bool:
    """Say whether an open file is still the one that lies under a name."""
    try:
        named = place.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(handle)
    return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)


def take_derived(place: Path) -> bytes:
    """Return the content of a file of machine state and remove it; of two takers one gets it, the other nothing."""
    taken = place.with_name(f".{place.name}.{os.getpid()}.taken")
    with storage_errors(place):
        try:
            place.rename(taken)
        except FileNotFoundError:
            return b""
        try:
            return taken.read_bytes()
        finally:
            taken.unlink(missing_ok=True)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder outside every workspace that is gone again afterwards, with all that is in it."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="mneme-") as folder:
        yield Path(folder)


def put_scratch(place: Path, content: bytes = b"") -> None:
    """Put a file into a scratch folder, with the folders that lead to it; what is there already stays."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError), place.open("xb") as file:
        file.write(content)


def remove_tree(folder: Path) -> None:
    """Remove a folder of machine state, whatever is left of it."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def swap(one: Path, two: Path) -> bool:
    """Exchange two files in one step; False where the system has no such step."""
    exchange = _exchange()
    return exchange is not None and exchange(os.fsencode(one), os.fsencode(two))


@cache
def _exchange() -> Callable[[bytes, bytes], bool] | None:
    import ctypes

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        call = libc.renamex_np if sys.platform == "darwin" else libc.renameat2
    except (OSError, AttributeError):
        return None

    def exchange(one: bytes, two: bytes) -> bool:
        if sys.platform == "darwin":
            failed = call(one, two, _RENAME_SWAP_MACOS)
        else:
            failed = call(_AT_FDCWD, one, _AT_FDCWD, two, _RENAME_EXCHANGE)
        if not failed:
            return True
        code = ctypes.get_errno()
        if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            return False
        if code == errno.EINTR:
            return exchange(one, two)
        raise OSError(code, os.strerror(code), os.fsdecode(two))

    return exchange


def write_whole(place: Path, content: bytes) -> None:
    """Replace a single file that no plan is about, durably: the user's own configuration, a plan's record."""
    with storage_errors(place):
        make_folder(place.parent)
        _replace(place, content, like=place, durable=True)
        sync_folder(place.parent)
