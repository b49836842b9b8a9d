"""Question -> ranked rows of a backend: whom to ask for candidates, and how many, before they are ranked.

It reads as little as it can: the best by words, the best by vector, those of the days in question, and the neighbours
of the most likely. What the answer means for trust, silence and budgets is decided above; what is allowed is `wanted`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme.index.backend import Near, Wanted
from mneme.index.rank import Candidate, Days, Ranked, View, Weights, rank
from mneme.index.survey import survey
from mneme.index.words import parse_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mneme.index.backend import Backend, Outline

BY_WORDS = BY_VECTOR = 100
# A word that is in more pieces than this tells little, and reading all of them would take longer than an answer may.
MOST_POSTINGS = 8_000
OF_DAYS = 60
WITH_NEIGHBOURS, REACH = 40, 2
DAYS_LATER = 7
OF_PART = 30
MIDDLING = 0.5

# How cosines between unrelated texts lie, mean and deviation; of other models the store itself says enough.
USUAL_COSINES = {"minilm-l6-v2": (0.08, 0.11)}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's vector and those of its parts (`words.parse_parts`), and the name of the embedder that made them."""

    embedder: str
    vector: bytes
    parts: tuple[bytes, ...] = ()


def find_ranked(
    backend: Backend,
    question: str,
    meaning: Meaning | None,
    wanted: Wanted,
    *,
    days: Days | None = None,
    weights: Mapping[str, Weights] | None = None,
) -> tuple[list[Ranked], View]:
    """Return every candidate with its odds, best first, and the view that they were ranked by."""
    view = look(backend, question, meaning, wanted, days=days)
    return rank(view, weights), view


def look(
    backend: Backend,
    question: str,
    meaning: Meaning | None,
    wanted: Wanted,
    *,
    days: Days | None = None,
    holds: Callable[[Outline], bool] | None = None,
) -> View:
    """Collect a question's candidates and measure them; one that does not hold what must be there is none."""
    query = parse_query(question)
    tally = backend.tally(query.terms)
    telling = telling_terms(tally.frequency)
    first, near = _first(backend, telling, meaning, wanted)
    if days:
        timely = replace(wanted, since=max(days.first, wanted.since), until=_until(days, wanted))
        late, _ = _first(backend, telling, meaning, timely)
        first |= {row: first.get(row, MIDDLING) for row in sorted(late, key=lambda row: -late[row])[:OF_DAYS]}
    likely = sorted(first, key=lambda row: -first[row])
    rows = list(dict.fromkeys((*likely, *backend.beside(likely[:WITH_NEIGHBOURS], REACH, wanted))))
    cosines, parts = _cosines(backend, meaning, rows)
    candidates = [
        Candidate(outline, cosines.get(outline.row), parts.get(outline.row))
        for outline in backend.outlines(rows)
        if holds is None or holds(outline)
    ]
    usual = USUAL_COSINES.get(meaning.embedder.partition("/")[0]) if meaning else None
    return survey(query, candidates, tally, near, usual=usual, days=days)


def telling_terms(frequency: Mapping[str, int]) -> list[str]:
    """Return the words that are worth looking up: the rarest, for as long as their pieces can be read in time."""
    telling: list[str] = []
    postings = 0
    for term in sorted(frequency, key=lambda term: (frequency[term], term)):
        postings += frequency[term]
        if telling and postings > MOST_POSTINGS:
            break
        telling.append(term)
    return telling


def _first(
    backend: Backend, terms: Sequence[str], meaning: Meaning | None, wanted: Wanted
) -> tuple[dict[int, float], Near]:
    """Return the rows that words and vectors bring, with a first guess at their order."""
    heard = backend.by_words(terms, BY_WORDS, wanted)
    best = max((score for _, score in heard), default=0.0) or 1.0
    first = {row: score / best for row, score in heard}
    if meaning is None:
        return first, Near()
    near = backend.by_vector(meaning.embedder, meaning.vector, BY_VECTOR, wanted)
    hits = list(near.hits)
    for part in meaning.parts:
        hits.extend(backend.by_vector(meaning.embedder, part, OF_PART, wanted).hits)
    closest: dict[int, float] = {}
    for row, cosine in hits:
        closest[row] = max(cosine, closest.get(row, -1.0))
    first |= {row: first.get(row, 0.0) + cosine for row, cosine in closest.items()}
    return first, near


def _cosines(backend: Backend, meaning: Meaning | None, rows: list[int]) -> tuple[dict[int, float], dict[int, float]]:
    """Return each row's cosine to the question, and to the nearest of its parts."""
    if meaning is None:
        return {}, {}
    parts: dict[int, float] = {}
    for part in meaning.parts:
        for row, cosine in backend.similar(meaning.embedder, part, rows).items():
            parts[row] = max(cosine, parts.get(row, -1.0))
    return backend.similar(meaning.embedder, meaning.vector, rows), parts


def _until(days: Days, wanted: Wanted) -> str:
    later = (date.fromisoformat(days.last) + timedelta(DAYS_LATER)).isoformat()
    return min(later, wanted.until) if wanted.until else later
