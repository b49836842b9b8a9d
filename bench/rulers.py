"""BM25, cosine and their reciprocal-rank fusion over a whole store: what any system can be laid beside.

They see every document, with nothing of the product's but its words and its vectors. Prints nothing when run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mneme.index.words import parse_query, parse_terms

if TYPE_CHECKING:
    from stores import Store
    from vectors import Kept

SATURATION, LENGTH_SHARE = 1.2, 0.75
FUSED_FROM = 60.0
RULERS = ("bm25", "dense", "rrf")


class Rulers:
    """The three orders of one store."""

    def __init__(self, store: Store, kept: Kept) -> None:
        self._kept = kept
        terms = [parse_terms(text) for text in store.texts]
        self._lengths = np.array([len(held) for held in terms], float)
        self._postings: dict[str, dict[int, int]] = {}
        for place, held in enumerate(terms):
            for term in held:
                here = self._postings.setdefault(term, {})
                here[place] = here.get(place, 0) + 1
        self._matrix = np.array([np.frombuffer(row, "<f4") for row in kept.embed_documents(list(store.texts))])

    def orders(self, question: str) -> dict[str, list[int]]:
        """Return the order of all documents by each of the three."""
        words = self._words(question)
        cosines = self._matrix @ np.frombuffer(self._kept.embed_query([question])[0], "<f4")
        by_words, by_cosine = np.argsort(-words, kind="stable"), np.argsort(-cosines, kind="stable")
        ranks = np.arange(len(words))
        fused = np.zeros(len(words))
        fused[by_words] += (words[by_words] > 0) / (FUSED_FROM + 1 + ranks)
        fused[by_cosine] += 1.0 / (FUSED_FROM + 1 + ranks)
        by_both = np.argsort(-fused, kind="stable")
        return dict(zip(RULERS, (by_words.tolist(), by_cosine.tolist(), by_both.tolist()), strict=True))

    def _words(self, question: str) -> np.ndarray:
        count = len(self._lengths)
        scores = np.zeros(count)
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * self._lengths / (self._lengths.mean() or 1.0))
        for term in parse_query(question).terms:
            if held := self._postings.get(term):
                places, times = np.array(list(held)), np.array(list(held.values()), float)
                rarity = math.log(1 + (count - len(held) + 0.5) / (len(held) + 0.5))
                scores[places] += rarity * times / (times + norm[places])
        return scores
