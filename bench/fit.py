"""Fit the numbers of the ranking to question sets, and write them where the product reads them: `make fit`.

    bench/fit.py --data DIR [--check] [--features] [--json]

A softmax over each question's candidates gives the order, under a penalty on every number; a logistic regression over
the best candidates, with questions about something else among them, then turns the order into chances. Before it
writes, it says what held-out questions get: folds are whole conversations, and tools and facts that no other fold asks for.
`--check` writes nothing, `--features` says what each feature is worth. Sets pull by `PULL`, never by their size.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import stores
from stores import Embeddings, Index, Question, Store, Yardsticks, mean, measures
from table import load_every

from mneme.index.rank import FEATURES, GATED, SHAPES, WEIGHTS_FILE, View, names
from mneme.index.stem import stem
from mneme.index.words import QUIET_WORDS

FOLDS = 5
PENALTY = 3e-3
SEED = 11
# Candidates of a question that the fit sees beside the answers: the likeliest, and a few of the rest.
LIKELIEST, OTHERS = 50, 20
PULL = {
    "locomo": 3.0,
    "memsim": 0.8,
    "paraphrase en->en": 0.5,
    "paraphrase zh->zh": 0.5,
    "paraphrase en->zh": 0.4,
    "paraphrase zh->en": 0.4,
    "sealtools in-domain": 1.0,
    "sealtools out-of-domain": 1.0,
    "toollens": 1.0,
    "locomo reworded": 0.5,
    "locomo long turns": 0.7,
    "toollens reworded": 0.3,
    "sealtools reworded": 0.3,
}
MOST_QUESTIONS = {"sealtools in-domain": 300, "sealtools out-of-domain": 300, "toollens": 600}
TURNS = 6
CLOSEST, CLOSE_ENOUGH = 15, 0.55
RARE = 3
SETTLED, SHORTEST_PACE, FLAT = 1e-9, 1e-8, 1e-12
# The shapes that say whether anything answers at all.
ODDS = ("nearest", "heard", "agreement", "dispersion", "spread", "size")
CALIBRATED = 10
FOREIGN_PER_STORE = 60


@dataclass
class Case:
    """One question: a line of numbers for each candidate, which of them answer, and where it came from."""

    name: str
    fold: str
    question: Question
    places: np.ndarray
    lines: np.ndarray
    gates: np.ndarray
    shape: dict[str, float]
    sample: np.ndarray
    foreign: bool = False

    @property
    def answers(self) -> np.ndarray:
        """Say of each candidate whether it answers."""
        return np.isin(self.places, self.question.gold) if not self.foreign else np.zeros(len(self.places), bool)

    @property
    def whole(self) -> np.ndarray:
        """Return lines with their products with the gates, as `rank.names` names them."""
        gated = [self.lines[:, [FEATURES.index(name)]] * self.gates for name in GATED]
        return np.concatenate([self.lines, *gated], axis=1)


def load_all(data: Path) -> list[Store]:
    """Read every set that has questions."""
    return [
        replace(store, name=store.name.replace("-", " ", 1) if "tools" in store.name else store.name)
        for store in load_every(data)
    ]


def long_turns(store: Store) -> Store:
    """Return a conversation in pieces of several turns: long documents without neighbours."""
    sessions = stores.sessions_of(store)
    pieces: list[list[str]] = []
    piece_of: list[int] = []
    for place, text in enumerate(store.texts):
        if not pieces or len(pieces[-1]) == TURNS or sessions[place] != sessions[place - 1]:
            pieces.append([])
        pieces[-1].append(text)
        piece_of.append(len(pieces) - 1)
    questions = [replace(one, gold=tuple(sorted({piece_of[place] for place in one.gold}))) for one in store.questions]
    texts = tuple("\n".join(piece) for piece in pieces)
    return Store("locomo long turns", store.fold, texts, ("",) * len(texts), tuple(questions[::2]))


class Rewording:
    """Questions whose words give way to near ones, so that meaning stays and words do not: what people do."""

    def __init__(self, found: list[Store], embeddings: Embeddings) -> None:
        counts = Counter(
            word for store in found for text in store.texts for word in set(re.findall(r"\b[a-z]{3,14}\b", text))
        )
        self._words = sorted(word for word, count in counts.items() if count > RARE and word not in QUIET_WORDS)
        self._places = {word: place for place, word in enumerate(self._words)}
        self._matrix = np.array([np.frombuffer(row, "<f4") for row in embeddings.vectors(self._words)])
        self._known: dict[str, str] = {}

    def store(self, store: Store, name: str, step: int) -> Store:
        """Return a store with every so manieth question reworded, and no others."""
        questions = tuple(replace(one, text=self.question(one.text)) for one in store.questions[::step])
        return replace(store, name=name, questions=questions)

    def question(self, text: str) -> str:
        """Return a question in other words."""
        return re.sub(r"\b[a-z]{3,14}\b", lambda found: self._known.setdefault(found[0], self._other(found[0])), text)

    def _other(self, word: str) -> str:
        if word not in self._places or word in QUIET_WORDS:
            return word
        cosines = self._matrix @ self._matrix[self._places[word]]
        for place in np.argsort(-cosines, kind="stable")[:CLOSEST]:
            other = self._words[place]
            if stem(other) != stem(word) and other[:4] != word[:4] and word not in other and other not in word:
                return other if cosines[place] > CLOSE_ENOUGH else word
        return word


def derived(found: list[Store], embeddings: Embeddings) -> list[Store]:
    """Return the sets made from the others: long documents, and questions in other words."""
    english = [store for store in found if store.name != "memsim" and not store.name.startswith("paraphrase")]
    rewording = Rewording(english, embeddings)
    steps = {"locomo": 2, "toollens": 6}
    extra = [long_turns(store) for store in found if store.name == "locomo"]
    reworded = (
        rewording.store(store, f"{store.name.split()[0]} reworded", steps.get(store.name, 5)) for store in english
    )
    return [*extra, *reworded]


def small_talk() -> list[str]:
    """Return prompts that no memory answers."""
    return json.loads(Path(__file__).with_name("small_talk.json").read_text("utf-8"))


def foreign_questions(store: Store, found: list[Store], rng: random.Random) -> list[str]:
    """Return questions about something that a store holds nothing of: other conversations', and small talk."""
    if store.name == "memsim" or store.name.endswith(("reworded", "turns")):
        return []
    others = [
        one.text for other in found if other.name == "locomo" and other.fold != store.fold for one in other.questions
    ]
    # People of one name live in several conversations: a question that names one is not foreign to the other.
    told = {match[0] for text in store.texts for match in re.finditer(r"^[A-Z]\w+(?=:)", text)}
    others = [text for text in others if not any(name in text for name in told)]
    half = FOREIGN_PER_STORE // 2
    return rng.sample(others, half) + rng.sample(small_talk(), half)


def collect(found: list[Store], everything: list[Store], embeddings: Embeddings | None) -> list[Case]:
    """Ask every question and keep what was measured."""
    rng = random.Random(SEED)  # noqa: S311 - repeatable
    cases: list[Case] = []
    for store in found:
        index = Index(store, embeddings)
        asked = list(store.questions)
        if len(asked) > MOST_QUESTIONS.get(store.name, len(asked)):
            asked = rng.sample(asked, MOST_QUESTIONS[store.name])
        cases.extend(_case(store, one, index.view(one.text), index.places) for one in asked)
        foreign = foreign_questions(store, everything, rng)
        cases.extend(
            _case(store, Question(text, (), "foreign"), index.view(text), index.places, foreign=True)
            for text in foreign
        )
        index.close()
    return cases


def _case(store: Store, question: Question, view: View, places: dict[int, int], *, foreign: bool = False) -> Case:
    here = np.array([places[one.outline.row] for one in view.candidates], int)
    lines = np.array(view.lines, np.float64).reshape(len(here), len(FEATURES))
    likely = np.argsort(-(lines[:, 0] + lines[:, FEATURES.index("sense")]), kind="stable")
    draw = np.random.default_rng(len(here))
    others = draw.choice(len(here), min(OTHERS, len(here)), replace=False) if len(here) else likely
    sample = np.unique(np.concatenate([likely[:LIKELIEST], others, np.flatnonzero(np.isin(here, question.gold))]))
    return Case(store.name, store.fold, question, here, lines, np.array(view.gates), dict(view.shape), sample, foreign)


def fit_order(cases: list[Case], columns: np.ndarray | None = None) -> np.ndarray:
    """Return the weights under which answers come before the rest: softmax of each answer against all that is none."""
    used = [case for case in cases if not case.foreign and 0 < case.answers[case.sample].sum() < len(case.sample)]
    lines = np.concatenate([case.whole[case.sample] for case in used])
    scale = lines.std(axis=0) + 1e-6
    lines = lines / scale
    if columns is not None:
        lines[:, ~columns] = 0.0
    answers = np.concatenate([case.answers[case.sample] for case in used])
    sizes = [len(case.sample) for case in used]
    owner, starts = np.repeat(np.arange(len(used)), sizes), np.cumsum([0, *sizes[:-1]])
    sizes_of_sets = Counter(case.name for case in used)
    pull = np.array([PULL[case.name] / sizes_of_sets[case.name] for case in used])
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
    found = np.zeros(matrix.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ found, -30, 30)))
        slope = matrix.T @ (pull * (truth - chance)) - 1e-2 * found
        bend = (matrix * (pull * chance * (1 - chance))[:, None]).T @ matrix + 1e-2 * np.eye(len(found))
        step = np.linalg.solve(bend, slope)
        found += step
        if np.abs(step).max() < SETTLED:
            break
    return float(found[0]), dict(zip(("base", *ODDS), map(float, found[1:]), strict=True))


def fold_of(case: Case, memo: dict[tuple[str, str], int], rng: random.Random) -> int:
    """Return the fold of a question: conversations whole, facts and tools that answer together."""
    family = "chat" if case.name.startswith("locomo") else case.name.split()[0]
    first = str(min(case.question.gold, default=0) // (2 if family == "paraphrase" else 1))
    key = (family, case.fold if family in {"chat", "memsim"} else first)
    return memo.setdefault(
        key, len([one for one in memo if one[0] == "chat"]) % FOLDS if family == "chat" else rng.randrange(FOLDS)
    )


def validate(cases: list[Case], columns: np.ndarray | None = None) -> dict[str, dict[str, float]]:
    """Return each set's figures where every question is answered with weights that were fitted without its fold."""
    rng, memo = random.Random(SEED), {}  # noqa: S311 - repeatable
    folds = [fold_of(case, memo, rng) for case in cases]
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for fold in range(FOLDS):
        weights = fit_order([case for case, own in zip(cases, folds, strict=True) if own != fold], columns)
        for case, own in zip(cases, folds, strict=True):
            if own == fold and not case.foreign:
                rows[case.name].append(answered(case, weights))
    return {name: mean(found) for name, found in rows.items()}


def answered(case: Case, weights: np.ndarray) -> dict[str, float]:
    """Return the figures of one question under some weights."""
    order = case.places[np.argsort(-(case.whole @ weights), kind="stable")]
    return measures(order.tolist(), case.question.gold)


def fitted(cases: list[Case]) -> dict[str, object]:
    """Return the numbers of one mode, as the product reads them."""
    order = fit_order(cases)
    steep, odds = fit_odds(cases, order)
    flat = dict(zip(names(), (round(float(value) * steep, 4) for value in order), strict=True))
    gates = {name: {shape: flat[f"{name}*{shape}"] for shape in SHAPES} for name in GATED}
    return {
        "features": {name: flat[name] for name in FEATURES},
        "gates": gates,
        "odds": {name: round(value, 4) for name, value in odds.items()},
    }


def without_each(cases: list[Case]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures without each feature and its gates, then without each shape."""
    labels = names()
    left_out = {name: np.array([name not in label.split("*") for label in labels]) for name in (*FEATURES, *SHAPES)}
    return {name: validate(cases, columns) for name, columns in left_out.items()}


def main() -> int:
    """Collect, validate, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--features", action="store_true", help="say what each feature is worth")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    embeddings = Embeddings()
    plain = load_all(chosen.data)
    everything = [*plain, *derived(plain, embeddings)]
    cases = {"both": collect(everything, plain, embeddings), "words": collect(everything, plain, None)}
    report: dict[str, object] = {mode: validate(found) for mode, found in cases.items()}
    report["yardsticks"] = yardsticks(everything, cases["both"], embeddings)
    if chosen.features:
        report["without"] = without_each(cases["both"])
    if not chosen.check:
        written = {mode: fitted(found) for mode, found in cases.items()}
        WEIGHTS_FILE.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(json.dumps(report) if chosen.json else as_text(report))
    return 0


def yardsticks(found: list[Store], cases: list[Case], embeddings: Embeddings) -> dict[str, dict[str, dict[str, float]]]:
    """Return what BM25, cosine and their fusion give on the very same questions."""
    asked = defaultdict(list)
    for case in cases:
        if not case.foreign:
            asked[case.name, case.fold].append(case.question)
    rows: dict[str, dict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for store in found:
        rulers = Yardsticks(store, embeddings)
        for question in asked[store.name, store.fold]:
            for name, order in rulers.orders(question.text).items():
                rows[name][store.name].append(measures(order, question.gold))
    return {name: {one: mean(held) for one, held in by_set.items()} for name, by_set in rows.items()}


def as_text(report: dict[str, object]) -> str:
    """Return the report as a table of held-out figures."""
    lines = [f"{'held-out figures':32} recall@10  hit@10     mrr  ndcg@10  recall@5"]
    for mode in ("both", "words"):
        for name, row in report[mode].items():
            lines.append(_line(f"{name}, {mode}", row))
    for ruler, by_set in report["yardsticks"].items():
        lines.extend(_line(f"{name}, {ruler}", row) for name, row in by_set.items())
    for left, by_set in report.get("without", {}).items():
        lines.append(f"without {left}: " + ", ".join(f"{name} {row['recall@10']:.3f}" for name, row in by_set.items()))
    return "\n".join(lines)


def _line(label: str, row: dict[str, float]) -> str:
    figures = (row[name] for name in ("recall@10", "hit@10", "mrr", "ndcg@10", "recall@5"))
    return f"{label:32} " + "  ".join(f"{figure:7.3f}" for figure in figures)


if __name__ == "__main__":
    sys.exit(main())
