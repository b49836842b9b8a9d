"""Which capabilities a prompt is told: sets of tools as cards in a home's index, asked as a prompt asks them.

    bench/capabilities.py --data DIR [--json] [--queries 300] [--fit]

A description becomes a card: its name, what it says, its parameters, the category that a scan would guess. Measured are
the order (nDCG@10) by default, with so many categories kept, and flat; what a look-up costs; the published sentence
before a prompt, on and off; and how often small talk is told a card, and what wants no tool (`no_tool.json`: the half of
what was written and labelled for it that the product does not ship as remarks). Yardsticks are of the same run: BM25, cosine and
their reciprocal-rank fusion over the plain descriptions. Prompts are a fixed sample of each set, in the set's order.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

import numpy as np
from rulers import Rulers
from stores import Store, load_stores, measures
from vectors import Kept

from mneme.formats.card import Card
from mneme.formats.category import CATEGORIES
from mneme.formats.guess import guess_category
from mneme.index.build import embed_stretches
from mneme.index.embed.instructions import CAPABILITY
from mneme.index.search import Meaning
from mneme.index.sqlite import SqliteBackend
from mneme.index.stretch import parse_stretches
from mneme.index.words import parse_parts
from mneme.memory.skills import CARDS
from mneme.memory.skills.pieces import (
    CATEGORIES_PATH,
    REMARKS_PATH,
    card_pieces,
    category_pieces,
    load_remarks,
    remark_pieces,
)
from mneme.recall.calibration import CALIBRATION_FILE, THRESHOLD, scale_of
from mneme.recall.capability import Limits, Prompt, find_capabilities, says_something, trigger_shares

SETS = ("sealtools-out-of-domain", "toollens")
# How the first stage is used: as by default, where it orders, or as a filter that keeps so many categories, or all.
STAGES = {"default": 0, "kept 3": 3, "kept 7": 7, "kept 10": 10, "kept 15": 15, "flat": 2_000}
KEPT_SHARE = RIGHT_SHARE = 0.90
_NAMED = re.compile(
    r"category_name:(?P<group>.*?), tool_name:(?P<tool>.*?), api_name:(?P<name>.*?), api_description:(?P<said>.*?),"
    r" required_params: (?P<needs>.*?), optional_params: (?P<takes>.*?), return_schema: ",
    re.DOTALL,
)


def card_of(text: str, place: int) -> Card:
    """Return a description as a card; its category is still to be guessed."""
    found = _NAMED.match(text)
    if found:
        needs, takes = (tuple(_parameters(found[name])) for name in ("needs", "takes"))
        name, said = f"{found['tool']} {found['name']}", f"{found['group']}. {found['said']}"
    else:
        name, _, rest = text.partition(": ")
        said, _, given = rest.partition(" params: ")
        needs, takes = tuple(given.split(", ")) if given else (), ()
    spoken = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return Card(f"tool_{place}", spoken, "", spoken, (spoken,), said, needs, takes, "", source="manual")


def _parameters(listed: str) -> list[str]:
    """Return the names and descriptions in a list of parameters."""
    try:
        return [f"{one.get('name', '')} {one.get('description', '')}".strip() for one in json.loads(listed)]
    except ValueError:
        return re.findall(r'"(?:name|description)": "([^"]+)"', listed)


class Registry:
    """A set's descriptions as cards in an index of their own, as a home keeps them."""

    def __init__(self, store: Store, embeddings: Kept) -> None:
        self.embeddings = embeddings
        self._folder = tempfile.TemporaryDirectory()
        self.backend = SqliteBackend(Path(self._folder.name) / "semantic.sqlite")
        cards = [card_of(text, place) for place, text in enumerate(store.texts)]
        self.cards = self._with_categories(cards)
        pieces = {
            CARDS: card_pieces(self.cards),
            CATEGORIES_PATH: category_pieces(CATEGORIES),
            REMARKS_PATH: remark_pieces(load_remarks()),
        }
        self.backend.put_many([(path, "1", some) for path, some in pieces.items()])
        self.backend.set_meta("cards", str(len(self.cards)))
        for kind in ("workflow", "reflection", "correction"):
            self.backend.set_meta(kind, "0")
        missing = self.backend.unembedded(embeddings.name, 1_000_000)
        vectors = embed_stretches(embeddings, {row: parse_stretches(text) for row, text in missing})
        self.backend.put_vectors(embeddings.name, vectors)

    def _with_categories(self, cards: list[Card]) -> list[Card]:
        said = matrix_of(self.embeddings, [f"{card.name}\n{card.action_verb} {card.description}" for card in cards])
        cosines = said @ matrix_of(self.embeddings, [one.english for one in CATEGORIES]).T
        near = [dict(zip([one.name for one in CATEGORIES], map(float, row), strict=True)) for row in cosines]
        return [
            replace(card, category=guess_category(card.name, card.description, CATEGORIES, one))
            for card, one in zip(cards, near, strict=True)
        ]

    def prompt(self, text: str, before: str = "") -> Prompt:
        """Return a prompt with its vectors, each text of it after another if that is wanted."""
        whole, *parts = self.embeddings.embed_documents([before + one for one in [text, *parse_parts(text)]])
        shares = trigger_shares(text, self.cards)
        homes = {card.id: card.category for card in self.cards if card.id in shares}
        return Prompt(text, Meaning(self.embeddings.name, whole, tuple(parts)), "", shares, homes)

    def ask(self, prompt: Prompt, categories: int) -> list[tuple[int, float]]:
        """Return places and scores, best first."""
        limits = Limits(categories=categories, cards=10, least=0.0)
        found = find_capabilities(self.backend, prompt, scale_of(self.embeddings.name), limits)
        return [(int(one.id.removeprefix("tool_")), one.score or 0.0) for one in found.cards]

    def close(self) -> None:
        """Let go of the folder."""
        self.backend.close()
        self._folder.cleanup()


def measure(store: Store, embeddings: Kept, queries: int) -> dict[str, object]:
    """Return the figures of one set."""
    step = max(1, len(store.questions) // queries)
    asked = store.questions[::step][:queries]
    registry, rulers = Registry(store, embeddings), Rulers(store, embeddings)
    orders: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    tops: list[float] = []
    firsts: list[tuple[float, bool]] = []
    for question in asked:
        prompt = registry.prompt(question.text)
        for name, kept in STAGES.items():
            started = time.process_time()
            answer = registry.ask(prompt, kept)
            costs.setdefault(name, []).append((time.process_time() - started) * 1000)
            orders.setdefault(name, []).append(_ndcg([place for place, _ in answer], question.gold))
            if kept == Limits().categories:
                right = [score for place, score in answer[:5] if place in question.gold]
                tops.append(max(right, default=0.0))
                firsts.extend((score, place in question.gold) for place, score in answer[:1])
        instructed = registry.prompt(question.text, CAPABILITY)
        orders.setdefault("with the sentence", []).append(
            _ndcg([place for place, _ in registry.ask(instructed, Limits().categories)], question.gold)
        )
        for name, order in rulers.orders(question.text).items():
            orders.setdefault(name, []).append(_ndcg(order, question.gold))
    told = injections(registry, tops)
    registry.close()
    return {
        "set": store.name, "cards": len(store.texts), "prompts": len(asked),
        "ndcg@10": {name: round(fmean(values), 4) for name, values in orders.items()},
        "cpu ms": {name: round(median(values), 1) for name, values in costs.items()},
        "injection": told | {"first cards right at 0.65": precision(firsts, THRESHOLD)}, "firsts": firsts,
    }  # fmt: skip


def injections(registry: Registry, tops: list[float]) -> dict[str, object]:
    """Return how often a right card is told, and how often what wants none is told one: at 0.65 and where 90% are told."""
    here = Path(__file__)
    sets = {"small talk": json.loads(here.with_name("small_talk.json").read_text("utf-8"))}
    kinds = json.loads(here.with_name("no_tool.json").read_text("utf-8"))
    sets["wants no tool"] = [text for texts in kinds.values() for text in texts]
    found = sorted((score for score in tops if score > 0.0), reverse=True)
    at = found[min(len(found) - 1, int(KEPT_SHARE * len(found)))]
    report: dict[str, object] = {
        "right card told at 0.65": round(sum(score >= THRESHOLD for score in tops) / len(tops), 4),
        "score where 90% of right cards are told": round(at, 4),
    }
    for name, texts in sets.items():
        strays = [_best(registry, text) for text in texts]
        report[f"{name} ({len(texts)}) told at 0.65"] = round(sum(one >= THRESHOLD for one in strays) / len(texts), 4)
        report[f"{name} told there"] = round(sum(one >= at for one in strays) / len(texts), 4)
    return report


def _best(registry: Registry, text: str) -> float:
    """Return the score of the first card that a prompt would be told, 0 where there is none."""
    answer = registry.ask(registry.prompt(text), Limits().categories) if says_something(text) else []
    return answer[0][1] if answer else 0.0


def matrix_of(embeddings: Kept, texts: list[str]) -> np.ndarray:
    """Return the vectors of texts as a matrix."""
    return np.array([np.frombuffer(row, "<f4") for row in embeddings.embed_documents(texts)])


def precision(firsts: list[tuple[float, bool]], at: float) -> float:
    """Return the share of first cards from a score on that are right."""
    told = [right for score, right in firsts if score >= at]
    return round(sum(told) / len(told), 4) if told else 1.0


def calibrated(firsts: list[tuple[float, bool]], embedder: str) -> float:
    """Return the log-odds at which nine of ten first cards are right, from there on: where 0.65 should stand."""
    at = min((score for score, _ in firsts if precision(firsts, score) >= RIGHT_SHARE), default=THRESHOLD)
    return round(scale_of(embedder).odds + math.log(at / (1 - at)) - math.log(THRESHOLD / (1 - THRESHOLD)), 2)


def _ndcg(order: list[int], gold: tuple[int, ...]) -> float:
    return measures(order, gold)["ndcg@10"]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fit", action="store_true", help="write where 0.65 stands for the default embedder")
    parser.add_argument("--queries", type=int, default=300)
    args = parser.parse_args()
    if not (args.data / "tools").is_dir():
        print(f"'{args.data / 'tools'}' is not there: give the folder of question sets with --data")
        return 0
    embeddings = Kept()
    stores = [store for name in SETS for store in load_stores(args.data / "tools" / f"{name}.json", name)]
    reports = [measure(store, embeddings, args.queries) for store in stores]
    odds = calibrated([first for report in reports for first in report.pop("firsts")], embeddings.name)
    if args.fit:
        read = json.loads(CALIBRATION_FILE.read_text("utf-8"))
        read["scales"].setdefault(embeddings.name.partition("/")[0], {"alike": THRESHOLD})["odds"] = odds
        scales = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in read["scales"].items())
        CALIBRATION_FILE.write_text(f'{{\n  "scales": {{\n{scales}\n  }}\n}}\n', "utf-8")
    if args.json:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()}
        print(json.dumps({"machine": machine, "sets": reports, "odds of 0.65": odds}))
        return 0
    print(f"  nine of ten first cards are right from log-odds {odds} on, where 0.65 should stand")
    for report in reports:
        print(f"  {report['set']}: {report['cards']} cards, {report['prompts']} prompts")
        for figure in ("ndcg@10", "cpu ms", "injection"):
            print(f"    {figure}: " + ", ".join(f"{name} {value}" for name, value in report[figure].items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
