"""A web server on this machine whose answers are known."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWERS = {"/ok": 200, "/moved": 301, "/refused": 403, "/no-head": 405, "/gone": 410, "/missing": 404, "/broken": 500}


@contextmanager
def server() -> Iterator[tuple[str, list[str]]]:
    """Run a web server on this machine that answers by path; gives its address and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.send_response(ANSWERS.get(self.path, 404))
            self.send_header("Location", "/missing")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}", asked
    finally:
        running.shutdown()
        running.server_close()
        thread.join()
