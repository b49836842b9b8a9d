"""The few operations on the disk that everything else is made of."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from mneme.errors import NotFoundError, StorageError
from mneme.files import append_line, disk, find_file, find_tail, place_of, read_file, write_derived, write_whole

from .workbench import put, tree

if TYPE_CHECKING:
    from pathlib import Path


def test_reading(root: Path) -> None:
    """A file is read whole; a missing one is told by the name it was asked for, or is None."""
    put(root, "a", b"\xff\0")
    assert read_file(root / "a") == b"\xff\0"
    assert find_file(root / "b") is None
    with pytest.raises(NotFoundError, match="no such file: 'b'"):
        read_file(root / "b", name="b")
    with pytest.raises(StorageError, match="cannot read 'x': it is a folder"):
        read_file(root, name="x")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission denied"),
        (errno.EIO, "reports an error"),
        (errno.EMFILE, "too many open files"),
        (errno.ENOTEMPTY, ""),
    ],
)
def test_errors_of_the_disk_in_words(code: int, words: str) -> None:
    """Each error names the file and what is wrong, then what to run; a rare one says what the system says."""
    with pytest.raises(StorageError) as caught, disk.storage_errors("memory/a.md"):
        raise OSError(code, os.strerror(code))
    assert caught.value.message.startswith("cannot write 'memory/a.md': ")
    assert words in caught.value.message
    assert isinstance(caught.value.__cause__, OSError)
    assert "{" not in caught.value.hint
    assert caught.value.hint or code == errno.ENOTEMPTY


def test_lines_are_appended_whole(root: Path) -> None:
    """One line each, whatever is in it, in folders that may be missing."""
    for line in ("one", "two\n", "drei \udcff"):
        append_line(root / "logs/x.jsonl", line)
    assert (root / "logs/x.jsonl").read_bytes() == b"one\ntwo\ndrei \\udcff\n"


def test_a_line_after_a_torn_one_is_not_lost(root: Path) -> None:
    """A crash tore the last line: the next one begins on a line of its own."""
    put(root, "x.jsonl", b'{"n": 1}\n{"n": 2')
    append_line(root / "x.jsonl", '{"n": 3}')
    assert (root / "x.jsonl").read_bytes().split(b"\n")[-2] == b'{"n": 3}'


def test_making_folders(root: Path) -> None:
    """Missing parents are made, and told outermost first; what is there is left alone."""
    assert disk.make_folder(root / "a/b/c") == [root / "a", root / "a/b", root / "a/b/c"]
    assert disk.make_folder(root / "a/b/d") == [root / "a/b/d"]
    assert disk.make_folder(root / "a") == []


def test_derived_files_are_replaced_whole(root: Path) -> None:
    """New content, and no temporary file left, also when it fails."""
    put(root, "x", b"old")
    write_derived(root / "x", b"new")
    (root / "folder").mkdir()
    with pytest.raises(OSError, match=r"."):
        write_derived(root / "folder", b"new")
    assert tree(root) == {"x": b"new"}


def test_writers_of_one_derived_file_take_turns(root: Path) -> None:
    """However many write it at once, it is always one of their contents, and what a crash left is taken over."""
    put(root, ".x.tmp", b"left by a crash, and longer than what comes")
    contents = [bytes([65 + number]) * 9_000 * (number + 1) for number in range(4)]
    put(root, "x", contents[0])
    with ThreadPoolExecutor() as pool:
        writes = [pool.submit(write_derived, root / "x", content) for content in contents * 25]
        while not all(write.done() for write in writes):
            assert (root / "x").read_bytes() in contents
    assert [write.result() for write in writes] == [None] * 100
    assert tree(root) == {"x": (root / "x").read_bytes()}


def test_a_link_under_the_temporary_name_is_not_followed(root: Path) -> None:
    """A folder that came from somebody else cannot have us write to where its links lead."""
    put(root, "elsewhere", b"theirs")
    (root / ".x.tmp").symlink_to("elsewhere")
    write_derived(root / "x", b"ours")
    assert tree(root) == {"x": b"ours", "elsewhere": b"theirs"}


def test_a_configuration_file_is_written_whole(root: Path) -> None:
    """Folders made, mode kept, no temporary file left, one clear error."""
    write_whole(root / "config/trusted", b"one\n")
    (root / "config/trusted").chmod(0o600)
    write_whole(root / "config/trusted", b"two\n")
    assert tree(root) == {"config/trusted": b"two\n"}
    assert stat.S_IMODE((root / "config/trusted").stat().st_mode) == 0o600
    with pytest.raises(StorageError, match="not a folder"):
        write_whole(root / "config/trusted/x", b"")


def test_a_new_file_s_private_mode_holds_from_the_start(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a private file's new content is written, nobody else can read it."""
    put(root, "a", b"a").chmod(0o600)
    seen = []
    real = os.write
    monkeypatch.setattr(
        os, "write", lambda handle, what: (seen.append(os.fstat(handle).st_mode & 0o777), real(handle, what))[1]
    )
    disk.write_new(root / "b", b"secret", like=root / "a")
    assert seen == [0o600]


def test_two_files_change_places(root: Path) -> None:
    """An exchange is one step where the system has it, and an error where one of them is missing."""
    put(root, "a", b"a")
    put(root, "b", b"b")
    if disk.swap(root / "a", root / "b"):
        assert tree(root) == {"a": b"b", "b": b"a"}
        with pytest.raises(OSError, match=r"."):
            disk.swap(root / "a", root / "missing")


def test_places_inside(root: Path) -> None:
    """A workspace path is where its links lead, and may be missing."""
    put(root, "real/a", b"")
    (root / "link").symlink_to("real")
    assert place_of(root, "link/a") == root / "real/a"
    assert place_of(root, "no/such") == root / "no/such"
    assert place_of(root, "a..b/...") == root / "a..b/..."


def test_the_end_of_a_file_is_all_that_is_read_of_it(root: Path) -> None:
    """A pipe of that name is not waited for, and what is no file has no end."""
    (root / "log").write_bytes(b"one\ntwo\nthree\n")
    os.mkfifo(root / "pipe")
    assert find_tail(root / "log", 6) == b"three\n"
    assert find_tail(root / "log", 100) == b"one\ntwo\nthree\n"
    assert [find_tail(root / name, 6) for name in ("pipe", "", "not there", "a\0b")] == [b""] * 4
