"""Candidates -> what is measured of each, and of the question and all of them together: what the ranking weighs.

Every measure has a name in `rank.FEATURES`, `rank.SHAPES` or `rank.SIGNS`, and lies near 0..1. Nothing here knows a
weight. Plain Python, no clock, no files; the same candidates measure the same, in whatever order they come.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from mneme.index.backend import COLUMN_WEIGHTS, Near, Outline, Tally
from mneme.index.rank import View
from mneme.index.words import QUIET_WORDS, has_cjk, parse_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mneme.index.rank import Candidate, Days
    from mneme.index.words import Query

SATURATION, LENGTH_SHARE = 1.2, 0.75
# A small store says little about how cosines lie: so many draws of what is usual are added to what it says.
USUAL_DRAWS = 30.0
DEVIATIONS = 4.0  # cosines are counted in deviations from the mean, four to one
# Where hardly anything is near at all, a hair's breadth is no distance: cosines are never told apart finer than so.
LEAST_DEVIATION = 0.03
BEST_OF_GROUP = 3
ECHOED = 5
SAMPLE_TERMS = 12
WORDLESS_SHARE = 0.95
TOP = 10
# So many weighted terms say enough: a piece that is longer than that is not likelier for it.
ENOUGH_TERMS = 60.0
# Below and beyond so many pieces nothing was fitted, and nothing more is made of their number.
LEAST_CROWD, MOST_CROWD = 30, 10_000
CROWD_SCALE, STANDS_SCALE, CHANCE_SCALE = 5.0, 5.0, 8.0
_NAME = re.compile(r"(?<=[\w,'\u2019] )[A-Z][a-z]+")


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
    echoes = _echoes(ordered, heard, sense)
    best = max(heard.scores, default=0.0) or 1.0
    floor, peak = _tenth_and_best(sense)
    by_words, by_sense = _places(heard.scores, least=0.0), _places(sense, least=-math.inf if sensed else math.inf)
    dense, written = has_cjk(query.text), [_is_dense(one.outline) for one in ordered]
    lines = tuple(
        (
            heard.scores[place] / best,
            by_words[place],
            *heard.shares(place),
            heard.phrase(place),
            heard.quote(place),
            sense[place],
            by_sense[place],
            max(0.0, (sense[place] - floor) / (peak - floor)) if peak > floor else 0.0,
            heard.part_match(place),
            parts[place],
            *beside.line(place),
            echoes[place],
            *heard.speakers(place),
            one.outline.traits.asks,
            beside.after_question(place),
            float(query.asks_when and one.outline.traits.timed),
            float(query.asks_count and one.outline.traits.counted),
            one.outline.traits.named * query.asks_name,
            days.closeness(one.outline.date) if days else 0.0,
            math.log1p(min(one.outline.length / (1 + written[place]), ENOUGH_TERMS)) / 5.0,
            float(written[place] == dense),
        )
        for place, one in enumerate(ordered)
    )
    shape = _shape(query, heard, sense, tally) | _signs(query, heard, ordered, tally, usual)
    shape |= _odds_by_chance(query, heard, tally, near)
    return View(ordered, lines, {"closest": max(sense, default=0.0)} | shape, sensed)


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

    @property
    def asked(self) -> frozenset[str]:
        """Return the question's own words."""
        return frozenset(self._weights)

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
        here = self._pairs.keys() & chain.from_iterable(map(pairwise, columns))
        return math.fsum(map(self._pairs.__getitem__, here)) / self._pairs_weigh if here else 0.0

    def quote(self, place: int) -> float:
        """Return 1 where a phrase that the question quotes is, whole and in order."""
        if not self._query.phrases:
            return 0.0
        columns = [f" {' '.join(column)} " for column in self._candidates[place].outline.terms if column]
        return float(any(f" {' '.join(phrase)} " in column for phrase in self._query.phrases for column in columns))

    def speakers(self, place: int) -> tuple[float, float]:
        """Say whether the question names who says this, or only somebody else who speaks."""
        if not self._names:
            return 0.0, 0.0
        speaker = self._candidates[place].outline.speaker
        own = any(term in self._names for term in speaker)
        return float(own), float(bool(speaker) and not own)


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
        members: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for place, key in enumerate(self._keys):
            if key[1]:
                members[key[:2]].append(place)
        self._groups = (_group_scores(members, self._words), _group_scores(members, self._sense))

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


def _echoes(candidates: Sequence[Candidate], heard: _Words, sense: Sequence[float]) -> list[float]:
    """Return how far each says what the likeliest few others say: an answer is seldom told once."""
    best = max(heard.scores, default=0.0) or 1.0
    first = [score / best + max(0.0, near) for score, near in zip(heard.scores, sense, strict=True)]
    likeliest = sorted(range(len(first)), key=lambda place: -first[place])[:ECHOED]
    told = {place: frozenset().union(*candidates[place].outline.terms) - heard.asked for place in likeliest}
    weights: dict[str, float] = {}
    for place in likeliest:
        for term in told[place]:
            weights[term] = weights.get(term, 0.0) + first[place]
    saying = [weights.keys() & chain.from_iterable(one.outline.terms) for one in candidates]
    spread = Counter(chain.from_iterable(saying))
    rare = {term: math.log(1.0 + len(candidates) / count) for term, count in spread.items()}
    weighed = {term: count * weights[term] for term, count in rare.items()}
    echoes = [math.fsum(map(weighed.__getitem__, said)) for said in saying]
    for place, here in told.items():
        own = first[place]
        echoes[place] = math.fsum(
            rare[term] * (weights[term] - (own if term in here else 0.0)) for term in saying[place]
        )
    most = max(echoes, default=0.0) or 1.0
    return [echo / most for echo in echoes]


def _group_scores(
    members: Mapping[tuple[str, str], Sequence[int]], values: Sequence[float]
) -> dict[tuple[str, str], float]:
    """Return the mean of the best few of each group, as a share of the best group's."""
    scores = {
        key: sum(sorted(map(values.__getitem__, places), reverse=True)[:BEST_OF_GROUP]) / BEST_OF_GROUP
        for key, places in members.items()
    }
    best = max(scores.values(), default=0.0)
    return {key: score / best if best else 0.0 for key, score in scores.items()}


def _is_dense(outline: Outline) -> bool:
    """Say whether a piece begins in a script that is written without spaces: its terms are characters, and pairs again."""
    return any(has_cjk(" ".join(column[:SAMPLE_TERMS])) for column in outline.terms if column)


def _counts(outline: Outline, weights: Mapping[str, float]) -> dict[str, float]:
    """Return how often each of the question's words is in a piece, each column by its weight."""
    here = weights.keys() & chain.from_iterable(outline.terms)
    if not here:
        return {}
    columns = [(weight, column) for weight, column in zip(COLUMN_WEIGHTS, outline.terms, strict=True) if column]
    return {term: sum([weight * column.count(term) for weight, column in columns]) for term in weights if term in here}


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
    """Measure the question and its candidates as a whole; `nearest` serves the odds alone."""
    places = range(len(sense))
    by_words = sorted((place for place in places if heard.scores[place] > 0), key=lambda place: -heard.scores[place])
    by_sense = sorted(places, key=lambda place: -sense[place])
    top = set(by_words[:TOP])
    floor, peak = _tenth_and_best(sense)
    reached = max((tally.frequency.get(term, 0) for term in query.terms), default=0)
    grips = [heard.weight_of(heard.counts[place]) / heard.total for place in by_words[:TOP]]
    size = _size(query)
    return {
        "agreement": len(top & set(by_sense[:TOP])) / TOP,
        "dispersion": peak - floor,
        "grip": grips[0] if grips else 0.0,
        "spread": math.log1p(reached) / math.log1p(tally.pieces) if tally.pieces else 0.0,
        "size": size,
        "unknown": heard.weight_of(term for term in query.terms if not tally.frequency.get(term)) / heard.total,
        "nearest": min(peak, 1.0),
        "known": max(grips, default=0.0) * size,
    }


def _signs(
    query: Query,
    heard: _Words,
    candidates: Sequence[Candidate],
    tally: Tally,
    usual: tuple[float, float] | None,
) -> dict[str, float]:
    """Measure what tells a question about something else from one that is hard to answer."""
    unknown = [term for term in query.terms if not tally.frequency.get(term)]
    names = [term for name in _names(query.text) for term in parse_terms(name) if term in heard.asked]
    found = {
        "wordless": float(heard.weight_of(unknown) >= WORDLESS_SHARE * heard.total),
        "strange": sum(not tally.frequency.get(term) for term in names) / len(names) if names else 0.0,
    }
    cosines = [max(one.cosine, one.part_cosine or one.cosine) for one in candidates if one.cosine is not None]
    if usual and cosines:
        found["closest"] = (max(cosines) - usual[0]) / (DEVIATIONS * usual[1])
    return found


def _odds_by_chance(query: Query, heard: _Words, tally: Tally, near: Near) -> dict[str, float]:
    """Measure what would come of a question by accident: the more pieces there are, the better the best of them looks."""
    pieces = max(1, tally.pieces)
    rare = {term: math.log(max(1, tally.frequency.get(term, 0)) / pieces) for term in query.terms}
    # The logarithm of how many pieces would hold the words of the best by accident, were words strewn at random.
    fewest = min((math.fsum(rare[term] for term in counts) for counts in heard.counts if counts), default=0.0)
    unlikely = max(0.0, -fewest - math.log(pieces))
    away = max((cosine for _, cosine in near.hits), default=near.mean) - near.mean
    return {
        "chance": math.tanh(unlikely / CHANCE_SCALE) * _size(query),
        "stands": away / max(near.deviation, LEAST_DEVIATION) / STANDS_SCALE,
        "crowd": math.sqrt(2.0 * math.log(min(max(pieces, LEAST_CROWD), MOST_CROWD))) / CROWD_SCALE,
    }


def _places(values: Sequence[float], least: float) -> list[float]:
    """Return what each one's place is worth, the highest first, of those above `least`; equal values share a place."""
    ordered = sorted({value for value in values if value > least}, reverse=True)
    worth = {value: TOP / (TOP + place) for place, value in enumerate(ordered)}
    return [worth.get(value, 0.0) for value in values]


def _size(query: Query) -> float:
    return math.log1p(len(query.terms)) / 4.0


def _names(text: str) -> list[str]:
    """Return the words of a question that are written as names are, those at its beginnings left out."""
    return [name for name in _NAME.findall(text) if name.lower() not in QUIET_WORDS]
