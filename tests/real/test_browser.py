"""A real browser: a page on another origin, and one whose name was bent to this machine, try the engine's HTTP port.

The browser is Debian's Chromium, without a window; it knows two names, and everything else is nowhere.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest
from tests.hooks.hosting import new_user
from tests.serve.test_http import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium; on Debian: apt-get install chromium")

PAGE = Path(__file__).with_name("attacks.html").read_text("utf-8")
PATIENCE_SECONDS = 90
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
# What a page may have been told of its attempts: that they failed, were refused, or nothing at all.
NOTHING = ("error", "opaque", "sent", "400 ", "401 ", "403 ", "421 ")
REFUSED_PAGE = ("does not answer browsers", "answers to the names of this machine alone")


@dataclass
class Site:
    """A site of somebody else's: it gives its page, takes the report, and sends the browser on where it is asked to."""

    given: dict[str, Any] = field(default_factory=dict)
    reports: SimpleQueue[dict[str, str]] = field(default_factory=SimpleQueue)
    came: list[tuple[str, str, str]] = field(default_factory=list)
    lets_in: bool = False

    def page(self, group: str) -> bytes:
        """Return the page, with what it tries."""
        return PAGE.replace("GIVEN", json.dumps({**self.given, "group": group})).encode()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    site: Site

    def do_GET(self) -> None:
        """Give the page; a server that lets everybody in answers whatever it is asked."""
        self.site.came.append((self.command, self.path, self.headers.get("Host", "")))
        if self.site.lets_in and self.path == "/mcp":
            self._answer(200, b"let in")
        else:
            self._answer(200, self.site.page("own" if self.path == "/own" else "foreign"), "text/html")

    def do_POST(self) -> None:
        """Take the report, or send on what is to go elsewhere."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.site.came.append((self.command, self.path, body.decode()))
        if self.path == "/redirect":
            self.send_response(307)
            self.send_header("Location", f"http://{HERE}:{self.site.given['engine']}/mcp")
            self.end_headers()
            return
        if self.path == "/report":
            self.site.reports.put(json.loads(body))
        self._answer(200, b"let in")

    def do_OPTIONS(self) -> None:
        """Let a request come, where everybody is let in."""
        self._answer(204, b"")

    def _answer(self, status: int, content: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        if self.site.lets_in:
            for name in ("Origin", "Headers", "Methods"):
                self.send_header(
                    f"Access-Control-Allow-{name}", "*" if name != "Headers" else "authorization, content-type"
                )
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Site, host: str = HERE, port: int = 0) -> Iterator[int]:
    """Serve a site while the block runs, and give its port."""
    server = ThreadingHTTPServer((host, port), type("One", (Handler,), {"site": site}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def bent(site: Site, port: int) -> Iterator[None]:
    """Stand at a port of another address of this machine: give the page first, then pass every byte on to the engine.

    For the browser it is one server all the time, as it is when a name is bent to another address.
    """
    line = socket.create_server((ELSEWHERE, port))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(1 << 16):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)

    def attend(caller: socket.socket) -> None:
        with caller, suppress(OSError):
            head = caller.recv(1 << 16)
            if head.startswith(b"GET /own "):
                page = site.page("own")
                head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n\r\n"
                caller.sendall(head.encode() + page)
                return
            with socket.create_connection((HERE, port)) as engine:
                engine.sendall(head)
                back = threading.Thread(target=pump, args=(caller, engine), daemon=True)
                back.start()
                pump(engine, caller)
                back.join()

    def listen() -> None:
        while True:
            try:
                caller, _ = line.accept()
            except OSError:
                return
            threading.Thread(target=attend, args=(caller,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield
    finally:
        line.shutdown(socket.SHUT_RDWR)
        line.close()


@contextmanager
def browsing(address: str) -> Iterator[None]:
    """Let a browser look at an address while the block runs."""
    profile = tempfile.mkdtemp(prefix="mneme-browser-")
    names = f"MAP evil.example {HERE}, MAP bent.example {ELSEWHERE}, MAP * ~NOTFOUND, EXCLUDE {HERE}, EXCLUDE localhost"
    words = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    words += ["--disable-component-update", "--no-proxy-server", f"--user-data-dir={profile}", f"--host-resolver-rules={names}"]  # fmt: skip
    words += ["--no-sandbox"] if os.geteuid() == 0 else []  # which it insists on where it is started by root
    env = {"PATH": os.environ["PATH"], "HOME": profile}
    with subprocess.Popen([CHROMIUM, *words, "--remote-debugging-port=0", address], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as browser:  # fmt: skip
        try:
            yield
        finally:
            os.killpg(browser.pid, 15)
            browser.wait(20)
    shutil.rmtree(profile, ignore_errors=True)


def attempts(site: Site, address: str) -> dict[str, str]:
    """Return what a page could read by each of its attempts."""
    with browsing(address):
        return site.reports.get(timeout=PATIENCE_SECONDS)


def succeeded(told: dict[str, str], token: str) -> dict[str, str]:
    """Return the attempts that got an answer that is no refusal, or the token."""
    return {
        name: text
        for name, text in told.items()
        if token in text or not (text.startswith(NOTHING) or any(one in text for one in REFUSED_PAGE))
    }


def test_no_page_in_a_real_browser_gets_in() -> None:
    """From another origin, and from its own after its name was bent; it may even know the token. Nothing is written."""
    with new_user() as user, opened(user, "serve", "--http", "0") as engine:
        site = Site({"engine": engine.port, "token": engine.token, "tokenFile": str(engine.token_file)})
        with served(site) as port, bent(site, engine.port):
            site.given["report"] = f"http://evil.example:{port}/report"
            foreign = attempts(site, f"http://evil.example:{port}/")
            own = attempts(site, f"http://bent.example:{engine.port}/own")
        assert (len(foreign), len(own)) == (20, 6)
        assert succeeded({**foreign, **own}, engine.token) == {}
        # They came as far as the door: it told of each kind that it turned away.
        assert own["own server"].startswith("421 ")
        for line in ("403: OPTIONS from http://evil.example", "403: POST from http://evil.example", "421: POST from http://bent.example"):  # fmt: skip
            assert line in user.log
        assert "refused with 403: POST from null" in user.log
        here = {"Mneme-Workspace": str(user.workspace)}
        assert "parser" in str(engine.ask("get", {"id": "DEC-0001"}, **here).content)  # its owner is answered all along
    notes = [place for place in user.place.rglob("*") if place.is_file() and b"a page was here" in place.read_bytes()]
    assert notes == []


def test_the_twin_a_server_without_a_door_is_taken() -> None:
    """The same page against a server that lets everybody in: its attempts arrive, with the note, and are answered."""
    site, victim = Site(), Site(lets_in=True)
    with served(victim) as target, served(site) as port:
        site.given |= {
            "engine": target,
            "token": "t",
            "tokenFile": "/nowhere",
            "report": f"http://evil.example:{port}/report",
        }
        told = attempts(site, f"http://evil.example:{port}/")
    read = {name for name, text in told.items() if text.startswith("200 let in")}
    assert {
        "simple post",
        "with a preflight",
        "with the token",
        "old request",
        "redirected",
        "frame without an origin",
    } <= read
    assert sum("a page was here" in body for method, _, body in victim.came if method == "POST") >= 9
