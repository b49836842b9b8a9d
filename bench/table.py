"""Every set, every ruler, one table: recall@k, hit@k, MRR, nDCG@10 by category, silence, and how far a score is true.

    bench/table.py --data DIR [--json] [--words]

The other scripts are this one on one set. Weights are the shipped ones: on sets that they were fitted to, the figures
are in-sample and say so; `bench/fit.py --check` gives those of questions held out. `--words` does without an embedder.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from stores import Embeddings, Index, Yardsticks, mean, measures

if TYPE_CHECKING:
    from collections.abc import Callable

    from stores import Store

FIGURES = ("recall@5", "recall@10", "hit@5", "hit@10", "mrr", "ndcg@10")
STRANGERS = 200
KEPT_SHARE, STRAY_SHARE = 0.90, 0.03
BINS = 10
SEED = 5


def run(name: str, load: Callable[[Path], list[Store]]) -> int:
    """Measure what `load` reads, and print."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--data", type=Path, help="the folder of question sets")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--words", action="store_true", help="use no embedder")
    chosen = parser.parse_args()
    if chosen.data is None:
        print(f"{name}: no question sets: give their folder with --data", file=sys.stderr)
        return 0
    report = {"name": name, "machine": machine(), **measure(load(chosen.data), words_only=chosen.words)}
    print(json.dumps(report, ensure_ascii=False) if chosen.json else as_text(report))
    return 0


def measure(found: list[Store], *, words_only: bool = False) -> dict[str, object]:
    """Return the figures of every set and category under every ruler, and what the scores are worth."""
    embeddings = Embeddings()
    rows: dict[tuple[str, str, str], list[dict[str, float]]] = defaultdict(list)
    tops: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    strays: dict[str, list[float]] = defaultdict(list)
    scored: list[tuple[float, bool]] = []
    seconds: list[float] = []
    for store in found:
        index, rulers = Index(store, None if words_only else embeddings), Yardsticks(store, embeddings)
        for question in store.questions:
            index.meaning(question.text)  # the embedder's time is measured elsewhere, on a quiet machine
            started = time.perf_counter()
            answer = index.ask(question.text)
            seconds.append(time.perf_counter() - started)
            orders = {"mneme": [place for place, _ in answer], **rulers.orders(question.text)}
            for ruler, order in orders.items():
                figures = measures(order, question.gold)
                for category in ("all", question.category):
                    rows[store.name, category, ruler].append(figures)
            tops[store.name].append(
                (answer[0][1] if answer else 0.0, answer[:1] != [] and answer[0][0] in question.gold)
            )
            scored.extend((score, place in question.gold) for place, score in answer[:5])
        for text in strangers(store, found):
            answer = index.ask(text)
            strays[store.name].append(answer[0][1] if answer else 0.0)
            scored.extend((score, False) for _, score in answer[:5])
        index.close()
    return {
        "figures": [
            {"set": one, "category": category, "ruler": ruler, "questions": len(held), **mean(held)}
            for (one, category, ruler), held in rows.items()
        ],
        "silence": {
            name: silence([score for score, _ in held], strays[name]) for name, held in tops.items() if strays[name]
        },
        "reliability": reliability(scored),
        "milliseconds": {
            "median": round(1000 * sorted(seconds)[len(seconds) // 2], 1),
            "p95": round(1000 * sorted(seconds)[len(seconds) * 19 // 20], 1),
        }
        if seconds
        else {},
    }


def strangers(store: Store, found: list[Store]) -> list[str]:
    """Return prompts about nothing in a store: small talk, and what is asked of conversations with other people."""
    if store.name == "memsim":
        return []
    talk = json.loads(Path(__file__).with_name("small_talk.json").read_text("utf-8"))
    told = {text.partition(":")[0] for text in store.texts if text.partition(":")[0].isalpha()}
    others = [
        one.text
        for other in found
        if (other.name, other.fold) != (store.name, store.fold) and "locomo" in (store.name, other.name)
        for one in other.questions
        if not any(name in one.text for name in told)
    ]
    rng = random.Random(SEED)  # noqa: S311 - repeatable
    return talk + rng.sample(others, min(STRANGERS, len(others)))


def silence(answerable: list[float], strays: list[float]) -> dict[str, float]:
    """Return what share of strays passes where so many answerable ones do, and the other way round."""
    best = sorted(answerable, reverse=True)
    kept_at = best[min(len(best) - 1, int(KEPT_SHARE * len(best)))]
    ranked = sorted(strays, reverse=True)
    stray_at = ranked[int(STRAY_SHARE * len(ranked))]
    return {
        "strays": len(strays),
        "threshold for 90% answered": round(kept_at, 4),
        "strays answered there": round(sum(score >= kept_at for score in strays) / len(strays), 4),
        "threshold for 3% of strays": round(stray_at, 4),
        "answered there": round(sum(score > stray_at for score in answerable) / len(answerable), 4),
    }


def reliability(scored: list[tuple[float, bool]]) -> list[dict[str, float]]:
    """Return, by tenths of the score, how many hits there were and how many of them were right."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for score, right in scored:
        bins[min(BINS - 1, int(score * BINS))].append((score, right))
    return [
        {
            "from": number / BINS,
            "hits": len(held),
            "said": round(sum(score for score, _ in held) / len(held), 3),
            "true": round(sum(right for _, right in held) / len(held), 3),
        }
        for number, held in sorted(bins.items())
    ]


def machine() -> dict[str, object]:
    """Return what the figures were made with."""
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": [round(one, 2) for one in os.getloadavg()],
    }


def as_text(report: dict[str, object]) -> str:
    """Return the report as tables."""
    about = report["machine"]
    lines = [f"python {about['python']}, {about['cores']} cores, load {about['load']}"]
    lines.append(f"{'set':28} {'category':24} {'ruler':6} {'n':>5}  " + "  ".join(f"{name:>9}" for name in FIGURES))
    for row in report["figures"]:
        figures = "  ".join(f"{row[name]:9.3f}" for name in FIGURES)
        lines.append(f"{row['set']:28} {row['category']:24} {row['ruler']:6} {row['questions']:5}  {figures}")
    for name, row in report["silence"].items():
        lines.append(f"silence {name}: " + ", ".join(f"{label} {value}" for label, value in row.items()))
    lines.extend(
        f"score from {row['from']:.1f}: {row['hits']} hits, said {row['said']:.3f}, true {row['true']:.3f}"
        for row in report["reliability"]
    )
    lines.append(f"milliseconds a question, its vector given: {report['milliseconds']}")
    return "\n".join(lines)


def load_every(data: Path) -> list[Store]:
    """Read every set."""
    import locomo
    import memsim
    import paraphrase
    import tools

    return [store for one in (locomo, memsim, paraphrase, tools) for store in one.load(data)]


if __name__ == "__main__":
    sys.exit(run("table", load_every))
