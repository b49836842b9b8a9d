"""An embedder from a folder on disk that holds a transformer as ONNX, in the layout models are published in.

Needs onnxruntime; a folder whose tokenizer is not uncased WordPiece needs the `tokenizers` package as well. Nothing is
downloaded. The folder's own files say how states become a vector; where they do not, it is their mean.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from mneme.index.embed.instructions import habits_of
from mneme.index.embed.protocol import EmbedderError, Vectors, unit_vectors
from mneme.index.embed.wordpiece import WordPiece
from mneme.workspace import keep_runtime_quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx")
LONGEST = 512
SAMPLE_BYTES = 1 << 20
STATES = 3  # a graph gives one vector per token, or one per text


class FolderEmbedder:
    """A transformer on onnxruntime, one text at a time."""

    __slots__ = ("_cls", "_habits", "_inputs", "_session", "_tokens", "dims", "name")

    def __init__(self, folder: Path, graph: Path) -> None:
        keep_runtime_quiet()
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 3
        self._session = ort.InferenceSession(os.fspath(graph), options, providers=["CPUExecutionProvider"])
        self._inputs = {port.name for port in self._session.get_inputs()}
        self._tokens = _tokenizer(folder)
        self._cls = bool(_settings(folder, "1_Pooling/config.json").get("pooling_mode_cls_token"))
        self._habits = habits_of(folder.name)
        self.dims = len(self._vector("size"))
        self.name = f"{folder.name}/{self.dims}@{_revision(graph)}"

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question, told with its purpose where the model listens to one."""
        return self._embed([self._habits.question(text, instruction) for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        return self._embed([self._habits.answer(text) for text in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        return unit_vectors(map(self._vector, texts), self.dims, self.name)

    def _vector(self, text: str) -> Any:  # noqa: ANN401 - numpy is optional, and its types with it
        import numpy as np

        numbers = np.array([self._tokens(text)], np.int64)
        given = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": numbers * 0}
        states = self._session.run(None, {name: given[name] for name in given if name in self._inputs})[0]
        if states.ndim < STATES:
            return states[0].tolist()
        return (states[0, 0] if self._cls else states[0].mean(0)).tolist()


def open_folder(folder: Path) -> FolderEmbedder:
    """Open the model in a folder."""
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    if graph is None:
        message = f"there is no '{GRAPHS[0]}' in '{folder}'"
        raise EmbedderError(message, "edit mneme.toml: [embedder] folder")
    try:
        return FolderEmbedder(folder, graph)
    except ImportError as missing:
        message = f"the model in '{folder}' needs the package '{missing.name}'"
        raise EmbedderError(message, f"pip install {missing.name}") from missing
    except EmbedderError:
        raise
    except Exception as fault:  # the runtime's errors share no class with ours, nor with each other
        message = f"the model in '{folder}' cannot be opened: {str(fault).splitlines()[0]}"
        raise EmbedderError(message, "mneme index") from fault


def _tokenizer(folder: Path) -> Callable[[str], list[int]]:
    longest = int(_settings(folder, "sentence_bert_config.json").get("max_seq_length") or LONGEST)
    about = _settings(folder, "tokenizer_config.json")
    if (folder / "vocab.txt").is_file() and about.get("do_lower_case", True):
        pieces = WordPiece((folder / "vocab.txt").read_text("utf-8").splitlines())
        return lambda text: pieces.numbers(text, longest)
    from tokenizers import Tokenizer

    published = Tokenizer.from_file(os.fspath(folder / "tokenizer.json"))
    published.no_padding()
    published.enable_truncation(longest)

    def tokens(text: str) -> list[int]:
        numbers: list[int] = published.encode(text).ids
        return numbers

    return tokens


def _settings(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    read = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return read if isinstance(read, dict) else {}


def _revision(graph: Path) -> str:
    """Tell one model file from another by its size, beginning and end; hashing a gigabyte at each start is too slow."""
    with graph.open("rb") as file:
        begin = file.read(SAMPLE_BYTES)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - SAMPLE_BYTES))
        return hashlib.sha256(b"%d" % size + begin + file.read()).hexdigest()[:8]
