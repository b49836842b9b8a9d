"""The backend in plain Python and memory: the contract at its shortest, against which the others are read and tested.

It promises the right answer and no speed, keeps nothing when it is closed, and needs no package. The tests of whatever
stands above the index run on it as well as on the real ones.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass
from operator import mul
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from mneme.index.backend import (
    COLUMN_WEIGHTS,
    LEAST_WEIGHT,
    LENGTH_SHARE,
    SAMPLED,
    SATURATION,
    Near,
    Outline,
    Tally,
    Wanted,
    draw_of,
    outline_of,
    same_texts,
    targets_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mneme.formats.piece import Piece


@dataclass(slots=True)
class _Row:
    path: str
    piece: Piece
    outline: Outline
    counts: Counter[str]
    length: float


class ReferenceBackend:
    """Pieces in a dictionary, every look-up a scan."""

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}
        self._stamps: dict[str, str] = {}
        self._vectors: dict[str, dict[int, list[array[float]]]] = {}
        self._meta: dict[str, str] = {}
        self._next = 1

    def put_many(self, files: Iterable[tuple[str, str, Sequence[Piece]]], *, anew: bool = False) -> None:
        """Put several files."""
        for path, stamp, pieces in files:
            if anew:
                self.drop([path])
            self.put(path, stamp, pieces)

    def put(self, path: str, stamp: str, pieces: Sequence[Piece]) -> None:
        """Make these the pieces of a file; a row whose texts are the same stays the same row."""
        before = {number: row for number, row in self._rows.items() if row.path == path}
        for piece in pieces:
            number = next((old for old, row in before.items() if same_texts(row.piece, piece)), 0)
            if number:
                del before[number]
            else:
                number, self._next = self._next, self._next + 1
            self._rows[number] = _row(number, path, piece)
        self._remove(before)
        self._stamps[path] = stamp

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files and their pieces."""
        for path in paths:
            self._stamps.pop(path, None)
            self._remove([number for number, row in self._rows.items() if row.path == path])

    def restamp(self, stamps: Mapping[str, str]) -> None:
        """Give known files another stamp."""
        self._stamps.update({path: stamp for path, stamp in stamps.items() if path in self._stamps})

    def known(self) -> dict[str, str]:
        """Return each file with its stamp."""
        return dict(self._stamps)

    def by_words(self, terms: Sequence[str], limit: int, wanted: Wanted) -> list[tuple[int, float]]:
        """Return the pieces with any of the terms by BM25, best first."""
        spread = self.tally(terms).frequency
        weights = {term: _rarity(len(self._rows), count) for term, count in spread.items()}
        length = fmean(row.counts.total() for row in self._rows.values()) if self._rows else 1.0
        scored = ((_relevance(row, weights, length), number) for number, row in self._allowed(wanted))
        return self._first([one for one in scored if one[0] > 0], limit)

    def by_vector(self, embedder: str, vector: bytes, limit: int, wanted: Wanted) -> Near:
        """Return the nearest pieces by cosine."""
        cosines = self.similar(embedder, vector, list(self._rows))
        if not cosines:
            return Near()
        drawn = sorted(cosines, key=lambda number: (draw_of(self._id(number)), self._id(number), number))[:SAMPLED]
        sample = [cosines[number] for number in drawn]
        found = [(round(cosines[number], 7), number) for number, _ in self._allowed(wanted) if number in cosines]
        return Near(tuple(self._first(found, limit)), len(sample), fmean(sample), pstdev(sample))

    def similar(self, embedder: str, vector: bytes, rows: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each row that has a vector."""
        question = array("f", vector)
        held = self._vectors.get(embedder, {})
        return {number: max(sum(map(mul, question, one)) for one in held[number]) for number in rows if number in held}

    def beside(self, rows: Sequence[int], reach: int, wanted: Wanted) -> list[int]:
        """Return the rows within so many places in the same groups."""
        places = {
            (row.path, row.piece.group, row.piece.place) for row in map(self._rows.get, rows) if row and row.piece.group
        }
        return [
            number
            for number, row in self._allowed(wanted)
            if number not in rows
            and any((row.path, row.piece.group, row.piece.place + step) in places for step in range(-reach, reach + 1))
        ]

    def outlines(self, rows: Sequence[int]) -> list[Outline]:
        """Return what ranking reads of each row."""
        return [self._rows[number].outline for number in rows if number in self._rows]

    def pieces(self, rows: Sequence[int], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return whole pieces."""
        found = ((number, self._rows[number].piece) for number in rows if number in self._rows)
        return [(number, piece) for number, piece in found if wanted.allows(piece)]

    def get(self, ids: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces with these ids, or that had them."""
        allowed = [(number, row.piece) for number, row in self._allowed(wanted)]
        found: list[tuple[int, Piece]] = []
        for one in ids:
            own = [(number, piece) for number, piece in allowed if piece.record.id == one]
            found += own or [(number, piece) for number, piece in allowed if one in piece.aliases]
        return found

    def linking(self, targets: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces that link to any of these."""
        asked = set(targets)
        return [
            (number, piece) for number, piece in self.listed(wanted, len(self._rows)) if asked & {*targets_of(piece)}
        ]

    def listed(self, wanted: Wanted, limit: int) -> list[tuple[int, Piece]]:
        """Return the pieces that are wanted."""
        found = [(row.path, row.piece.record.line, number, row.piece) for number, row in self._allowed(wanted)]
        return [(number, piece) for _, _, number, piece in sorted(found, key=lambda one: one[:3])[:limit]]

    def tally(self, terms: Sequence[str]) -> Tally:
        """Return how many pieces there are, how long, and how many have each term."""
        lengths = [row.length for row in self._rows.values()]
        spread = {term: sum(term in row.counts for row in self._rows.values()) for term in terms}
        return Tally(len(lengths), fmean(lengths) if lengths else 0.0, {term: n for term, n in spread.items() if n})

    def unembedded(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Return rows without a vector, with their texts."""
        held = self._vectors.get(embedder, {})
        missing = [(number, row.piece.spoken) for number, row in self._rows.items() if number not in held]
        return missing[:limit]

    def put_vectors(self, embedder: str, vectors: Mapping[int, Sequence[bytes]]) -> None:
        """Keep vectors of rows that are there."""
        held = self._vectors.setdefault(embedder, {})
        held.update({row: [array("f", one) for one in own] for row, own in vectors.items() if row in self._rows})

    def embedded(self, embedder: str) -> int:
        """Return how many pieces have a vector."""
        return len(self._vectors.get(embedder, {}))

    def forget_embedder(self, embedder: str) -> None:
        """Drop one embedder's vectors."""
        self._vectors.pop(embedder, None)

    def meta(self, name: str) -> str:
        """Return a note about the index."""
        return self._meta.get(name, "")

    def set_meta(self, name: str, value: str) -> None:
        """Keep a note about the index."""
        self._meta[name] = value

    def wait_at_most(self, seconds: float) -> None:
        """Do nothing: nobody else writes here."""

    def is_current(self) -> bool:
        """Say yes: nobody else has it."""
        return True

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _allowed(self, wanted: Wanted) -> Iterator[tuple[int, _Row]]:
        return ((number, row) for number, row in self._rows.items() if wanted.allows(row.piece))

    def _remove(self, rows: Iterable[int]) -> None:
        for number in list(rows):
            del self._rows[number]
            for held in self._vectors.values():
                held.pop(number, None)

    def _first(self, scored: Iterable[tuple[float, int]], limit: int) -> list[tuple[int, float]]:
        """Return the rows with the best scores, ties by path, line and id."""

        def order(one: tuple[float, int]) -> tuple[float, str, int, str, int]:
            row = self._rows[one[1]]
            return (-one[0], row.path, row.piece.record.line, row.piece.record.id, one[1])

        return [(number, score) for score, number in sorted(scored, key=order)[:limit]]

    def _id(self, number: int) -> str:
        return self._rows[number].piece.record.id


def _rarity(pieces: int, spread: int) -> float:
    return max(math.log((pieces - spread + 0.5) / (spread + 0.5)), LEAST_WEIGHT)


def _relevance(row: _Row, weights: Mapping[str, float], length: float) -> float:
    """Return a piece's BM25 by the weights of words."""
    norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * row.counts.total() / (length or 1.0))
    return sum(
        weight * (SATURATION + 1) * often / (often + norm)
        for term, weight in weights.items()
        if (often := weight_of(row.outline, term))
    )


def weight_of(outline: Outline, term: str) -> float:
    """Return how often a term is in a piece, each column by its weight."""
    return sum(w * column.count(term) for w, column in zip(COLUMN_WEIGHTS, outline.terms, strict=True))


def _row(number: int, path: str, piece: Piece) -> _Row:
    outline = outline_of(number, path, piece)
    counts = Counter(term for column in outline.terms for term in column)
    return _Row(path, piece, outline, counts, outline.length)
