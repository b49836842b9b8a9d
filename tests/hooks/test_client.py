"""A hook never harms its host: whatever happens it exits 0, in time, with a valid answer or none."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from tests.engine.home.homes import CARDS
from tests.hooks.hosting import CLIENT, COMMAND, User, context_of, new_user, wait_until

from mneme.formats.card import print_card
from mneme.hooks import call as client

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = {"session_id": "s1", "tool_name": "Read", "tool_input": {"file_path": "/x/parse.py"}}
SAID = "The parser lives in parse.py and never raises"
ALONE = {"MNEME_SERVE": "0"}


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user of our own."""
    with new_user() as one:
        yield one


def test_without_an_engine_the_hook_answers_by_itself(user: User) -> None:
    """The answer is there, no engine is started where none may be, and nothing is left running."""
    done = user.hook("PreToolUse", READ, **ALONE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert SAID in context_of("claude-code", done.stdout)
    assert user.processes() == []


def test_the_first_hook_starts_an_engine_that_the_next_one_finds(user: User) -> None:
    """Both answers are the same."""
    first = user.hook("PreToolUse", READ)
    assert wait_until(user.socket.exists)
    second = user.hook("PreToolUse", READ | {"tool_use_id": "2"})
    assert first.stdout == second.stdout != b""
    assert user.find_engine() in user.processes()
    assert user.log == ""


def test_an_engine_that_hangs_costs_its_fifty_milliseconds_and_nothing_else(user: User) -> None:
    """It is stopped in mid-air; the hook answers by itself, and what it was told is not done twice when it wakes."""
    engine = user.start_engine()
    os.kill(engine, signal.SIGSTOP)
    try:
        done = user.hook("PreToolUse", READ)
        kept = user.hook("UserPromptSubmit", {"session_id": "s1", "prompt": "hello there"})
    finally:
        os.kill(engine, signal.SIGCONT)
    assert SAID in context_of("claude-code", done.stdout)
    assert kept.returncode == 0
    trace = user.workspace / ".mneme.d" / "sessions" / "s1.jsonl"
    assert wait_until(lambda: user.hook("PreToolUse", READ | {"tool_use_id": "3"}).stdout != b"")
    assert trace.read_text(encoding="utf-8").count("hello there") == 1


CACHE = "which database does the local cache use, SQLite or JSON?"


def remember_more(user: User) -> None:
    """Give a workspace a few memories, of which one answers a question about the cache."""
    said = (
        ("The local cache uses SQLite, not JSON", "storage/cache"),
        ("Answer in short sentences", "style/replies"),
        ("Windows paths break the importer", "importer"),
        ("The office coffee machine is descaled on Fridays", "office"),
    )
    today = time.strftime("%Y-%m-%d")
    cells = (
        f"@ FACT-{n:04}  {topic}\ngist  {text}\nstate live   conf high   since 2026-01-02   seen {today}\n"
        for n, (text, topic) in enumerate(said, 1)
    )
    (user.workspace / "memory" / "more.mneme").write_text("\n".join(cells), encoding="utf-8")
    user.mneme("trust")


def test_a_model_has_longer_than_the_rest(user: User) -> None:
    """Where the workspace has a model write what is said, the hook waits beyond its deadline; without an engine it quotes."""
    program = 'import time; time.sleep(2.5); print(\'{"do": "note", "text": "The local cache uses SQLite."}\')'
    command = json.dumps([sys.executable, "-c", program])
    (user.workspace / "mneme.toml").write_text(f'[model]\nkind = "command"\ncommand = {command}\n', encoding="utf-8")
    remember_more(user)
    user.start_engine()
    asked = {"session_id": "s1", "prompt": CACHE}
    done = user.hook("UserPromptSubmit", asked)
    assert ">\nThe local cache uses SQLite.\n<" in context_of("claude-code", done.stdout)
    user.mneme("serve", "--stop")
    done = user.hook("UserPromptSubmit", asked, **ALONE)
    assert '"The local cache uses SQLite, not JSON" [' in context_of("claude-code", done.stdout)


def test_openclaw_gets_the_same_answer_when_it_builds_a_prompt_again(user: User) -> None:
    """What it would be given twice, another host would be given once."""
    remember_more(user)
    user.start_engine()
    asked = {
        "session_id": "agent:main:main",
        "session_key": "agent:main:main",
        "turn_id": "r1",
        "cwd": str(user.workspace),
    }
    asked["prompt"] = CACHE
    first, second = (user.hook("UserPromptSubmit", asked, host="openclaw").stdout for _ in range(2))
    assert first == second != b""
    assert user.hook("UserPromptSubmit", asked | {"session_key": "agent:main:x:group:1"}, host="openclaw").stdout == b""


def test_triggers_speak_without_an_engine_where_they_may(user: User) -> None:
    """The cards are read by an interpreter that was started bare, as written by hand a moment ago."""
    (user.place / "home").mkdir()
    (user.place / "home" / "capabilities.yaml").write_text("".join(map(print_card, CARDS)), encoding="utf-8")
    asked = {"session_id": "s1", "prompt": "manda mensagem no telegram"}
    assert user.hook("UserPromptSubmit", asked, **ALONE).stdout == b""
    done = user.hook("UserPromptSubmit", asked, **ALONE, MNEME_FALLBACK="1")
    assert "[chat_send]" in context_of("claude-code", done.stdout)
    assert user.log == ""


def test_a_killed_engine_is_replaced(user: User) -> None:
    """Its socket is still there, which helps nobody; the hook answers, and a new engine takes the place."""
    engine = user.start_engine()
    os.kill(engine, signal.SIGKILL)
    assert wait_until(lambda: engine not in user.processes() or user.find_engine() is None)
    assert SAID in context_of("claude-code", user.hook("PreToolUse", READ).stdout)
    assert wait_until(lambda: user.find_engine() not in (None, engine))


@pytest.mark.parametrize("sends", [b"", b"x", client.ACKNOWLEDGED + b"{"])
def test_what_listens_in_the_engines_place_may_be_anything(user: User, sends: bytes) -> None:
    """A server that hangs up, talks nonsense or is cut off in mid-answer is passed over."""
    user.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(user.socket))
        listening.listen()

        def talk() -> None:
            caller, _ = listening.accept()
            with caller:
                caller.sendall(sends)

        thread = threading.Thread(target=talk)
        thread.start()
        done = user.hook("PreToolUse", READ, **ALONE)
        thread.join()
    assert done.returncode == 0
    assert SAID in context_of("claude-code", done.stdout)


def test_a_folder_that_others_may_enter_is_not_trusted(user: User) -> None:
    """Whoever could put a socket there could read every prompt."""
    user.socket.parent.mkdir()
    user.socket.parent.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(user.socket))
        listening.listen()
        listening.settimeout(0.5)
        assert SAID in user.hook("PreToolUse", READ).stdout.decode()
        with pytest.raises(TimeoutError):
            listening.accept()
    assert user.processes() == []


@pytest.mark.parametrize(
    "sent",
    [b"", b"not json", b"[]", b"null", b"{}", b'{"prompt": 7}', b'{"prompt": ""}', b'{"prompt": " "}', b"\xff\xfe{",
     b'{"prompt": "\\ud800"}', b"[" * 100_000, b'{"prompt": "' + b"x" * 10_000_000 + b'"}'],
    ids=range(12),
)  # fmt: skip
def test_whatever_is_sent_the_hook_exits_zero(user: User, sent: bytes) -> None:
    """No traceback and no answer, alone and with an engine."""
    for more in (ALONE, {}):
        done = user.hook("UserPromptSubmit", sent, **more)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "words", [[], ["claude-code"], ["nobody", "Stop"], ["gemini", "PostToolUseFailure"], ["a\0b"[:1], "é"]]
)
def test_whatever_it_is_asked_the_hook_exits_zero(user: User, words: list[str]) -> None:
    """An unknown host or event is told in the log, in one line."""
    done = user.run([sys.executable, "-S", "-E", str(CLIENT), *words], {}, **ALONE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert user.log.count("\n") == 1


def test_a_host_that_never_stops_sending_is_not_waited_for(user: User) -> None:
    """At the deadline the hook is gone, with exit code 0, and says so in the log."""
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "PostToolUse"]
    started = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=user.env, cwd=user.workspace) as hook:
        assert hook.wait(timeout=20) == 0
    assert time.monotonic() - started > client.DEADLINE_MS["PostToolUse"] / 1000
    assert "out of time" in user.log


def test_a_hook_that_is_ended_exits_zero(user: User) -> None:
    """SIGTERM in mid-answer leaves no answer and no fault that the host would show."""
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "UserPromptSubmit"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=user.env) as hook:
        time.sleep(0.2)  # until it reads; that it does can't be seen from outside
        hook.send_signal(signal.SIGTERM)
        assert hook.wait(timeout=20) == 0
        assert hook.stdout is not None
        assert hook.stdout.read() == b""
    assert "ended by signal 15" in user.log


def test_no_home_and_nowhere_to_write_is_no_fault(user: User) -> None:
    """Without HOME, with every folder of the user's read-only or a file, the hook exits 0."""
    (user.place / "state").write_text("a file", encoding="utf-8")
    env = {key: value for key, value in user.env.items() if key in ("PATH", "XDG_STATE_HOME")}
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "UserPromptSubmit"]
    done = subprocess.run(
        command,
        input=b"{",
        env=env | ALONE | {"MNEME_RUNTIME": "/proc/none"},
        capture_output=True,
        check=False,
        timeout=20,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_hooks_can_be_turned_off(user: User) -> None:
    """A host program that we start ourselves does not call us again."""
    assert user.hook("PreToolUse", READ, MNEME_HOOKS="off").stdout == b""
    assert user.processes() == []


def test_the_seeds_own_names_work(user: User) -> None:
    """`python -m mneme.hooks.user_prompt_submit` answers in plain text, and nothing without anything to say."""
    for module in ("user_prompt_submit", "post_tool_use"):
        done = user.run([sys.executable, "-m", f"mneme.hooks.{module}"], {"prompt": "hello"}, **ALONE)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_command_answers_as_the_file_does(user: User) -> None:
    """By our name of the event or by the host's own; an event that the host has not is bad input."""
    expected = user.hook("PreToolUse", READ, **ALONE)
    done = user.run([str(COMMAND), "hook", "PreToolUse"], READ, **ALONE)
    assert (done.returncode, done.stdout) == (0, expected.stdout) != (0, b"")
    assert user.run([str(COMMAND), "hook", "BeforeTool", "--host", "gemini"], READ, **ALONE).returncode == 0
    done = user.mneme("hook", "Nothing", "--host", "gemini")
    assert done.returncode == 2
    assert b"'gemini' has no event 'Nothing'" in done.stderr


def test_what_goes_over_the_socket_comes_back_whole() -> None:
    """Host, event, folder, environment and bytes, with zero bytes and lone surrogates in them."""
    env = {"HOME": "/h", "PATH": "/bin", "MNEME_X": "a=b", "SECRET": "no", "XDG_Y": "\udcff"}
    raw = b'{"a": "\0\0"}'
    host, event, cwd, kept, back = client.parse_call(client.print_call("h", "E", "/x/\udcfe", env) + raw)
    assert (host, event, cwd, back) == ("h", "E", "/x/\udcfe", raw)
    assert kept == {key: value for key, value in env.items() if key != "SECRET"}


def imports_of(*words: str) -> set[str]:
    """Return what a bare interpreter imports for a command."""
    command = [sys.executable, "-S", "-E", "-X", "importtime", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"MNEME_HOOKS": "off"})
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_the_client_imports_next_to_nothing() -> None:
    """What it imports decides what every event costs; what it is in itself is compiled each time, so that is nothing."""
    more = imports_of(str(CLIENT), "claude-code", "Stop") - imports_of("-c", "import os, time")
    assert more - {"_signal"} == {"__future__", "_socket", "call"}
    assert len(CLIENT.read_bytes()) < 600
