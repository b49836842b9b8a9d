"""Question sets -> cases: each question's candidates as lines of numbers, as the product measures them, and which answer.

With the sets come others made from them, so that the fit sees what the sets have little of, and questions that a store
holds nothing about. Prints nothing when run.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filed import Filed, days_of, weighed
from stores import Question, Store

import mneme
from mneme.index.rank import FEATURES, GATED, SHAPES, View, Weights
from mneme.index.stem import stem
from mneme.index.words import QUIET_WORDS, parse_terms
from mneme.recall.answer import POINTS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from vectors import Kept

SEED = 11
# Candidates of a question that the fit sees beside the answers: the likeliest, and a few of the rest.
LIKELIEST, OTHERS = 50, 20
MOST_QUESTIONS = {"sealtools-in-domain": 300, "sealtools-out-of-domain": 300, "toollens": 600}
TURNS = 6
CLOSEST, CLOSE_ENOUGH = 15, 0.55
RARE = 3
MEASURED = Path(tempfile.gettempdir()) / "mneme-bench-measured"
PARTS, MEASURING = ("formats", "memory", "index", "recall"), ("cases.py", "filed.py", "stores.py")
# What is measured must not depend on what was fitted before: whatever asks for the ranking meanwhile gets this one.
PLAIN = Weights({"words": 4.0, "sense": 4.0}, {}, {"base": -4.0}, {}, dict.fromkeys(POINTS, -4.0))
FOREIGN_PER_STORE = 120
FOREIGN, REWORDED, LONG_TURNS, KEYWORDS, ONE_DAY = "foreign", " reworded", " long turns", " keywords", " one day"
ANSWERED = " answered"
ANSWERED_STEP, NEAR_TURNS, TOLD_AGAIN, HALF = 3, 24, 10, 0.5
MOST_KEYWORDS = 3
LEAST_OF_DAY, DAY_STEP, STRANGE_OF_DAY = 8, 2, 6


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
    sensed: bool
    foreign: bool = False
    asked_in: str = ""

    @property
    def answers(self) -> np.ndarray:
        """Say of each candidate whether it answers."""
        return np.zeros(len(self.places), bool) if self.foreign else np.isin(self.places, self.question.gold)

    @property
    def whole(self) -> np.ndarray:
        """Return lines with their products with the gates, as `rank.names` names them."""
        lines = self.lines.astype(np.float64)
        gated = [lines[:, [FEATURES.index(name)]] * self.gates for name in GATED]
        return np.concatenate([lines, *gated], axis=1)


def long_turns(store: Store) -> Store:
    """Return a conversation in pieces of several turns: long documents, few neighbours."""
    days = days_of(store)
    pieces: list[list[str]] = []
    piece_of: list[int] = []
    firsts: list[int] = []
    for place, text in enumerate(store.texts):
        if not pieces or len(pieces[-1]) == TURNS or days[place] != days[place - 1]:
            pieces.append([])
            firsts.append(place)
        pieces[-1].append(text)
        piece_of.append(len(pieces) - 1)
    questions = [replace(one, gold=tuple(sorted({piece_of[place] for place in one.gold}))) for one in store.questions]
    texts, whens = tuple("\n".join(piece) for piece in pieces), tuple(store.whens[place] for place in firsts)
    return Store(store.name + LONG_TURNS, store.fold, texts, whens, tuple(questions[::2]))


def keywords(store: Store, step: int) -> Store:
    """Return a store with every so manieth question cut down to a few words that its answer holds: what agents type."""
    spread = Counter(term for text in store.texts for term in set(parse_terms(text)))
    found = []
    for number, one in enumerate(store.questions[::step]):
        held = {term for place in one.gold for term in parse_terms(store.texts[place])}
        said = keywords_of(one.text, spread, 1 + number % MOST_KEYWORDS, held)
        found += [replace(one, text=said)] if said else []
    return replace(store, name=store.name + KEYWORDS, questions=tuple(found))


def keywords_of(text: str, spread: Mapping[str, int], most: int, held: Collection[str] | None = None) -> str:
    """Return the few words of a question that a store has least of, in their order; only such as are held."""
    loud = [word for word in re.findall(r"\w+", text) if word.lower() not in QUIET_WORDS]
    known = [word for word in loud if held is None or stem(word.lower()) in held]
    rarest = sorted(dict.fromkeys(known), key=lambda word: spread.get(stem(word.lower()), 0))[:most]
    return " ".join(word for word in loud if word in rarest)


def one_day(store: Store) -> list[Store]:
    """Return some days of a conversation, each a store of its own: small ones, and strangers on their own ground.

    A question that other days answer has no answer here, though its people and its matters are the same.
    """
    days = days_of(store)
    found = []
    for day in sorted(set(days))[::DAY_STEP]:
        here = [place for place, one in enumerate(days) if one == day]
        places = {place: number for number, place in enumerate(here)}
        if len(here) < LEAST_OF_DAY:
            continue
        known = [
            replace(one, gold=tuple(places[place] for place in one.gold))
            for one in store.questions
            if all(place in places for place in one.gold)
        ]
        strange = [
            replace(one, gold=(), category=FOREIGN)
            for one in store.questions
            if not any(place in places for place in one.gold)
        ]
        texts, whens = (tuple(held[place] for place in here) for held in (store.texts, store.whens))
        rng = random.Random(day)  # noqa: S311 - repeatable
        asked = (*known, *rng.sample(strange, min(STRANGE_OF_DAY, len(strange))))
        found.append(Store(store.name + ONE_DAY, store.fold, texts, whens, asked))
    return found


def answered(store: Store, found: list[Store], kept: Kept) -> Store:
    """Return a conversation in which an assistant answers every turn at length: what agents' chats look like.

    An answer takes up half the turn's words, and goes on in what other conversations say that is near to it, so that
    most words of most questions are in many long answers. What a question asks for is still the turn.
    """
    rest = [text.partition(": ")[2] or text for one in found if one.print != store.print for text in one.texts]
    matrix, turns = (kept.embed_documents(texts).matrix() for texts in (rest, list(store.texts)))
    texts, whens = [], []
    for place, text in enumerate(store.texts):
        rng = random.Random(place)  # noqa: S311 - repeatable
        near = np.argsort(-(matrix @ turns[place]), kind="stable")[:NEAR_TURNS]
        words = [word for word in text.partition(": ")[2].split() if rng.random() < HALF]
        said = [rest[one] for one in rng.sample(near.tolist(), min(TOLD_AGAIN, len(near)))]
        texts += [text, f"Assistant: I see: {' '.join(words)}. {' '.join(said)}"]
        whens += [store.whens[place]] * 2
    asked = [replace(one, gold=tuple(2 * place for place in one.gold)) for one in store.questions[1::ANSWERED_STEP]]
    return Store(store.name + ANSWERED, store.fold, tuple(texts), tuple(whens), tuple(asked))


class Rewording:
    """Questions whose words give way to near ones, so that meaning stays and words do not: what people do."""

    def __init__(self, found: list[Store], kept: Kept) -> None:
        counts = Counter(
            word for store in found for text in store.texts for word in set(re.findall(r"\b[a-z]{3,14}\b", text))
        )
        self._words = sorted(word for word, count in counts.items() if count > RARE and word not in QUIET_WORDS)
        self._places = {word: place for place, word in enumerate(self._words)}
        self._matrix = kept.embed_documents(self._words).matrix()
        self._known: dict[str, str] = {}

    def store(self, store: Store, step: int) -> Store:
        """Return a store with every so manieth question reworded, and no others."""
        questions = tuple(replace(one, text=self.question(one.text)) for one in store.questions[::step])
        return replace(store, name=store.name + REWORDED, questions=questions)

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


def derived(found: list[Store], kept: Kept) -> list[Store]:
    """Return the sets made from the others: long documents, and questions in other words."""
    english = [store for store in found if store.name != "memsim" and not store.name.startswith("paraphrase")]
    rewording = Rewording(english, kept)
    steps = {"locomo": 2, "toollens": 6}
    talks = [store for store in found if store.name == "locomo"]
    extra = [*map(long_turns, talks), *(day for store in talks for day in one_day(store))]
    extra += [keywords(store, steps["locomo"]) for store in talks]
    extra += [answered(store, talks, kept) for store in talks] if len(talks) > 1 else []
    return [*extra, *(rewording.store(store, steps.get(store.name, 5)) for store in english)]


def small_talk() -> list[str]:
    """Return prompts that no memory answers."""
    return json.loads(Path(__file__).with_name("small_talk.json").read_text("utf-8"))


def foreign_questions(store: Store, found: list[Store], most: int) -> list[tuple[str, str]]:
    """Return questions about what a store holds nothing of, half of them small talk, half another conversation's.

    With each comes the conversation that it was asked in.
    """
    rng = random.Random(SEED)  # noqa: S311 - repeatable
    # People of one name live in several conversations: a question that names one is not foreign to the other.
    told = {match[0] for text in store.texts for match in re.finditer(r"^[A-Z]\w+(?=:)", text)}
    others = [
        (one.text, other.fold)
        for other in found
        if other.is_talk and other.name != "memsim" and other.print != store.print
        for one in other.questions
        if not any(name in one.text for name in told)
    ]
    talk = [(text, "") for text in small_talk()]
    return rng.sample(others, min(most // 2, len(others))) + rng.sample(talk, min(most // 2, len(talk)))


def collect(found: list[Store], everything: list[Store], kept: Kept | None) -> list[Case]:
    """Ask every question and keep what was measured; what an earlier run measured of a store by the same code is read."""
    cases: list[Case] = []
    filed: Filed | None = None
    for store in found:
        asked = questions_of(store, everything)
        memo = Memo(store, asked, kept)
        held = memo.find()
        if held is None:
            if filed is None or filed.store.print != store.print:
                if filed:
                    filed.close()
                filed = Filed(store, words=kept is None)
            with weighed({"both": PLAIN, "words": PLAIN}):
                held = [
                    replace(case_of(store, one, *filed.view(one.text, kept)), foreign=not one.gold, asked_in=asked_in)
                    for one, asked_in in asked
                ]
            memo.keep(held)
        cases += held
    if filed:
        filed.close()
    return cases


def questions_of(store: Store, everything: list[Store]) -> list[tuple[Question, str]]:
    """Return what a store is asked: its questions, or a draw of very many, and such as are foreign to it.

    With each comes the conversation that it was asked in, where it is another's.
    """
    asked = list(store.questions)
    if len(asked) > MOST_QUESTIONS.get(store.name, len(asked)):
        asked = random.Random(SEED).sample(asked, MOST_QUESTIONS[store.name])  # noqa: S311 - repeatable
    found = [(one, "") for one in asked]
    if store.name != "memsim" and not store.name.endswith((REWORDED, LONG_TURNS, ONE_DAY, ANSWERED)):
        for text, asked_in in foreign_questions(store, everything, FOREIGN_PER_STORE):
            said = keywords_of(text, {}, MOST_KEYWORDS) if store.name.endswith(KEYWORDS) else text
            found.append((Question(said, (), FOREIGN), asked_in))
    return found


class Memo:
    """What was measured of one store's questions, kept in a file for as long as no code that measures changes.

    So a fit that was stopped goes on where it was, and one that only fits anew measures nothing.
    """

    def __init__(self, store: Store, asked: list[tuple[Question, str]], kept: Kept | None) -> None:
        named = (store.name, store.fold, store.print, asked, kept.name if kept else "")
        digest = hashlib.sha256(repr(named).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._path = MEASURED / code_print() / digest

    def find(self) -> list[Case] | None:
        """Return what is kept, if anything is."""
        return pickle.loads(self._path.read_bytes()) if self._path.exists() else None  # noqa: S301 - our own file

    def keep(self, cases: list[Case]) -> None:
        """Keep it; what other code measured is of no more use."""
        for old in MEASURED.glob("*") if MEASURED.exists() else ():
            if old.name != code_print():
                shutil.rmtree(old, ignore_errors=True)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        half_written = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        half_written.write_bytes(pickle.dumps(cases, protocol=pickle.HIGHEST_PROTOCOL))
        half_written.replace(self._path)


@cache
def code_print() -> str:
    """Return what tells the code that measures from any other; the fitted numbers are no part of it."""
    product, here = Path(mneme.__file__).parent, Path(__file__).parent
    digest = hashlib.sha256()
    for path in (
        *(one for part in PARTS for one in sorted((product / part).rglob("*.py"))),
        *map(here.joinpath, MEASURING),
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def case_of(store: Store, question: Question, view: View, places: list[int]) -> Case:
    """Return what was measured of one question."""
    here = np.array(places, int)
    lines = np.array(view.lines, np.float32).reshape(len(here), len(FEATURES))
    likely = np.argsort(-(lines[:, FEATURES.index("words")] + lines[:, FEATURES.index("sense")]), kind="stable")
    draw = np.random.default_rng(len(here))
    others = draw.choice(len(here), min(OTHERS, len(here)), replace=False) if len(here) else likely
    sample = np.unique(np.concatenate([likely[:LIKELIEST], others, np.flatnonzero(np.isin(here, question.gold))]))
    gates = np.array([view.shape.get(name, 0.0) for name in SHAPES])
    shape = dict(view.shape)
    return Case(store.name, store.fold, question, here, lines, gates, shape, sample, view.sensed)
