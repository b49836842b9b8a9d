"""The resident engine: one per user, for all workspaces, private, bounded, and gone when it should be."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import CELL, CLIENT, User, context_of, new_user, wait_until

from mneme.hooks import call as client

if TYPE_CHECKING:
    from collections.abc import Iterator

CAMPAIGN = os.environ.get("MNEME_CAMPAIGN")
READ = {"session_id": "s1", "tool_name": "Read", "tool_input": {"file_path": "/x/parse.py"}}


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user of our own."""
    with new_user() as one:
        yield one


def ask(user: User, event: str, payload: dict[str, object], folder: Path | None = None) -> bytes | None:
    """Ask the engine as a hook does, from this process; on a busy machine more than once."""
    call = client.print_call("claude-code", event, str(folder or user.workspace), user.env)
    wait = event in client.ANSWERED
    tries = (client.ask_engine(str(user.socket), call + json.dumps(payload).encode(), wait=wait) for _ in range(20))
    return next((answer for answer in tries if answer is not None), None)


def megabytes(process: int) -> float:
    """Return how much memory a process holds."""
    return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_nobody_else_can_open_the_socket(user: User) -> None:
    """It lies in a folder of its owner's alone, and so is the socket itself."""
    user.start_engine()
    assert stat.S_IMODE(user.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(user.socket.parent.stat().st_mode) == 0o700


def test_only_one_runs(user: User) -> None:
    """Ten started at the same moment leave one; a second one that a person starts says so."""
    starters = [threading.Thread(target=user.mneme, args=("serve", "--detached", "--idle", "1")) for _ in range(10)]
    for starter in starters:
        starter.daemon = True
        starter.start()
    assert wait_until(lambda: user.find_engine() is not None)
    assert wait_until(lambda: len([one for one in user.processes() if _is_engine(one)]) == 1)
    assert user.mneme("serve").returncode == 1
    user.mneme("serve", "--stop")
    assert wait_until(lambda: user.processes() == [])


def test_it_holds_nothing_of_whoever_started_it(user: User) -> None:
    """No open file but its own, no folder, no terminal: the host sees its pipes close, and disks can be unmounted."""
    read, write = os.pipe()
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "PreToolUse"]
    subprocess.run(command, input=b"{}", env=user.env, cwd=user.workspace, pass_fds=[write], check=True, timeout=60)
    os.close(write)
    assert wait_until(lambda: user.find_engine() is not None)
    engine = user.find_engine()
    assert engine is not None
    assert os.read(read, 1) == b""
    os.close(read)
    held = {str(place.readlink()) for place in Path(f"/proc/{engine}/fd").iterdir() if int(place.name) < 3}
    assert held == {"/dev/null"}
    assert str(Path(f"/proc/{engine}/cwd").readlink()) == "/"
    assert os.getsid(engine) == engine


def test_each_caller_is_answered_from_the_workspace_of_its_folder(user: User) -> None:
    """Several at once, and a folder below a workspace is that workspace."""
    other = user.place / "other" / "below"
    other.mkdir(parents=True)
    (other.parent / "mneme.toml").touch()
    (other.parent / "cells.mneme").write_text(CELL.replace("never raises", "was rewritten"), encoding="utf-8")
    user.start_engine()
    answers = {folder: ask(user, "PreToolUse", READ, folder) or b"" for folder in (user.workspace, other)}
    assert "never raises" in context_of("claude-code", answers[user.workspace])
    assert "was rewritten" in context_of("claude-code", answers[other])


def test_the_callers_settings_hold_not_the_engines(user: User) -> None:
    """A workspace named in the caller's environment is the one that is asked."""
    elsewhere = user.place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "cells.mneme").write_text(CELL.replace("never raises", "lies elsewhere"), encoding="utf-8")
    user.start_engine()
    done = user.hook("PreToolUse", READ, MNEME_WORKSPACE=str(elsewhere))
    assert "lies elsewhere" in context_of("claude-code", done.stdout)


def test_what_changes_on_the_disk_is_told_at_once(user: User) -> None:
    """A file written by hand, and settings that are changed, count for the next event."""
    user.start_engine()
    assert "never raises" in (ask(user, "PreToolUse", READ) or b"").decode()
    cells = user.workspace / "memory" / "project.mneme"
    cells.write_text(CELL.replace("never raises", "may raise"), encoding="utf-8")
    assert "may raise" in (ask(user, "PreToolUse", READ | {"tool_use_id": "2"}) or b"").decode()
    (user.workspace / "mneme.toml").write_text('[files]\nignore = ["memory"]\n', encoding="utf-8")
    assert ask(user, "PreToolUse", READ | {"tool_use_id": "3"}) == b""


def test_events_of_a_session_are_kept_in_their_order(user: User) -> None:
    """The hook does not wait for what is only kept, and nothing overtakes anything."""
    user.start_engine()
    for number in range(30):
        assert ask(user, "UserPromptSubmit", {"session_id": "s1", "prompt": f"request {number}"}) is not None
        assert ask(user, "PostToolUse", {"session_id": "s1", "tool_name": f"T{number}"}) == b""
    user.mneme("serve", "--stop")
    trace = (user.workspace / ".mneme.d" / "sessions" / "s1.jsonl").read_text("utf-8")
    texts = [json.loads(line)["text"] for line in trace.splitlines()]
    assert texts == [text for n in range(30) for text in (f"request {n}", f"T{n}")]


def test_the_same_event_twice_in_a_moment_is_answered_once(user: User) -> None:
    """A hook that is installed twice, in settings and by a plugin, says everything once."""
    user.start_engine()
    payload = READ | {"tool_use_id": "t1"}
    assert ask(user, "PreToolUse", payload)
    assert ask(user, "PreToolUse", payload) == b""
    assert ask(user, "PreToolUse", payload | {"tool_use_id": "t2"})


def test_a_caller_that_says_nothing_keeps_nobody_waiting(user: User) -> None:
    """Open lines, half a message and nonsense cost the engine nothing."""
    user.start_engine()
    lines = []
    for sent in (b"", b"mneme-hook 1\0", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 5000):
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(user.socket))
        line.sendall(sent)
        lines.append(line)
    assert ask(user, "PreToolUse", READ)
    for line in lines:
        line.close()
    assert user.log == ""


def test_it_leaves_when_nobody_asks(user: User) -> None:
    """After its idle time it is gone, and so is its socket; the next hook finds an answer and starts another."""
    user.mneme("serve", "--idle", "0.01")
    assert not user.socket.exists()
    assert user.hook("PreToolUse", READ).stdout
    assert wait_until(lambda: user.find_engine() is not None)


def test_it_leaves_when_its_socket_is_gone(user: User) -> None:
    """Nobody could reach it any more."""
    engine = user.start_engine()
    shutil.rmtree(user.socket.parent)
    assert wait_until(lambda: engine not in user.processes())


def test_a_workspace_that_disappears_is_no_fault(user: User) -> None:
    """The next event from there has no memory to speak of, and nothing is made in its place."""
    user.start_engine()
    assert ask(user, "PreToolUse", READ)
    shutil.rmtree(user.workspace / "memory")
    (user.workspace / "mneme.toml").unlink()
    shutil.rmtree(user.workspace / ".mneme.d", ignore_errors=True)
    assert ask(user, "UserPromptSubmit", {"session_id": "s1", "prompt": "hello"}) == b""
    assert not (user.workspace / ".mneme.d").exists()


def test_many_hooks_and_kills_leave_one_engine_and_no_orphan(user: User) -> None:
    """However often the engine is killed under its callers, each of them exits 0 with an answer, and one engine is left.

    A machine that is too busy for the deadline has it told in the log instead; now and then it comes between an answer that
    was given and the end of the process, and tells it of that one too.
    """
    silent = 0
    hooks, kills = (1000, 100) if CAMPAIGN else (40, 6)
    for number in range(hooks):
        done = user.hook("PreToolUse", READ | {"tool_use_id": str(number)})
        assert done.returncode == 0
        silent += not done.stdout
        assert silent <= user.log.count("out of time")
        if number % (hooks // kills) == 0:
            for engine in filter(_is_engine, user.processes()):
                os.kill(engine, signal.SIGKILL)
    assert wait_until(lambda: len(user.processes()) <= 1)
    user.mneme("serve", "--stop")
    assert wait_until(lambda: user.processes() == [])


def test_memory_stays_flat(user: User) -> None:
    """A thousand prompts, each different, leave the engine as large as the first hundred made it."""
    engine = user.start_engine()
    count = 2000 if CAMPAIGN else 600
    sizes = []
    for number in range(count):
        payload = {"session_id": f"s{number % 7}", "prompt": f"what is number {number}?", "cwd": str(user.workspace)}
        assert ask(user, "UserPromptSubmit", payload) is not None
        assert ask(user, "PostToolUse", {"session_id": "s1", "tool_name": "Bash", "tool_use_id": str(number)}) == b""
        if number in (count // 3, count - 1):
            wait_until(lambda: time.sleep(0.2) is None)
            sizes.append(megabytes(engine))
    assert sizes[1] < sizes[0] * 1.1 + 2


def _is_engine(process: int) -> bool:
    try:
        return b"--detached" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def test_files_that_change_are_taken_in_while_nobody_asks(user: User) -> None:
    """The index knows a new file soon after the last event, without a question."""
    user.mneme("index")
    user.start_engine()
    ask(user, "PreToolUse", READ)
    (user.workspace / "memory" / "new.mneme").write_text(CELL.replace("0001", "0002"), encoding="utf-8")
    index = user.workspace / ".mneme.d" / "index.sqlite"

    def is_known() -> bool:
        with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as found:
            return bool(found.execute("SELECT 1 FROM piece WHERE id = ?", (b"DEC-0002",)).fetchone())

    assert not is_known()
    assert wait_until(is_known)
