"""Recordings are read without losing a byte, and what is put into them happens."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .syscalls import find_syncs, parse_trace, run_traced, without

if TYPE_CHECKING:
    from pathlib import Path


def _hexed(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def test_awkward_names_and_bytes_are_read_back() -> None:
    """Commas, quotes, newlines and arrows in names and contents do not confuse the reader."""
    name, body = '/w/a, "b">c\n', '"],\n<3'
    line = f'7 write(3<{_hexed(name)}>, "{_hexed(body)}", {len(body)}) = {len(body)}'
    (call,) = parse_trace(line)
    assert (call.name, call.result, call.worked) == ("write", len(body), True)
    assert call.paths() == [os.path.normpath(name)]
    assert call.args[1] == f'"{_hexed(body)}"'


def test_a_call_in_two_halves_is_one() -> None:
    """A call that another thread interrupted counts once, where it was entered."""
    text = "1 fsync(3</w> <unfinished ...>\n2 fsync(4</w>) = 0\n1 <... fsync resumed>) = -1 EIO (Input/output error)\n"
    first, second = parse_trace(text)
    assert (first.pid, first.result, first.error, first.nth) == (1, -1, "EIO", 1)
    assert (second.pid, second.result, second.nth) == (2, 0, 1)


def test_a_call_that_never_came_back_has_no_result() -> None:
    """The call a process died in did not happen."""
    text = f'1 rename("{_hexed("a")}", "{_hexed("b")}") = ?\n1 +++ killed by SIGKILL +++\n'
    (call,) = parse_trace(text, cwd="/w")
    assert call.result is None
    assert not call.worked
    assert call.paths() == ["/w/a", "/w/b"]


def test_injected_faults_happen_and_kills_come_before_the_call(tmp_path: Path) -> None:
    """An injected error stops one call; a kill comes before its call has any effect."""
    script = "import os; open('a', 'w').close(); os.rename('a', 'b'); os.rename('b', 'c')"
    argv = [sys.executable, "-I", "-c", script]
    ran, calls = run_traced(argv, tmp_path, os.environ, tmp_path / "t", ["rename:error=EIO:when=2"])
    assert ran.code == 1
    assert [(c.error, c.injected) for c in calls if c.name == "rename"] == [("", False), ("EIO", True)]
    (tmp_path / "b").unlink()
    ran, calls = run_traced(argv, tmp_path, os.environ, tmp_path / "t", ["rename:signal=KILL:when=2"])
    assert ran.code == -9
    assert [c.result for c in calls if c.name == "rename"] == [0, None]
    assert (tmp_path / "b").exists()


def test_taking_a_sync_out_takes_out_that_one() -> None:
    """`without` drops the nth sync under the folder and nothing else."""
    text = "\n".join(f"1 fsync(3<{_hexed(path)}>) = 0" for path in ("/w/a", "/elsewhere", "/w/b", "/w/c"))
    calls = parse_trace(text)
    left = without(calls, "/w", 1)
    assert [call.paths() for call in left] == [["/w/a"], ["/elsewhere"], ["/w/c"]]
    assert len(find_syncs(left, "/w")) == 2
