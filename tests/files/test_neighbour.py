"""The lock file of another program: held while we write, waited for, taken over only from who is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from mneme.errors import StorageError
from mneme.files import is_left_behind, neighbour_lock

if TYPE_CHECKING:
    from pathlib import Path

AGES_AGO = (0.0, 0.0)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where the lock lies."""
    return tmp_path / "short-term-promotion.lock"


def gone() -> int:
    """Return the number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        return process.pid


def test_it_is_there_while_we_write_and_gone_afterwards(place: Path) -> None:
    """In the form that the other program reads: the process, then the time."""
    with neighbour_lock(place):
        process, at, whose = place.read_text("utf-8").strip().split(":")
        assert (int(process), whose) == (os.getpid(), "mneme")
        assert int(at) > 1_700_000_000_000
    assert not place.exists()


def test_without_the_other_programs_folder_there_is_nothing_to_hold(tmp_path: Path) -> None:
    """No folder is made for it."""
    with neighbour_lock(tmp_path / "none" / "lock"):
        assert list(tmp_path.iterdir()) == []


def test_who_holds_it_is_waited_for(place: Path) -> None:
    """And then it is ours."""
    place.write_text(f"{os.getpid()}:0\n", "utf-8")
    os.utime(place, AGES_AGO)
    threading.Timer(0.1, place.unlink).start()
    with neighbour_lock(place):
        assert place.read_text("utf-8").strip().endswith(":mneme")


def test_who_never_lets_go_is_told(place: Path) -> None:
    """However old the file is: its process lives."""
    place.write_text(f"{os.getpid()}:0\n", "utf-8")
    os.utime(place, AGES_AGO)
    with pytest.raises(StorageError, match="another program holds"), neighbour_lock(place, wait=0.1):
        pass
    assert place.exists()


@pytest.mark.parametrize(
    ("said", "old", "left"),
    [("{gone}:0", True, True), ("{gone}:0", False, False), ("{gone}:0:mneme", False, True), ("?", True, True)],
)
def test_what_was_left_behind_is_taken_over(place: Path, said: str, old: bool, left: bool) -> None:  # noqa: FBT001 - a table
    """Another program's after a minute, our own at once."""
    place.write_text(said.format(gone=gone()), "utf-8")
    if old:
        os.utime(place, AGES_AGO)
    assert is_left_behind(place) is left
    if left:
        with neighbour_lock(place, wait=0.1):
            pass
        assert not place.exists()


def test_a_crash_between_making_and_tidying_up_is_taken_over(place: Path) -> None:
    """The lock and what it was made from are then one file under two names."""
    half = place.with_name(f".{place.name}.mneme")
    half.write_text(f"{gone()}:0:mneme\n", "utf-8")
    os.link(half, place)
    with neighbour_lock(place, wait=0.2):
        assert not half.exists()
    assert not place.exists()
