"""Fit the numbers of the ranking to question sets, and write them where the product reads them: `make fit`.

    bench/fit.py --data DIR [--check] [--features] [--json]

Before it writes, it says what held-out questions get: folds are whole conversations, and tools and facts that no other
fold asks for. `--check` writes nothing, `--features` says what each feature and each shape is worth.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cases import FOREIGN, REWORDED, collect, derived
from fitting import Fitted, points_of, validate
from table import load_every
from vectors import Kept

from mneme.index.rank import FEATURES, SHAPES, WEIGHTS_FILE, names

if TYPE_CHECKING:
    from cases import Case

HEADINGS = ("recall@10", "hit@10", "mrr", "ndcg@10", "recall@5")


def main() -> int:
    """Collect, validate, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--features", action="store_true", help="say what each feature is worth")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    kept = Kept()
    kept.lend()
    plain = load_every(chosen.data)
    everything = [*plain, *derived(plain, kept)]
    # Without vectors, a question in other words finds nothing: there is nothing to learn from it.
    said = [store for store in everything if not store.name.endswith(REWORDED)]
    cases = {"both": collect(everything, plain, kept), "words": collect(said, plain, None)}
    report: dict[str, object] = {}
    written: dict[str, object] = {"fitted to": sorted({store.print for store in plain})}
    for mode, held in cases.items():
        figures, best = validate(held)
        points, more = points_of(held, best)
        best = [odds - more * case.shape["wordless"] for case, odds in zip(held, best, strict=True)]
        report[mode] = {"sets": figures, "answered": answered(held, best, points), "points": points}
        written[mode] = Fitted(held).as_json(points, more)
    if chosen.features:
        report["without"] = without_each(cases["both"])
    if not chosen.check:
        WEIGHTS_FILE.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(json.dumps(report) if chosen.json else as_text(report))
    return 0


def answered(cases: list[Case], best: list[float], points: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return what share of each set's questions reaches each point, and of what it holds nothing about."""
    held: dict[str, list[float]] = {}
    for case, odds in zip(cases, best, strict=True):
        held.setdefault(f"{case.name}, {FOREIGN}" if case.foreign else case.name, []).append(odds)
    return {
        name: {point: round(sum(odds >= least for odds in found) / len(found), 4) for point, least in points.items()}
        for name, found in held.items()
    }


def without_each(cases: list[Case]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures without each feature and its gates, then without each shape."""
    labels = names()
    found = {}
    for name in (*FEATURES, *SHAPES):
        places = [place for place, label in enumerate(labels) if name in label.split("*")]
        found[name] = validate(cases, without=places)[0]
    return found


def as_text(report: dict[str, object]) -> str:
    """Return the report as a table of held-out figures."""
    lines = [f"{'held-out figures':38} " + "  ".join(f"{name:>9}" for name in HEADINGS)]
    for mode in ("both", "words"):
        for name, row in report[mode]["sets"].items():
            lines.append(f"{f'{name}, {mode}':38} " + "  ".join(f"{row[one]:9.3f}" for one in HEADINGS))
        lines.append(f"points, {mode}: {report[mode]['points']}")
        lines += [f"  answered, {name}: {row}" for name, row in report[mode]["answered"].items()]
    for left, by_set in report.get("without", {}).items():
        lines.append(f"without {left}: " + ", ".join(f"{name} {row['recall@10']:.3f}" for name, row in by_set.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
