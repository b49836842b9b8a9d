"""Candidates -> log-odds that each is relevant, with the terms they are the sum of: the one ranking of Mneme.

Nothing here is tuned by hand: what is measured of a candidate has a name, and its weight lies in `weights.json`, which
`make fit` writes. Whether words or meaning count depends on what the question and its candidates look like. Plain
Python, no clock, no files but that one; the same candidates give the same scores, in whatever order they come.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from operator import itemgetter, mul
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mneme.index.backend import Outline

WEIGHTS_FILE = Path(__file__).with_name("weights.json")
DAYS_AFTER, DAYS_BEFORE = 16.0, 8.0


# What is measured of one candidate. Each lies near 0..1; what does not apply is 0.
FEATURES = (
    "words",  # BM25 as a share of the best candidate's
    "words_place",  # its place by BM25: 1 for the first, half for the eleventh, 0 where no word is
    "match",  # BM25 as a share of what the question's words could give
    "plain",  # the same without the names of those who speak
    "cover",  # share of the question's weight in words that are there at all
    "phrase",  # neighbouring words that are neighbours in the question too
    "quote",  # a quoted phrase is there, word for word
    "sense",  # cosine in deviations above the mean
    "sense_place",  # its place by cosine, likewise
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
    "echo",  # what the likeliest few say beside the question's own words, as a share of who says most of it
    "speaker",  # the question names who says it
    "other_speaker",  # the question names somebody else
    "asks",  # share of the text that asks, itself
    "after_question",  # follows a piece that asks what is asked
    "timed",  # a time, and the question wants one
    "counted",
    "named",
    "dated",  # its date lies in or near the time that the question is about
    "length",  # how much is said, up to what a short paragraph says
    "tongue",  # written in the script that the question is written in, where that is Han, kana or hangul or neither is
)
# What is measured of the question and its candidates together: how far to trust words, and how far meaning.
SHAPES = (
    "agreement",  # share of the ten best by words among the ten best by meaning
    "dispersion",  # how far the best by meaning stands out from the tenth
    "grip",  # how much of the question the best by words covers
    "spread",  # share of the store, in logarithms, that the words are found in
    "size",  # how many words ask
    "unknown",  # share of the question's weight in words that are nowhere
)
# What else says whether anything here answers at all.
SIGNS = (
    "closest",  # the best cosine, on the embedder's own scale: unlike `sense`, it is low where nothing is near
    "known",  # how many of the question's words any of the ten best by words holds
    "strange",  # share of the names in the question that are nowhere
    "wordless",  # no word of the question is anywhere: meaning alone would have to speak
    "stands",  # how far the nearest stands out of the store's own cosines, in deviations
    "chance",  # how little likely it is that one piece holds so many of the words by accident
    "crowd",  # how near the nearest of so many would come by chance, in deviations
)
ANSWERS = (*SIGNS, "unknown", "grip", "agreement", "spread", "size")
DOUBT, SURE = "doubt", "sure"
GROUNDLESS = -20.0
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
    """Fitted numbers: of each feature, of each gated feature under each shape, of the shapes for the odds at all.

    `answers` weigh what says that anything here answers, and `points` are the log-odds of that from which something is
    said, by operating point. `sure` is the share that is kept of log-odds above even: what held-out hits say of it.
    """

    features: Mapping[str, float]
    gates: Mapping[str, Mapping[str, float]]
    odds: Mapping[str, float]
    answers: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, float] = field(default_factory=dict)
    sure: float = 1.0

    def under(self, shape: Mapping[str, float]) -> tuple[float, ...]:
        """Return what each feature weighs for a question of this shape."""
        return tuple(
            self.features.get(name, 0.0)
            + sum(weight * shape.get(one, 0.0) for one, weight in self.gates.get(name, {}).items())
            for name in FEATURES
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its log-odds; what they are the sum of is put in words when it is asked for.

    They are those of two things together: that anything here answers, which is `answerable`, and that this does, if
    anything, which is `odds`; `doubt` is the term by which the first lowers the second, and `sure` the one by which what
    is likelier than not is held back, all but its share `kept`. Of most candidates nobody asks.
    """

    row: int
    odds: float
    terms: tuple[float, ...] = ()
    general: tuple[tuple[str, float], ...] = ()
    answerable: float | None = None
    kept: float = 1.0

    @property
    def general_terms(self) -> tuple[tuple[str, float], ...]:
        """Return the terms that are not its own: of the question's shape, of doubt, of chances above even."""
        doubt = 0.0 if self.answerable is None else both(self.odds, self.answerable) - self.odds
        sure = -max(0.0, self.odds + doubt) * (1.0 - self.kept)
        return (*self.general, *((name, value) for name, value in ((DOUBT, doubt), (SURE, sure)) if value))

    @property
    def log_odds(self) -> float:
        """Return the log-odds that it is relevant."""
        return math.fsum((*self.terms, *(value for _, value in self.general_terms)))

    @property
    def score(self) -> float:
        """Return the chance that it is relevant."""
        return probability(self.log_odds)

    @property
    def why(self) -> tuple[tuple[str, float], ...]:
        """Return the named terms that sum to the log-odds, largest first."""
        named = [(name, value) for name, value in zip(FEATURES, self.terms, strict=True) if value]
        return tuple(sorted((*named, *self.general_terms), key=lambda term: (-abs(term[1]), term[0])))


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

    def answerable(self, weights: Mapping[str, Weights] | None = None) -> float:
        """Return the log-odds that anything among the candidates answers the question.

        Where no word of it is anywhere, and nothing lies nearer than what is unrelated does as a rule, there is no ground
        for any answer, however few pieces there are.
        """
        chosen = self.weights(weights)
        if self.sensed and self.shape.get("wordless") and self.shape.get("closest", 0.0) <= 0.0:
            return GROUNDLESS
        return math.fsum(weight * self.shape.get(name, 1.0) for name, weight in chosen.answers.items())

    def weights(self, weights: Mapping[str, Weights] | None = None) -> Weights:
        """Return the numbers that these candidates are ranked by."""
        return (weights or load_weights())["both" if self.sensed else "words"]


def names() -> tuple[str, ...]:
    """Return the name of each number that is fitted: of features, and of features under a shape."""
    return (*FEATURES, *(f"{name}*{shape}" for name in GATED for shape in SHAPES))


def probability(log_odds: float) -> float:
    """Return log-odds as a probability."""
    return 1.0 / (1.0 + math.exp(-max(-500.0, min(500.0, log_odds))))


def both(one: float, other: float) -> float:
    """Return the log-odds that two things hold which have nothing to do with each other."""
    one, other = min(one, other), max(one, other)
    # 1/p - 1 of the product of both, without a sum that overflows: e^-a + e^-b + e^-(a+b).
    return one - math.log1p(math.exp(one - other) + math.exp(min(500.0, -other)))


@cache
def load_weights(path: Path = WEIGHTS_FILE) -> dict[str, Weights]:
    """Return the fitted weights: `both` where there are vectors, `words` where there are none."""
    read = json.loads(path.read_text("utf-8"))
    return {name: Weights(**read[name]) for name in ("both", "words")}


def rank(view: View, weights: Mapping[str, Weights] | None = None) -> list[Ranked]:
    """Return the candidates with their odds, best first; ties by path, line and id, never by row."""
    chosen = view.weights(weights)
    weigh = chosen.under(view.shape)
    answerable = view.answerable(weights) if chosen.answers else None
    general = tuple((name, weight * view.shape.get(name, 1.0)) for name, weight in chosen.odds.items() if weight)
    constant = tuple(value for _, value in general)
    ranked = []
    for candidate, line in zip(view.candidates, view.lines, strict=True):
        terms = tuple(map(mul, line, weigh))
        outline, odds = candidate.outline, math.fsum(terms + constant)
        found = Ranked(outline.row, odds, terms, general, answerable, chosen.sure)
        ranked.append((-odds, outline.path, outline.line, outline.id, found))
    ranked.sort(key=itemgetter(0, 1, 2, 3))
    return [found for *_, found in ranked]
