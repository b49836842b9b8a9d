"""Which category a capability belongs to, told from what it says about itself.

A word that gives a category away counts for more than one that merely occurs in its description, and short ones count
too (`git`, `sql`, `aws`). Where words are undecided, how near the descriptions lie decides, if that is known.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from mneme.formats.category import FALLBACK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mneme.formats.category import Category

IN_NAME, SIGNAL, WORD = 3.0, 2.0, 1.0
SHORTEST_WORD = 4
NEARNESS_WEIGHS = 6.0
ENOUGH = 2.0
_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(
    "with from that this into what para como uma dos das and the file files data read write text list several one".split()  # noqa: SIM905 - a list of words reads best as one text
)


def guess_category(
    name: str, text: str, categories: Sequence[Category], near: Mapping[str, float] | None = None
) -> str:
    """Return the likeliest category of what has this name and says this; `near` has cosines of the descriptions."""
    in_name, said = _words(name), _words(text)
    scores = {}
    for one in categories:
        signals, words = _words(" ".join(one.signals)), _words(one.description)
        words = {word for word in words if len(word) >= SHORTEST_WORD} - _COMMON - signals
        score = IN_NAME * len(signals & in_name) + SIGNAL * len(signals & (said - in_name)) + WORD * len(words & said)
        scores[one.name] = score + NEARNESS_WEIGHS * (near or {}).get(one.name, 0.0)
    best = max(scores, key=lambda one: scores[one], default=FALLBACK)
    others = [score for one, score in scores.items() if one != best]
    if scores.get(best, 0.0) < ENOUGH or (others and max(others) == scores[best]):
        return FALLBACK if near is None else best
    return best


def _words(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKD", text.lower())
    return set(_WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter))))
