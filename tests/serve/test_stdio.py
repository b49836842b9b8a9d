"""The server over stdin and stdout as a process of its own: nothing but the protocol on stdout, many clients, no orphans."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.hooks.hosting import User, new_user, wait_until

from mneme.serve.mcp.table import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER = [sys.executable, "-P", "-m", "mneme", "mcp"]
CLIENTS, NOTES = 8, 4
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user who has a memory."""
    with new_user() as one:
        yield one


def started(user: User) -> subprocess.Popen[bytes]:
    """Start a server, as a client does."""
    pipe = subprocess.PIPE
    return subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=pipe, env=user.env, cwd=user.workspace)


def line(method: str, number: int | None = None, **params: Any) -> bytes:  # noqa: ANN401
    """Return a message as it is sent."""
    about = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **about, "method": method, "params": params}).encode() + b"\n"


def call(number: int, tool: str, **given: Any) -> bytes:  # noqa: ANN401
    """Return the call of a tool."""
    return line("tools/call", number, name=tool, arguments=given)


def test_stdout_has_nothing_but_the_protocol(user: User) -> None:
    """Whatever is odd about memory, the settings or what a client sends; and a client that leaves ends the server."""
    (user.workspace / "memory" / "broken.mneme").write_text("@ DEC-0001\ngist\n\xe9\x00\n@@@\n", "latin-1")
    (user.workspace / "memory" / "2026-01-05.md").write_bytes(b"\xff\xfe broken \x1b[31m")
    (user.workspace / "mneme.toml").write_text(
        '[embedder]\nkind = "ollama"\nmodel = "m"\nurl = "http://127.0.0.1:9"\n[mcp]\ntools = ["all"]\n',
        "utf-8",
    )
    user.mneme("trust")
    tools = {"recall": {"query": "parser"}, "get": {"id": "DEC-0001"}, "check": {}, "boot": {}, "spine": {}, "list": {}}
    tools |= {"capabilities": {"task": "x"}, "nothing": {}, "remember": {}, "note": {"text": "hello"}, "undo": {}}
    sent = [line("initialize", 0, **HELLO), line("notifications/initialized"), b"not json\n", b"{}\n", b"\xff\xfe\n"]
    sent += [call(number, tool, **given) for number, (tool, given) in enumerate(tools.items(), 1)]
    sent += [line("tools/list", 98), line("no/such/thing", 99)]
    with started(user) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(sent))
        server.stdin.flush()
        answered: dict[Any, Any] = {}
        while not {*range(len(tools) + 1), 98, 99} <= set(answered):
            printed = server.stdout.readline()
            assert printed, f"it ended: {server.stderr and server.stderr.read()!r}"
            answer = json.loads(printed)
            assert answer["jsonrpc"] == "2.0"
            answered[answer.get("id")] = answer
        rest, _ = server.communicate(timeout=20)
    assert all(json.loads(one)["jsonrpc"] == "2.0" for one in rest.splitlines())
    assert server.returncode == 0
    names = dict(enumerate(tools, 1))
    wrong = {
        names[number] for number in names if "error" in answered[number] or answered[number]["result"].get("isError")
    }
    assert wrong == {"nothing", "remember", "get"}  # the last one, because two cells have that id
    assert "error" in answered[99]


async def use(user: User, number: int) -> list[str]:
    """Write some notes as one of several clients, and return what came back of each."""
    given = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=user.env, cwd=user.workspace)
    done = []
    async with Client(stdio_client(given)) as client:
        for count in range(NOTES):
            text = f"client{number} drew map{number}x{count}"
            answer = await client.call_tool("remember", {"text": text, "kind": "fact", "topic": f"c/{number}"})
            found = await client.call_tool("recall", {"query": text, "k": 1})
            done.append("" if answer.is_error else f"{answer.structured_content['status']} {found.structured_content['records'][0]['text']}")  # fmt: skip
    return done


def test_a_fault_of_the_settings_is_told_by_each_tool(user: User) -> None:
    """A server that did not start would leave its reason where nobody looks; mended, it goes on."""
    settings = user.workspace / "mneme.toml"
    settings.write_text("unknown = 1\n", "utf-8")
    with started(user) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(
            line("initialize", 0, **HELLO) + line("notifications/initialized") + call(1, "get", id="DEC-0001")
        )
        server.stdin.flush()
        server.stdout.readline()
        told = json.loads(server.stdout.readline())["result"]
        assert told["isError"]
        assert "there is no setting 'unknown'\nhint: edit mneme.toml" in told["content"][0]["text"]
        settings.write_text("", "utf-8")
        server.stdin.write(call(2, "get", id="DEC-0001"))
        server.stdin.flush()
        assert "parser" in server.stdout.readline().decode()
        server.communicate(timeout=20)


def test_eight_clients_work_on_one_memory(user: User) -> None:
    """Each with a server of its own: nothing is lost, no id is given twice, and what one wrote it finds at once."""

    async def run() -> list[list[str]]:
        return await asyncio.gather(*(use(user, number) for number in range(CLIENTS)))

    came = asyncio.run(run())
    assert came == [[f"new client{n} drew map{n}x{count}" for count in range(NOTES)] for n in range(CLIENTS)]
    cells = json.loads(user.mneme("list", "--kind", "fact", "--json").stdout)["records"]
    assert len({one["id"] for one in cells}) == len(cells) == CLIENTS * NOTES
    assert user.mneme("check").returncode == 0


def test_a_server_outlives_no_client(user: User) -> None:
    """A client that is killed leaves nothing running; a server that is asked to end does, in the middle of anything."""
    script = f"import subprocess, sys; subprocess.Popen({SERVER!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE); print('up', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", script], env=user.env, cwd=user.workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:  # fmt: skip
        assert client.stdout is not None
        client.stdout.readline()
        assert wait_until(lambda: len(user.processes()) == 2)
        client.kill()
    assert wait_until(lambda: user.processes() == [])
    for number in (signal.SIGTERM, signal.SIGINT):
        with started(user) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(line("initialize", 0, **HELLO))
            server.stdin.flush()
            server.stdout.readline()
            os.kill(server.pid, number)
            _, told = server.communicate(timeout=20)
            assert b"Traceback" not in told


def test_a_call_that_is_given_up_keeps_no_other_waiting(user: User) -> None:
    """A client may cancel, and a result may be huge: the next call is answered, and the log of the protocol stays whole."""
    (user.workspace / "memory" / "huge.md").write_text("# Huge\n\n" + "a line about nothing\n" * 100_000, "utf-8")
    with started(user) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(line("initialize", 0, **HELLO) + line("notifications/initialized"))
        server.stdin.write(
            call(1, "get", id="memory/huge.md") + line("notifications/cancelled", requestId=1, reason="x")
        )
        server.stdin.write(call(2, "get", id="memory/huge.md") + call(3, "get", id="DEC-0001"))
        server.stdin.flush()
        answered: dict[Any, Any] = {}
        while 3 not in answered or 2 not in answered:
            answer = json.loads(server.stdout.readline())
            answered[answer.get("id")] = answer
        assert "DEC-0001" in json.dumps(answered[3])
        assert not answered[2]["result"].get("isError")
        assert len(json.dumps(answered[2])) < 200_000
        server.communicate(timeout=20)


def test_every_tool_says_what_it_does() -> None:
    """What only reads is never said to destroy, and what may be called again changes nothing the second time."""
    reads = {row.name for row in ROWS if row.reads}
    assert {"recall", "get", "boot", "spine", "list", "related", "check", "proposals", "capabilities", "memory_search", "memory_get"} == reads  # fmt: skip
    assert all(row.repeats for row in ROWS if row.reads)
    assert not any(row.destroys for row in ROWS)
