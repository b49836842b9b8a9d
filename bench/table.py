"""Every set, every ruler, one table: recall@k, hit@k, MRR and nDCG@10 by category, silence, and how true a score is.

    bench/table.py --data DIR [--json] [--words] [--peers]

The other scripts are this one on one family of sets. Numbers are the shipped ones; a set that they were fitted to is
labelled in-sample, any other unseen. A folder of another name is one more set. `--words` does without an embedder,
`--peers` adds the systems of `peers.py` that are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import silence
from cases import foreign_questions
from filed import Filed
from rulers import RULERS, Rulers
from stores import FIGURES, load_folder, load_others, mean, measures
from vectors import Kept

from mneme.index.rank import WEIGHTS_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from stores import Store

# Enough for an MRR that does not stop at ten.
ASKED_FOR = 20
STRANGERS, LEAST_STORE = 240, 50
SHIPPED = "mneme"
COMPARED = "locomo"  # other systems are asked about conversations
FAMILIES = frozenset({"locomo", "memsim-zh", "paraphrase", "tools"})


def run(name: str, load: Callable[[Path], list[Store]], more: Callable[..., list[Run]] | None = None) -> int:
    """Measure what `load` reads, or else any files of stores in the folder itself, and print.

    `more` are other ways of running the product on the same sets.
    """
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--data", type=Path, help="the folder of question sets")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--words", action="store_true", help="use no embedder")
    parser.add_argument(
        "--peers", action="store_true", help="other systems in the same table, where they are installed"
    )
    chosen = parser.parse_args()
    found = load(chosen.data) or load_folder(chosen.data, "") if chosen.data else []
    if not found:
        where = f" in '{chosen.data}'" if chosen.data else ""
        print(f"{name}: no question sets{where}: give their folder with --data", file=sys.stderr)
        return 0
    kept = Kept()
    kept.lend()
    runs = [Run(SHIPPED), *(more(found, chosen.data, kept) if more and not chosen.words else [])]
    report = {"name": name, "machine": machine() | about(found), **measure(found, kept, runs, chosen)}
    print(json.dumps(report, ensure_ascii=False) if chosen.json else as_text(report))
    return 0


@dataclass
class Run:
    """One way of running the product: under the shipped numbers, or others for each of some stores, by their prints."""

    name: str
    under: Callable[[Store], AbstractContextManager[None]] = lambda _: nullcontext()
    stores: frozenset[str] = frozenset()
    evidence: list[silence.Evidence] = field(default_factory=list)


@dataclass
class Rows:
    """The figures of every question, by set, category and system."""

    held: dict[tuple[str, str, str], list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, store: Store, category: str, system: str, figures: dict[str, float]) -> None:
        """Keep what one question got."""
        for name in ("all", category) if category not in {"None", store.name.split()[-1]} else ("all",):
            self.held[store.name, name, system].append(figures)

    def as_json(self, labels: dict[str, str]) -> list[dict[str, object]]:
        """Return the means."""
        return [
            {"set": one, "category": category, "system": system, "questions": len(held), "sample": labels[one]}
            | mean(held)
            for (one, category, system), held in self.held.items()
        ]


def measure(found: list[Store], kept: Kept, runs: list[Run], chosen: argparse.Namespace) -> dict[str, object]:
    """Return the figures of every set and category under every system, and what the scores are worth."""
    from peers import installed

    rows, seconds = Rows(), []
    others, missing = installed(kept) if chosen.peers else ([], {})
    compared = {store.print for store in found if store.name == COMPARED}
    for store in found:
        rulers = Rulers(store, kept)
        for question in store.questions:
            for ruler, order in rulers.orders(question.text).items():
                rows.add(store, question.category, ruler, measures(order[:ASKED_FOR], question.gold))
        for peer in others if store.print in compared else ():
            with peer.filled(store) as ask:
                for question in store.questions:
                    rows.add(
                        store, question.category, peer.name, measures(ask(question.text)[:ASKED_FOR], question.gold)
                    )
        filed = Filed(store, words=chosen.words)
        for one in runs:
            if one.stores and store.print not in one.stores:
                continue
            seconds += ask_all(one, filed, found, rows)
        filed.close()
    labels = samples(found)
    return {
        "figures": rows.as_json(labels),
        "silence": {one.name: silence.figures(one.evidence) for one in runs},
        "not installed": missing,
        "milliseconds": _milliseconds(seconds),
    }


def ask_all(one: Run, filed: Filed, found: list[Store], rows: Rows) -> list[float]:
    """Ask a store everything that is asked of it, and what it holds nothing about; return how long each took."""
    store, seconds = filed.store, []
    with one.under(store):
        for question in store.questions:
            started = time.process_time()
            answer = filed.ask(question.text, ASKED_FOR)
            seconds.append(time.process_time() - started)
            order = filed.order(answer)
            rows.add(store, question.category, one.name, measures(order[:ASKED_FOR], question.gold))
            right = [place in question.gold for place in order]
            one.evidence.append(silence.Evidence.of(store.name, silence.ANSWERABLE, answer, right))
        for text, _ in foreign_questions(store, found, STRANGERS) if len(store.texts) >= LEAST_STORE else ():
            one.evidence.append(silence.Evidence.of(store.name, silence.STRANGE, filed.ask(text, ASKED_FOR), []))
        one.evidence.extend(silence.without_evidence(filed))
    return seconds


def samples(found: list[Store]) -> dict[str, str]:
    """Say of each set whether the shipped numbers were fitted to it."""
    fitted_to = set(json.loads(WEIGHTS_FILE.read_text("utf-8")).get("fitted to", ()))
    names = dict.fromkeys(store.name for store in found)
    known = {name: [store.print in fitted_to for store in found if store.name == name] for name in names}
    return {
        name: "in-sample" if all(held) else "partly unseen" if any(held) else "unseen" for name, held in known.items()
    }


def _milliseconds(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    named = {"median": len(ordered) // 2, "p95": len(ordered) * 19 // 20}
    return {name: round(1000 * ordered[place], 1) for name, place in named.items()} if ordered else {}


def machine() -> dict[str, object]:
    """Return what the figures were made with."""
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": [round(one, 2) for one in os.getloadavg()],
    }


def about(found: list[Store]) -> dict[str, object]:
    """Return how much is asked of how much."""
    return {
        "stores": len(found),
        "documents": sum(len(store.texts) for store in found),
        "questions": sum(len(store.questions) for store in found),
    }


def as_text(report: dict[str, object]) -> str:
    """Return the report as tables."""
    about = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    head = f"{'set':34} {'category':24} {'system':22} {'n':>5}  " + "  ".join(f"{name:>9}" for name in FIGURES)
    lines = [about, head]
    for row in sorted(report["figures"], key=lambda one: (one["set"], one["category"] != "all", one["category"])):
        label = f"{row['set']} ({row['sample']})" if row["system"] not in RULERS else row["set"]
        figures = "  ".join(f"{row[name]:9.3f}" for name in FIGURES)
        lines.append(f"{label:34} {row['category']:24} {row['system']:22} {row['questions']:5}  {figures}")
    for name, found in report["silence"].items():
        lines += ["", f"silence, {name}", *silence.as_text(found)]
    lines += [f"not installed: {name} ({why})" for name, why in report["not installed"].items()]
    lines.append(f"milliseconds of processor time a question, its vector given: {report['milliseconds']}")
    return "\n".join(lines)


def load_every(data: Path) -> list[Store]:
    """Read the sets of every family, which are what the ranking is fitted to."""
    import locomo
    import memsim
    import paraphrase
    import tools

    return [store for one in (locomo, memsim, paraphrase, tools) for store in one.load(data)]


if __name__ == "__main__":
    from locomo import left_out

    sys.exit(run("table", lambda data: [*load_every(data), *load_others(data, FAMILIES)], left_out))
