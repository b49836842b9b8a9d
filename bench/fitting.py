"""Cases -> the numbers of the ranking: a softmax for the order, a logistic regression for the chances.

The order comes from each answer against every candidate that is none, under a penalty on every number; the chance from
each question's best candidates, with questions among them that nothing answers. Sets pull by `PULL`, never by size.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from cases import ANSWERED, FOREIGN, KEYWORDS, LONG_TURNS, ONE_DAY, REWORDED, SEED
from stores import mean, measures

from mneme.index.rank import ANSWERS, FEATURES, GATED, SHAPES, both, names
from mneme.recall.find import USUAL_FIELD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cases import Case

FOLDS = 5
PENALTY = 1e-2
PULL = {
    "locomo": 3.0,
    "memsim": 0.8,
    "paraphrase en->en": 1.2,
    "paraphrase zh->zh": 0.8,
    "paraphrase en->zh": 0.5,
    "paraphrase zh->en": 0.5,
    "sealtools-in-domain": 1.0,
    "sealtools-out-of-domain": 1.0,
    "toollens": 1.3,
    "locomo" + REWORDED: 0.5,
    "locomo" + LONG_TURNS: 0.7,
    "locomo" + ANSWERED: 0.7,
    "locomo" + ONE_DAY: 0.3,
    "locomo" + KEYWORDS: 0.7,
    "toollens" + REWORDED: 0.3,
    "sealtools-in-domain" + REWORDED: 0.3,
    "sealtools-out-of-domain" + REWORDED: 0.3,
}
OTHER_PULL = 0.5
SETTLED, SHORTEST_PACE, FLAT = 1e-9, 1e-8, 1e-12
# The shapes that say how likely the best is to be right, where anything is.
ODDS = ("nearest", "agreement", "dispersion", "spread", "size", "crowd")
CALIBRATED, CONSIDERED = 10, 5
# Sets that nothing is asked of that they do not answer: what tells their questions from others' is the language.
UNCONTRASTED = frozenset({"memsim"})
# What a store without vectors cannot say, or says otherwise; and what tells nothing more where there are some.
SENSED, UNSENSED = ("closest", "stands", "chance"), ("grip", "agreement", "spread", "size")
LIGHT, STEPS = 1.0, 60
# So many strangers may be answered unasked. Asked, so many questions of any set with an answer may go without one; and so
# many of those that meet no word of the store, which are strangers' as a rule.
STRAY_SHARE, SILENCED_SHARE, SILENCED_WORDLESS_SHARE = 0.025, 0.01, 0.01
# Questions on the ground of their store that it does not answer: they teach, and set no point.
UNPOINTED = (ONE_DAY, KEYWORDS, REWORDED, LONG_TURNS, ANSWERED)


def fit_order(cases: list[Case], without: Sequence[int] = ()) -> np.ndarray:
    """Return the weights under which answers come before the rest: softmax of each answer against all that is none."""
    used = [case for case in cases if not case.foreign and 0 < case.answers[case.sample].sum() < len(case.sample)]
    lines = np.concatenate([case.whole[case.sample] for case in used])
    scale = lines.std(axis=0) + 1e-6
    lines = lines / scale
    lines[:, list(without)] = 0.0
    answers = np.concatenate([case.answers[case.sample] for case in used])
    sizes = [len(case.sample) for case in used]
    owner, starts = np.repeat(np.arange(len(used)), sizes), np.cumsum([0, *sizes[:-1]])
    sizes_of_sets = Counter(case.name for case in used)
    pull = np.array([PULL.get(case.name, OTHER_PULL) / sizes_of_sets[case.name] for case in used])
    right = np.flatnonzero(answers)
    share = (pull / pull.sum() / np.bincount(owner[right], minlength=len(used)))[owner[right]]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = lines @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        wrong = np.where(answers, 0.0, powers)
        whole = powers[right] + np.add.reduceat(wrong, starts)[owner[right]] + 1e-300
        value = float(
            (share * (np.log(whole) - np.log(powers[right] + 1e-300))).sum() + PENALTY / 2 * weights @ weights
        )
        slope = wrong * np.bincount(owner[right], share / whole, minlength=len(used))[owner]
        slope[right] += share * (powers[right] / whole - 1.0)
        return value, lines.T @ slope + PENALTY * weights

    return descend(loss, np.zeros(lines.shape[1])) / scale


def descend(loss: object, start: np.ndarray, steps: int = 200, memory: int = 12) -> np.ndarray:
    """Return where a smooth loss is least, by limited-memory BFGS."""
    here, (value, slope) = start, loss(start)
    moves: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(steps):
        way, held = slope.copy(), []
        for move, turn in reversed(moves):
            factor = move @ way / (move @ turn)
            way -= factor * turn
            held.append(factor)
        if moves:
            way *= moves[-1][0] @ moves[-1][1] / (moves[-1][1] @ moves[-1][1])
        for (move, turn), factor in zip(moves, reversed(held), strict=True):
            way += (factor - turn @ way / (move @ turn)) * move
        pace = 1.0
        while True:
            there = here - pace * way
            there_value, there_slope = loss(there)
            if there_value <= value - 1e-4 * pace * (slope @ way) or pace < SHORTEST_PACE:
                break
            pace /= 2
        move, turn = there - here, there_slope - slope
        settled = value - there_value < SETTLED
        here, value, slope = there, there_value, there_slope
        if settled:
            break
        if move @ turn > FLAT:
            moves = [*moves[1 - memory :], (move, turn)]
    return here


def fit_odds(cases: list[Case], weights: np.ndarray) -> tuple[float, dict[str, float]]:
    """Return how steep the order is in log-odds, and what the question's shape adds: a logistic regression."""
    lines, answers, pulls = [], [], []
    sizes = Counter((case.name, case.foreign) for case in cases)
    for case in cases:
        scores = case.whole @ weights
        best = np.argsort(-scores, kind="stable")[:CALIBRATED]
        shape = [1.0, *(case.shape[name] for name in ODDS)]
        lines.extend([scores[place], *shape] for place in best)
        answers.extend(case.answers[best])
        pulls.extend(
            [1.0 / sizes[case.name, case.foreign] / (1 + np.arange(len(best)))[rank] for rank in range(len(best))]
        )
    matrix, truth, pull = np.array(lines), np.array(answers, float), np.array(pulls)
    pull *= len(pull) / pull.sum()
    found = logistic(matrix[:, [1, 0, *range(2, matrix.shape[1])]], truth, pull)
    found[[0, 1]] = found[[1, 0]]
    return float(found[0]), dict(zip(("base", *ODDS), map(float, found[1:]), strict=True))


def fit_answers(cases: list[Case]) -> dict[str, float]:
    """Return what says that anything answers at all: a logistic regression over questions, strangers among them."""
    used = [case for case in cases if case.foreign or case.name not in UNCONTRASTED]
    sizes = Counter((case.name, case.foreign) for case in used)
    pull = np.array([PULL.get(case.name, OTHER_PULL) / sizes[case.name, case.foreign] for case in used])
    matrix = np.array([[1.0, *(case.shape[name] for name in ANSWERS)] for case in used])
    truth = np.array([not case.foreign for case in used], float)
    for side in (truth > 0, truth == 0):
        pull[side] *= len(used) / 2 / pull[side].sum()
    left_out = UNSENSED if any(case.sensed for case in used) else SENSED
    matrix[:, [1 + ANSWERS.index(name) for name in left_out]] = 0.0
    return dict(zip(("base", *ANSWERS), map(float, logistic(matrix, truth, pull)), strict=True))


def logistic(matrix: np.ndarray, truth: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """Return the numbers of a logistic regression under a light penalty, the first column, all ones, excepted."""
    found = np.zeros(matrix.shape[1])
    penalty = LIGHT * np.array([0.0, *[1.0] * (len(found) - 1)])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ found, -30, 30)))
        slope = matrix.T @ (pull * (truth - chance)) - penalty * found
        bend = (matrix * (pull * chance * (1 - chance))[:, None]).T @ matrix + np.diag(penalty + 1e-6)
        step = np.linalg.solve(bend, slope)
        found += step
        if np.abs(step).max() < SETTLED:
            break
    return found


class Fitted:
    """The numbers that some cases ask for, and what they make of others."""

    def __init__(self, cases: list[Case], without: Sequence[int] = ()) -> None:
        self.order = fit_order(cases, without)
        self.steep, self.odds = fit_odds([case for case in cases if not case.foreign], self.order)
        self.answers = fit_answers(cases)

    def answered(self, case: Case) -> dict[str, float]:
        """Return the figures of one question."""
        order = case.places[np.argsort(-(case.whole @ self.order), kind="stable")]
        return measures(list(dict.fromkeys(order.tolist())), case.question.gold)

    def answerable(self, case: Case) -> float:
        """Return the log-odds that anything answers one question."""
        return self.answers["base"] + sum(self.answers[name] * case.shape[name] for name in ANSWERS)

    def judged(self, case: Case) -> Judged:
        """Return what is made of one question."""
        scores = case.whole @ self.order
        first = np.argsort(-scores, kind="stable")[:CONSIDERED]
        general = self.odds["base"] + sum(self.odds[name] * case.shape[name] for name in ODDS)
        answerable = self.answerable(case)
        odds = [both(self.steep * float(scores[place]) + general, answerable) for place in first]
        few = math.log(USUAL_FIELD / min(USUAL_FIELD, max(1, len(scores))))
        return Judged(case, answerable, tuple(odds), few, tuple(map(bool, case.answers[first])))

    def as_json(self, held: Sequence[Judged]) -> dict[str, object]:
        """Return the numbers as the product reads them; what `held` out questions got sets the points and the scale."""
        points, more = points_of(held)
        flat = dict(zip(names(), (round(float(value) * self.steep, 4) for value in self.order), strict=True))
        return {
            "features": {name: flat[name] for name in FEATURES},
            "gates": {name: {shape: flat[f"{name}*{shape}"] for shape in SHAPES} for name in GATED},
            "odds": {name: round(value, 4) for name, value in self.odds.items()},
            "answers": {name: round(value - more * (name == "wordless"), 4) for name, value in self.answers.items()},
            "points": {name: round(value, 2) for name, value in points.items()},
            "sure": sure_of(held),
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with the log-odds that anything answers it, those of its first candidates, and which of them do.

    `few` is what is added to each where there are not many candidates.
    """

    case: Case
    answerable: float
    odds: tuple[float, ...]
    few: float
    right: tuple[bool, ...]


def fold_of(case: Case, memo: dict[tuple[str, str], int], rng: random.Random) -> int:
    """Return the fold of a question: conversations whole, facts and tools that answer together."""
    family = "chat" if case.name.startswith("locomo") else case.name.split()[0]
    if case.foreign and family != "chat":
        return memo.setdefault((FOREIGN, case.question.text), rng.randrange(FOLDS))
    first = str(min(case.question.gold, default=0) // (2 if family == "paraphrase" else 1))
    key = (family, case.fold if family in {"chat", "memsim"} else first)
    chats = len([one for one in memo if one[0] == "chat"])
    return memo.setdefault(key, chats % FOLDS if family == "chat" else rng.randrange(FOLDS))


def validate(cases: list[Case], without: Sequence[int] = ()) -> tuple[dict[str, dict[str, float]], list[Judged]]:
    """Return each set's figures and what is made of each case, every question under numbers fitted without its fold."""
    rng, memo = random.Random(SEED), {}  # noqa: S311 - repeatable
    return by_folds(cases, [fold_of(case, memo, rng) for case in cases], without)


def by_folds(
    cases: list[Case], folds: Sequence[object], without: Sequence[int] = ()
) -> tuple[dict[str, dict[str, float]], list[Judged]]:
    """Return the same where folds are given."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    judged: dict[int, Judged] = {}
    for fold in dict.fromkeys(folds):
        fitted = Fitted([case for case, own in zip(cases, folds, strict=True) if own != fold], without)
        for place, (case, own) in enumerate(zip(cases, folds, strict=True)):
            if own == fold:
                judged[place] = fitted.judged(case)
                if not case.foreign:
                    rows[case.name].append(fitted.answered(case))
    return {name: mean(found) for name, found in rows.items()}, [judged[place] for place in range(len(cases))]


def family(case: Case) -> str:
    """Return the family of a case's set: what was made by the same people, or made from it."""
    return re.split(r"[\s-]", case.name)[0]


def points_of(held: Sequence[Judged]) -> tuple[dict[str, float], float]:
    """Return the log-odds from which an answer is given, and by how much more a question needs that meets no word.

    Unasked they are what few strangers to conversations and facts reach (what is told of tools unasked has points of its
    own), asked what nearly all reach who have an answer, whichever set they are of.
    """
    pairs = [(one.case, one.answerable) for one in held if not one.case.name.endswith(UNPOINTED)]
    known = [pair for pair in pairs if not pair[0].foreign]
    spoken: dict[str, list[float]] = defaultdict(list)
    for case, one in known:
        if not case.shape["wordless"]:
            spoken[case.name].append(one)
    wordless = [one for case, one in known if case.shape["wordless"]]
    asked = min(_quantile(held, SILENCED_SHARE) for held in spoken.values())
    more = max(0.0, _quantile(wordless, SILENCED_WORDLESS_SHARE) - asked) if wordless else 0.0
    strange = [one - more * case.shape["wordless"] for case, one in pairs if case.foreign and "tool" not in case.name]
    injection = _quantile(strange, 1.0 - STRAY_SHARE) if strange else asked
    return {"asked": min(injection, asked), "injection": injection}, more


def sure_of(held: Sequence[Judged]) -> float:
    """Return the share of log-odds above even that held-out hits bear out, each family of sets counting alike."""
    hits: dict[str, list[tuple[float, float, bool]]] = defaultdict(list)
    for one in held:
        if not one.case.name.endswith(UNPOINTED):
            pairs = zip(one.odds, one.right, strict=True)
            hits[family(one.case)] += [(odds, one.few, right) for odds, right in pairs if odds > 0.0]
    found = [np.array(lines, float).T for lines in hits.values() if lines]
    if not found:
        return 1.0

    def loss(share: float) -> float:
        signed = [(share * odds + few) * (2.0 * right - 1.0) for odds, few, right in found]
        return float(sum(np.log1p(np.exp(-one)).mean() for one in signed))

    return min((round(0.05 * step, 2) for step in range(1, 21)), key=loss)


def _quantile(held: list[float], share: float) -> float:
    return sorted(held)[min(len(held) - 1, int(share * len(held)))]
