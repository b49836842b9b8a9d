"""Precision and recall of the duplicate and conflict rules on labelled pairs of gists.

The pairs in `pairs.jsonl` were written and labelled by hand, each pair on one topic: half of them duplicates and
conflicts, half hard negatives (the same topic, neither). The rules were tuned on the half marked `tuning`; the other
half was held out. `python bench/pairs.py --misses` lists what went wrong in the tuning half alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from mneme.check.twin import find_twins

PAIRS = Path(__file__).with_name("pairs.jsonl")
MORE_CHINESE = PAIRS.with_name("pairs_zh.jsonl")
LABELS = ("duplicate", "conflict")


def judged(pair: dict[str, str]) -> str:
    """Return what the checks say of two live cells with these gists."""
    found = find_twins([pair["one"], pair["two"]], [pair["topic"]] * 2, ["live"] * 2).pairs
    return found[0][2] if found else "neither"


def report(title: str, pairs: list[dict[str, str]]) -> None:
    """Print precision and recall of each rule on some pairs."""
    counts = Counter((pair["label"], judged(pair)) for pair in pairs)
    cells = []
    for label in LABELS:
        hit = counts[label, label]
        said = sum(number for (_, answer), number in counts.items() if answer == label)
        true = sum(number for (truth, _), number in counts.items() if truth == label)
        cells.append(
            f"{label}: precision {hit}/{said} = {hit / said if said else 1:.2f}, recall {hit}/{true} = {hit / (true or 1):.2f}"
        )
    false = sum(number for (truth, answer), number in counts.items() if truth == "neither" and answer != "neither")
    negatives = sum(number for (truth, _), number in counts.items() if truth == "neither")
    print(f"{title:<20} {'; '.join(cells)}; alarms on {false} of {negatives} hard negatives")


def main() -> None:
    """Print the report for each half and for each language."""
    pairs, more = (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in (PAIRS, MORE_CHINESE)
    )
    for half in ("tuning", "held-out"):
        report(half, [pair for pair in pairs if pair["half"] == half])
        for language in ("en", "zh"):
            report(
                f"  {half} {language}", [pair for pair in pairs if (pair["half"], pair["language"]) == (half, language)]
            )
        report(f"  {half} more zh", [pair for pair in more if pair["half"] == half])
    if "--misses" in sys.argv[1:]:
        for pair in [*pairs, *more]:
            if pair["half"] == "tuning" and judged(pair) != pair["label"]:
                print(f"{pair['label']} but {judged(pair)}: {pair['one']} | {pair['two']}")


if __name__ == "__main__":
    main()
