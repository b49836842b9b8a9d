"""Embedders as the engine shares them: asked once for a question, and never waited for by somebody in a hurry."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from mneme.engine.embedders import HURRIED_SECONDS, shared_embedder
from mneme.index.embed import EmbedderChoice, EmbedderError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Talk(BaseHTTPRequestHandler):
    """Answers with vectors as OpenAI does, as long as the server's event is set."""

    server: Talking

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer, or hang."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.seen += asked
        self.server.answers.wait(30)
        content = json.dumps({"data": [{"index": n, "embedding": [1.0, n]} for n, _ in enumerate(asked)]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Talking(ThreadingHTTPServer):
    """A server of vectors with the texts that it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.seen: list[str] = []
        self.answers = threading.Event()
        self.answers.set()

    @property
    def choice(self) -> EmbedderChoice:
        """The embedder that this server is."""
        return EmbedderChoice("openai", "m", f"http://127.0.0.1:{self.server_port}/v1")


@pytest.fixture
def server() -> Iterator[Talking]:
    """Give a server that answers."""
    with Talking() as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield one
        one.answers.set()
        one.shutdown()


def test_a_question_is_embedded_once(server: Talking) -> None:
    """However many parts of an answer ask for its vectors; another purpose is another question."""
    embedder, _ = shared_embedder(server.choice)
    assert embedder is not None
    assert shared_embedder(server.choice)[0] is embedder
    before = len(server.seen)
    first = embedder.embed_query(["which database?"], "tools: ")
    assert embedder.embed_query(["which database?"], "tools: ") == first
    assert len(server.seen) == before + 1
    embedder.embed_query(["which database?"], "notes: ")
    assert len(server.seen) == before + 2


def test_a_server_that_hangs_is_waited_for_once(server: Talking) -> None:
    """For a second; the next question is told at once that it failed a moment ago."""
    embedder, _ = shared_embedder(server.choice, hurried=True)
    assert embedder is not None
    server.answers.clear()
    started = time.monotonic()
    with pytest.raises(EmbedderError, match="has not answered"):
        embedder.embed_query(["one"])
    assert time.monotonic() - started < HURRIED_SECONDS + 5
    asked = len(server.seen)
    with pytest.raises(EmbedderError, match="a moment ago"):
        embedder.embed_query(["two"])
    assert len(server.seen) == asked


def test_one_that_hangs_when_it_is_opened_is_none(server: Talking) -> None:
    """And why is told."""
    server.answers.clear()
    embedder, reason = shared_embedder(server.choice, hurried=True)
    assert embedder is None
    assert "has not answered" in reason
