"""Facts in English and Chinese in one store, asked for in words that hardly meet theirs, in both languages.

bench/paraphrase.py --data DIR [--json]
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from stores import Question, Store
from table import run

if TYPE_CHECKING:
    from pathlib import Path

WAYS = {"en->en": ("query_en", 0), "zh->zh": ("query_zh", 1), "en->zh": ("query_en", 1), "zh->en": ("query_zh", 0)}


def load(data: Path) -> list[Store]:
    """Read the pairs: all facts in both languages in one store, a set of questions for each way."""
    path = data / "paraphrase" / "pairs.json"
    if not path.exists():
        sys.exit(f"'{path}' is not there: give the folder of question sets with --data")
    pairs = json.loads(path.read_text("utf-8"))
    texts = tuple(text for pair in pairs for text in (pair["en"], pair["zh"]))
    return [
        Store(
            f"paraphrase {way}",
            "pairs",
            texts,
            ("",) * len(texts),
            tuple(Question(pair[key], (2 * place + side,), way) for place, pair in enumerate(pairs)),
        )
        for way, (key, side) in WAYS.items()
    ]


if __name__ == "__main__":
    sys.exit(run("paraphrase", load))
