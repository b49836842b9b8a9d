"""Two hundred ways in which things go wrong around a hook, and what is left of each: nothing that a host would notice.

Every case ends with exit code 0, in time, with an answer that the host takes or with none, without a word on stderr;
and a fault that was met is told in the log, in one line.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.engine.home.homes import CARDS
from tests.hooks.hosting import CLIENT, User, context_of, new_user

from mneme.engine.hooks import event_name, find_dialect
from mneme.formats.card import print_card
from mneme.hooks import call as client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

HOSTS = ("claude-code", "codex", "gemini", "cursor", "openclaw", "plain")
EVENTS = tuple(client.DEADLINE_MS)
CASES = 200
BOUNDED_CASES = 66  # each fault with two hosts; `make fuzz` runs all
START_SECONDS = 5.0  # what a busy machine may take to start a process, beside the deadline
NOISE = bytes(range(256)) * 40
PROMPT = "remember: the parser never raises. please take a screenshot of the web page and say what the parser does"
EVENT: dict[str, object] = {
    "session_id": "agent:main:main",
    "conversation_id": "agent:main:main",
    "session_key": "agent:main:main",
    "prompt_id": "p1",
    "prompt": PROMPT,
    "source": "startup",
    "reason": "other",
    "tool_name": "Bash",
    "tool_input": {"command": "make", "file_path": "/x/parse.py"},
    "tool_response": {"stdout": "done"},
    "error": "Exit code 2\nno rule",
    "last_assistant_message": "It never raises.",
}


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong: how it is brought about, what is sent, and at which events it is told in the log."""

    name: str
    arrange: Callable[[User], AbstractContextManager[Any] | None]
    told_at: frozenset[str] = frozenset()
    sent: bytes | None = None
    engine: bool = False
    killed: bool = False
    full: bool = False

    @property
    def sends(self) -> bytes:
        """What the host sends."""
        return json.dumps(EVENT).encode() if self.sent is None else self.sent


def put(path: str, content: bytes, *, home: bool = False) -> Callable[[User], None]:
    """Return what writes a file of the workspace, or of the home."""

    def arrange(user: User) -> None:
        place = (user.place / "home" if home else user.workspace) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    return arrange


def removed(path: str) -> Callable[[User], None]:
    """Return what takes a folder of the user away."""
    return lambda user: shutil.rmtree(user.place / path, ignore_errors=True)


def environment(**said: str | None) -> Callable[[User], None]:
    """Return what sets variables, or takes them away."""

    def arrange(user: User) -> None:
        for name, value in said.items():
            user.env.pop(name, None)
            if value is not None:
                user.env[name] = value

    return arrange


def closed_home(user: User) -> None:
    """Let nobody write to the home, whoever asks: a device has no folders."""
    environment(MNEME_HOME="/dev/null/home")(user)


def read_only(user: User) -> None:
    """Let the owner read the workspace and the home alone; for whoever may write anywhere this changes nothing."""
    for folder in (user.workspace / "memory", user.workspace, user.place / "home"):
        folder.chmod(0o555)


@contextmanager
def silence(user: User) -> Iterator[None]:
    """Listen in the engine's place, and say nothing."""
    user.socket.parent.mkdir(mode=0o700, exist_ok=True)
    with closing(socket.socket(socket.AF_UNIX)) as line:
        line.bind(str(user.socket))
        line.listen(64)
        yield


@contextmanager
def hanging_server(user: User) -> Iterator[None]:
    """Have the home's embedder behind a server that takes every question and answers none."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        said = f'[embedder]\nkind = "openai"\nmodel = "m"\nurl = "{address}"\n'
        put("mneme.toml", said.encode(), home=True)(user)
        user.start_engine()
        yield


@contextmanager
def absent_server(user: User) -> Iterator[None]:
    """Have the home's embedder where nobody listens."""
    put("mneme.toml", b'[embedder]\nkind = "ollama"\nurl = "http://127.0.0.1:9"\n', home=True)(user)
    user.start_engine()
    yield


@contextmanager
def engine(user: User) -> Iterator[None]:
    """Have an engine run."""
    user.start_engine()
    yield


@contextmanager
def deaf_engine(user: User) -> Iterator[None]:
    """Have an engine that was stopped in mid-air."""
    process = user.start_engine()
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def text(value: str) -> bytes:
    """Return an event with another prompt."""
    return json.dumps(EVENT | {"prompt": value}).encode()


ALWAYS = frozenset(EVENTS)
ENDS, ASKS = frozenset({"Stop", "SessionEnd"}), frozenset({"UserPromptSubmit"})
TURN = '{"prompt": "build", "id": "p1"}\n{"tool": "Bash", "given": {"command": "make"}, "id": "p1"}\n{torn'

FAULTS = (
    Fault("no index", removed("ws/.mneme.d")),
    Fault("no home", removed("home")),
    Fault("no workspace", removed("ws/memory")),
    Fault("the index is noise", put(".mneme.d/index.sqlite", NOISE), ASKS),
    Fault("the home's index is noise", put("semantic.sqlite", NOISE, home=True)),
    Fault("a workflow is torn", put("procedural.jsonl", b'{"situation": "x", "seq\n', home=True)),
    Fault("a reflection is torn", put("reflections.jsonl", b"{torn\n", home=True)),
    Fault("a failure is torn", put("failures.log", b"[1]\n", home=True)),
    Fault("a correction is torn", put("feedback.jsonl", b"\xff\xfe\n", home=True)),
    Fault("the recall log is torn", put(".mneme.d/recall.jsonl", b"{torn")),
    Fault("the session's lines are torn", put(".mneme.d/sessions/s.jsonl", b"{torn\n\x00\n")),
    Fault("the cards are no YAML", put("capabilities.yaml", b"- id: x\n  name: [torn\n\t- ?", home=True), ASKS),
    Fault("the settings are no TOML", put("mneme.toml", b"[torn"), ALWAYS),
    Fault("a cell is noise", put("memory/noise.mneme", NOISE)),
    Fault("the embedder is down", absent_server, ASKS, engine=True),
    Fault("the embedder hangs", hanging_server, ASKS, engine=True),
    Fault("the socket hangs", silence),
    Fault("the engine hangs", deaf_engine),
    Fault("the disk is full", lambda _: None, full=True),
    Fault("HOME is not set", environment(HOME=None)),
    Fault("the home cannot be written to", closed_home),
    Fault("everything is read-only", read_only),
    Fault("the log cannot be written to", environment(XDG_STATE_HOME="/dev/null")),
    Fault("a prompt of 10 MB", lambda _: None, sent=text("what does the parser do? " * 400_000)),
    Fault("no JSON", lambda _: None, ALWAYS, sent=b"{not json"),
    Fault("no object", lambda _: None, ALWAYS, sent=b"[1, 2]"),
    Fault("lone surrogates", lambda _: None, sent=text("\ud800 parser \udfff screenshot of a web page")),
    Fault("no UTF-8", lambda _: None, ALWAYS, sent=b'\xff\xfe{"prompt": \xff}'),
    Fault("wrong types", lambda _: None, sent=json.dumps({name: [1] for name in EVENT}).encode()),
    Fault("terminated while it reads", lambda _: None, ALWAYS, killed=True),
    Fault("terminated, with an engine", engine, ALWAYS, killed=True, engine=True),
    Fault("no PATH", environment(PATH=None)),
    Fault("the runtime folder is a file", environment(MNEME_RUNTIME="/dev/null")),
)


def cases() -> list[tuple[Fault, str, str]]:
    """Return every case of the table: each fault with several hosts, each of those with another event."""
    table = []
    for step in range(CASES):
        place, fault = step // len(FAULTS), FAULTS[step % len(FAULTS)]
        host = HOSTS[(place + step) % len(HOSTS)]
        wanted = "UserPromptSubmit" if place % 2 == 0 else EVENTS[(step + place) % len(EVENTS)]
        dialect = find_dialect(host)
        assert dialect is not None
        table.append((fault, host, wanted if event_name(dialect, wanted) else "UserPromptSubmit"))
    return table


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user with a workspace and a home of cards."""
    with new_user() as one:
        put("capabilities.yaml", "".join(map(print_card, CARDS)).encode(), home=True)(one)
        yield one
        for folder in (one.place / "home", one.workspace, one.workspace / "memory"):
            if folder.exists():
                folder.chmod(0o755)


def run_hook(user: User, fault: Fault, host: str, event: str) -> tuple[int, bytes, bytes, float]:
    """Run a hook as its host does; one that is to be killed is, when it waits for its event."""
    command = [sys.executable, "-S", "-E", str(CLIENT), host, event]
    env = user.env | {"MNEME_FALLBACK": "1"} | ({} if fault.engine else {"MNEME_SERVE": "0"})
    if fault.full:  # no file can grow any more
        command = ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"', *command]
    pipe = subprocess.PIPE
    started = time.monotonic()
    with subprocess.Popen(command, env=env, cwd=user.workspace, stdin=pipe, stdout=pipe, stderr=pipe) as hook:
        if fault.killed:
            assert hook.stdin is not None
            hook.stdin.write(fault.sends[:20])
            hook.stdin.flush()
            wait_for_handler(hook.pid)
            hook.terminate()
        out, err = hook.communicate(b"" if fault.killed else fault.sends, timeout=60)
        return hook.returncode, out, err, time.monotonic() - started


def wait_for_handler(process: int) -> None:
    """Wait until a process catches SIGTERM."""
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends:
        status = Path(f"/proc/{process}/status").read_text("ascii")
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        if int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return


@pytest.mark.parametrize(
    ("fault", "host", "event"),
    [
        pytest.param(
            *case,
            id=f"{number} {case[0].name}, {case[1]} {case[2]}",
            marks=[pytest.mark.campaign] if number >= BOUNDED_CASES else [],
        )
        for number, case in enumerate(cases())
    ],
)
def test_whatever_goes_wrong_the_host_does_not_notice(user: User, fault: Fault, host: str, event: str) -> None:
    """Exit code 0, in time, an answer that the host takes or none, and the fault in the log."""
    with fault.arrange(user) or nullcontext():
        code, out, err, took = run_hook(user, fault, host, event)
    assert (code, err) == (0, b"")
    context_of(host, out)
    assert took < client.DEADLINE_MS[event] / 1000 + START_SECONDS
    lines = user.log.splitlines()
    if event in fault.told_at:
        assert len(lines) == 1, lines
    else:
        assert len(lines) <= 1, lines
