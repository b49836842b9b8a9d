"""The recall log: one JSON line for each recall that found something, appended and never edited.

A line says when, for whom and what was found where, and of the question a hash alone: `asked` recalls are a signal that a
memory is of use, `injected` ones count once a session, `upkeep` never counts. A torn or foreign line is passed over.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RECALL_LOG = "recall.jsonl"
ASKED, INJECTED, UPKEEP = "asked", "injected", "upkeep"
ORIGINS = (ASKED, INJECTED, UPKEEP)
HASH_CHARS = 12


@dataclass(frozen=True, slots=True)
class Seen:
    """One hit of a recall: which record, where it lay, and its score."""

    id: str
    path: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """One recall: when, of which origin and session, the hash of its question, and what it found."""

    at: str
    origin: str
    session: str
    query: str
    hits: tuple[Seen, ...]

    @property
    def day(self) -> str:
        """Return the day of the recall."""
        return self.at[:10]


def query_hash(text: str) -> str:
    """Return what stands for a question in the log: questions that differ in case or in outer space are one."""
    return hashlib.sha1(text.strip().lower().encode("utf-8", "backslashreplace"), usedforsecurity=False).hexdigest()[
        :HASH_CHARS
    ]


def print_recalled(recalled: Recalled) -> str:
    """Return a recall as its line."""
    hits = [
        {"id": hit.id, "path": hit.path, "line": hit.line, "end_line": hit.end_line, "score": round(hit.score, 4)}
        for hit in recalled.hits
    ]
    head = {"at": recalled.at, "origin": recalled.origin, "session": recalled.session, "query": recalled.query}
    return json.dumps({**head, "hits": hits}, separators=(",", ":"))


def parse_recalled(text: str) -> Iterator[Recalled]:
    """Yield the recalls of a log, in order; what is no whole line of it is passed over."""
    for line in text.split("\n"):
        try:
            read = json.loads(line)
            yield _recalled(read)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue


def signals(recalls: Iterable[Recalled]) -> Iterator[tuple[Recalled, Seen]]:
    """Yield the hits that count as a sign of use, each with its recall: injected ones once a session and record."""
    injected: set[tuple[str, str]] = set()
    for recalled in recalls:
        for hit in recalled.hits if recalled.origin in (ASKED, INJECTED) else ():
            if recalled.origin == INJECTED:
                key = (recalled.session, hit.id)
                if key in injected:
                    continue
                injected.add(key)
            yield recalled, hit


def _recalled(read: Any) -> Recalled:  # noqa: ANN401 - a line may hold anything
    if read["origin"] not in ORIGINS:
        raise ValueError(read["origin"])
    hits = tuple(
        Seen(str(hit["id"]), str(hit["path"]), int(hit["line"]), int(hit["end_line"]), float(hit["score"]))
        for hit in read["hits"]
    )
    return Recalled(str(read["at"]), read["origin"], str(read["session"]), str(read["query"]), hits)
