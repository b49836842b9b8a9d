"""How good and how quick the embedder and the vector file are.

Recall is by vectors alone, so that what the embedder brings is not hidden by words; documents get opaque keys. The
data folder is the caller's. Synthetic vectors are labelled: they cluster like texts do, and are no texts.

    python bench/embed.py --data FOLDER [--rows 10000,100000,1000000] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme.index.embed import EmbedderChoice, Vectors, open_embedder
from mneme.index.vectors import VectorFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from mneme.index.embed import Embedder

COLD = "from mneme.index.embed import *; open_embedder(EmbedderChoice()).embed_query(['which database?'])"
ROWS = "10000,100000,1000000"
QUESTIONS = 100


def main() -> int:
    """Measure everything and print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description="measure the embedder and the vector file")
    parser.add_argument("--data", type=Path, help="a folder with paraphrase/, memsim-zh/, locomo/ and tools/")
    parser.add_argument("--rows", default=ROWS, help="sizes of the synthetic vector files (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    embedder = open_embedder(EmbedderChoice())
    figures: dict[str, Any] = {
        "embedder": embedder.name,
        "interpreter": f"{platform.python_version()} at {sys.executable}",
        "load before": os.getloadavg()[0],
    }
    if options.data is None:
        figures["recall"] = "no data folder was given"
    else:
        figures |= recall_figures(embedder, options.data)
    figures |= speed_figures(embedder)
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, options.rows.split(",")):
            figures |= scan_figures(Path(folder) / str(count), count)
    figures["load after"] = os.getloadavg()[0]
    print(json.dumps(figures, indent=2) if options.json else "\n".join(f"{key:44} {figures[key]}" for key in figures))
    return 0


# --- recall -----------------------------------------------------------------------------------------------------------


def recall_figures(embedder: Embedder, data: Path) -> dict[str, Any]:
    """Return recall by vectors alone on each set that is there; a set that is not is named."""
    sets: dict[str, Callable[[Embedder, Path], dict[str, float]]] = {
        "paraphrase/pairs.json": _paraphrases,
        "memsim-zh/dev.json": lambda one, path: {"memsim-zh recall@5": _stores(one, path, 5)},
        "tools/toollens.json": lambda one, path: {"toollens recall@10": _stores(one, path, 10)},
        "locomo/conv-26.json": lambda one, path: {"locomo conv-26 recall@10": _stores(one, path, 10)},
    }
    figures: dict[str, Any] = {}
    for name, measure in sets.items():
        path = data / name
        figures |= measure(embedder, path) if path.is_file() else {name: "not there"}
    return figures


def _paraphrases(embedder: Embedder, path: Path) -> dict[str, float]:
    """Return recall@5 by direction, all memories of both languages in one store."""
    pairs = json.loads(path.read_text("utf-8"))
    texts = [pair["en"] for pair in pairs] + [pair["zh"] for pair in pairs]
    figures = {}
    for asked in ("en", "zh"):
        hits = _hits(embedder, texts, [pair[f"query_{asked}"] for pair in pairs], 5)
        for told, first in (("en", 0), ("zh", len(pairs))):
            share = statistics.mean(number + first in hit for number, hit in enumerate(hits))
            figures[f"paraphrase {asked}->{told} recall@5"] = round(share, 3)
        either = (bool({number, number + len(pairs)} & hit) for number, hit in enumerate(hits))
        figures[f"paraphrase {asked}->either recall@5"] = round(statistics.mean(either), 3)
    return figures


def _stores(embedder: Embedder, path: Path, k: int) -> float:
    read = json.loads(path.read_text("utf-8"))
    shares = []
    for store in read if isinstance(read, list) else [read]:
        places = {doc["id"]: place for place, doc in enumerate(store["docs"])}
        questions = [one for one in store["queries"] if any(gold in places for gold in one["gold"])]
        hits = _hits(embedder, [doc["text"] for doc in store["docs"]], [one["question"] for one in questions], k)
        for question, hit in zip(questions, hits, strict=True):
            gold = {places[one] for one in question["gold"] if one in places}
            shares.append(len(gold & hit) / len(gold))
    return round(statistics.mean(shares), 3)


def _hits(embedder: Embedder, texts: list[str], questions: list[str], k: int) -> list[set[int]]:
    with tempfile.TemporaryDirectory() as folder, VectorFile(Path(folder) / "v", embedder.name, embedder.dims) as file:
        file.put(range(len(texts)), embedder.embed_documents(texts))
        return [{key for key, _ in file.search(row, k)} for row in embedder.embed_query(questions)]


# --- speed ------------------------------------------------------------------------------------------------------------


def speed_figures(embedder: Embedder) -> dict[str, Any]:
    """Return how long starting, a question and a note take."""
    short, note = "Which colour scheme does he like for his editor?", "The tests failed because of the time zone. " * 4
    chinese = "他想要什么样的界面配色？"
    notes = [f"{number}: {note}" for number in range(200)]
    began = time.perf_counter()
    embedder.embed_documents(notes)
    rate = len(notes) / (time.perf_counter() - began)
    return {
        "cold start with one question, ms": _started(COLD),
        "yardstick: python -c pass, ms": _started("pass"),
        "question p50, ms": _p50(lambda: embedder.embed_query([short])),
        "chinese question p50, ms": _p50(lambda: embedder.embed_query([chinese])),
        "notes of 50 tokens a second": round(rate),
    }


def _started(code: str) -> float:
    def run() -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    return _p50(run, 7)


def _p50(measured: Callable[[], object], times: int = QUESTIONS) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        measured()
        taken.append(time.perf_counter() - began)
    return round(statistics.median(taken) * 1000, 2)


def scan_figures(path: Path, count: int) -> dict[str, Any]:
    """Return speed and recall@10 of a vector file of so many synthetic rows."""
    import numpy as np

    dims, chance = 384, np.random.default_rng(7)
    centres = chance.standard_normal((max(1, count // 500), dims), dtype=np.float32)

    def rows(many: int) -> Any:  # noqa: ANN401 - numpy's types say nothing here
        drawn = centres[chance.integers(len(centres), size=many)]
        drawn = drawn + chance.standard_normal((many, dims), dtype=np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    stored, asked = rows(count), rows(QUESTIONS)
    label = f"{count:,} synthetic rows:"
    with VectorFile(path, "synthetic", dims) as file:
        began = time.perf_counter()
        for start in range(0, count, 4096):
            part = stored[start : start + 4096]
            file.put(range(start, start + len(part)), Vectors(dims, part.tobytes()))
        rate = count / (time.perf_counter() - began)
        file.search(asked[0].tobytes(), 10)
        taken, used, found = [], time.process_time(), []
        for question in asked:
            began = time.perf_counter()
            hits = file.search(question.tobytes(), 10)
            taken.append(time.perf_counter() - began)
            found.append({key for key, _ in hits})
        used = time.process_time() - used
    best = (set(np.argpartition(-(stored @ question), 10)[:10].tolist()) for question in asked)
    shares = [len(hit & wanted) / 10 for hit, wanted in zip(found, best, strict=True)]
    taken.sort()
    return {
        f"{label} search p50, ms": round(statistics.median(taken) * 1000, 2),
        f"{label} search p95, ms": round(taken[int(len(taken) * 0.95)] * 1000, 2),
        f"{label} search, ms of processor": round(used / len(taken) * 1000, 2),
        f"{label} recall@10": round(statistics.mean(shares), 3),
        f"{label} put a second": round(rate),
        f"{label} bytes on disk": path.stat().st_blocks * 512,
    }


if __name__ == "__main__":
    sys.exit(main())
