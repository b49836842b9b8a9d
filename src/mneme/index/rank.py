"""Candidates -> log-odds that each is relevant, with the terms they are the sum of: the one ranking of Mneme.

Nothing here is tuned by hand: what is measured of a candidate has a name, and its weight lies in `weights.json`, which
`make fit` writes. Whether words or meaning count depends on what the question and its candidates look like. Plain
Python, no clock, no files but that one; the same candidates give the same scores, in whatever order they come.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import pairwise
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.index.backend import COLUMN_WEIGHTS, Near, Outline, Tally
from mneme.index.words import parse_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mneme.index.words import Query

WEIGHTS_FILE = Path(__file__).with_name("weights.json")
SATURATION, LENGTH_SHARE = 1.2, 0.75
# A small store says little about how cosines lie: so many draws of what is usual are added to what it says.
USUAL_DRAWS = 30.0
DEVIATIONS = 4.0  # cosines are counted in deviations from the mean, four to one
# Where hardly anything is near at all, a hair's breadth is no distance: cosines are never told apart finer than so.
LEAST_DEVIATION = 0.03
BEST_OF_GROUP = 3
TOP = 10
DAYS_AFTER, DAYS_BEFORE = 16.0, 8.0

# What is measured of one candidate. Each lies near 0..1; what does not apply is 0.
FEATURES = (
    "words",  # BM25 as a share of the best candidate's
    "match",  # BM25 as a share of what the question's words could give
    "plain",  # the same without the names of those who speak
    "cover",  # share of the question's weight in words that are there at all
    "phrase",  # neighbouring words that are neighbours in the question too
    "quote",  # a quoted phrase is there, word for word
    "sense",  # cosine in deviations above the mean
    "leads",  # cosine between the tenth best candidate's and the best's
    "part_match",  # match and sense to that part of a question of several parts which fits best
    "part_sense",
    "before_words",  # words and sense of the piece before it, after it, and one further on both sides
    "before_sense",
    "after_words",
    "after_sense",
    "around_words",
    "around_sense",
    "window",  # share of the question that only the neighbourhood adds
    "group_words",  # the best of its group, as a share of the best group's
    "group_sense",
    "speaker",  # the question names who says it
    "other_speaker",  # the question names somebody else
    "asks",  # share of the text that asks, itself
    "after_question",  # follows a piece that asks what is asked
    "timed",  # a time, and the question wants one
    "counted",
    "named",
    "dated",  # its date lies in or near the time that the question is about
    "length",
)
# What is measured of the question and its candidates together: how far to trust words, and how far meaning.
SHAPES = (
    "agreement",  # share of the ten best by words among the ten best by meaning
    "dispersion",  # how far the best by meaning stands out from the tenth
    "grip",  # how much of the question the best by words covers
    "spread",  # share of the store, in logarithms, that the words are found in
    "size",  # how many words ask
)
GATED = ("words", "match", "cover", "sense")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that may be the answer, with its cosine to the question, and to the part of it that lies nearest."""

    outline: Outline
    cosine: float | None = None
    part_cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Days:
    """The days a question is about, first and last, as ISO dates."""

    first: str
    last: str

    def closeness(self, day: str) -> float:
        """Return 1 within, falling to 0 beside: what happened is told on the day or after it, seldom before."""
        try:
            told, first, last = map(date.fromisoformat, (day, self.first, self.last))
        except ValueError:
            return 0.0
        if told > last:
            return max(0.0, 1.0 - (told - last).days / DAYS_AFTER)
        return max(0.0, 1.0 - (first - told).days / DAYS_BEFORE) if told < first else 1.0


@dataclass(frozen=True, slots=True)
class Weights:
    """Fitted numbers: of each feature, of each gated feature under each shape, and of the shapes for the odds at all.

    `points` are the log-odds that the best candidate must reach before anything is said, by operating point.
    """

    features: Mapping[str, float]
    gates: Mapping[str, Mapping[str, float]]
    odds: Mapping[str, float]
    points: Mapping[str, float] = field(default_factory=dict)

    def under(self, shape: Mapping[str, float]) -> tuple[float, ...]:
        """Return what each feature weighs for a question of this shape."""
        return tuple(
            self.features.get(name, 0.0)
            + sum(weight * shape.get(one, 0.0) for one, weight in self.gates.get(name, {}).items())
            for name in FEATURES
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its log-odds; what they are the sum of is put in words when it is asked for."""

    row: int
    log_odds: float
    terms: tuple[float, ...] = ()
    general: tuple[tuple[str, float], ...] = ()

    @property
    def score(self) -> float:
        """Return the chance that it is relevant."""
        return probability(self.log_odds)

    @property
    def why(self) -> tuple[tuple[str, float], ...]:
        """Return the named terms that sum to the log-odds, largest first."""
        named = [(name, value) for name, value in zip(FEATURES, self.terms, strict=True) if value]
        return tuple(sorted((*named, *self.general), key=lambda term: (-abs(term[1]), term[0])))


@dataclass(frozen=True, slots=True)
class View:
    """Everything measured about a question's candidates: a line of features each, and the shape of the whole."""

    candidates: tuple[Candidate, ...]
    lines: tuple[tuple[float, ...], ...]
    shape: Mapping[str, float] = field(default_factory=dict)
    sensed: bool = False

    @property
    def gates(self) -> tuple[float, ...]:
        """Return the shapes in order."""
        return tuple(self.shape[name] for name in SHAPES)


def names() -> tuple[str, ...]:
    """Return the name of each number that is fitted: of features, and of features under a shape."""
    return (*FEATURES, *(f"{name}*{shape}" for name in GATED for shape in SHAPES))


def probability(log_odds: float) -> float:
    """Return log-odds as a probability."""
    return 1.0 / (1.0 + math.exp(-max(-500.0, min(500.0, log_odds))))


@cache
def load_weights(path: Path = WEIGHTS_FILE) -> dict[str, Weights]:
    """Return the fitted weights: `both` where there are vectors, `words` where there are none."""
    read = json.loads(path.read_text("utf-8"))
    return {name: Weights(**read[name]) for name in ("both", "words")}


def rank(view: View, weights: Mapping[str, Weights] | None = None) -> list[Ranked]:
    """Return the candidates with their odds, best first; ties by path, line and id, never by row."""
    chosen = (weights or load_weights())["both" if view.sensed else "words"]
    weigh = chosen.under(view.shape)
    general = tuple((name, weight * view.shape.get(name, 1.0)) for name, weight in chosen.odds.items() if weight)
    constant = [value for _, value in general]
    ranked = []
    for candidate, line in zip(view.candidates, view.lines, strict=True):
        terms = tuple(map(mul, line, weigh))
        odds = math.fsum((*terms, *constant))
        ranked.append((-odds, candidate.outline, Ranked(candidate.outline.row, odds, terms, general)))
    ranked.sort(key=lambda one: (one[0], one[1].path, one[1].line, one[1].id))
    return [one for _, _, one in ranked]


def survey(
    query: Query,
    candidates: Sequence[Candidate],
    tally: Tally,
    near: Near,
    *,
    usual: tuple[float, float] | None,
    days: Days | None = None,
) -> View:
    """Measure a question's candidates. `usual` is how cosines of the embedder lie as a rule, mean and deviation."""
    ordered = tuple(sorted(candidates, key=lambda one: (one.outline.path, one.outline.line, one.outline.id)))
    heard = _Words(query, ordered, tally)
    sense = _senses([one.cosine for one in ordered], near, usual)
    parts = _senses([one.cosine if one.part_cosine is None else one.part_cosine for one in ordered], near, usual)
    sensed = any(one.cosine is not None for one in ordered)
    beside = _Beside(ordered, heard, sense)
    best = max(heard.scores, default=0.0) or 1.0
    floor, peak = _tenth_and_best(sense)
    lines = tuple(
        (
            heard.scores[place] / best,
            *heard.shares(place),
            heard.phrase(place),
            heard.quote(place),
            sense[place],
            max(0.0, (sense[place] - floor) / (peak - floor)) if peak > floor else 0.0,
            heard.part_match(place),
            parts[place],
            *beside.line(place),
            *heard.speakers(place),
            one.outline.traits.asks,
            beside.after_question(place),
            float(query.asks_when and one.outline.traits.timed),
            float(query.asks_count and one.outline.traits.counted),
            one.outline.traits.named * query.asks_name,
            days.closeness(one.outline.date) if days else 0.0,
            math.log1p(one.outline.length) / 5.0,
        )
        for place, one in enumerate(ordered)
    )
    return View(ordered, lines, _shape(query, heard, sense, tally), sensed)


class _Words:
    """The question's words in each candidate: how much they weigh, what they cover, and how they stand together."""

    __slots__ = (
        "_candidates",
        "_names",
        "_pairs",
        "_pairs_weigh",
        "_parts",
        "_query",
        "_weights",
        "counts",
        "scores",
        "total",
    )

    def __init__(self, query: Query, candidates: Sequence[Candidate], tally: Tally) -> None:
        self._query, self._candidates = query, candidates
        self._weights = {term: _rarity(tally, term) for term in query.terms}
        self._names = frozenset(term for one in candidates for term in one.outline.speaker) & self._weights.keys()
        self.total = sum(self._weights.values()) or 1.0
        heavier = (
            (pair, max(self._weights.get(pair[0], 0.0), self._weights.get(pair[1], 0.0))) for pair in query.pairs
        )
        self._pairs = dict(heavier)
        self._pairs_weigh = math.fsum(self._pairs.values())
        parts = ([term for term in dict.fromkeys(parse_terms(part)) if term in self._weights] for part in query.parts)
        self._parts = [(part, self.weight_of(part)) for part in parts if part]
        self.counts = [_counts(one.outline, self._weights) for one in candidates]
        self.scores = [
            self._score(counts, one.outline, tally) for one, counts in zip(candidates, self.counts, strict=True)
        ]

    def _score(
        self, counts: Mapping[str, float], outline: Outline, tally: Tally, quiet: frozenset[str] = frozenset()
    ) -> float:
        if not counts:
            return 0.0
        norm = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * outline.length / (tally.mean_length or 1.0))
        return sum(self._weights[term] * count / (count + norm) for term, count in counts.items() if term not in quiet)

    def shares(self, place: int) -> tuple[float, float, float]:
        """Return match, plain and cover."""
        counts = self.counts[place]
        if not counts:
            return 0.0, 0.0, 0.0
        named = sum(self._weights[term] for term in self._names)
        plain = self.scores[place]
        if self._names:
            share = {term: count for term, count in counts.items() if term not in self._names}
            plain = self.scores[place] * self.weight_of(share) / (self.weight_of(counts) or 1.0)
        rest = self.total - named
        return self.scores[place] / self.total, plain / rest if rest else 0.0, self.weight_of(counts) / self.total

    def part_match(self, place: int) -> float:
        """Return the best share, over the question's parts, of what the words of a part could give."""
        counts = self.counts[place]
        if not counts or not self._parts:
            return self.scores[place] / self.total
        reach = self.scores[place] / (self.weight_of(counts) or 1.0)
        return reach * max(
            self.weight_of(term for term in part if term in counts) / weight for part, weight in self._parts if weight
        )

    def weight_of(self, terms: Iterable[str]) -> float:
        """Return how much some of the question's words weigh."""
        return sum(map(self._weights.__getitem__, terms))

    def phrase(self, place: int) -> float:
        """Return the share of the question's pairs of words that stand together here too, by weight."""
        if not self.counts[place] or not self._pairs_weigh:
            return 0.0
        columns = self._candidates[place].outline.terms
        here = {pair for column in columns for pair in pairwise(column) if pair in self._pairs}
        return math.fsum(map(self._pairs.__getitem__, here)) / self._pairs_weigh if here else 0.0

    def quote(self, place: int) -> float:
        """Return 1 where a phrase that the question quotes is, whole and in order."""
        columns = [f" {' '.join(column)} " for column in self._candidates[place].outline.terms if column]
        return float(any(f" {' '.join(phrase)} " in column for phrase in self._query.phrases for column in columns))

    def speakers(self, place: int) -> tuple[float, float]:
        """Say whether the question names who says this, or only somebody else who speaks."""
        speaker = self._candidates[place].outline.speaker
        own = any(term in self._names for term in speaker)
        return float(own), float(bool(speaker) and bool(self._names) and not own)


class _Beside:
    """What the neighbours of each candidate and the rest of its group add; neighbours that are no candidates add 0."""

    __slots__ = ("_asks", "_covers", "_groups", "_heard", "_keys", "_places", "_sense", "_words")

    def __init__(self, candidates: Sequence[Candidate], heard: _Words, sense: Sequence[float]) -> None:
        best = max(heard.scores, default=0.0) or 1.0
        self._heard = heard
        self._words = [score / best for score in heard.scores]
        self._sense = [max(0.0, value) for value in sense]
        self._asks = [one.outline.traits.asks for one in candidates]
        self._keys = [(one.outline.path, one.outline.group, one.outline.place) for one in candidates]
        self._places = {key: place for place, key in enumerate(self._keys) if key[1]}
        self._groups = (_group_scores(self._keys, self._words), _group_scores(self._keys, self._sense))

    def line(self, place: int) -> tuple[float, ...]:
        """Return the features of the neighbourhood: before, after, around, window, group."""
        key = self._keys[place]
        if not key[1]:
            return (0.0,) * 9
        before, after, further = self._at(place, -1), self._at(place, 1), (self._at(place, -2), self._at(place, 2))
        near = [one for one in (before, after, *further) if one >= 0]
        own = self._heard.counts[place].keys()
        added = dict.fromkeys(term for one in near for term in self._heard.counts[one] if term not in own)
        return (
            *((self._words[before], self._sense[before]) if before >= 0 else (0.0, 0.0)),
            *((self._words[after], self._sense[after]) if after >= 0 else (0.0, 0.0)),
            sum(self._words[one] for one in further if one >= 0) / 2.0,
            sum(self._sense[one] for one in further if one >= 0) / 2.0,
            self._heard.weight_of(added) / self._heard.total,
            *(scores[key[:2]] for scores in self._groups),
        )

    def after_question(self, place: int) -> float:
        """Return how well the piece before this one asks for what is asked."""
        before = self._at(place, -1)
        return (self._words[before] + self._sense[before]) / 2.0 * (self._asks[before] > 0.0) if before >= 0 else 0.0

    def _at(self, place: int, step: int) -> int:
        path, group, position = self._keys[place]
        return self._places.get((path, group, position + step), -1)


def _group_scores(keys: Sequence[tuple[str, str, int]], values: Sequence[float]) -> dict[tuple[str, str], float]:
    """Return the mean of the best few of each group, as a share of the best group's."""
    members: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (path, group, _), value in zip(keys, values, strict=True):
        members[path, group].append(value)
    scores = {key: sum(sorted(some, reverse=True)[:BEST_OF_GROUP]) / BEST_OF_GROUP for key, some in members.items()}
    best = max((score for (_, group), score in scores.items() if group), default=0.0)
    return {key: score / best if best else 0.0 for key, score in scores.items()}


def _counts(outline: Outline, weights: Mapping[str, float]) -> dict[str, float]:
    """Return how often each of the question's words is in a piece, each column by its weight."""
    counts: dict[str, float] = {}
    for weight, column in zip(COLUMN_WEIGHTS, outline.terms, strict=True):
        for term in column:
            if term in weights:
                counts[term] = counts.get(term, 0.0) + weight
    return {term: counts[term] for term in weights if term in counts}


def _rarity(tally: Tally, term: str) -> float:
    """Return a word's weight: the rarer, the more; one that is nowhere weighs most."""
    found = tally.frequency.get(term, 0)
    return math.log(1.0 + (tally.pieces - found + 0.5) / (found + 0.5))


def _senses(cosines: Sequence[float | None], near: Near, usual: tuple[float, float] | None) -> list[float]:
    """Return each cosine in deviations above the mean of everything; 0 without one."""
    if not near.count:
        return [0.0] * len(cosines)
    mean, variance, draws = near.mean, near.deviation**2, float(near.count)
    if usual:
        whole = draws + USUAL_DRAWS
        middle = (near.mean * draws + usual[0] * USUAL_DRAWS) / whole
        apart = (near.mean - middle) ** 2 * draws + (usual[0] - middle) ** 2 * USUAL_DRAWS
        variance = (variance * draws + usual[1] ** 2 * USUAL_DRAWS + apart) / whole
        mean = middle
    scale = DEVIATIONS * max(math.sqrt(variance), LEAST_DEVIATION)
    return [0.0 if cosine is None else (cosine - mean) / scale for cosine in cosines]


def _tenth_and_best(sense: Sequence[float]) -> tuple[float, float]:
    best = sorted(sense, reverse=True)
    return (best[min(len(best), TOP) - 1], best[0]) if best else (0.0, 0.0)


def _shape(query: Query, heard: _Words, sense: Sequence[float], tally: Tally) -> dict[str, float]:
    """Measure the question and its candidates as a whole; `nearest` and `heard` serve the odds alone."""
    places = range(len(sense))
    by_words = sorted((place for place in places if heard.scores[place] > 0), key=lambda place: -heard.scores[place])
    by_sense = sorted(places, key=lambda place: -sense[place])
    top = set(by_words[:TOP])
    floor, peak = _tenth_and_best(sense)
    reached = max((tally.frequency.get(term, 0) for term in query.terms), default=0)
    grips = [heard.weight_of(heard.counts[place]) / heard.total for place in by_words[:TOP]]
    return {
        "agreement": len(top & set(by_sense[:TOP])) / TOP,
        "dispersion": peak - floor,
        "grip": grips[0] if grips else 0.0,
        "spread": math.log1p(reached) / math.log1p(tally.pieces) if tally.pieces else 0.0,
        "size": math.log1p(len(query.terms)) / 4.0,
        "nearest": peak,
        "heard": max(grips, default=0.0),
    }
