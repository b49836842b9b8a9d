"""The server over HTTP, on this machine alone: for whoever has the user's token, and never for a page in a browser.

A browser says where a request comes from, and a page cannot keep it from doing so; a name that was bent to this machine
still stands in the host line; and no page knows the token, which lies in a file that its owner alone may read.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import socket
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from mcp.types import CallToolResult

    from mneme.engine import Memory
    from mneme.serve.mcp.server import MemoryServer, Workplace

PATH = "/mcp"
# Which workspace a request is about, without it the one that the server was started for; and `shared` for a client that
# passes on what it is told to others: whatever else stands there but `private` is taken for that.
WORKSPACE_HEADER, CONTEXT_HEADER, PRIVATE = "mneme-workspace", "mneme-context", "private"
MOST_WORKSPACES = 8
_START_SECONDS = 20.0
# What browsers alone send, whatever a page tells them to.
_BROWSER = ("origin", "sec-fetch-site", "sec-fetch-mode", "access-control-request-method")

# Of whom nothing is said: no workspace is named, and what is private may be told.
_NOBODY = ("", False)
_about: ContextVar[tuple[str, bool]] = ContextVar("about", default=_NOBODY)


def refusal(method: str, headers: Mapping[str, str], port: int, token: str) -> tuple[int, str] | None:
    """Return with which status a request is refused and why, or None where it is let in; `headers` are in small letters."""
    if headers.get("host", "") not in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        return 421, "this server answers to the names of this machine alone"
    if any(name in headers for name in _BROWSER) or method == "OPTIONS":
        return 403, "this server does not answer browsers"
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        return 401, "this server answers whoever has its token: mneme serve --status"
    return None


class Door:
    """What stands before the server: whoever may not come in is told why, and the server never hears of it."""

    def __init__(self, inside: Any, port: int, token: str, warn: Callable[[str], None]) -> None:  # noqa: ANN401 - ASGI
        self._inside, self._port, self._token, self._warn = inside, port, token, warn

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        """Let one request in, or refuse it; nothing but a request is ever let in."""
        if scope["type"] == "lifespan":
            await self._inside(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = refusal(scope["method"], headers, self._port, self._token)
        if refused is None:
            context = headers.get(CONTEXT_HEADER, PRIVATE).strip().lower()
            _about.set((headers.get(WORKSPACE_HEADER, ""), context != PRIVATE))
            await self._inside(scope, receive, send)
            return
        status, why = refused
        self._warn(
            f"refused with {status}: {scope['method']} from {headers.get('origin') or headers.get('host', '')[:100]}"
        )
        content = json.dumps({"error": why}).encode()
        lines = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        lines += [(b"www-authenticate", b"Bearer")] if status == 401 else []  # noqa: PLR2004 - as HTTP has it
        await send({"type": "http.response.start", "status": status, "headers": lines})
        await send({"type": "http.response.body", "body": content})


class Workplaces:
    """The open workspaces of a server over HTTP, chosen by the caller; a few, the ones that were asked for last."""

    def __init__(self, make: Callable[[str, bool], Workplace]) -> None:
        self._first, self._make = make(*_NOBODY), make
        self._others: dict[tuple[str, bool], Workplace] = {}

    def _chosen(self) -> Workplace:
        asked = _about.get()
        if asked == _NOBODY:
            return self._first
        place = self._others.pop(asked, None) or self._make(*asked)
        self._others[asked] = place
        while len(self._others) > MOST_WORKSPACES:
            self._others.pop(next(iter(self._others))).close()
        return place

    async def use(self, do: Callable[[Memory], CallToolResult]) -> CallToolResult:
        """Give the caller's workspace to a function."""
        return await self._chosen().use(do)

    async def text(self, do: Callable[[Memory], str]) -> str:
        """Return the text that a function makes of the caller's workspace."""
        return await self._chosen().text(do)

    def settings(self, key: str) -> Any:  # noqa: ANN401 - the table of settings knows the type
        """Return a setting of the first workspace: what is listed is the same for all."""
        return self._first.settings(key)

    def close(self) -> None:
        """Let go of all of them."""
        for place in (self._first, *self._others.values()):
            place.close()


@contextlib.contextmanager
def listening(
    asked: str | None,
    port: int,
    token: str,
    warn: Callable[[str], None],
    *,
    now: Callable[[], datetime],
    shared: bool = False,
) -> Iterator[int]:
    """Serve over HTTP while the block runs, in a thread of its own; the port is given, chosen where 0 was asked for."""
    from importlib.metadata import version

    from mneme.serve.mcp.server import Workplace, make_server

    with contextlib.closing(_bound(port)) as line:
        chosen = line.getsockname()[1]
        places = Workplaces(lambda other, group: Workplace(other or asked, shared=shared or group, now=now))
        with contextlib.closing(places), _running(make_server(places, version("mneme-engine")), line, token, warn):
            yield chosen


def _bound(port: int) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind(("127.0.0.1", port))
    except OSError as error:
        line.close()
        message = f"port {port} cannot be listened on: {error.strerror}"
        raise MnemeError(message, "mneme serve --http 0, which takes a free one") from error
    return line


@contextlib.contextmanager
def _running(server: MemoryServer, line: socket.socket, token: str, warn: Callable[[str], None]) -> Iterator[None]:
    import uvicorn

    began = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            began.set()

    # Without sessions nothing is kept between two requests, so a server that was started again is not missed.
    inside = server.streamable_http_app(streamable_http_path=PATH, json_response=True, stateless_http=True)
    door = Door(inside, line.getsockname()[1], token, warn)
    running = Server(uvicorn.Config(door, log_level="critical", lifespan="on", server_header=False))
    thread = threading.Thread(target=running.run, args=([line],), name="http", daemon=True)
    thread.start()
    try:
        if not began.wait(_START_SECONDS):
            raise MnemeError("the server over HTTP does not start")
        yield
    finally:
        running.should_exit = True
        thread.join(_START_SECONDS)
