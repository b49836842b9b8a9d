"""An embedder through the sentence-transformers package, for whoever has torch installed already.

The package may download a model by its name; that is what naming one asks it to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mneme.index.embed.instructions import habits_of
from mneme.index.embed.protocol import EmbedderError, Vectors, unit_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence


class SentenceEmbedder:
    """A model of the sentence-transformers package."""

    __slots__ = ("_habits", "_model", "dims", "name")

    def __init__(self, model: str, loaded: Any) -> None:  # noqa: ANN401 - the package is optional, and its types with it
        self._model = loaded
        self._habits = habits_of(model)
        self.dims = len(loaded.encode("size", prompt="", show_progress_bar=False))
        self.name = f"{model}/{self.dims}@sentence-transformers"

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question, told with its purpose where the model listens to one."""
        return self._embed([self._habits.question(text, instruction) for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        return self._embed([self._habits.answer(text) for text in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        # The habits are applied here, so the package's own prompts are turned off.
        rows = self._model.encode(texts, prompt="", show_progress_bar=False) if texts else []
        return unit_vectors((row.tolist() for row in rows), self.dims, self.name)


def open_sentence_transformer(model: str) -> SentenceEmbedder:
    """Open a model by its name or folder."""
    if not model:
        message = "a sentence-transformers embedder needs a model"
        raise EmbedderError(message, "edit mneme.toml: [embedder] model")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as missing:
        message = "the package 'sentence-transformers' is not installed"
        raise EmbedderError(message, "pip install sentence-transformers") from missing
    try:
        return SentenceEmbedder(model, SentenceTransformer(model))
    except Exception as fault:  # the package's errors share no class with ours, nor with each other
        message = f"sentence-transformers cannot open '{model}': {str(fault).splitlines()[0]}"
        raise EmbedderError(message, "mneme index") from fault
