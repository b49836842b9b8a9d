"""Embedders behind HTTP: Ollama, and whatever speaks the OpenAI embeddings protocol.

Standard library only; the deadline, the bounds and the key are those of `mneme.remote`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mneme.index.embed.instructions import habits_of
from mneme.index.embed.protocol import EmbedderError, Vectors, unit_vectors
from mneme.remote import RemoteError, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.index.embed.choice import EmbedderChoice

OLLAMA_URL = "http://127.0.0.1:11434"
BATCH = 64
NOT_FOUND = 404

Rows = list[list[float]]


class _EmbedderServer(Server):
    """A server whose faults are faults of an embedder."""

    __slots__ = ()

    def ask(self, path: str, question: object = None) -> Any:  # noqa: ANN401 - JSON is whatever was sent
        """Post a question, or get when there is none, and return the answer."""
        try:
            return super().ask(path, question)
        except RemoteError as fault:
            raise _RefusedEmbedderError(fault) from fault


class _RefusedEmbedderError(EmbedderError):
    """What a server of an embedder answered instead of vectors."""

    def __init__(self, fault: RemoteError) -> None:
        super().__init__(fault.message, fault.hint)
        self.status, self.said = fault.status, fault.said


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
    server = _EmbedderServer(choice.url or OLLAMA_URL, choice.key, choice.timeout_seconds, "embedder")
    model = choice.model or "nomic-embed-text"

    def ask(texts: Sequence[str]) -> Rows:
        try:
            answer = server.ask("/api/embed", {"model": model, "input": list(texts), "truncate": True})
        except _RefusedEmbedderError as error:
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
        raise EmbedderError(message, "edit mneme.toml: [embedder] url")
    server = _EmbedderServer(choice.url, choice.key, choice.timeout_seconds, "embedder")

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
    return EmbedderError(message, "mneme index")
