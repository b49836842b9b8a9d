"""Asking one MCP server for its tools: it is started, told to introduce itself, asked for its list, and ended.

A person names the server; nothing is started because it stands in a file. The server runs in a process group of its
own, has one deadline for everything, and what it prints is bounded. No tool is ever called.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

from mneme.check.mask import mask_text
from mneme.errors import MnemeError
from mneme.hosts.sources import Found, first_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.hosts.sources import Machine
    from mneme.hosts.sources.servers import Server

ASK_SECONDS = 20.0
LARGEST_ANSWER_BYTES = 8 << 20
MOST_PAGES = 50
PROTOCOL = "2025-06-18"
LONGEST_DESCRIPTION = 600


class ServerError(MnemeError):
    """The server did not start, did not answer in time, or answered something else."""


def ask_tools(server: Server, machine: Machine, *, seconds: float = ASK_SECONDS) -> list[Found]:
    """Return a server's tools as capabilities."""
    if not server.command:
        message = f"the MCP server '{server.name}' is not started by a command, so it can't be asked for its tools"
        raise ServerError(message, "mneme cards scan")
    try:
        process = subprocess.Popen(  # noqa: S603 - a server that the person named, as its own settings start it
            server.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**(machine.environment or {}), **server.environment},
            cwd=machine.here,
            start_new_session=True,
        )
    except OSError as error:
        message = f"the MCP server '{server.name}' can't be started: {error.strerror}"
        raise ServerError(message, "mneme cards scan") from error
    try:
        return [_found(server, tool) for tool in _Talk(server.name, process, time.monotonic() + seconds).tools()]
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    process.wait()


class _Talk:
    """One conversation: requests as lines of JSON, answers matched by their id."""

    __slots__ = ("_deadline", "_heard", "_name", "_number", "_process")

    def __init__(self, name: str, process: subprocess.Popen[bytes], deadline: float) -> None:
        self._name, self._process, self._deadline = name, process, deadline
        self._heard = bytearray()
        self._number = 0

    def tools(self) -> Iterator[dict[str, Any]]:
        """Introduce ourselves, then yield every tool of every page."""
        about = {"name": "mneme", "version": "1"}
        self._ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        cursor: object = None
        for _ in range(MOST_PAGES):
            page = self._ask("tools/list", {"cursor": cursor} if cursor else {})
            yield from (tool for tool in page.get("tools") or () if isinstance(tool, dict) and tool.get("name"))
            cursor = page.get("nextCursor")
            if not cursor:
                return

    def _say(self, message: dict[str, Any]) -> None:
        try:
            assert self._process.stdin is not None  # noqa: S101 - it was opened as a pipe
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._fault("ended before it answered") from error

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            try:
                answer = json.loads(self._line())
            except ValueError:
                continue  # a server that chats on its output is still a server
            if isinstance(answer, dict) and answer.get("id") == self._number and "method" not in answer:
                result = answer.get("result")
                if not isinstance(result, dict):
                    raise self._fault(f"refused '{method}'")
                return result

    def _line(self) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - it was opened as a pipe
        while b"\n" not in self._heard:
            left = self._deadline - time.monotonic()
            ready = left > 0 and select.select([self._process.stdout], [], [], left)[0]
            if not ready:
                raise self._fault("did not answer in time")
            said = os.read(self._process.stdout.fileno(), 1 << 16)
            self._heard += said
            if not said or len(self._heard) > LARGEST_ANSWER_BYTES:
                raise self._fault("ended before it answered" if not said else "said more than can be read")
        line, _, rest = bytes(self._heard).partition(b"\n")
        self._heard = bytearray(rest)
        return line

    def _fault(self, what: str) -> ServerError:
        return ServerError(f"the MCP server '{self._name}' {what}", "mneme cards scan")


def _found(server: Server, tool: dict[str, Any]) -> Found:
    name = str(tool["name"])
    description = mask_text(str(tool.get("description") or tool.get("title") or name), LONGEST_DESCRIPTION)
    schema = tool.get("inputSchema")
    schema = schema if isinstance(schema, dict) else {}
    params = [str(one) for one in schema.get("properties") or ()]
    required = [str(one) for one in schema.get("required") or () if str(one) in params]
    words = name.replace("_", " ").replace("-", " ")
    return Found(
        source="mcp",
        key=f"{server.name}__{name}",
        name=f"{server.name}: {name}",
        verb=first_sentence(description),
        description=description,
        triggers=tuple(dict.fromkeys((words, name))),
        params_required=tuple(required),
        params_optional=tuple(one for one in params if one not in required),
        example=f"{name}({', '.join(required)})",
        active=server.active,
        origin=server.origin,
        namespace=server.namespace,
    )
