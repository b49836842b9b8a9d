"""Vectors on disk: one mapped file per embedder, changed in place, scanned for the rows nearest to a question.

Up to 50,000 rows every product is computed. Above, the signs of all rows are compared first, one bit a number, and
the best of them are rescored: a scan of 48 bytes a row in place of 1,536. Many may read while one writes. A file that
is truncated, foreign, or was left in the middle of a change raises `DamagedVectorsError`, and a row whose bytes are not
those that were put is never returned: the file is derived, so whoever holds the records makes it again. Works without
numpy, exactly and slowly.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import mmap
import os
import struct
import sys
import zlib
from array import array
from contextlib import contextmanager
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Self

from mneme.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from mneme.index.embed.protocol import Vectors

EXACT_BELOW = 50_000
BLOCK_ROWS = 4096
# Rows rescored after the scan of signs; `bench/embed.py` prints the recall that this gives.
RESCORED = 2000
# Products in single precision depend in their last digit on where a row lies. So many more than were asked for are
# scored again in double precision, which depends on the row alone.
MARGIN = 16
# So few rows are scored one by one, without a look at the rest.
FEW = 500
SAMPLED = 64
FREE = -1
RETRIES = 3

Hit = tuple[int, float]


class DamagedVectorsError(StorageError):
    """The file is not what was written: set it aside and make it again."""


class VectorFile:
    """Rows of one size under one embedder's name, each with a key that is not negative."""

    __slots__ = ("_blocks", "_change", "_free", "_keys", "_places", "dims")

    def __init__(self, path: Path, name: str, dims: int) -> None:
        self.dims = dims
        self._blocks = _Blocks(path, name, dims)
        self._change = -1
        self._places: dict[int, int] | None = None
        self._free: list[int] | None = None
        self._keys: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._known())

    def __contains__(self, key: int) -> bool:
        return key in self._known()

    def keys(self) -> Collection[int]:
        """Return the keys that have a row."""
        return self._known().keys()

    def find(self, key: int) -> bytes | None:
        """Return the row of a key, if it has one."""
        place = self._known().get(key)
        return None if place is None else self._blocks.row(place)

    def put(self, keys: Sequence[int], vectors: Vectors) -> None:
        """Store a row for each key, in the place of the one it had or of one that was dropped."""
        if vectors.dims != self.dims or len(vectors) != len(keys) or min(keys, default=0) < 0:
            message = f"{len(keys)} rows of {self.dims} numbers were expected, under keys that are not negative"
            raise ValueError(message)
        if not keys:
            return
        with self._blocks.changing():
            known = self._known()
            free = self._free_places()
            missing = sum(key not in known for key in set(keys)) - len(free)
            if missing > 0:
                first = self._blocks.rows
                free[:0] = range(first + missing - 1, first - 1, -1)
                self._blocks.reserve(first + missing)
            for key, row in zip(keys, vectors, strict=True):
                place = known.get(key)
                if place is None:
                    place = known[key] = free.pop()
                self._blocks.write(place, key, row)
        self._settle()

    def drop(self, keys: Iterable[int]) -> int:
        """Forget the rows of these keys, overwriting them, and say how many there were."""
        with self._blocks.changing():
            known = self._known()
            free = self._free_places()
            gone = [key for key in dict.fromkeys(keys) if key in known]
            for key in gone:
                free.append(known.pop(key))
                self._blocks.write(free[-1], FREE, bytes(4 * self.dims))
        self._settle()
        return len(gone)

    def search(self, question: bytes, k: int, among: Collection[int] | None = None) -> list[Hit]:
        """Return the k keys whose rows are nearest to a row, with their cosines, best first; ties by key."""
        if k <= 0:
            return []
        for attempt in range(RETRIES):
            try:
                return self._scored(question, k, self._near(question, k, among))
            except DamagedVectorsError:
                # A row that another process replaced while it was read looks damaged, once.
                if not self._blocks.is_moving(self._change) or attempt == RETRIES - 1:
                    raise
        return []

    def verify(self) -> None:
        """Read every row and compare it with its checksum."""
        for place in self._known().values():
            self._blocks.row(place)

    def flush(self) -> None:
        """Give the rows to the disk; without this they survive a crash of the program, not of the machine."""
        self._blocks.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._forget()
        self._blocks.close()

    # --- what is known about the rows, until a row changes --------------------------------------------------------------

    def _known(self) -> dict[int, int]:
        self._refresh()
        if self._places is None:
            keys = self._blocks.keys()
            self._places = {key: place for place, key in enumerate(keys) if key != FREE}
            if len(self._places) + keys.count(FREE) != len(keys):
                raise self._blocks.damage("two rows have one key")
        return self._places

    def _free_places(self) -> list[int]:
        """Return the places whose rows were dropped, the first of them last."""
        if self._free is None:
            taken = set(self._known().values())
            self._free = [place for place in range(self._blocks.rows - 1, -1, -1) if place not in taken]
        return self._free

    def _refresh(self) -> None:
        change = self._blocks.current()
        if change != self._change:
            self._forget()
            self._change = change

    def _settle(self) -> None:
        """Keep what is known after a change of our own, except what was read in bulk."""
        self._keys = None
        self._change = self._blocks.current()

    def _forget(self) -> None:
        self._places = self._free = self._keys = None

    # --- scanning -----------------------------------------------------------------------------------------------------

    def _near(self, question: bytes, k: int, among: Collection[int] | None) -> Collection[int]:
        """Return the places worth scoring in full."""
        numpy = _numpy()
        if numpy is None or (among is not None and len(among) <= FEW):
            known = self._known()
            return known.values() if among is None else [known[key] for key in set(among) if key in known]
        self._refresh()
        places = self._held_places(among, numpy)
        if not len(places):
            return []
        wanted = numpy.frombuffer(question, "<f4")
        signs, floats = self._blocks.matrices(numpy)
        if len(places) > EXACT_BELOW:
            unlike = _unlike_signs(question, signs, numpy)
            places = places[_least(_picked(unlike, places), max(RESCORED, 4 * k), numpy)]
            cost = -_products(floats[numpy.divmod(places, BLOCK_ROWS)], wanted, numpy)
        else:
            products = numpy.concatenate([_products(block, wanted, numpy) for block in floats])
            cost = -_picked(products, places)
        near: list[int] = places[_least(cost, k + MARGIN, numpy)].tolist()
        return near

    def _held_places(self, among: Collection[int] | None, numpy: Any) -> Any:  # noqa: ANN401 - numpy is optional
        if self._keys is None:
            keys = numpy.array(self._blocks.keys(), numpy.int64)
            places = numpy.flatnonzero(keys != FREE)
            self._keys = (keys[places], places)
        keys, places = self._keys
        if among is None:
            return places
        return places[numpy.isin(keys, numpy.fromiter(among, numpy.int64, len(among)))]

    def _scored(self, question: bytes, k: int, places: Collection[int]) -> list[Hit]:
        rows = self._blocks.unchecked_rows(places)
        near = zip(_costs(question, rows), map(self._blocks.key, places), places, range(len(rows)), strict=True)
        found = sorted(near) if k >= len(rows) else nsmallest(k, near)
        best = [hit for hit in found if hit[1] != FREE]
        for _, _, place, number in best:
            self._blocks.verify(place, rows[number])
        return [(key, -cost) for cost, key, _, _ in best]


# --- the file -----------------------------------------------------------------------------------------------------------

_HEAD = struct.Struct("<8sIIIIQQ64sI")
_HEAD_BYTES = 4096
_MAGIC = b"mnemevec"
_VERSION = 1
_CLEAN, _CHANGING = 0, 1
_KEY, _WORD, _SUM = struct.Struct("<q"), struct.Struct("<Q"), struct.Struct("<I")


class _Blocks:
    """The file: a head, then blocks of 4,096 rows that hold keys, checksums, signs word by word, and numbers.

    The only writer of vector files. What is not yet written to takes no space on the disk.
    """

    __slots__ = (
        "_block_bytes",
        "_change",
        "_dims",
        "_file",
        "_floats_at",
        "_head",
        "_map",
        "_name",
        "_path",
        "rows",
        "words",
    )

    def __init__(self, path: Path, name: str, dims: int) -> None:
        self._path, self._dims = path, dims
        self.rows = self._change = 0
        self._name = hashlib.sha512(name.encode("utf-8", "surrogatepass")).digest()
        self.words = -(-dims // 64)
        self._floats_at = (8 + 4 + 8 * self.words) * BLOCK_ROWS
        self._block_bytes = self._floats_at + 4 * dims * BLOCK_ROWS
        try:
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            message = f"the vector file '{path}' cannot be opened: {error.strerror}"
            raise StorageError(message, "mneme index --rebuild") from error
        try:
            self._open()
        except BaseException:
            self._file.close()
            raise

    def _open(self) -> None:
        # A file without a head is being made by whoever holds the lock.
        with self._locked(wait=self._size() == 0) as alone:
            if alone and self._size() == 0:
                self._file.truncate(_HEAD_BYTES)
                self._map = mmap.mmap(self._file.fileno(), 0)
                self._print_head(_CLEAN)
            # Where nobody holds the lock, nobody is changing the file: somebody was stopped.
            if self._read() != _CLEAN and alone:
                raise self.damage("it was left in the middle of a change")

    @contextmanager
    def _locked(self, *, wait: bool = False) -> Iterator[bool]:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Be the one that changes the file; an interrupted change leaves it marked as damaged."""
        with self._locked(wait=True):
            if self._read() != _CLEAN:
                raise self.damage("it was left in the middle of a change")
            self._print_head(_CHANGING)
            yield
            self._change += 1
            self._print_head(_CLEAN)

    def current(self) -> int:
        """Return the number of the last change, by anybody, and see the file as it left it."""
        # A file that became shorter must not be touched where it ended: the system would end the process.
        whole = _HEAD_BYTES + self._count(self.rows) * self._block_bytes
        if self._size() < whole or self._map[: len(self._head)] != self._head:
            self._read()
        return self._change

    def is_moving(self, change: int) -> bool:
        """Say whether somebody is changing the file, or has since this change."""
        return self.current() != change or self._read() != _CLEAN

    def reserve(self, rows: int) -> None:
        """Make room for so many rows."""
        before, after = self._count(self.rows), self._count(rows)
        if after > before:
            self._file.truncate(_HEAD_BYTES + after * self._block_bytes)
            # The old mapping stays until its last scan lets go of it.
            self._map = mmap.mmap(self._file.fileno(), 0)
            for block in range(before, after):
                begin = _HEAD_BYTES + block * self._block_bytes
                self._map[begin : begin + 8 * BLOCK_ROWS] = _KEY.pack(FREE) * BLOCK_ROWS
        self.rows = rows

    def write(self, place: int, key: int, row: bytes) -> None:
        """Write a row; who scans meanwhile finds it without a key until all of it is there."""
        begin, within = self._begin(place)
        _KEY.pack_into(self._map, begin + 8 * within, FREE)
        at = begin + self._floats_at + 4 * self._dims * within
        self._map[at : at + len(row)] = row
        for number, word in enumerate(_sign_words(row, self.words)):
            _WORD.pack_into(self._map, begin + (12 + 8 * number) * BLOCK_ROWS + 8 * within, word)
        _SUM.pack_into(self._map, begin + 8 * BLOCK_ROWS + 4 * within, zlib.crc32(row))
        _KEY.pack_into(self._map, begin + 8 * within, key)

    def row(self, place: int) -> bytes:
        """Return a row that is what was written."""
        (row,) = self.unchecked_rows([place])
        self.verify(place, row)
        return row

    def verify(self, place: int, row: bytes) -> None:
        """Compare a row that was read with the checksum of what was written."""
        begin, within = self._begin(place)
        if _SUM.unpack_from(self._map, begin + 8 * BLOCK_ROWS + 4 * within)[0] != zlib.crc32(row):
            raise self.damage("a row is not what was written")

    def unchecked_rows(self, places: Iterable[int]) -> list[bytes]:
        """Return rows as they lie there."""
        block_bytes, row_bytes, held = self._block_bytes, 4 * self._dims, self._map
        first = _HEAD_BYTES + self._floats_at
        begins = [first + place // BLOCK_ROWS * block_bytes + place % BLOCK_ROWS * row_bytes for place in places]
        return [held[begin : begin + row_bytes] for begin in begins]

    def key(self, place: int) -> int:
        """Return the key of a row."""
        begin, within = self._begin(place)
        key: int = _KEY.unpack_from(self._map, begin + 8 * within)[0]
        return key

    def keys(self) -> array[int]:
        """Return the keys of all rows in their order."""
        keys = array("q")
        for begin in self._begins():
            keys.frombytes(self._map[begin : begin + 8 * BLOCK_ROWS])
        if sys.byteorder == "big":
            keys.byteswap()
        return keys[: self.rows]

    def matrices(self, numpy: Any) -> tuple[Any, Any]:  # noqa: ANN401 - numpy is optional
        """Return all signs by block and word, and all rows by block, as views of the file."""
        shape, begin, step = (self._count(self.rows),), _HEAD_BYTES, self._block_bytes
        signs = numpy.ndarray(
            (*shape, self.words, BLOCK_ROWS), "<u8", self._map, begin + 12 * BLOCK_ROWS, (step, 8 * BLOCK_ROWS, 8)
        )
        floats = numpy.ndarray(
            (*shape, BLOCK_ROWS, self._dims), "<f4", self._map, begin + self._floats_at, (step, 4 * self._dims, 4)
        )
        return signs, floats

    def flush(self) -> None:
        """Give everything to the disk."""
        self._map.flush()

    def close(self) -> None:
        """Let go of the file; a scan that still looks at the mapping keeps it."""
        self._file.close()

    def damage(self, fault: str) -> DamagedVectorsError:
        """Return the error that says what is wrong with the file."""
        message = f"the vector file '{self._path}' cannot be used: {fault}"
        return DamagedVectorsError(message, "mneme index --rebuild")

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _count(self, rows: int) -> int:
        return -(-rows // BLOCK_ROWS)

    def _begins(self) -> list[int]:
        return [_HEAD_BYTES + block * self._block_bytes for block in range(self._count(self.rows))]

    def _begin(self, place: int) -> tuple[int, int]:
        block, within = divmod(place, BLOCK_ROWS)
        return _HEAD_BYTES + block * self._block_bytes, within

    def _print_head(self, state: int) -> None:
        fields = (_MAGIC, _VERSION, self._dims, BLOCK_ROWS, state, self.rows, self._change, self._name)
        packed = _HEAD.pack(*fields, 0)[:-4]
        self._head = packed + _SUM.pack(zlib.crc32(packed))
        self._map[: _HEAD.size] = self._head

    def _read(self) -> int:
        """See the file as it is now and return its state; a file that is not whole and ours is damage."""
        size = self._size()
        if size < _HEAD_BYTES:
            raise self.damage("it is too short")
        # A mapping sees what others write; only one that is too short is made again, for that forgets every page.
        if not hasattr(self, "_map") or len(self._map) != size:
            self._map = mmap.mmap(self._file.fileno(), 0)
        self._head = self._map[: _HEAD.size]
        magic, version, dims, block_rows, state, rows, change, name, checksum = _HEAD.unpack(self._head)
        if magic != _MAGIC or version != _VERSION or checksum != zlib.crc32(self._head[:-4]):
            raise self.damage("it is no vector file of this version")
        if (dims, block_rows, name) != (self._dims, BLOCK_ROWS, self._name):
            raise self.damage("its vectors are another embedder's")
        if len(self._map) < _HEAD_BYTES + self._count(rows) * self._block_bytes:
            raise self.damage("it is shorter than it says")
        self.rows, self._change = rows, change
        return int(state)


def _products(rows: Any, wanted: Any, numpy: Any) -> Any:  # noqa: ANN401 - numpy is optional
    # A BLAS would be no quicker for one column, and on a busy machine its threads wait for each other.
    return numpy.einsum("ij,j->i", rows, wanted)


def _picked(values: Any, places: Any) -> Any:  # noqa: ANN401 - numpy is optional
    """Return the values at places that rise; where they are the first ones, without copying."""
    whole = places[-1] == len(places) - 1
    return values[: len(places)] if whole else values[places]


def _unlike_signs(question: bytes, signs: Any, numpy: Any) -> Any:  # noqa: ANN401 - numpy is optional
    """Return in how many signs each row differs from a question."""
    wanted = numpy.array(_sign_words(question, signs.shape[1]), "<u8").reshape(-1, 1)
    unlike = numpy.empty((len(signs), BLOCK_ROWS), numpy.uint16)
    for block, counts in zip(signs, unlike, strict=True):
        numpy.add.reduce(numpy.bitwise_count(block ^ wanted), axis=0, dtype=numpy.uint16, out=counts)
    return unlike.reshape(-1)


def _least(cost: Any, most: int, numpy: Any) -> Any:  # noqa: ANN401 - numpy is optional
    """Return where the least costs are, with all that equal the last of them: no row's place decides."""
    if len(cost) <= most:
        return slice(None)
    some = numpy.sort(cost[::SAMPLED])
    # What lies under twice the share that is wanted holds it almost always; then the rest need not be looked at.
    under = cost[cost <= some[min(len(some) - 1, 2 * most // SAMPLED + MARGIN)]]
    under = under if len(under) >= most else cost
    return numpy.flatnonzero(cost <= numpy.partition(under, most - 1)[most - 1])


def _numpy() -> Any:  # noqa: ANN401 - numpy is optional, and its types with it
    """Return numpy where it is new enough to count bits, else None."""
    try:
        import numpy as np
    except ImportError:
        return None
    return np if hasattr(np, "bitwise_count") else None


def _numbers(row: bytes) -> array[float]:
    numbers = array("f", row)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _sign_words(row: bytes, words: int) -> tuple[int, ...]:
    """Return a row's signs as words, the first number in the lowest bit."""
    numpy = _numpy()
    if numpy is None:
        packed = sum(1 << place for place, number in enumerate(_numbers(row)) if number > 0).to_bytes(
            8 * words, "little"
        )
    else:
        packed = numpy.packbits(numpy.frombuffer(row, "<f4") > 0, bitorder="little").tobytes()
    return struct.unpack(f"<{words}Q", packed.ljust(8 * words, b"\0"))


def _costs(question: bytes, rows: Sequence[bytes]) -> list[float]:
    """Return each row's cosine with a question, negated: in double precision, rounded to seven places.

    A row's sum is made in an order that depends on its length alone, so neither its place nor its company decides.
    """
    numpy = _numpy()
    if numpy is None:
        wanted = _numbers(question)
        return [-round(math.fsum(map(float.__mul__, wanted, _numbers(row))), 7) for row in rows]
    if not rows:
        return []
    matrix = numpy.frombuffer(b"".join(rows), "<f4").reshape(len(rows), -1).astype(float)
    sums = numpy.add.reduce(matrix * numpy.frombuffer(question, "<f4").astype(float), axis=1)
    costs: list[float] = (-numpy.round(sums, 7)).tolist()
    return costs
