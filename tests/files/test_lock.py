"""One writer at a time, across processes, and whoever waits learns for whom."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from mneme import files
from mneme.errors import LockedError, StorageError
from mneme.files import Plan, lock, plan_create

from .workbench import NOW, put, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLDER = """
import sys
from pathlib import Path
from mneme import files
with files.locked(Path(sys.argv[1]), "dream"):
    print("held", flush=True)
    sys.stdin.readline()
print("let go", flush=True)
"""


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds the lock until a line is written to it."""
    command = [sys.executable, "-c", HOLDER, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_message_names_the_holder(root: Path) -> None:
    """Who gives up waiting is told the process and the verb, and how to look at it."""
    with holder(root) as process, pytest.raises(LockedError) as caught, files.locked(root, "remember", wait=0.05):
        pass
    assert f"process {process.pid} ('mneme dream', since " in caught.value.message
    assert caught.value.message.endswith("waited 0.05 seconds")
    assert caught.value.hint == f"ps -p {process.pid}"
    assert caught.value.exit_code == 2


def test_a_waiter_gets_its_turn(root: Path) -> None:
    """Once the holder lets go, the one who waits goes on."""
    with holder(root) as process:
        assert files.is_locked(root)
        assert process.stdin is not None
        line = threading.Timer(0.05, lambda: (process.stdin.write("go\n"), process.stdin.flush()))  # type: ignore[union-attr]
        line.start()
        with files.locked(root, "remember", wait=20) as place:
            assert place == root / ".mneme.d"
            assert f'"pid": {os.getpid()}' in (place / "lock").read_text()
        line.join()
    assert not files.is_locked(root)


def test_nobody_is_overtaken_for_ever(root: Path) -> None:
    """However many want the lock again and again, everybody gets it before anybody has had it very often."""
    turns, stop = [0] * 8, threading.Event()

    def take_turns(number: int) -> None:
        while not stop.is_set():
            with files.locked(root, "turn", wait=20):
                turns[number] += 1
                time.sleep(0.002)
            if min(turns) >= 5 or max(turns) >= 400:
                stop.set()

    threads = [threading.Thread(target=take_turns, args=(number,)) for number in range(len(turns))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(turns) >= 5


def test_a_turn_that_comes_too_late_is_passed_on(root: Path) -> None:
    """Who gave up waiting does not hold the lock when its turn comes after all."""
    with holder(root) as process:
        for _ in range(3):
            with pytest.raises(LockedError), files.locked(root, "late", wait=0.05):
                pass
        process.kill()
        process.wait()
        with files.locked(root, "next", wait=5):
            assert files.is_locked(root)


def test_a_killed_holder_frees_the_lock(root: Path) -> None:
    """Nothing has to be cleaned up after a process that died."""
    with holder(root) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        with files.locked(root, "remember", wait=5):
            pass


def test_nothing_is_written_under_somebody_else_s_lock(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`apply` waits as long as the contract says, then refuses with nothing changed."""
    assert lock.WAIT_SECONDS == 10
    clock = iter([0.0, 9.95])
    with holder(root), monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: next(clock, 12.0))
        with pytest.raises(LockedError, match="waited 10 seconds"):
            files.apply(root, Plan("remember", (plan_create("a", b"a"),)), now=NOW)
    assert tree(root) == {}


def test_an_exception_frees_the_lock(root: Path) -> None:
    """Whatever happens inside, the next one gets it."""
    with pytest.raises(ZeroDivisionError), files.locked(root, "one", wait=0):
        raise ZeroDivisionError
    with files.locked(root, "two", wait=0):
        assert files.is_locked(root)


def test_a_lock_nobody_signed(root: Path) -> None:
    """A holder whose signature cannot be read is still a holder."""
    for content in (b"", b"{", b"[]", b"null", b'{"pid": "x"}', b"\xff"):
        with files.locked(root, "one", wait=0) as place:
            (place / "lock").write_bytes(content)
            with pytest.raises(LockedError, match="another process"), files.locked(root, "two", wait=0):
                pass


def test_a_shorter_signature_leaves_nothing_of_a_longer_one(root: Path) -> None:
    """The file names the present holder alone."""
    with files.locked(root, "a-very-long-verb-indeed", wait=0):
        pass
    with (
        files.locked(root, "x", wait=0) as place,
        pytest.raises(LockedError, match="'mneme x'"),
        files.locked(root, "y", wait=0),
    ):
        assert place


def test_the_folder_is_deleted_while_somebody_waits(root: Path) -> None:
    """A lock on a deleted file keeps nobody out, so who waited for it takes the new one: two writers never meet."""
    inside, meeting = threading.Event(), threading.Event()

    def wait_and_hold() -> None:
        with files.locked(root, "waiter", wait=20):
            inside.set()
            meeting.wait(20)

    waiter = threading.Thread(target=wait_and_hold)
    with files.locked(root, "first", wait=0) as place:
        waiter.start()
        wait_until_open(place / "lock", 2)
        shutil.rmtree(place)
    try:
        assert inside.wait(20)
        with pytest.raises(LockedError), files.locked(root, "third", wait=0):
            pass
    finally:
        meeting.set()
        waiter.join()


def wait_until_open(place: Path, times: int) -> None:
    """Return once a file is open so many times in this process."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if sum(os.path.samestat(place.stat(), found) for found in open_files()) >= times:
            return
    pytest.fail("nobody waits")


def open_files() -> Iterator[os.stat_result]:
    """Yield what is open in this process."""
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            yield os.fstat(int(name))


def test_the_workplace_ignores_itself(root: Path) -> None:
    """The machine's folder tells git to pass it by; a person's own wish in it is kept."""
    place = files.workplace(root)
    ignore = place / ".gitignore"
    assert ignore.read_text().splitlines()[-1] == "*"
    ignore.write_text("mine\n")
    assert files.workplace(root) == place
    assert ignore.read_text() == "mine\n"


def test_a_file_where_the_workplace_should_be(root: Path) -> None:
    """One clear error."""
    put(root, ".mneme.d", b"")
    with pytest.raises(StorageError, match="folder"), files.locked(root, "x", wait=0):
        pass
