"""The default embedder: all-MiniLM-L6-v2 in int8, read from a folder of files that the build made.

Runs on onnxruntime, or with numpy alone on the same weights; needs no network. One text is run at a time: what a text
becomes never depends on the texts beside it. Chinese is glossed in English words first, so that one model serves both.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol

from mneme.index.embed.gloss import Glosses
from mneme.index.embed.protocol import EmbedderError, Vectors
from mneme.index.embed.wordpiece import WordPiece
from mneme.workspace import keep_runtime_quiet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ABOUT = "model.json"
GRAPH, WEIGHTS, VOCABULARY, GLOSSES = "minilm.onnx", "minilm.safetensors", "vocab.txt", "glosses.txt"
WORTH_THREADS = 16
MOST_THREADS = 4


class Pass(Protocol):
    """One run of the model: token numbers in, a unit vector out."""

    def __call__(self, numbers: Sequence[int]) -> bytes:
        """Return the vector as little-endian float32."""


class MiniLM:
    """The default embedder. It was trained without instructions, and one only moves its vectors: none is added."""

    __slots__ = ("_about", "_glosses", "_run", "_threads", "_tokens", "dims", "name")

    def __init__(self, folder: Path, about: dict[str, Any], run: Pass, threads: int) -> None:
        self._about, self._run, self._threads = about, run, threads
        self._tokens = WordPiece((folder / VOCABULARY).read_text("utf-8").split("\n")[:-1])
        self._glosses = Glosses(folder / GLOSSES)
        self.dims: int = about["dims"]
        self.name = f"{about['model']}/{self.dims}@{about['revision']}"

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question, the purpose unheard."""
        del instruction
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, of which the first 256 tokens count."""
        if len(texts) < WORTH_THREADS or self._threads == 1:
            return Vectors(self.dims, b"".join(map(self._vector, texts)))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self._threads) as threads:
            return Vectors(self.dims, b"".join(threads.map(self._vector, texts)))

    def _vector(self, text: str) -> bytes:
        return self._run(self._tokens.numbers(self._glosses.in_english(text), self._about["longest"]))


def open_minilm(folder: Path) -> MiniLM:
    """Open the model on whatever can run it here; `EmbedderError` when its files or numpy are missing."""
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        return MiniLM(folder, about, *_best_pass(folder))
    except ImportError as missing:
        message = "the default embedder needs numpy, and onnxruntime to be quick"
        raise EmbedderError(message, "pip install numpy onnxruntime") from missing
    except (OSError, ValueError, KeyError) as fault:
        message = f"the default embedder's files in '{folder}' cannot be read: {fault}"
        raise EmbedderError(message, "pip install --force-reinstall mneme-engine") from fault


def _best_pass(folder: Path) -> tuple[Pass, int]:
    keep_runtime_quiet()
    try:
        import onnxruntime  # noqa: F401 - asked for here, used by the function
    except ImportError:
        return numpy_pass(folder), 1  # numpy's products have threads of their own
    return onnx_pass(folder), min(MOST_THREADS, os.cpu_count() or 1)


def onnx_pass(folder: Path) -> Pass:
    """Return the model on onnxruntime, opened for short texts: one thread, nothing left to optimise."""
    import numpy as np

    keep_runtime_quiet()
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_pattern = False  # texts differ in length: no two runs have the same pattern
    options.log_severity_level = 3
    try:
        session = ort.InferenceSession(os.fspath(folder / GRAPH), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # the runtime's errors share no class with ours, nor with each other
        message = f"onnxruntime cannot open the default embedder: {str(fault).splitlines()[0]}"
        raise EmbedderError(message, "pip install --upgrade onnxruntime") from fault

    def run(numbers: Sequence[int]) -> bytes:
        vector: bytes = session.run(None, {"ids": np.array([numbers], np.int64)})[0][0].astype("<f4").tobytes()
        return vector

    return run


def numpy_pass(folder: Path) -> Pass:
    """Return the model in numpy alone."""
    from mneme.index.embed.forward import Forward

    return Forward(folder / WEIGHTS)
