"""What every store of the index promises: to keep pieces and look them up, by words, by vector, by id, by place.

A backend never decides: chunking, scores, trust, recency and budgets are outside, so SQLite and PostgreSQL differ in
their SQL alone and `tests/contract/backend.py` holds them to the same answers. What a context may not see is kept from
it here, in every look-up. All of it is derived: dropping a backend loses nothing that a rebuild does not bring back.
"""

from __future__ import annotations

import posixpath
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from mneme.errors import StorageError
from mneme.formats.piece import Piece
from mneme.formats.record import SHARED, WORKING_STATES, Link, Record
from mneme.index.words import Traits, parse_terms, parse_traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A word in a gist or a heading says more about the piece than one in its body.
COLUMN_WEIGHTS = (2.0, 2.0, 1.5, 1.5, 1.0)
# `by_words` is BM25 with these: a word that is nearly everywhere weighs hardly anything, and never less than nothing.
SATURATION, LENGTH_SHARE, LEAST_WEIGHT = 1.2, 0.75, 1e-6
# So many pieces' cosines stand for everybody's: drawn by a hash of the id, so that the order of indexing changes nothing.
SAMPLED = 256
EVERY_STATE: tuple[str, ...] = ()


class BusyIndexError(StorageError):
    """Somebody else was writing the index for longer than one would wait."""


class DamagedIndexError(StorageError):
    """What is stored is not what was written: set it aside and make it again from the files."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pieces a look-up may return. Empty means any, except for states: superseded and retired are asked for.

    `shared_only` is the audience of the asking context; it is never widened by anything else.
    """

    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    states: tuple[str, ...] = (*WORKING_STATES, "proposed")
    topic: str = ""
    tags: tuple[str, ...] = ()
    entity: str = ""
    since: str = ""
    until: str = ""
    shared_only: bool = False

    def allows(self, piece: Piece) -> bool:
        """Say whether a piece may be returned: the meaning that a backend's SQL keeps to."""
        record = piece.record
        return (
            (not self.shared_only or record.audience == SHARED)
            and (not self.kinds or record.kind in self.kinds)
            and (not self.tiers or record.tier in self.tiers)
            and (not self.states or record.state in self.states)
            and (not self.topic or piece.topic == self.topic or piece.topic.startswith(f"{self.topic}/"))
            and all(tag in piece.tags for tag in self.tags)
            and (not self.entity or piece.entity == self.entity)
            and (not self.since or record.since[:10] >= self.since)
            and (not self.until or "" < record.since[:10] <= self.until)
        )


ANY = Wanted(states=EVERY_STATE)


@dataclass(frozen=True, slots=True)
class Outline:
    """As much of a piece as ranking reads: its terms by column, its neighbourhood, its traits. No prose.

    `length` is how many terms there are, each column by its weight; counted where it is not given.
    """

    row: int
    id: str
    path: str
    line: int
    terms: tuple[tuple[str, ...], ...]
    group: str = ""
    place: int = 0
    speaker: tuple[str, ...] = ()
    date: str = ""
    traits: Traits = field(default_factory=Traits)
    length: float = -1.0

    def __post_init__(self) -> None:
        """Count the terms, unless that was done before."""
        if self.length < 0:
            counted = sum(weight * len(column) for weight, column in zip(COLUMN_WEIGHTS, self.terms, strict=True))
            object.__setattr__(self, "length", counted)


@dataclass(frozen=True, slots=True)
class Near:
    """Hits by vector, nearest first, as row and cosine; and how cosines lie over everything that was compared."""

    hits: tuple[tuple[int, float], ...] = ()
    count: int = 0
    mean: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Tally:
    """What the store holds, as far as weighing a word needs it: pieces, their mean weighted length, words' spread."""

    pieces: int = 0
    mean_length: float = 0.0
    frequency: Mapping[str, int] = field(default_factory=dict)


class Backend(Protocol):
    """A store of pieces. Rows are numbers it hands out; they mean nothing outside it and outlive no rebuild."""

    def put(self, path: str, stamp: str, pieces: Sequence[Piece]) -> None:
        """Make these the pieces of a file, whatever was there; the vector of an unchanged text is kept."""

    def put_many(self, files: Iterable[tuple[str, str, Sequence[Piece]]], *, anew: bool = False) -> None:
        """Put several files in one step: all of them are found afterwards, or none. `anew` keeps nothing of before."""

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files and their pieces; an unknown path is no fault."""

    def restamp(self, stamps: Mapping[str, str]) -> None:
        """Give files that are known another stamp, their pieces being the same; an unknown path is no fault."""

    def known(self) -> dict[str, str]:
        """Return each indexed file with the stamp that it was put under."""

    def by_words(self, terms: Sequence[str], limit: int, wanted: Wanted) -> list[tuple[int, float]]:
        """Return the pieces with any of the terms by BM25, best first, as row and score; ties by path, line and id.

        A term counts as often as it stands in a piece, each column by its weight; pieces are as long as they have terms.
        """

    def by_vector(self, embedder: str, vector: bytes, limit: int, wanted: Wanted) -> Near:
        """Return the pieces whose vectors of that embedder lie nearest, ties by path, line and id."""

    def similar(self, embedder: str, vector: bytes, rows: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each row that has a vector of that embedder."""

    def beside(self, rows: Sequence[int], reach: int, wanted: Wanted) -> list[int]:
        """Return the rows within so many places of these in their groups, these excepted."""

    def outlines(self, rows: Sequence[int]) -> list[Outline]:
        """Return what ranking reads of each row, in the order asked; a row that is gone is left out."""

    def pieces(self, rows: Sequence[int], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return whole pieces, in the order asked; one that is gone or not wanted is left out."""

    def get(self, ids: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces with these record ids, in the order asked; an id may have several, or none.

        A piece that had the id before comes where none has it now.
        """

    def linking(self, targets: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces that link to any of these ids or paths, in order of path and line."""

    def listed(self, wanted: Wanted, limit: int) -> list[tuple[int, Piece]]:
        """Return the pieces that are wanted, in order of path and line."""

    def tally(self, terms: Sequence[str]) -> Tally:
        """Return how many pieces there are, how long they are, and how many have each term."""

    def unembedded(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Return rows that lack a vector of that embedder, each with the text to embed."""

    def embedded(self, embedder: str) -> int:
        """Return how many pieces have a vector of that embedder."""

    def put_vectors(self, embedder: str, vectors: Mapping[int, Sequence[bytes]]) -> None:
        """Keep unit vectors, packed little-endian float32, one for each stretch of a row's text, in the place of others.

        A row lies as near as the nearest of its vectors. Vectors for a row that is gone are ignored.
        """

    def forget_embedder(self, embedder: str) -> None:
        """Drop every vector of one embedder."""

    def meta(self, name: str) -> str:
        """Return a note that `set_meta` left, or the empty text."""

    def set_meta(self, name: str, value: str) -> None:
        """Keep a note about the index as a whole."""

    def wait_at_most(self, seconds: float) -> None:
        """Say how long a write may wait for another process; longer, and it raises `BusyIndexError`."""

    def is_current(self) -> bool:
        """Say whether this is still the store that others would open: it may have been set aside or deleted."""

    def close(self) -> None:
        """Let go of files and connections; what was put stays."""


def piece_as_json(piece: Piece) -> dict[str, object]:
    """Return a piece as plain values, for a backend to keep; `piece_from_json` is its inverse."""
    record = piece.record.as_json()
    record["links"] = [[link.relation, link.target, link.line] for link in piece.record.links]
    texts = {name: getattr(piece, name) for name in _TEXTS if getattr(piece, name)}
    return {"record": record, **texts, **{name: list(held) for name in _LISTS if (held := getattr(piece, name))}}


_TEXTS = ("gist", "cue", "topic", "title", "body", "group", "place", "speaker", "entity", "until", "affirmed")
_LISTS = ("tags", "aliases")


def piece_from_json(values: dict[str, object]) -> Piece:
    """Return the piece that `piece_as_json` took apart."""
    texts: dict[str, Any] = dict(values)
    record: dict[str, Any] = dict(texts.pop("record"))
    links = tuple(Link(*link) for link in record.pop("links"))
    texts |= {name: tuple(texts.pop(name, ())) for name in _LISTS}
    return Piece(record=Record(**record, links=links), **texts)


def targets_of(piece: Piece) -> tuple[str, ...]:
    """Return what a piece links to: ids and paths as they are written, and paths as the workspace has them."""
    folder = posixpath.dirname(piece.record.path)
    found: dict[str, None] = {}
    for link in piece.record.links:
        found[link.target] = None
        path, _, anchor = link.target.partition("#")
        if path and ":" not in path:
            whole = posixpath.normpath(posixpath.join(folder, path))
            found[whole] = None
            if anchor:
                found[f"{whole}#{anchor}"] = None
    return tuple(found)


def draw_of(identity: str) -> int:
    """Return what says whose cosines stand for everybody's: those of the pieces with the least of it, ties by id."""
    return zlib.crc32(identity.encode("utf-8", "surrogatepass"))


def same_texts(one: Piece, other: Piece) -> bool:
    """Say whether two pieces would be found and embedded alike, wherever they lie and whatever their state is."""
    return one.columns == other.columns and one.record.id == other.record.id


def outline_of(row: int, path: str, piece: Piece) -> Outline:
    """Return what ranking reads of a piece that is about to be kept."""
    terms = tuple(tuple(parse_terms(text)) if text else () for text in piece.columns)
    return Outline(
        row=row,
        id=piece.record.id,
        path=path,
        line=piece.record.line,
        terms=terms,
        group=piece.group,
        place=piece.place,
        speaker=tuple(parse_terms(piece.speaker)),
        date=piece.record.since[:10],
        traits=parse_traits(piece.spoken, {term for column in terms for term in column}),
    )
