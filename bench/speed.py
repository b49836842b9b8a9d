"""How quick the index is at 10,000, 100,000 and, if asked, 1,000,000 records, each figure beside a yardstick of its run.

    python bench/speed.py [--json] [--million] [--sizes 10000,100000] [--cache DIR] [--seconds N] [--words]

Stores are real files in a folder that is kept (`--cache`), so only the first run makes them; with `--seconds` it makes
them for so long and is called again. Vectors are the default embedder's, but at 1,000,000, where they are drawn by lot.
Times are of the wall; `cpu` beside them is what the process itself took, for whoever measures on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Self

from speed_store import questions, write_workspace

import mneme
from mneme.engine.indexing import chosen_embedder, with_index
from mneme.index.build import count_missing, embed_missing, refresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mneme.engine import Memory
    from mneme.index.backend import Backend

SIZES, MILLION, SCANNED = "10000,100000", 1_000_000, 10_000
# Real vectors are made up to here: a million would take an hour.
DRAWN_ABOVE = 200_000
WITH_VECTORS = 10_000
ASKED, WRITTEN, ROUNDS = 60, 15, 11
COMMAND = str(Path(sys.executable).with_name("mneme"))
NOTHING = [sys.executable, "-c", "pass"]
AIMS = {
    "warm recall, 100,000": "12 ms",
    "warm recall, 1,000,000": "60 ms",
    "recall from the shell": "8 times `python -c pass`",
    "written and recalled": "60 ms",
    "scan in the engine": "3 times `git status`",
    "scan from the shell": "6 times `git status`",
    "rebuilding, words": "15,000 records/s",
}
Figures = dict[str, Any]


def main() -> int:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description="measure how quick the index is")
    parser.add_argument("--sizes", default=SIZES, help="how many records (default: %(default)s)")
    parser.add_argument("--million", action="store_true", help="1,000,000 records as well, with vectors drawn by lot")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / f"mneme-speed-{os.getuid()}")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="how long stores may be made before it stops"
    )
    parser.add_argument("--words", action="store_true", help="use no embedder")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    # As for a user, whatever this machine says: compiled once, and no engine beside it unless it is said.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="mneme-speed-") as runtime:
        os.environ["MNEME_RUNTIME"] = runtime
        return _main(chosen)


def _main(chosen: argparse.Namespace) -> int:
    """Make the stores, measure, and print."""
    sizes = [*map(int, chosen.sizes.split(",")), *[MILLION] * chosen.million]
    deadline = time.monotonic() + chosen.seconds
    for records in sizes:
        if not make_store(chosen.cache / str(records), records, deadline, words=chosen.words):
            print(f"{records} records are not ready yet: run it again", file=sys.stderr)
            return 1
    report = {"machine": machine(), "aims": AIMS, "figures": measure(chosen.cache, sizes, words=chosen.words)}
    print(json.dumps(report, indent=2) if chosen.json else as_text(report))
    return 0


def measure(cache: Path, sizes: list[int], *, words: bool) -> dict[str, Figures]:
    """Return every figure, by what it is of."""
    found: dict[str, Figures] = {}
    for records in sizes:
        root = cache / str(records)
        named = f"{records:,}"
        found[f"warm recall, {named}"] = warm_recall(root, records, words=words)
        found[f"recall from the shell, {named}"] = shell_recall(root, records, words=words)
        with engine():
            found[f"recall from the shell, engine running, {named}"] = shell_recall(root, records, words=words)
        found[f"written and recalled, {named}"] = write_and_recall(root)
        found[f"resident memory, {named}"] = memory_used(root, words=words)
        found[f"bytes on disk, {named}"] = bytes_on_disk(root)
        if records <= DRAWN_ABOVE:
            found[f"rebuilding, words, {named}"] = rebuilding(root, records)
    if not words:
        found[f"rebuilding, with vectors, {WITH_VECTORS:,}"] = rebuilding_with_vectors()
    return found | scanning(cache / "scan")


# --- stores -----------------------------------------------------------------------------------------------------------


def make_store(root: Path, records: int, deadline: float, *, words: bool) -> bool:
    """Make a workspace and its index, or go on where it was left; says whether it is whole."""
    if not (root / "written").exists():
        shutil.rmtree(root, ignore_errors=True)
        write_workspace(root, records)
        (root / "written").touch()
    with mneme.open(str(root)) as memory:

        def bring(backend: Backend) -> bool:
            whole = refresh(backend, memory.workspace, budget_seconds=deadline - time.monotonic()).fresh
            return whole and (words or _embed(memory, backend, records, deadline))

        return with_index(memory, bring)


def _embed(memory: Memory, backend: Backend, records: int, deadline: float) -> bool:
    embedder, reason = chosen_embedder(memory)
    if embedder is None:
        sys.exit(f"no embedder: {reason}; --words does without")
    if records <= DRAWN_ABOVE:
        return not embed_missing(backend, embedder, budget_seconds=deadline - time.monotonic())
    import numpy as np

    lots = np.random.default_rng(7)
    centres = lots.standard_normal((200, embedder.dims), dtype=np.float32)
    while rows := backend.unembedded(embedder.name, 20_000):
        if time.monotonic() > deadline:
            return False
        drawn = centres[lots.integers(0, len(centres), len(rows))]
        drawn = drawn + 1.2 * lots.standard_normal((len(rows), embedder.dims), dtype=np.float32)
        drawn = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype("<f4")
        backend.put_vectors(embedder.name, {row: [one.tobytes()] for (row, _), one in zip(rows, drawn, strict=True)})
    return not count_missing(backend, embedder.name)


# --- asking -----------------------------------------------------------------------------------------------------------


def warm_recall(root: Path, records: int, *, words: bool) -> Figures:
    """Measure recalls in a process that stays: each looks for changed files first, and embeds its question."""
    asked = questions(records, ASKED)
    with mneme.open(str(root)) as memory:
        embedder, _ = (None, "") if words else chosen_embedder(memory)
        for question in asked[:5]:
            memory.recall(question, words=words)
        whole, alone, plain = Clock(), Clock(), Clock()
        with PlainSearch(root) as search:
            for question in asked:
                answer = whole(lambda one=question: memory.recall(one, words=words))
                plain(lambda one=question: search(one))
                if embedder:
                    # Another question of that length: what was asked a moment ago is kept.
                    alone(lambda one=question: embedder.embed_query([f"{one[:-1]} then?"]))
        vectors = "none" if words else "drawn by lot" if records > DRAWN_ABOVE else embedder.name
        return {
            **whole.figures(),
            "of which the embedder p50": alone.p50,
            "yardstick": "the ten best by FTS5 alone",
            "yardstick p50": plain.p50,
            "vectors": vectors,
            "fresh": answer.fresh,
        }


class PlainSearch:
    """SQLite's own search over the same files, a line a row, with nothing around it."""

    def __init__(self, root: Path) -> None:
        self._lines = sqlite3.connect(":memory:")
        self._lines.execute("CREATE VIRTUAL TABLE lines USING fts5 (text)")
        for place in sorted((root / "memory").rglob("*.m*")):
            self._lines.executemany(
                "INSERT INTO lines VALUES (?)", ([one] for one in place.read_text().split("\n") if one)
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()

    def __call__(self, question: str) -> list[Any]:
        """Return the best lines."""
        match = " OR ".join(f'"{word}"' for word in question.rstrip("?").split()[2:])
        return self._lines.execute(
            "SELECT text FROM lines WHERE lines MATCH ? ORDER BY bm25(lines) LIMIT 10", (match,)
        ).fetchall()


def shell_recall(root: Path, records: int, *, words: bool) -> Figures:
    """Measure the command, its look for changed files included, taking turns with a Python that does nothing."""
    asked = questions(records, ROUNDS + 1)
    base = [COMMAND, "--workspace", str(root), "recall", *["--words"] * words]
    return _turns([[*base, question] for question in asked], NOTHING, "`python -c pass`")


@contextmanager
def engine() -> Iterator[None]:
    """Let a resident engine of its own answer while the block runs."""
    _run([COMMAND, "serve", "--background"])
    try:
        yield
    finally:
        _run([COMMAND, "serve", "--stop"])


def write_and_recall(root: Path) -> Figures:
    """Measure from one note being handed over to its being recalled, beside a file that is written durably."""
    whole, plain = Clock(), Clock()
    with mneme.open(str(root)) as memory:
        for number in range(WRITTEN + 1):
            word = f"quokka{number}x{os.getpid()}"

            def written_and_found(word: str = word) -> bool:
                memory.note(f"The {word} moved to the cellar")
                return any(word in hit.record.text for hit in memory.recall(f"where is the {word}?").hits)

            (whole if number else Clock())(written_and_found)
            assert whole.last is not False, f"{word} was written and not found"
            plain(lambda: _write_durably(root / ".mneme.d/plain"))
        for _ in range(WRITTEN + 1):
            memory.undo()
    return {**whole.figures(), "yardstick": "a small file, written, synced and renamed", "yardstick p50": plain.p50}


def _write_durably(place: Path) -> None:
    with place.with_suffix(".new").open("wb") as handle:
        handle.write(b"one note\n")
        os.fsync(handle.fileno())
    place.with_suffix(".new").rename(place)


# --- bringing in ------------------------------------------------------------------------------------------------------


def scanning(root: Path) -> dict[str, Figures]:
    """Measure a look at 10,000 files of which none changed, taking turns with git's."""
    git = ["git", "-C", str(root), "status", "--porcelain"]
    if not (root / "written").exists():
        shutil.rmtree(root, ignore_errors=True)
        write_workspace(root, SCANNED, per_file=1)
        (root / "written").touch()
    if not (root / ".git").exists():
        who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "files"]):
            _run(["git", "-C", str(root), *command])
    with mneme.open(str(root)) as memory:
        memory.index(words=True)
        time.sleep(0.1)
        memory.index(words=True)
        own, theirs = Clock(), Clock()
        for _ in range(ROUNDS):
            own(lambda: memory.index(words=True))
            theirs(lambda: _run(git))
    engine = {**own.figures(), "yardstick": "`git status`", "yardstick p50": theirs.p50, "times": _ratio(own, theirs)}
    shell = [COMMAND, "--workspace", str(root), "index", "--words"]
    return {
        f"scan in the engine, {SCANNED:,} files": engine,
        f"scan from the shell, {SCANNED:,} files": _turns([shell] * (ROUNDS + 1), git, "`git status`"),
    }


def rebuilding(root: Path, records: int) -> Figures:
    """Measure how many records a second are read and indexed by words, beside FTS5 alone over the same lines."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(root / "memory", Path(folder) / "memory")
        shutil.copy(root / "mneme.toml", folder)
        whole, plain = Clock(), Clock()
        with mneme.open(folder) as memory:
            whole(lambda: memory.index(rebuild=True, words=True))
        plain(lambda: PlainSearch(root))
    return {
        "records/s": round(1000 * records / whole.p50),
        "records/s of cpu": round(1000 * records / whole.cpu),
        "yardstick": "FTS5 alone, a line a row, in memory",
        "yardstick records/s": round(1000 * records / plain.p50),
    }


def rebuilding_with_vectors() -> Figures:
    """Measure how many records a second are indexed with the default embedder's vectors."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        write_workspace(root, WITH_VECTORS)
        whole, alone = Clock(), Clock()
        with mneme.open(str(root)) as memory:
            embedder, _ = chosen_embedder(memory)
            whole(lambda: memory.index(rebuild=True))
            texts = [question * 3 for question in questions(WITH_VECTORS, 512)]
            alone(lambda: embedder.embed_documents(texts))
    return {
        "records/s": round(1000 * WITH_VECTORS / whole.p50),
        "records/s of cpu": round(1000 * WITH_VECTORS / whole.cpu),
        "yardstick": "the embedder alone, on texts of that length",
        "yardstick records/s": round(1000 * len(texts) / alone.p50),
    }


# --- what it takes ----------------------------------------------------------------------------------------------------

_USED = """
import sys, mneme
with mneme.open(sys.argv[1]) as memory:
    for word in ("water", "season", "river"):
        memory.recall(f"what about the {word}?", words=len(sys.argv) > 2)
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(lines["RssAnon"].split()[0], lines["RssFile"].split()[0])
"""


def memory_used(root: Path, *, words: bool) -> Figures:
    """Measure the memory of a process that recalls; what is mapped from files is the machine's to take back."""
    command = [sys.executable, "-c", _USED, str(root), *["words"] * words]
    nothing = [sys.executable, "-c", "print(*(line.split()[1] for line in open('/proc/self/status') if 'Rss' in line))"]
    try:
        own, mapped = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
        least = subprocess.run(nothing, check=True, capture_output=True, text=True).stdout.split()
    except (subprocess.CalledProcessError, ValueError):
        return {"own MB": None, "because": "this system does not tell"}
    return {
        "own MB": round(own / 1024),
        "mapped MB": round(mapped / 1024),
        "yardstick": "a Python that does nothing",
        "yardstick MB": round(int(least[1]) / 1024),
    }


def bytes_on_disk(root: Path) -> Figures:
    """Return how large the index is, beside the files."""

    def size(paths: Iterable[Path]) -> float:
        return round(sum(path.stat().st_blocks * 512 for path in paths if path.is_file()) / 1e6, 1)

    index = list((root / ".mneme.d").glob("index.sqlite*"))
    vectors = [path for path in index if "vectors" in path.name]
    return {
        "words MB": size(path for path in index if path not in vectors),
        "vectors MB": size(vectors),
        "yardstick": "the files",
        "yardstick MB": size((root / "memory").rglob("*")),
    }


# --- clocks -----------------------------------------------------------------------------------------------------------


class Clock:
    """Times of one thing done again and again, in milliseconds."""

    def __init__(self) -> None:
        self._wall: list[float] = []
        self._cpu: list[float] = []
        self.last: object = None

    def __call__(self, do: Callable[[], Any]) -> Any:  # noqa: ANN401 - what `do` returns
        """Do it once more."""
        wall, cpu = time.perf_counter(), _cpu_seconds()
        self.last = do()
        self._cpu.append(1000 * (_cpu_seconds() - cpu))
        self._wall.append(1000 * (time.perf_counter() - wall))
        return self.last

    @property
    def p50(self) -> float:
        """The median; 0 where nothing was done."""
        return round(median(self._wall), 2) if self._wall else 0.0

    @property
    def cpu(self) -> float:
        """The median of the processor's time."""
        return round(median(self._cpu), 2)

    def figures(self) -> Figures:
        """Return what is said about it."""
        ordered = sorted(self._wall)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        return {"p50": self.p50, "p95": round(p95, 2), "cpu p50": self.cpu, "runs": len(ordered)}


def _cpu_seconds() -> float:
    """Return what this process and those that it started have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _ratio(one: Clock, other: Clock) -> float:
    return round(one.p50 / other.p50, 2)


def _turns(commands: list[list[str]], yardstick: list[str], name: str) -> Figures:
    """Run commands and the yardstick in turns; the first turn is not counted."""
    own, other = Clock(), Clock()
    for number, command in enumerate(commands):
        for clock, words in ((own, command), (other, yardstick)):
            (clock if number else Clock())(lambda words=words: _run(words))
    return {
        **own.figures(),
        "yardstick": name,
        "yardstick p50": other.p50,
        "times": _ratio(own, other),
        "times of cpu": round(own.cpu / other.cpu, 2),
    }


def _run(command: list[str]) -> int:
    # A recall that finds nothing says so with 1.
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode in {0, 1}, command
    return done.returncode


def machine() -> dict[str, object]:
    """Return what it was measured with."""
    return {
        "python": f"{platform.python_version()} at {sys.executable}",
        "sqlite": sqlite3.sqlite_version,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "asked": f"{ASKED} questions of six words, common ones as often as in a language",
    }


def as_text(report: dict[str, Any]) -> str:
    """Return the report as lines."""
    lines = [f"{key:10} {value}" for key, value in report["machine"].items()]
    for name, figures in report["figures"].items():
        aim = next((aim for start, aim in report["aims"].items() if name.startswith(start)), "")
        lines.append(f"\n{name}{f'  (aim: {aim})' if aim else ''}")
        lines += [f"  {key:26} {value}" for key, value in figures.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
