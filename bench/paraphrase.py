"""Facts in English and Chinese in one store, asked for in words that hardly meet theirs, in both languages.

bench/paraphrase.py --data DIR [--json] [--words]
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from stores import Question, Store

if TYPE_CHECKING:
    from pathlib import Path

WAYS = {"en->en": ("query_en", 0), "zh->zh": ("query_zh", 1), "en->zh": ("query_en", 1), "zh->en": ("query_zh", 0)}


def load(data: Path) -> list[Store]:
    """Read the pairs: all facts in both languages in one store, a set of questions for each way."""
    path = next((one for one in (data / "paraphrase" / "pairs.json", data / "pairs.json") if one.exists()), None)
    pairs = json.loads(path.read_text("utf-8")) if path else []
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
        if pairs
    ]


if __name__ == "__main__":
    from table import run

    sys.exit(run("paraphrase", load))
