"""Which embedder a setting means, and opening it.

A choice is plain values: reading settings, secrets and trust is the caller's. What is opened is asked for nothing
before its first text, except for a server, which is asked once for its vectors' size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.errors import BadInputError
from mneme.index.embed.protocol import EmbedderError

if TYPE_CHECKING:
    from mneme.index.embed.protocol import Embedder

DEFAULT, NONE = "default", "none"
OLLAMA, OPENAI, ONNX, SENTENCE_TRANSFORMERS = "ollama", "openai", "onnx", "sentence-transformers"
KINDS = (DEFAULT, NONE, OLLAMA, OPENAI, ONNX, SENTENCE_TRANSFORMERS)
REMOTE_KINDS = frozenset({OLLAMA, OPENAI})

MODEL_FOLDER = Path(__file__).resolve().parents[1] / "model"


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """An embedder as settings name it; what a kind does not need is left empty."""

    kind: str = DEFAULT
    model: str = ""
    url: str = ""
    key: str = ""
    folder: str = ""
    dims: int = 0
    timeout_seconds: float = 30.0


def open_embedder(choice: EmbedderChoice) -> Embedder:
    """Open the embedder a choice names; `EmbedderError` says what it lacks."""
    if choice.kind == DEFAULT:
        from mneme.index.embed.minilm import open_minilm

        return open_minilm(Path(choice.folder) if choice.folder else MODEL_FOLDER)
    if choice.kind == OLLAMA:
        from mneme.index.embed.remote import open_ollama

        return open_ollama(choice)
    if choice.kind == OPENAI:
        from mneme.index.embed.remote import open_openai

        return open_openai(choice)
    if choice.kind == ONNX:
        from mneme.index.embed.folder import open_folder

        return open_folder(Path(choice.folder))
    if choice.kind == SENTENCE_TRANSFORMERS:
        from mneme.index.embed.sentence import open_sentence_transformer

        return open_sentence_transformer(choice.model or choice.folder)
    message = f"there is no embedder '{choice.kind}'; known: {', '.join(KINDS)}"
    raise BadInputError(message)


def find_embedder(choice: EmbedderChoice) -> tuple[Embedder | None, str]:
    """Return the embedder, or None and the reason why recall is by words alone."""
    if choice.kind == NONE:
        return None, "no embedder is set"
    try:
        return open_embedder(choice), ""
    except EmbedderError as fault:
        return None, fault.message
