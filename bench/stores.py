"""Question sets on disk -> stores of documents and the questions asked of them; and what one answer is worth.

A file holds one store or a list: `{"id", "docs": [{"id", "text", "when"}], "queries": [{"id", "question", "gold",
"category"}]}`. What the ids say is never seen by anything that is measured. Prints nothing when run.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SHORT, LONG = 5, 10
FIGURES = ("recall@5", "recall@10", "hit@5", "hit@10", "mrr", "ndcg@10")
_SPEAKER = re.compile(r"\s*(?:\[[^\]\n]{1,40}\]\s*)?(?:\*\*)?([^\W\d_][\w .'-]{0,30}?)(?:\*\*)?: ")
# Texts of which nearly all begin with one of a few names are what was said, in order.
TALK_SHARE, MOST_SPEAKERS = 0.9, 12


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the places of its answers in the store, and what kind of question it is."""

    text: str
    gold: tuple[int, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Store:
    """Documents in their order, and the questions asked of them; `fold` says what must not be split in a validation.

    `whens` are when each was written, as the set says it; all are empty where documents have no times.
    """

    name: str
    fold: str
    texts: tuple[str, ...]
    whens: tuple[str, ...]
    questions: tuple[Question, ...]

    @property
    def print(self) -> str:
        """Return what tells this store's documents from any other's."""
        digest = hashlib.sha256()
        for text in self.texts:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:12]

    @property
    def is_talk(self) -> bool:
        """Say whether its documents are what somebody said, one after the other."""
        if any(self.whens):
            return True
        names = Counter(found[1] for text in self.texts if (found := _SPEAKER.match(text)))
        return len(names) <= MOST_SPEAKERS and sum(names.values()) >= TALK_SHARE * len(self.texts) > 0

    def without(self, places: frozenset[int]) -> Store:
        """Return the store without some of its documents, and with no questions."""
        kept = [place for place in range(len(self.texts)) if place not in places]
        texts, whens = (tuple(held[place] for place in kept) for held in (self.texts, self.whens))
        return replace(self, texts=texts, whens=whens, questions=())


def load_family(data: Path, folder: str, pattern: str, name: str) -> list[Store]:
    """Read the files of one family: in its folder, or where `data` is that folder, or one such file, itself."""
    paths = sorted((data / folder).glob(pattern)) if data.is_dir() else [data]
    if not paths and data.name == folder:
        paths = sorted(data.glob(pattern))
    return [store for path in paths for store in load_stores(path, name or path.stem)]


def load_folder(folder: Path, name: str) -> list[Store]:
    """Read every file of stores that lies in a folder itself."""
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    return [store for path in paths for store in load_stores(path, name or path.stem)]


def load_others(data: Path, families: frozenset[str]) -> list[Store]:
    """Read what lies in folders of no known family: each is a set, under its folder's name."""
    folders = sorted(one for one in data.iterdir() if one.name not in families) if data.is_dir() else []
    return [store for one in folders for store in load_folder(one, one.name)]


def load_stores(path: Path, name: str) -> list[Store]:
    """Read one file of stores; a file of something else has none."""
    try:
        held = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:
        sys.exit(f"'{path}' cannot be read: {fault}")
    stores = held if isinstance(held, list) else [held]
    return [_store(one, name) for one in stores if isinstance(one, dict) and "docs" in one]


def _store(held: dict, name: str) -> Store:
    places: dict[str, int] = {}
    texts: list[str] = []
    whens: list[str] = []
    for document in held["docs"]:
        if document["id"] not in places:
            places[document["id"]] = len(texts)
            texts.append(str(document["text"]))
            whens.append(str(document.get("when") or ""))
    questions = [
        Question(
            one["question"],
            tuple(sorted({places[gold] for gold in one["gold"] if gold in places})),
            str(one.get("category")),
        )
        for one in held["queries"]
    ]
    return Store(name, str(held.get("id")), tuple(texts), tuple(whens), tuple(one for one in questions if one.gold))


def measures(order: list[int], gold: tuple[int, ...]) -> dict[str, float]:
    """Return the figures of one answer."""
    wanted = set(gold)
    hits = [place for place, one in enumerate(order[:LONG]) if one in wanted]
    first = next((place for place, one in enumerate(order) if one in wanted), None)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(LONG, len(wanted))))
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


MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "(" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + ")"
_NUMBERS = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?{_MONTH}\b[,\s-]*(\d{{4}})", re.IGNORECASE)
_DAY_LAST = re.compile(rf"\b{_MONTH}[\s-]+(\d{{1,2}})(?:st|nd|rd|th)?\b[,\s-]*(\d{{4}})", re.IGNORECASE)


def day_of(when: str) -> str:
    """Return the ISO date in a document's time, or nothing."""
    if found := _NUMBERS.search(when):
        year, month, day = (int(one) for one in found.groups())
    elif found := _DAY_FIRST.search(when):
        year, month, day = int(found[3]), _month(found[2]), int(found[1])
    elif found := _DAY_LAST.search(when):
        year, month, day = int(found[3]), _month(found[1]), int(found[2])
    else:
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _month(name: str) -> int:
    return [month[:3] for month in MONTHS].index(name[:3].lower()) + 1
