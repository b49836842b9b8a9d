"""Embedders behind HTTP, against a local server that speaks their protocols well and badly."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from mneme.index.embed import CAPABILITY, EmbedderChoice, EmbedderError, find_embedder, open_embedder
from mneme.index.embed.instructions import habits_of

if TYPE_CHECKING:
    from collections.abc import Iterator

DIMS = 8


def _numbers(text: str) -> list[float]:
    """Return what the server holds to be a text's vector."""
    return [float(1 + (len(text) * place + sum(text.encode())) % 7) for place in range(DIMS)]


class _Talk(BaseHTTPRequestHandler):
    """Speaks Ollama and OpenAI; the server's `mood` says how badly."""

    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the models that are there."""
        self._send({"models": [{"name": "nomic-embed-text:latest", "digest": "0123456789abcdef"}]})

    def do_POST(self) -> None:
        """Answer with vectors, in the way of the address that was asked."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, asked, self.headers.get("Authorization", "")))
        if (mood := _MOODS.get(self.server.mood)) is not None:
            mood(self)
        elif self.path == "/api/embed":
            self._send({"embeddings": [_numbers(text) for text in asked["input"]]})
        elif self.path == "/api/embeddings":
            self._send({"embedding": _numbers(asked["prompt"])})
        else:
            rows = [{"index": place, "embedding": _numbers(text)} for place, text in enumerate(asked["input"])]
            self._send({"data": rows[::-1]})

    def _send(self, answer: object, status: int = 200) -> None:
        self._send_bytes(json.dumps(answer).encode(), status)

    def _send_bytes(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(content)

    def old(self) -> None:
        """Be an Ollama from before batches."""
        if self.path == "/api/embed":
            self._send_bytes(b"404 page not found", 404)
        else:
            prompt = self.server.seen[-1][1]["prompt"]
            self._send({"embedding": _numbers(prompt)})

    def hang(self) -> None:
        """Answer nothing until the test is over."""
        self.server.over.wait(10)

    def drip(self) -> None:
        """Send a byte now and then, for ever."""
        self.send_response(200)
        self.end_headers()
        while not self.server.over.wait(0.05):
            self.wfile.write(b" ")
            self.wfile.flush()

    def cut(self) -> None:
        """Promise more than is sent."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"data": [')

    def grow(self) -> None:
        """Change the size of the vectors after the first."""
        more = [1.0] if len(self.server.seen) > 1 else []
        self._send({"data": [{"index": 0, "embedding": _numbers("x") + more}]})


_MOODS: dict[str, Any] = {
    "old": _Talk.old,
    "hang": _Talk.hang,
    "drip": _Talk.drip,
    "cut": _Talk.cut,
    "grow": _Talk.grow,
    "unpulled": lambda talk: talk._send({"error": "model 'm' not found, try pulling it first"}, 404),
    "refuse": lambda talk: talk._send({"error": {"message": "bad key"}}, 401),
    "break": lambda talk: talk._send_bytes(b"<html>oops", 500),
    "page": lambda talk: talk._send_bytes(b"<html>hello"),
    "few": lambda talk: talk._send({"data": [], "embeddings": []}),
    "list": lambda talk: talk._send([1, 2]),
    "nameless": lambda talk: talk._send({"data": [{"index": 0}], "embeddings": [None]}),
    "zero": lambda talk: talk._send({"data": [{"index": 0, "embedding": [0.0] * DIMS}]}),
    "words": lambda talk: talk._send({"data": [{"index": 0, "embedding": ["a"] * DIMS}]}),
    "redirect": lambda talk: talk._send_bytes(b"", 302, Location="http://127.0.0.1:9/elsewhere"),
}


class _Server(ThreadingHTTPServer):
    """A server with a mood, which remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.mood = ""
        self.seen: list[tuple[str, Any, str]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """A client that hung up is what some tests are about."""


@pytest.fixture
def server() -> Iterator[_Server]:
    """A server for one test."""
    with _Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.over.set()
        running.shutdown()
        thread.join()


def _openai(server: _Server, key: str = "", dims: int = 0) -> EmbedderChoice:
    return EmbedderChoice(kind="openai", model="m", url=server.url, timeout_seconds=0.5, key=key, dims=dims)


def test_ollama_speaks_in_batches(server: _Server) -> None:
    """Texts go out in batches under the model's prefixes, and the digest is the revision."""
    embedder = open_embedder(EmbedderChoice(kind="ollama", model="nomic-embed-text", url=server.url))
    assert embedder.name == f"nomic-embed-text/{DIMS}@01234567"
    assert len(embedder.embed_documents([f"note {number}" for number in range(130)])) == 130
    embedder.embed_query(["why"])
    sizes = [len(asked["input"]) for path, asked, _ in server.seen if path == "/api/embed"]
    assert sizes == [1, 64, 64, 2, 1]
    assert server.seen[1][1]["input"][0] == "search_document: note 0"
    assert server.seen[-1][1]["input"] == ["search_query: why"]


def test_an_old_ollama_is_asked_text_by_text(server: _Server) -> None:
    """A server without batches gives the same vectors."""
    choice = EmbedderChoice(kind="ollama", model="nomic-embed-text", url=server.url)
    new = open_embedder(choice).embed_documents(["a", "bc"])
    server.mood = "old"
    assert open_embedder(choice).embed_documents(["a", "bc"]) == new


def test_openai_rows_are_put_in_order_and_the_key_is_sent(server: _Server) -> None:
    """Rows come back by their index, at unit length, and the key goes in its header."""
    embedder = open_embedder(_openai(server, key="secret"))
    vectors = embedder.embed_documents(["a", "bc", ""])
    for place, text in enumerate(["a", "bc", " "]):
        numbers = _numbers(text)
        length = sum(number * number for number in numbers) ** 0.5
        assert list(vectors.floats(place)) == pytest.approx([number / length for number in numbers], abs=1e-6)
    assert {key for _, _, key in server.seen} == {"Bearer secret"}
    assert embedder.name == f"m/{DIMS}@{server.url.removeprefix('http://')}"


def test_no_texts_ask_nothing(server: _Server) -> None:
    """Nothing to embed is nothing to ask."""
    embedder = open_embedder(_openai(server))
    before = len(server.seen)
    assert len(embedder.embed_documents([])) == 0
    assert len(server.seen) == before


@pytest.mark.parametrize(
    ("mood", "fault"),
    [
        ("hang", "did not answer within 0.5 s"),
        ("drip", "did not answer within 0.5 s"),
        ("cut", "something that is not JSON"),
        ("refuse", "refused with status 401: bad key"),
        ("break", "refused with status 500"),
        ("page", "something that is not JSON"),
        ("few", "not a list of vectors"),
        ("list", "not a list of vectors"),
        ("nameless", "not a list of vectors"),
        ("redirect", "refused with status 302"),
    ],
)
def test_a_bad_server_is_one_error_in_time(server: _Server, mood: str, fault: str) -> None:
    """Whatever the server does, opening ends by the deadline with what went wrong, and recall goes on."""
    server.mood = mood
    began = time.monotonic()
    found, why = find_embedder(_openai(server))
    assert found is None
    assert fault in why
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("mood", ["zero", "words", "grow"])
def test_what_is_no_vector_is_refused(server: _Server, mood: str) -> None:
    """A vector of nothing, of words, or of another size than the first never reaches the index."""
    server.mood = mood
    with pytest.raises(EmbedderError):
        open_embedder(_openai(server)).embed_documents(["text"])


def test_a_size_that_was_set_is_held(server: _Server) -> None:
    """Settings that name a size get that size or an error."""
    with pytest.raises(EmbedderError, match="8 numbers where 16 were expected"):
        open_embedder(_openai(server, dims=16)).embed_documents(["text"])


def test_a_model_that_was_not_pulled_says_so(server: _Server) -> None:
    """Ollama's own advice is what the user reads."""
    server.mood = "unpulled"
    with pytest.raises(EmbedderError, match="try pulling it first") as caught:
        open_embedder(EmbedderChoice(kind="ollama", model="m", url=server.url))
    assert caught.value.hint == "ollama pull MODEL"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "file:///etc", "nonsense"])
def test_an_address_without_a_server_is_one_error(url: str) -> None:
    """Nobody there, and no address at all, are told apart from a slow server."""
    found, why = find_embedder(EmbedderChoice(kind="openai", model="m", url=url))
    assert found is None
    assert "cannot be reached" in why or "no http or https address" in why


def test_a_question_carries_its_purpose_where_the_model_listens() -> None:
    """The table of habits decides what a model is told, braces in the text untouched."""
    text = "send {text} a mail"
    asked = habits_of("Qwen3-Embedding:0.6b").question(text, CAPABILITY)
    assert asked == f"Instruct: Given this task intent, retrieve tools that enable it:\nQuery:{text}"
    assert habits_of("multilingual-e5-small").answer(text) == f"passage: {text}"
    assert habits_of("all-minilm").question(text, CAPABILITY) == text
    assert habits_of("BAAI/bge-m3").question(text, "") == text
    assert habits_of("BAAI/bge-small-en-v1.5").question("a", "").endswith("passages: a")
