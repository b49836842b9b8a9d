"""Embedders behind HTTP: Ollama, and whatever speaks the OpenAI embeddings protocol.

Standard library only. Every call ends by its deadline, whatever the server does; answers are bounded in size, and
redirects are refused, so that a key goes nowhere but to the address that was set.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mneme.index.embed.instructions import habits_of
from mneme.index.embed.protocol import EmbedderError, Vectors, unit_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.index.embed.choice import EmbedderChoice

OLLAMA_URL = "http://127.0.0.1:11434"
BATCH = 64
LARGEST_ANSWER_BYTES = 64 << 20
LARGEST_ERROR_BYTES = 4096
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
NOT_FOUND = 404

Rows = list[list[float]]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: it could carry the key elsewhere."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


class _StatusError(EmbedderError):
    """The server answered, with an error."""

    def __init__(self, status: int, message: str, hint: str, *, said: bool) -> None:
        super().__init__(message, hint)
        self.status, self.said = status, said


@dataclass(frozen=True, slots=True)
class Server:
    """A JSON server at an address: one request, one answer, within a time."""

    url: str
    key: str
    timeout_seconds: float

    @property
    def host(self) -> str:
        """Return the host and port, which tell one server's models from another's."""
        return urllib.parse.urlsplit(self.url).netloc.rpartition("@")[2]

    def ask(self, path: str, question: object = None) -> Any:  # noqa: ANN401 - JSON is whatever was sent
        """Post a question, or get when there is none, and return the answer."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        content = None if question is None else json.dumps(question).encode()
        # `urllib` also opens files; an address in the settings must not.
        if urllib.parse.urlsplit(self.url).scheme not in {"http", "https"}:
            message = f"'{self.url}' is no http or https address"
            raise EmbedderError(message, "mneme settings embedder.url")
        request = urllib.request.Request(self.url.rstrip("/") + path, content, headers)  # noqa: S310 - checked above
        try:
            return json.loads(self._answer(request))
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            late = isinstance(error, TimeoutError) or isinstance(reason, TimeoutError)
            fault = f"did not answer within {self.timeout_seconds:g} s" if late else f"cannot be reached: {reason}"
            message = f"the embedder at '{self.url}' {fault}"
            raise EmbedderError(message, "mneme doctor") from error
        except ValueError as error:
            message = f"the embedder at '{self.url}' answered with something that is not JSON"
            raise EmbedderError(message, "mneme doctor") from error

    def _answer(self, request: urllib.request.Request) -> bytes:
        # A socket's timeout starts again with every byte; the deadline is what a dripping server meets.
        deadline = time.monotonic() + self.timeout_seconds
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if urllib.parse.urlsplit(self.url).hostname in HERE:
            handlers.append(urllib.request.ProxyHandler({}))
        opener = urllib.request.build_opener(*handlers)
        answer = bytearray()
        with opener.open(request, timeout=self.timeout_seconds) as response:
            while part := response.read1(1 << 16):
                answer += part
                if time.monotonic() > deadline:
                    raise TimeoutError
                if len(answer) > LARGEST_ANSWER_BYTES:
                    message = f"the embedder at '{self.url}' answered with more than {LARGEST_ANSWER_BYTES >> 20} MB"
                    raise EmbedderError(message, "mneme doctor")
        return bytes(answer)

    def _refusal(self, error: urllib.error.HTTPError) -> _StatusError:
        said = _said(error)
        message = f"the embedder at '{self.url}' refused with status {error.code}{said and ': ' + said}"
        hint = "ollama pull MODEL" if "pull" in said else "mneme doctor"
        return _StatusError(error.code, message, hint, said=bool(said))


def _said(error: urllib.error.HTTPError) -> str:
    """Return the one sentence an error answer says, if it says one in JSON."""
    try:
        with error:
            answer = json.loads(error.read(LARGEST_ERROR_BYTES))
        fault = answer.get("error", "")
        said = fault.get("message", "") if isinstance(fault, dict) else fault
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return ""
    return " ".join(str(said).split())[:200]


class RemoteEmbedder:
    """A model on a server, its texts sent in batches as the model's habits want them."""

    __slots__ = ("_ask", "_habits", "_source", "dims", "name")

    def __init__(self, ask: Callable[[Sequence[str]], Rows], model: str, revision: str, dims: int) -> None:
        self._ask = ask
        self._habits = habits_of(model)
        self._source = model
        self.dims = dims or len(ask(["size"])[0])
        self.name = f"{model}/{self.dims}@{revision}"

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question, told with its purpose where the model listens to one."""
        return self._embed([self._habits.question(text, instruction) for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        return self._embed([self._habits.answer(text) for text in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        # Servers refuse an empty text; a blank is the nearest thing to it.
        rows = (row for batch in _batches([text or " " for text in texts]) for row in self._ask(batch))
        return unit_vectors(rows, self.dims, self._source)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def open_ollama(choice: EmbedderChoice) -> RemoteEmbedder:
    """Open a model of an Ollama server; its digest is the revision."""
    server = Server(choice.url or OLLAMA_URL, choice.key, choice.timeout_seconds)
    model = choice.model or "nomic-embed-text"

    def ask(texts: Sequence[str]) -> Rows:
        try:
            answer = server.ask("/api/embed", {"model": model, "input": list(texts), "truncate": True})
        except _StatusError as error:
            # A server from before batches has no such address, and says so in no JSON.
            if error.status != NOT_FOUND or error.said:
                raise
            answers = [server.ask("/api/embeddings", {"model": model, "prompt": text}) for text in texts]
            return [_list_in(one, "embedding", server) for one in answers]
        return _checked(_list_in(answer, "embeddings", server), texts, server)

    return RemoteEmbedder(ask, model, _digest(server, model), choice.dims)


def _digest(server: Server, model: str) -> str:
    known = _list_in(server.ask("/api/tags"), "models", server)
    wanted = model if ":" in model else f"{model}:latest"
    found = [one.get("digest", "") for one in known if isinstance(one, dict) and one.get("name") == wanted]
    return str(found[0]).removeprefix("sha256:")[:8] if found else server.host


def open_openai(choice: EmbedderChoice) -> RemoteEmbedder:
    """Open a model of a server that speaks the OpenAI protocol; the server's address stands for the revision."""
    if not choice.url or not choice.model:
        message = "an OpenAI-compatible embedder needs an address and a model"
        raise EmbedderError(message, "mneme settings embedder.url")
    server = Server(choice.url, choice.key, choice.timeout_seconds)

    def ask(texts: Sequence[str]) -> Rows:
        question = {"model": choice.model, "input": list(texts), "encoding_format": "float"}
        rows = _checked(_list_in(server.ask("/embeddings", question), "data", server), texts, server)
        try:
            return [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]
        except (KeyError, TypeError) as error:
            raise _strange(server) from error

    return RemoteEmbedder(ask, choice.model, server.host, choice.dims)


def _list_in(answer: object, key: str, server: Server) -> list[Any]:
    found = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise _strange(server)
    return found


def _checked(rows: list[Any], texts: Sequence[str], server: Server) -> list[Any]:
    if len(rows) != len(texts):
        raise _strange(server)
    return rows


def _strange(server: Server) -> EmbedderError:
    message = f"the embedder at '{server.url}' answered with something that is not a list of vectors"
    return EmbedderError(message, "mneme doctor")
