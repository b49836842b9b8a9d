"""The default embedder as an ONNX graph: one text's token numbers in, its unit vector out.

ONNX files are protocol buffers, of which this needs three kinds of field: writing them here spares a build dependency
and makes the bytes ours. The tensors lie in the weights' own file, which the numpy pass reads as well. Operations are
the fused ones of onnxruntime, so that nothing is left to optimise when a session is opened.
"""

from __future__ import annotations

import struct

import numpy as np
from model_weights import EPSILON, HEADS, LAYERS, WIDTH, Array


def _varint(number: int) -> bytes:
    packed = bytearray()
    number &= (1 << 64) - 1
    while number >> 7:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)
    return bytes(packed)


def _field(place: int, value: bytes | str | float) -> bytes:
    if isinstance(value, int):
        return _varint(place << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(place << 3 | 5) + struct.pack("<f", value)
    packed = value.encode() if isinstance(value, str) else value
    return _varint(place << 3 | 2) + _varint(len(packed)) + packed


FLOAT, INT8, INT64 = 1, 3, 7
ONNX_KINDS = {np.dtype("<f4"): FLOAT, np.dtype("i1"): INT8, np.dtype("<i8"): INT64}
CONTRIB = "com.microsoft"
Attribute = float | tuple[int, ...]


def _attribute(key: str, value: Attribute) -> bytes:
    if isinstance(value, tuple):
        return _field(5, _field(1, key) + b"".join(_field(8, one) for one in value) + _field(20, 7))
    whole = isinstance(value, int)
    return _field(5, _field(1, key) + _field(3 if whole else 2, value) + _field(20, 2 if whole else 1))


class Graph:
    """An ONNX graph in the making: each operation's result is named after it."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []

    def add(self, kind: str, *inputs: str, domain: str = "", name: str = "", **attributes: Attribute) -> str:
        """Add one operation and return its result's name."""
        result = name or f"{len(self._nodes)}.{kind}"
        packed = b"".join(_field(1, one) for one in inputs) + _field(2, result) + _field(4, kind)
        packed += b"".join(_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(packed + (_field(7, domain) if domain else b""))
        return result

    def printed(self, tensors: dict[str, Array], places: dict[str, tuple[int, int]], weights: str) -> bytes:
        """Return the model file; the tensors' bytes lie in another file beside it."""
        graph = b"".join(_field(1, node) for node in self._nodes) + _field(2, "minilm")
        for name, tensor in tensors.items():
            graph += _field(5, _outside(name, tensor, weights, *places[name]))
        graph += _field(11, _port("ids", INT64, 1, "tokens")) + _field(12, _port("vector", FLOAT, 1, WIDTH))
        opsets = b"".join(_field(8, _field(1, domain) + _field(2, opset)) for domain, opset in (("", 17), (CONTRIB, 1)))
        return _field(1, 8) + _field(2, "mneme") + _field(7, graph) + opsets


def _outside(name: str, tensor: Array, weights: str, offset: int, length: int) -> bytes:
    packed = b"".join(_field(1, size) for size in tensor.shape) + _field(2, ONNX_KINDS[tensor.dtype])
    packed += _field(8, name)
    for key, value in (("location", weights), ("offset", str(offset)), ("length", str(length))):
        packed += _field(13, _field(1, key) + _field(2, value))
    return packed + _field(14, 1)


def _port(name: str, kind: int, *sizes: int | str) -> bytes:
    shape = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def print_graph(tensors: dict[str, Array], places: dict[str, tuple[int, int]], weights: str) -> bytes:
    """Write the model file for tensors that lie at these places of the weights' file."""
    graph = Graph()
    words = graph.add("Cast", graph.add("Gather", "words.w", "ids"), to=FLOAT)
    words = graph.add("Mul", words, graph.add("Gather", "words.s", "ids"))
    here = graph.add("Slice", "places", "zero", graph.add("Shape", "ids", start=1))
    states = graph.add("Add", words, here)
    states = graph.add("LayerNormalization", states, "words.gain", "words.shift", axis=-1, epsilon=EPSILON)
    for layer in range(LAYERS):
        states = _layer(graph, states, str(layer))
    pooled = graph.add("ReduceMean", states, axes=(1,), keepdims=0)
    graph.add("LpNormalization", pooled, axis=1, p=2, name="vector")
    return graph.printed(tensors, places, weights)


def _layer(graph: Graph, states: str, layer: str) -> str:
    def product(inputs: str, name: str, bias: str = "") -> str:
        given = [f"{layer}.{name}.w", f"{layer}.{name}.s", "", bias]
        return graph.add("DynamicQuantizeMatMul", inputs, *given[: 4 if bias else 2], domain=CONTRIB)

    def joined(update: str, before: str, name: str) -> str:
        gains = (f"{layer}.{name}.gain", f"{layer}.{name}.shift")
        return graph.add("SkipLayerNormalization", update, before, *gains, domain=CONTRIB, epsilon=EPSILON)

    entering = graph.add("Mul", states, f"{layer}.enters")
    heads = [product(entering, part, f"{layer}.{part}.b") for part in ("query", "key", "value")]
    mixed = graph.add("MultiHeadAttention", *heads, domain=CONTRIB, num_heads=HEADS)
    states = joined(product(mixed, "mixed", f"{layer}.mixed.b"), states, "first")
    inner = product(graph.add("Mul", states, f"{layer}.widens"), "inner")
    inner = graph.add("BiasGelu", inner, f"{layer}.inner.b", domain=CONTRIB)
    return joined(product(inner, "outer", f"{layer}.outer.b"), states, "second")
