"""The server over HTTP: whoever has the token is answered, from the workspace they name; a page in a browser never is."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import socket
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.hooks.hosting import COMMAND, User, context_of, new_user, wait_until

from mneme.serve.mcp.http import Door, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

EVIL = "https://evil.example"
OTHER = "@ DEC-0001  office\ngist  Invoices are sent on Fridays\nstate live   conf high   since 2026-01-02   seen 2026-01-31\n"
# What a browser sends with a page's request, by the way the page makes it; a page can set none of these.
FETCH = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
PAGES: dict[str, tuple[str, dict[str, str]]] = {
    "fetch": ("POST", {"Origin": EVIL, **FETCH, "Content-Type": "application/json"}),
    "preflight": ("OPTIONS", {"Origin": EVIL, **FETCH, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}),
    "no-cors": ("POST", {"Origin": EVIL, **FETCH, "Sec-Fetch-Mode": "no-cors", "Content-Type": "text/plain;charset=UTF-8"}),
    "form": ("POST", {"Origin": EVIL, **FETCH, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Content-Type": "text/plain"}),
    "sandboxed frame": ("POST", {"Origin": "null", **FETCH, "Content-Type": "application/json"}),
    "image": ("GET", {**FETCH, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Accept": "image/*"}),
    "event source": ("GET", {"Origin": EVIL, **FETCH, "Accept": "text/event-stream"}),
    "address bar": ("GET", {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Accept": "text/html"}),
    "page of this machine": ("POST", {"Origin": "http://localhost:3000", **FETCH, "Sec-Fetch-Site": "same-site"}),
    "older browser": ("POST", {"Origin": EVIL, "Content-Type": "application/json"}),
    "bent name": ("POST", {"Host": "evil.example:{port}", "Content-Type": "application/json"}),
    "bent name, fetched": ("POST", {"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}", **FETCH, "Sec-Fetch-Site": "same-origin"}),
    "bent name without port": ("POST", {"Host": "evil.example", "Content-Type": "application/json"}),
    "no host": ("POST", {"Host": "", "Content-Type": "application/json"}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Open:
    """A server that listens."""

    user: User
    port: int
    token_file: Path

    @property
    def token(self) -> str:
        """What lets one in."""
        return self.token_file.read_text("ascii")

    def send(
        self, method: str, headers: dict[str, str], *, token: str = "", text: str = "a page was here"
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request as raw as a browser's, which would write something down."""
        call = {"name": "note", "arguments": {"text": text}}
        body = (
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
            if method == "POST"
            else b""
        )
        given = {**headers, **({"Authorization": f"Bearer {token}"} if token else {}), "Content-Length": str(len(body))}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as line:
            line.putrequest(method, "/mcp", skip_host="Host" in headers, skip_accept_encoding=True)
            for name, value in given.items():
                line.putheader(name, value.format(port=self.port))
            line.endheaders(body)
            with line.getresponse() as answer:
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def ask(self, tool: str, given: dict[str, Any], **headers: str) -> Any:  # noqa: ANN401 - what the tool returns
        """Call a tool with the official client."""

        async def run() -> Any:  # noqa: ANN401
            lines = {"Authorization": f"Bearer {self.token}", **headers}
            async with (
                httpx2.AsyncClient(headers=lines, timeout=30) as http_client,
                Client(streamable_http_client(f"http://127.0.0.1:{self.port}/mcp", http_client=http_client)) as client,
            ):
                return await client.call_tool(tool, given)

        return asyncio.run(run())


@contextlib.contextmanager
def opened(user: User, *words: str) -> Iterator[Open]:
    """Start a server and wait for the line in which it says where it listens."""
    with subprocess.Popen(
        [COMMAND, *words], env=user.env, cwd=user.workspace, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        told = next(
            (one for line in server.stderr if (one := re.search(r"http://127.0.0.1:(\d+)/mcp .*'(.*)'", line))), None
        )
        assert told is not None
        try:
            yield Open(user, int(told[1]), Path(told[2]))
        finally:
            server.terminate()
            server.communicate(timeout=20)


@pytest.fixture(scope="module")
def engine() -> Iterator[Open]:
    """Give the resident engine of a user, listening for hooks and over HTTP."""
    with new_user() as user, opened(user, "serve", "--http", "0") as one:
        yield one


def test_the_resident_engine_answers_hooks_and_clients(engine: Open) -> None:
    """One process; the workspace is the one that the caller names, and a change by one is seen by the other."""
    other = engine.user.place / "other"
    (other / "memory").mkdir(parents=True)
    (other / "memory" / "project.mneme").write_text(OTHER, "utf-8")
    found = engine.ask("get", {"id": "DEC-0001"}, **{"Mneme-Workspace": str(other)})
    assert [row["text"] for row in found.structured_content["records"]] == ["Invoices are sent on Fridays"]
    here = {"Mneme-Workspace": str(engine.user.workspace)}
    engine.ask("remember", {"text": "Backups go to the attic", "kind": "fact", "topic": "ops"}, **here)
    status = json.loads(engine.user.mneme("serve", "--status", "--json").stdout)
    assert status["process"]
    told = context_of("claude-code", engine.user.hook("SessionStart", {"session_id": "a", "source": "startup"}).stdout)
    assert "Backups go to the attic" in told


def test_the_token_is_for_its_owner_alone(engine: Open) -> None:
    """Its file says so; without it, or with another one, nobody is answered."""
    assert stat.S_IMODE(engine.token_file.stat().st_mode) == 0o600
    assert len(engine.token) > 40
    for token in ("", "x", engine.token[:-1], engine.token + "x"):
        status, headers, _ = engine.send("POST", {"Content-Type": "application/json"}, token=token)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
    status, _, answer = engine.send("POST", {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}, token=engine.token, text="its owner was here")  # fmt: skip
    assert status == 200, answer


@pytest.mark.parametrize("knows_token", [False, True])
@pytest.mark.parametrize("page", PAGES)
def test_no_page_in_a_browser_is_answered(engine: Open, page: str, knows_token: bool) -> None:  # noqa: FBT001
    """However it asks, even if it knew the token; it may read nothing of the answer, and nothing was done."""
    method, headers = PAGES[page]
    status, answered, body = engine.send(method, headers, token=engine.token if knows_token else "")
    assert status in (400, 403, 421), body
    assert not [name for name in answered if name.startswith("access-control")]
    assert not any("a page was here" in note.read_text("utf-8") for note in engine.user.place.rglob("20*.md"))


def test_a_server_by_hand_is_behind_the_same_door() -> None:
    """`mneme mcp --http`, for whoever wants no engine."""
    with new_user() as user, opened(user, "mcp", "--http", "0") as server:
        assert server.send("POST", PAGES["fetch"][1], token=server.token)[0] == 403
        assert "parser" in str(server.ask("get", {"id": "DEC-0001"}).content)


@contextlib.contextmanager
def taken_port() -> Iterator[int]:
    """Give a port that somebody listens on."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        line.listen()
        yield line.getsockname()[1]


def test_one_command_makes_every_engine_answer_clients() -> None:
    """The one that it starts, and the next one that a hook starts by itself; the other command takes it back."""
    with taken_port() as port:
        pass
    with new_user() as user:

        def state() -> dict[str, Any]:
            return json.loads(user.mneme("serve", "--status", "--json").stdout)

        assert user.mneme("serve", "--http", str(port), "--background").returncode == 0
        told = state()
        assert (told["http"], Path(told["token"]).stat().st_mode & 0o777) == (f"http://127.0.0.1:{port}/mcp", 0o600)
        here = {"Mneme-Workspace": str(user.workspace)}
        one = Open(user, port, Path(told["token"]))
        assert "parser" in str(one.ask("get", {"id": "DEC-0001"}, **here).content)
        user.mneme("serve", "--stop")
        assert state()["http"] == ""
        (user.place / "run" / "starting").unlink(missing_ok=True)
        user.hook("SessionStart", {"session_id": "a", "source": "startup"})
        assert wait_until(lambda: state()["http"] == told["http"])
        assert "parser" in str(one.ask("get", {"id": "DEC-0001"}, **here).content)
        user.mneme("serve", "--http", "off", "--background")
        assert (state()["http"], bool(state()["process"])) == ("", True)


def test_hooks_are_answered_where_the_port_is_taken() -> None:
    """Whoever asked for the port is told, and so is the log."""
    with taken_port() as port, new_user() as user:
        done = user.mneme("serve", "--http", str(port), "--background")
        assert done.returncode == 2
        assert b"does not answer on port" in done.stderr
        assert f"port {port} cannot be listened on" in user.log
        assert user.find_engine()
        told = user.hook("SessionStart", {"session_id": "a", "source": "startup"}, MNEME_SERVE="0").stdout
        assert "parser" in context_of("claude-code", told)
        assert user.mneme("serve", "--http", str(port)).returncode in (1, 2)
        assert user.mneme("serve", "--http", "0", "--background").returncode == 2


def test_a_client_may_ask_for_nothing_private(engine: Open) -> None:
    """With a line of its own, of which whatever is not `private` is taken for shared."""
    here = {"Mneme-Workspace": str(engine.user.workspace)}
    assert "parser" in str(engine.ask("get", {"id": "DEC-0001"}, **here, **{"Mneme-Context": "private"}).content)
    for context in ("shared", "Shared", "group", ""):
        found = engine.ask("get", {"id": "DEC-0001"}, **here, **{"Mneme-Context": context})
        assert found.is_error, context
        assert "parser" not in str(found)
    with new_user() as user, opened(user, "serve", "--http", "0", "--context", "shared") as one:
        assert one.ask("get", {"id": "DEC-0001"}, **{"Mneme-Workspace": str(user.workspace), "Mneme-Context": "private"}).is_error  # fmt: skip


def test_an_empty_token_is_none() -> None:
    """Whoever was stopped while it was written must not have let everybody in."""
    with new_user() as user:
        place = user.place / "config" / "mneme" / "http-token"
        place.parent.mkdir(parents=True)
        place.touch(0o600)
        done = user.mneme("mcp", "--http", "0")
        assert (done.returncode, b"keeps no secret" in done.stderr) == (2, True)


def test_a_token_that_others_can_read_is_none() -> None:
    """Somebody may have read it."""
    with new_user() as user:
        place = user.place / "config" / "mneme" / "http-token"
        place.parent.mkdir(parents=True)
        place.write_text("known", "utf-8")
        place.chmod(0o644)
        done = user.mneme("mcp", "--http", "0")
        assert done.returncode == 2
        assert b"may be read by others" in done.stderr


def test_nothing_but_requests_comes_as_far_as_the_server() -> None:
    """A socket of a page would be another protocol, which the server inside need not know how to refuse."""
    came: list[str] = []
    sent: list[str] = []

    async def inside(scope: dict[str, Any], *_: object) -> None:
        came.append(scope["type"])

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])

    door = Door(inside, 9, "t", lambda _: None)
    for kind in ("lifespan", "websocket"):
        asyncio.run(
            door({"type": kind, "headers": [(b"host", b"127.0.0.1:9"), (b"authorization", b"Bearer t")]}, None, send)
        )
    assert (came, sent) == (["lifespan"], ["websocket.close"])


def test_whoever_may_come_in_does() -> None:
    """The twin: the same question without what gives a browser away."""
    sound = {"host": "127.0.0.1:9", "authorization": "Bearer t"}
    assert refusal("POST", sound, 9, "t") is None
    assert refusal("POST", {**sound, "host": "localhost:9"}, 9, "t") is None
    assert refusal("POST", {**sound, "host": "127.0.0.1"}, 9, "t") is not None
    assert refusal("POST", {**sound, "authorization": "Basic t"}, 9, "t") is not None
