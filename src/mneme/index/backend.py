"""What every store of the index promises: to keep entries and look them up, by words, by vector, by id, by place.

A backend never decides: chunking, scores, trust, recency and budgets are outside, so SQLite and PostgreSQL differ in
their SQL alone and `tests/contract/backend.py` holds them to the same answers. What a context may not see is kept from
it here, in every look-up. All of it is derived: dropping a backend loses nothing that a rebuild does not bring back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from mneme.formats.record import SHARED, WORKING_STATES, Link, Record
from mneme.index.words import Traits, parse_terms, parse_traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COLUMNS = ("gist", "cue", "topic", "title", "body")
# A word in a gist or a heading says more about the entry than one in its body.
COLUMN_WEIGHTS = (2.0, 2.0, 1.5, 1.5, 1.0)
EVERY_STATE: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as it is indexed: its texts by column, what it belongs to, and its place among its neighbours.

    `group` names what the entry is a part of (a session, a note, a section) and `place` its position there: entries of
    one group at adjoining places are neighbours. `speaker` is who says it, where somebody does.
    """

    record: Record
    gist: str = ""
    cue: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    title: str = ""
    body: str = ""
    group: str = ""
    place: int = 0
    speaker: str = ""
    entity: str = ""

    @property
    def columns(self) -> tuple[str, str, str, str, str]:
        """Return the texts in the order of `COLUMNS`."""
        return (self.gist, self.cue, " ".join((self.topic, *self.tags)).strip(), self.title, self.body)

    @property
    def spoken(self) -> str:
        """Return the text that is embedded: what the entry is called, then what it says."""
        return "\n".join(text for text in (self.title, self.gist, self.cue, self.body) if text)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries a look-up may return. Empty means any, except for states: superseded and retired are asked for.

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

    def allows(self, entry: Entry) -> bool:
        """Say whether an entry may be returned: the meaning that a backend's SQL keeps to."""
        record = entry.record
        return (
            (not self.shared_only or record.audience == SHARED)
            and (not self.kinds or record.kind in self.kinds)
            and (not self.tiers or record.tier in self.tiers)
            and (not self.states or record.state in self.states)
            and (not self.topic or entry.topic == self.topic or entry.topic.startswith(f"{self.topic}/"))
            and all(tag in entry.tags for tag in self.tags)
            and (not self.entity or entry.entity == self.entity)
            and (not self.since or record.since[:10] >= self.since)
            and (not self.until or "" < record.since[:10] <= self.until)
        )


ANY = Wanted(states=EVERY_STATE)


@dataclass(frozen=True, slots=True)
class Outline:
    """As much of an entry as ranking reads: its terms by column, its neighbourhood, its traits. No prose."""

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

    @property
    def length(self) -> float:
        """Return how many terms there are, each column by its weight."""
        return sum(weight * len(column) for weight, column in zip(COLUMN_WEIGHTS, self.terms, strict=True))


@dataclass(frozen=True, slots=True)
class Near:
    """Hits by vector, nearest first, as row and cosine; and how cosines lie over everything that was compared."""

    hits: tuple[tuple[int, float], ...] = ()
    count: int = 0
    mean: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Tally:
    """What the store holds, as far as weighing a word needs it: entries, their mean weighted length, words' spread."""

    entries: int = 0
    mean_length: float = 0.0
    frequency: Mapping[str, int] = field(default_factory=dict)


class Backend(Protocol):
    """A store of entries. Rows are numbers it hands out; they mean nothing outside it and outlive no rebuild."""

    def put(self, path: str, stamp: str, entries: Sequence[Entry]) -> None:
        """Make these the entries of a file, whatever was there; the vector of an unchanged text is kept."""

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files and their entries; an unknown path is no fault."""

    def known(self) -> dict[str, str]:
        """Return each indexed file with the stamp that it was put under."""

    def by_words(self, terms: Sequence[str], limit: int, wanted: Wanted) -> list[tuple[int, float]]:
        """Return the entries with any of the terms, best first, as row and score; scores order one answer only."""

    def by_vector(self, embedder: str, vector: bytes, limit: int, wanted: Wanted) -> Near:
        """Return the entries whose vectors of that embedder lie nearest."""

    def similar(self, embedder: str, vector: bytes, rows: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each row that has a vector of that embedder."""

    def beside(self, rows: Sequence[int], reach: int, wanted: Wanted) -> list[int]:
        """Return the rows within so many places of these in their groups, these excepted."""

    def outlines(self, rows: Sequence[int]) -> list[Outline]:
        """Return what ranking reads of each row, in the order asked; a row that is gone is left out."""

    def entries(self, rows: Sequence[int], wanted: Wanted) -> list[tuple[int, Entry]]:
        """Return whole entries, in the order asked; one that is gone or not wanted is left out."""

    def get(self, ids: Sequence[str], wanted: Wanted) -> list[tuple[int, Entry]]:
        """Return the entries with these record ids, in the order asked; an id may have several, or none."""

    def tally(self, terms: Sequence[str]) -> Tally:
        """Return how many entries there are, how long they are, and how many have each term."""

    def unembedded(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Return rows that lack a vector of that embedder, each with the text to embed."""

    def put_vectors(self, embedder: str, vectors: Mapping[int, bytes]) -> None:
        """Keep unit vectors, packed little-endian float32; one for a row that is gone is ignored."""

    def forget_embedder(self, embedder: str) -> None:
        """Drop every vector of one embedder."""

    def meta(self, name: str) -> str:
        """Return a note that `set_meta` left, or the empty text."""

    def set_meta(self, name: str, value: str) -> None:
        """Keep a note about the index as a whole."""

    def close(self) -> None:
        """Let go of files and connections; what was put stays."""


def entry_as_json(entry: Entry) -> dict[str, object]:
    """Return an entry as plain values, for a backend to keep; `entry_from_json` is its inverse."""
    record = entry.record.as_json()
    record["links"] = [[link.relation, link.target, link.line] for link in entry.record.links]
    texts = {name: getattr(entry, name) for name in _TEXTS if getattr(entry, name)}
    return {"record": record, **texts, **({"tags": list(entry.tags)} if entry.tags else {})}


_TEXTS = ("gist", "cue", "topic", "title", "body", "group", "place", "speaker", "entity")


def entry_from_json(values: dict[str, object]) -> Entry:
    """Return the entry that `entry_as_json` took apart."""
    texts: dict[str, Any] = dict(values)
    record: dict[str, Any] = dict(texts.pop("record"))
    links = tuple(Link(*link) for link in record.pop("links"))
    tags = tuple(texts.pop("tags", ()))
    return Entry(record=Record(**record, links=links), tags=tags, **texts)


def same_texts(one: Entry, other: Entry) -> bool:
    """Say whether two entries would be found and embedded alike, wherever they lie and whatever their state is."""
    return one.columns == other.columns and one.record.id == other.record.id


def outline_of(row: int, path: str, entry: Entry) -> Outline:
    """Return what ranking reads of an entry that is about to be kept."""
    terms = tuple(tuple(parse_terms(text)) if text else () for text in entry.columns)
    return Outline(
        row=row,
        id=entry.record.id,
        path=path,
        line=entry.record.line,
        terms=terms,
        group=entry.group,
        place=entry.place,
        speaker=tuple(parse_terms(entry.speaker)),
        date=entry.record.since[:10],
        traits=parse_traits(entry.spoken, {term for column in terms for term in column}),
    )
