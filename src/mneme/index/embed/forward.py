"""The default embedder's forward pass in numpy, for where onnxruntime cannot be had.

Reads the same int8 weights and multiplies in float32, so its vectors lie within rounding of the runtime's: the two
may serve one index. Some five times slower. Importing this imports numpy.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Array = np.ndarray[Any, Any]

LAYERS, HEADS = 6, 12
EPSILON = 1e-12
_KINDS = {"F32": "<f4", "I8": "i1", "I64": "<i8"}


class Forward:
    """The model, its product weights unpacked once and its word table left packed in the mapped file."""

    __slots__ = ("_products", "_tensors")

    def __init__(self, weights: Path) -> None:
        self._tensors = load_tensors(weights)
        names = [name[:-2] for name in self._tensors if name.endswith(".w") and name != "words.w"]
        self._products = {
            name: (self._tensors[f"{name}.w"] * self._tensors[f"{name}.s"], self._tensors[f"{name}.b"])
            for name in names
        }

    def __call__(self, numbers: Sequence[int]) -> bytes:
        """Return the unit vector of one text's token numbers, as little-endian float32."""
        tensor = self._tensors
        words = tensor["words.w"][list(numbers)].astype(np.float32) * tensor["words.s"][list(numbers)]
        states = self._level(words + tensor["places"][: len(numbers)], "words")
        for layer in map(str, range(LAYERS)):
            mixed = self._product(self._attend(states * tensor[f"{layer}.enters"], layer), f"{layer}.mixed")
            states = self._level(states + mixed, f"{layer}.first")
            inner = _gelu(self._product(states * tensor[f"{layer}.widens"], f"{layer}.inner"))
            states = self._level(states + self._product(inner, f"{layer}.outer"), f"{layer}.second")
        pooled = states.mean(0)
        vector: bytes = (pooled / np.linalg.norm(pooled)).astype("<f4").tobytes()
        return vector

    def _product(self, states: Array, name: str) -> Array:
        matrix, bias = self._products[name]
        product: Array = states @ matrix + bias
        return product

    def _level(self, states: Array, name: str) -> Array:
        centred = states - states.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(EPSILON))
        levelled: Array = centred / spread * self._tensors[f"{name}.gain"] + self._tensors[f"{name}.shift"]
        return levelled

    def _attend(self, states: Array, layer: str) -> Array:
        size, width = states.shape
        parts = (self._product(states, f"{layer}.{part}") for part in ("query", "key", "value"))
        query, key, value = (part.reshape(size, HEADS, -1).transpose(1, 0, 2) for part in parts)
        weight = query @ key.transpose(0, 2, 1) * np.float32((width / HEADS) ** -0.5)
        weight = np.exp(weight - weight.max(-1, keepdims=True))
        mixed = (weight / weight.sum(-1, keepdims=True)) @ value
        together: Array = mixed.transpose(1, 0, 2).reshape(size, width)
        return together


def load_tensors(path: Path) -> dict[str, Array]:
    """Map a safetensors file: a length, a table of names, kinds, shapes and places, and the numbers."""
    packed = np.memmap(path, np.uint8, "r")
    (size,) = struct.unpack("<Q", packed[:8].tobytes())
    table = json.loads(packed[8 : 8 + size].tobytes())
    table.pop("__metadata__", None)
    tensors = {}
    for name, entry in table.items():
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = packed[start:end].view(_KINDS[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def _gelu(states: Array) -> Array:
    """Return the exact Gaussian unit, its error function by a rational approximation good to 2e-7."""
    size = np.abs(states) * np.float32(2**-0.5)
    step = 1 / (1 + np.float32(0.3275911) * size)
    tail = step * (
        0.254829592 + step * (-0.284496736 + step * (1.421413741 + step * (-1.453152027 + step * 1.061405429)))
    )
    error = np.copysign(1 - tail * np.exp(-size * size), states)
    gelu: Array = states * np.float32(0.5) * (1 + error)
    return gelu
