"""Fit the numbers of the ranking to question sets, and write them where the product reads them: `make fit`.

    bench/fit.py --data DIR [--check] [--features] [--json] [--into FILE]

Before it writes, it says what held-out questions get: folds are whole conversations, and tools and facts that no other
fold asks for; then what sets get of which the fit saw no relative, beside BM25, cosine and their fusion. `--check` writes nothing, `--features` says what each feature and each shape is worth.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cases import FOREIGN, REWORDED, collect, derived
from fitting import Fitted, Judged, by_folds, family, points_of, validate
from rulers import Rulers
from stores import mean, measures
from table import load_every
from vectors import Kept

from mneme.index.rank import FEATURES, SHAPES, WEIGHTS_FILE, names

if TYPE_CHECKING:
    from cases import Case
    from stores import Store

HEADINGS = ("recall@10", "hit@10", "mrr", "ndcg@10", "recall@5")


def main() -> int:
    """Collect, validate, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "--into", type=Path, default=WEIGHTS_FILE, help="where to write (default: where the product reads)"
    )
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
        figures, judged = validate(held)
        written[mode] = Fitted(held).as_json(judged)
        report[mode] = {"sets": figures, "answered": answered(judged), "points": written[mode]["points"]}
        report[mode]["sure"] = written[mode]["sure"]
    report["unseen"] = unseen(cases["both"], everything, kept)
    if chosen.features:
        report["without"] = without_each(cases["both"])
    if not chosen.check:
        chosen.into.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(json.dumps(report) if chosen.json else as_text(report))
    return 0


def answered(judged: list[Judged]) -> dict[str, dict[str, float]]:
    """Return what share of each set's questions reaches each point, and of what it holds nothing about."""
    points, more = points_of(judged)
    held: dict[str, list[float]] = {}
    for one in judged:
        name = f"{one.case.name}, {FOREIGN}" if one.case.foreign else one.case.name
        held.setdefault(name, []).append(one.answerable - more * one.case.shape["wordless"])
    return {
        name: {point: round(sum(odds >= least for odds in found) / len(found), 4) for point, least in points.items()}
        for name, found in held.items()
    }


def unseen(cases: list[Case], everything: list[Store], kept: Kept) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures of sets of which the fit saw no relative, beside those of the rulers on the same questions.

    All conversations are left out at once with all that is made of them, then all tools of one collection, and so on:
    it is what a set of a kind that nobody has seen may expect.
    """
    families = [family(case) for case in cases]
    if len(set(families)) == 1:
        return {}
    figures, _ = by_folds(cases, families)
    asked = {(case.name, case.fold, case.question.text) for case in cases if not case.foreign}
    rows: dict[str, dict[str, list[dict[str, float]]]] = {}
    for store in everything:
        rulers = Rulers(store, kept)
        for one in store.questions:
            if one.gold and (store.name, store.fold, one.text) in asked:
                for name, order in rulers.orders(one.text).items():
                    rows.setdefault(store.name, {}).setdefault(name, []).append(measures(order, one.gold))
    return {
        name: {"mneme": found} | {ruler: mean(held) for ruler, held in rows[name].items()}
        for name, found in figures.items()
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
        lines.append(f"points, {mode}: {report[mode]['points']}, kept above even: {report[mode]['sure']}")
        lines += [f"  answered, {name}: {row}" for name, row in report[mode]["answered"].items()]
    lines.append(f"{'no set of the kind was seen':38} " + "  ".join(f"{name:>9}" for name in HEADINGS))
    lines += [
        f"{f'{name}, {system}':38} " + "  ".join(f"{row[one]:9.3f}" for one in HEADINGS)
        for name, systems in report["unseen"].items()
        for system, row in systems.items()
    ]
    for left, by_set in report.get("without", {}).items():
        lines.append(f"without {left}: " + ", ".join(f"{name} {row['recall@10']:.3f}" for name, row in by_set.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
