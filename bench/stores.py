"""Question sets on disk -> indexes and questions that every benchmark here shares; prints nothing when run.

A file holds one store or a list: `{"id", "docs": [{"id", "text", "when"}], "queries": [{"id", "question", "gold",
"category"}]}`. Documents are indexed under ids that say nothing. `ask` is the one way in: what is measured goes
through it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import re
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from statistics import fmean

from mneme.formats.piece import Piece
from mneme.formats.record import Record
from mneme.index.backend import ANY, Backend
from mneme.index.embed import EmbedderChoice, find_embedder
from mneme.index.rank import Days, View
from mneme.index.search import Meaning, find_ranked, look
from mneme.index.sqlite import SqliteBackend
from mneme.index.words import parse_parts, parse_terms

SHORT = 5
CACHE = Path(tempfile.gettempdir()) / "mneme-bench-vectors"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the places of its answers in the store, and what kind of question it is."""

    text: str
    gold: tuple[int, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Store:
    """Documents in their order, and the questions asked of them; `fold` says what must not be split in a validation."""

    name: str
    fold: str
    texts: tuple[str, ...]
    whens: tuple[str, ...]
    questions: tuple[Question, ...]


@dataclass
class Embeddings:
    """The default embedder, with every vector it ever gave kept in a file."""

    path: Path = CACHE
    kept: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Open the embedder and what is kept of it."""
        self.embedder, reason = find_embedder(EmbedderChoice())
        if self.embedder is None:
            sys.exit(f"the default embedder cannot be had: {reason}")
        self.path = self.path.with_name(f"{self.path.name}-{re.sub('[^a-z0-9]+', '-', self.name)}")
        if self.path.exists():
            self.kept = pickle.loads(self.path.read_bytes())  # noqa: S301 - our own file

    @property
    def name(self) -> str:
        """Return the embedder's name."""
        return self.embedder.name

    def vectors(self, texts: list[str]) -> list[bytes]:
        """Return each text's vector."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.kept}
        if fresh:
            made = self.embedder.embed_documents(list(fresh.values()))
            self.kept.update(zip(fresh, made, strict=True))
            half_written = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            half_written.write_bytes(pickle.dumps(self.kept))
            half_written.replace(self.path)
        return [self.kept[key] for key in keys]


def load_stores(path: Path, name: str) -> list[Store]:
    """Read one file of stores."""
    if not path.exists():
        sys.exit(f"'{path}' is not there: give the folder of question sets with --data")
    held = json.loads(path.read_text("utf-8"))
    return [_store(one, name) for one in (held if isinstance(held, list) else [held])]


def _store(held: dict, name: str) -> Store:
    places: dict[str, int] = {}
    texts: list[str] = []
    whens: list[str] = []
    for document in held["docs"]:
        if document["id"] not in places:
            places[document["id"]] = len(texts)
            texts.append(document["text"])
            whens.append(document.get("when") or "")
    questions = [
        Question(
            one["question"],
            tuple(sorted({places[gold] for gold in one["gold"] if gold in places})),
            str(one.get("category")),
        )
        for one in held["queries"]
    ]
    return Store(name, str(held["id"]), tuple(texts), tuple(whens), tuple(one for one in questions if one.gold))


def pieces_of(store: Store) -> list[Piece]:
    """Return a store's documents as pieces: sessions are runs of one time, or everything where each has its own."""
    groups = sessions_of(store)
    pieces = []
    for place, text in enumerate(store.texts):
        day = day_of(store.whens[place])
        record = Record(f"T-{place:06}", "turn", "chat.md", place + 1, place + 1, text, since=day, seen=day)
        speaker = re.match(r"\s*([^\W\d_][\w .'-]{0,30}?): ", text) if groups else None
        pieces.append(
            Piece(
                record,
                body=text,
                group=groups[place] if groups else "",
                place=place,
                speaker=speaker[1] if speaker else "",
            )
        )
    return pieces


def sessions_of(store: Store) -> list[str]:
    """Return the group of each document; nothing for a collection that has no order."""
    if not any(store.whens):
        return []
    groups, number = [], 0
    for place, when in enumerate(store.whens):
        number += bool(place) and when != store.whens[place - 1]
        groups.append(f"session {number}")
    return groups if number + 1 < len(groups) / 1.5 else ["history"] * len(groups)


class Index:
    """A store's documents in a SQLite index, made in a folder that goes when it is closed."""

    def __init__(self, store: Store, embeddings: Embeddings | None) -> None:
        self.store, self.embeddings = store, embeddings
        self._folder = tempfile.TemporaryDirectory()
        self.backend: Backend = SqliteBackend(Path(self._folder.name) / "index.sqlite")
        self.backend.put("chat.md", "1", pieces_of(store))
        rows = self.backend.get([f"T-{place:06}" for place in range(len(store.texts))], ANY)
        self.places = {row: int(piece.record.id[2:]) for row, piece in rows}
        if embeddings:
            texts = [piece.spoken for _, piece in rows]
            vectors = embeddings.vectors(texts)
            self.backend.put_vectors(
                embeddings.name, {row: vector for (row, _), vector in zip(rows, vectors, strict=True)}
            )

    def meaning(self, question: str) -> Meaning | None:
        """Return the vectors of the question and of its parts."""
        if self.embeddings is None:
            return None
        whole, *parts = self.embeddings.vectors([question, *parse_parts(question)])
        return Meaning(self.embeddings.name, whole, tuple(parts))

    def view(self, question: str) -> View:
        """Return what is measured of a question's candidates: what the fit reads."""
        return look(self.backend, question, self.meaning(question), ANY, days=days_asked(question, self.store))

    def ask(self, question: str, weights: object = None) -> list[tuple[int, float]]:
        """Return places and scores, best first: the product's own way in."""
        days = days_asked(question, self.store)
        ranked, _ = find_ranked(self.backend, question, self.meaning(question), ANY, days=days, weights=weights)
        return [(self.places[one.row], one.score) for one in ranked]

    def close(self) -> None:
        """Let go of the folder."""
        self.backend.close()
        self._folder.cleanup()


class Yardsticks:
    """BM25, cosine and their reciprocal-rank fusion over a whole store, with nothing of the product's but its words."""

    def __init__(self, store: Store, embeddings: Embeddings) -> None:
        import numpy as np

        self._np = np
        self._embeddings = embeddings
        self._terms = [parse_terms(text) for text in store.texts]
        self._lengths = np.array([len(terms) for terms in self._terms], float)
        self._postings: dict[str, dict[int, int]] = {}
        for place, terms in enumerate(self._terms):
            for term in terms:
                held = self._postings.setdefault(term, {})
                held[place] = held.get(place, 0) + 1
        spoken = [piece.spoken for piece in pieces_of(store)]
        self._matrix = np.array([np.frombuffer(row, "<f4") for row in embeddings.vectors(spoken)])

    def orders(self, question: str) -> dict[str, list[int]]:
        """Return the order of all places by each of the three."""
        from mneme.index.words import parse_query

        np = self._np
        count = len(self._terms)
        words = np.zeros(count)
        norm = 1.2 * (0.25 + 0.75 * self._lengths / (self._lengths.mean() or 1.0))
        for term in parse_query(question).terms:
            held = self._postings.get(term, {})
            if held:
                places = np.array(list(held))
                times = np.array(list(held.values()), float)
                words[places] += (
                    math.log(1 + (count - len(held) + 0.5) / (len(held) + 0.5)) * times / (times + norm[places])
                )
        cosines = self._matrix @ np.frombuffer(self._embeddings.vectors([question])[0], "<f4")
        by_words, by_cosine = np.argsort(-words, kind="stable"), np.argsort(-cosines, kind="stable")
        fused = np.zeros(count)
        fused[by_words] += (words[by_words] > 0) / (61.0 + np.arange(count))
        fused[by_cosine] += 1.0 / (61.0 + np.arange(count))
        by_both = np.argsort(-fused, kind="stable")
        return {"bm25": by_words.tolist(), "dense": by_cosine.tolist(), "rrf": by_both.tolist()}


def measures(order: list[int], gold: tuple[int, ...]) -> dict[str, float]:
    """Return the figures of one answer."""
    wanted = set(gold)
    hits = [place for place, one in enumerate(order[:10]) if one in wanted]
    first = next((place for place, one in enumerate(order) if one in wanted), None)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    return {
        "recall@5": sum(place < SHORT for place in hits) / len(wanted),
        "recall@10": len(hits) / len(wanted),
        "hit@5": float(any(place < SHORT for place in hits)),
        "hit@10": float(bool(hits)),
        "mrr": 1 / (first + 1) if first is not None else 0.0,
        "ndcg@10": sum(1 / math.log2(place + 2) for place in hits) / ideal,
    }


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure."""
    return {name: round(fmean(row[name] for row in rows), 4) for name in rows[0]} if rows else {}


_CALENDAR = "january february march april may june july august september october november december"
MONTHS = _CALENDAR.split()
_MONTH = "(" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + ")"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b,?\s*(\d{{4}})?", re.IGNORECASE)
_DAY_LAST = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b,?\s*(\d{{4}})?", re.IGNORECASE)
_MONTH_ONLY = re.compile(
    rf"\b(?:in|of|during|since|by|beginning of|end of|,)?\s*{_MONTH},?\s+(\d{{4}})\b", re.IGNORECASE
)


def days_asked(question: str, store: Store) -> Days | None:
    """Return the days that a question names outright; recall's own reading of time takes this place."""
    if not any(store.whens):
        return None
    year_told = max((day_of(when)[:4] for when in store.whens), default="")
    for shape, order in ((_DAY_FIRST, (3, 2, 1)), (_DAY_LAST, (3, 1, 2)), (_MONTH_ONLY, (2, 1, 0))):
        found = shape.search(question)
        if found:
            year = int(found[order[0]] or year_told or 0)
            month = [name[:3] for name in MONTHS].index(found[order[1]][:3].lower()) + 1
            return _days(year, month, int(found[order[2]]) if order[2] else 0)
    return None


def _days(year: int, month: int, day: int) -> Days | None:
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return None
    last = first if day else date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
    return Days(first.isoformat(), last.isoformat())


def day_of(when: str) -> str:
    """Return the ISO date in a document's time, or nothing."""
    found = re.search(r"(\d{4})-(\d\d)-(\d\d)|(\d{4})年(\d\d)月(\d\d)日", when)
    if found:
        return "-".join(group for group in found.groups() if group)
    named = _DAY_FIRST.search(when)
    if not named or not named[3]:
        return ""
    month = [name[:3] for name in MONTHS].index(named[2][:3].lower()) + 1
    return f"{named[3]}-{month:02}-{int(named[1]):02}"
