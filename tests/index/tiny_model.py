"""A real model in the published layout, small enough to be written by a test: each token gives four numbers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np

from mneme.index.embed.choice import MODEL_FOLDER

if TYPE_CHECKING:
    from pathlib import Path


def write_tiny_model(folder: Path) -> Path:
    """Write the model into a new folder, and return that."""
    folder.mkdir()
    shutil.copy(MODEL_FOLDER / "vocab.txt", folder)
    (folder / "model.onnx").write_bytes(_tiny_graph())
    return folder


def _tiny_graph() -> bytes:
    """Return a graph that turns each token number into four numbers made from it."""
    from model_graph import FLOAT, INT64, Graph, _field, _port

    graph = Graph()
    numbers = graph.add("Unsqueeze", graph.add("Cast", "input_ids", to=FLOAT), "axis")
    graph.add("Mul", numbers, graph.add("Add", graph.add("Cos", numbers), "line"), name="states")
    axis = _field(1, 1) + _field(2, INT64) + _field(8, "axis") + _field(9, np.array([2], "<i8").tobytes())
    line = _field(1, 4) + _field(2, FLOAT) + _field(8, "line") + _field(9, np.array([1, 2, 3, 5], "<f4").tobytes())
    packed = b"".join(_field(1, node) for node in graph._nodes) + _field(2, "tiny") + _field(5, axis) + _field(5, line)
    packed += _field(11, _port("input_ids", INT64, 1, "tokens")) + _field(12, _port("states", FLOAT, 1, "tokens", 4))
    return _field(1, 8) + _field(7, packed) + _field(8, _field(1, "") + _field(2, 17))
