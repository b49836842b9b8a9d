"""What an embedder is and what it gives back.

Vectors travel as packed little-endian float32 bytes, because that is what is stored and mapped: a row is a slice, a
numpy matrix is a view of the same memory, and nothing here needs numpy. Every row is of unit length.
"""

from __future__ import annotations

import math
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FLOAT_BYTES = 4


class EmbedderError(MnemeError):
    """The embedder cannot be had, did not answer in time, or answered with something that is no vector."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors of one size, one after the other, as little-endian float32."""

    dims: int
    packed: bytes

    def __len__(self) -> int:
        return len(self.packed) // (FLOAT_BYTES * self.dims)

    def __getitem__(self, place: int) -> bytes:
        size = FLOAT_BYTES * self.dims
        return self.packed[place * size : (place + 1) * size]

    def __iter__(self) -> Iterator[bytes]:
        return (self[place] for place in range(len(self)))

    def floats(self, place: int) -> array[float]:
        """Return one vector as numbers."""
        row = array("f", self[place])
        if sys.byteorder == "big":
            row.byteswap()
        return row

    def matrix(self) -> Any:  # noqa: ANN401 - numpy is optional, and its types with it
        """Return the vectors as a numpy matrix over the same memory."""
        import numpy as np

        return np.frombuffer(self.packed, "<f4").reshape(-1, self.dims)


class Embedder(Protocol):
    """Something that turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """The model, its size and its revision; vectors are compared under one name only."""

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question; a model that takes instructions is told what it is for."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text that is to be found."""


def unit_vectors(rows: Iterable[Sequence[float]], dims: int, source: str) -> Vectors:
    """Pack rows at unit length; a row of another size, of nothing or of no number is refused."""
    packed = bytearray()
    for row in rows:
        if len(row) != dims:
            message = f"'{source}' gave a vector of {len(row)} numbers where {dims} were expected"
            raise EmbedderError(message, "mneme index --rebuild")
        packed += _unit(row, source)
    return Vectors(dims, bytes(packed))


def _unit(row: Sequence[float], source: str) -> bytes:
    try:
        length = math.sqrt(sum(number * number for number in row))
        unit = array("f", (number / length for number in row)) if 0.0 < length < math.inf else None
    except (TypeError, OverflowError):
        unit = None
    if unit is None:
        message = f"'{source}' gave something that is no vector"
        raise EmbedderError(message, "mneme index")
    if sys.byteorder == "big":
        unit.byteswap()
    return unit.tobytes()
