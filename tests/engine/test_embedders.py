"""Embedders as the engine shares them: asked once for a question, and never waited for by somebody in a hurry."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from mneme.engine.embedders import HURRIED_SECONDS, SharedEmbedder, shared_embedder
from mneme.index.embed import EmbedderChoice, EmbedderError
from mneme.index.embed.protocol import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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


class Counting:
    """An embedder of nothing, with the texts that it was asked for."""

    name, dims = "counting", 2

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return vectors that tell the texts apart."""
        self.seen += texts
        if "broken" in texts:
            message = "it is broken"
            raise EmbedderError(message, "mneme index")
        return Vectors(2, b"".join(len(text + instruction).to_bytes(8, "little") for text in texts))

    embed_documents = embed_query


def test_a_question_that_is_asked_ahead_is_embedded_once_and_the_same() -> None:
    """It is begun as soon as one has been asked before; what goes wrong then is told to whoever asks for it."""
    counting = Counting()
    shared = SharedEmbedder(counting, EmbedderChoice(), hurried=True)
    shared.ask_ahead(["too early"])
    first = shared.embed_query(["first"])
    for asked in ("first", "second", "second"):
        shared.ask_ahead([asked])
    assert shared.embed_query(["second"], "a purpose") == Vectors(2, (6).to_bytes(8, "little"))
    assert shared.embed_query(["first"]) == first
    assert counting.seen == ["first", "second"]
    shared.ask_ahead(["broken"])
    with pytest.raises(EmbedderError):
        shared.embed_query(["broken"])
    for number in range(100):
        shared.ask_ahead([f"never asked {number}"])
    assert len(shared._ahead) < 10


def test_one_on_a_server_is_never_asked_ahead(server: Talking) -> None:
    """What it is asked may cost, and is asked for a purpose."""
    embedder, _ = shared_embedder(server.choice, hurried=True)
    assert isinstance(embedder, SharedEmbedder)
    embedder.embed_query(["first"])
    embedder.ask_ahead(["second"])
    embedder.embed_query(["third"])
    assert "second" not in server.seen


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
