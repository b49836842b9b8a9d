"""The default embedder's weights: read as published, run as the yardstick, and quantised.

Weights keep 7 of the 8 bits of int8, with a scale for each output. Before that, some of each channel's size moves from
what is multiplied into the weights it meets, by powers of two, so that one scale serves all channels of an activation.
Everything is computed in double precision and rounded once: the same bytes come out on every run.
"""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

LAYERS, HEADS, WIDTH, LONGEST = 6, 12, 384, 256
EPSILON = 1e-12
# 7 bits of 8: processors without VNNI add pairs of products in 16 bits, where full int8 weights would saturate.
TOP = 63
# Cosine to the float model: .995 on average with these, .992 with nothing moved.
SHIFTS = {"query": 0.65, "intermediate": 0.65, "attention": 0.5}

Array = np.ndarray[Any, Any]

KINDS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I8": np.dtype("i1"), "I64": np.dtype("<i8")}
KIND_NAMES = {kind: name for name, kind in KINDS.items()}


def parse_tensors(packed: bytes) -> dict[str, Array]:
    """Read the format: a length, a JSON table of names, kinds, shapes and places, and the numbers."""
    (size,) = struct.unpack_from("<Q", packed)
    table = json.loads(packed[8 : 8 + size])
    table.pop("__metadata__", None)
    tensors = {}
    for name, entry in table.items():
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(packed[start:end], KINDS[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def print_tensors(tensors: dict[str, Array]) -> tuple[bytes, dict[str, tuple[int, int]]]:
    """Write the format, and say where in the file each tensor begins and how long it is."""
    table: dict[str, Any] = {}
    offset = 0
    for name, tensor in tensors.items():
        entry = {"dtype": KIND_NAMES[tensor.dtype], "shape": list(tensor.shape)}
        table[name] = entry | {"data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    head = json.dumps(table, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 8) % 64)
    begin = 8 + len(head)
    places = {name: (begin + entry["data_offsets"][0], tensors[name].nbytes) for name, entry in table.items()}
    return struct.pack("<Q", len(head)) + head + b"".join(tensor.tobytes() for tensor in tensors.values()), places


_erf: Any = np.frompyfunc(math.erf, 1, 1)


def vector_of(weights: dict[str, Array], numbers: list[int], seen: dict[str, Array] | None = None) -> Array:
    """Run the model on one text; `seen` collects the greatest size of each channel that enters a product."""

    def linear(states: Array, name: str) -> Array:
        if seen is not None:
            seen[name] = np.maximum(seen.get(name, np.zeros(states.shape[1])), np.abs(states).max(0))
        return states @ weights[f"{name}.weight"].T.astype(np.float64) + weights[f"{name}.bias"]

    def level(states: Array, name: str) -> Array:
        centred = states - states.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        levelled: Array = centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return levelled

    def attend(states: Array, layer: str) -> Array:
        heads = (linear(states, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        query, key, value = (part.reshape(len(states), HEADS, -1).transpose(1, 0, 2) for part in heads)
        weight = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH / HEADS)
        weight = np.exp(weight - weight.max(-1, keepdims=True))
        mixed: Array = (weight / weight.sum(-1, keepdims=True)) @ value
        return mixed.transpose(1, 0, 2).reshape(len(states), WIDTH)

    table = weights["embeddings.word_embeddings.weight"].astype(np.float64)
    states = level(table[numbers] + positions(weights)[: len(numbers)], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        mixed = linear(attend(states, layer), f"{layer}.attention.output.dense")
        states = level(states + mixed, f"{layer}.attention.output.LayerNorm")
        inner = linear(states, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1.0 + _erf(inner / math.sqrt(2.0)).astype(np.float64))
        states = level(states + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    pooled = states.mean(0)
    vector: Array = pooled / np.linalg.norm(pooled)
    return vector


def positions(weights: dict[str, Array]) -> Array:
    """Return what each place in a text adds; there is one kind of segment, so its vector is added here."""
    places = weights["embeddings.position_embeddings.weight"][:LONGEST]
    sums: Array = places + weights["embeddings.token_type_embeddings.weight"][0]
    return sums


def quantised(weights: dict[str, Array], numbers: Iterable[list[int]]) -> dict[str, Array]:
    """Return the tensors that are stored: int8 weights, a scale for each output, and the rest as it was."""
    seen: dict[str, Array] = {}
    for text in numbers:
        vector_of(weights, text, seen)
    stored: dict[str, Array] = {}
    table = weights["embeddings.word_embeddings.weight"]
    scale = np.maximum(np.abs(table).max(1, keepdims=True), np.float32(1e-9)) / np.float32(127)
    stored["words.w"] = np.rint(table / scale).astype(np.int8)
    for number in range(LAYERS):
        stored |= _quantised_layer(weights, f"encoder.layer.{number}", str(number), seen)
    stored["words.s"] = scale.astype(np.float32)
    stored["places"] = positions(weights)
    stored |= _levels(weights, "embeddings.LayerNorm", "words")
    stored["zero"] = np.array([0], np.int64)
    return dict(sorted(stored.items(), key=lambda pair: (-pair[1].nbytes, pair[0])))


def _quantised_layer(weights: dict[str, Array], layer: str, short: str, seen: dict[str, Array]) -> dict[str, Array]:
    def matrix(name: str) -> Array:
        return weights[f"{layer}.{name}.weight"]

    def bias(name: str) -> Array:
        return weights[f"{layer}.{name}.bias"]

    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    mixed, inner, outer = "attention.output.dense", "intermediate.dense", "output.dense"
    enters = _shift(seen[f"{layer}.{parts[0]}"], [matrix(part) for part in parts], SHIFTS["query"])
    value = _shift(seen[f"{layer}.{mixed}"], [matrix(mixed)], SHIFTS["attention"])
    widens = _shift(seen[f"{layer}.{inner}"], [matrix(inner)], SHIFTS["intermediate"])
    stored = {f"{short}.enters": 1 / enters, f"{short}.widens": 1 / widens}
    stored |= _product(matrix(parts[0]) * enters, bias(parts[0]), f"{short}.query")
    stored |= _product(matrix(parts[1]) * enters, bias(parts[1]), f"{short}.key")
    # The value's outputs are what the next product takes in: its shift needs no step of its own.
    stored |= _product(matrix(parts[2]) * enters / value[:, None], bias(parts[2]) / value, f"{short}.value")
    stored |= _product(matrix(mixed) * value, bias(mixed), f"{short}.mixed")
    stored |= _product(matrix(inner) * widens, bias(inner), f"{short}.inner")
    stored |= _product(matrix(outer), bias(outer), f"{short}.outer")
    stored |= _levels(weights, f"{layer}.attention.output.LayerNorm", f"{short}.first")
    return stored | _levels(weights, f"{layer}.output.LayerNorm", f"{short}.second")


def _levels(weights: dict[str, Array], name: str, short: str) -> dict[str, Array]:
    return {f"{short}.gain": weights[f"{name}.weight"], f"{short}.shift": weights[f"{name}.bias"]}


def _product(matrix: Array, bias: Array, name: str) -> dict[str, Array]:
    scale = (np.abs(matrix).max(1) / np.float32(TOP)).astype(np.float32)
    whole = np.clip(np.rint(matrix / scale[:, None]), -TOP, TOP).astype(np.int8)
    return {f"{name}.w": np.ascontiguousarray(whole.T), f"{name}.s": scale, f"{name}.b": bias.astype(np.float32)}


def _shift(sizes: Array, matrices: list[Array], share: float) -> Array:
    """Return by how much each channel's weights grow and its input shrinks: powers of two, so nothing is lost."""
    weight = np.maximum(np.max([np.abs(matrix).max(0) for matrix in matrices], axis=0), 1e-5).astype(np.float64)
    power = share * np.log2(np.maximum(sizes, 1e-4)) - (1 - share) * np.log2(weight)
    shifts: Array = 2.0 ** np.rint(power - np.median(power))
    return shifts.astype(np.float32)
