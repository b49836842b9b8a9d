"""What `mneme check` costs on a tree of 10,000 files, as ratios to what plain Python and git pay for the same tree.

    bench/check.py [--json] [--files N] [--rounds N]

The first check of a tree is compared with a Python process that opens every file, decodes it and splits its lines; a
check after nothing changed is compared with `git status` on the same tree. All are whole processes, they take turns,
and the medians are compared, of the wall's clock and of processor time. The tree is made up, and the same every time:
days' notes, tagged notes, memories of a class, entities with their facts, and cells, with links among them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import NamedTuple

from cells import make_words
from table import machine

FILES, ROUNDS = 10_000, 5
FIRST_LIMIT = AGAIN_LIMIT = 6.0
TODAY = date(2026, 7, 20)
COMMAND = str(Path(sys.executable).with_name("mneme"))
READ = "import os,sys\nfor a,_,n in os.walk(sys.argv[1]):\n for f in n:\n  if '/.' not in a: open(os.path.join(a,f),encoding='utf-8').read().splitlines()"
CLASSES = ("user", "feedback", "project", "reference")
CELLS_IN_A_FILE = 20
MANY = 3


class Cost(NamedTuple):
    """What one run cost: seconds on the wall's clock, and seconds of processor time."""

    wall: float
    cpu: float


class Writer:
    """Writes made-up memory, the same for the same seed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rng = random.Random(20260720)  # noqa: S311 - made-up text
        self.words = make_words(4000, self.rng)
        self.written: list[str] = []

    def write(self, path: str, text: str) -> None:
        """Write a file, and remember it to link to."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        self.written.append(path)

    def sentence(self) -> str:
        """Return a sentence of 6 to 16 words."""
        return " ".join(self.rng.choices(self.words, k=self.rng.randint(6, 16))).capitalize() + "."

    def items(self, count: int) -> str:
        """Return list items, one in eight with a link, one in eight with what looks like code."""
        return "\n".join(self._item() for _ in range(count))

    def _item(self) -> str:
        kind, said = self.rng.randrange(8), self.sentence()
        if kind == 0 and self.written:
            path = self.rng.choice(self.written[-500:])
            return f"- {said} See [{path}](/{path})"
        if kind == 1:
            name = "_".join(self.rng.choices(self.words, k=2))
            return f"- {said} Call `{name}()` with {self.rng.getrandbits(160):040x}"
        return f"- {said}"

    def section(self) -> str:
        """Return a heading with a few items and a paragraph under it."""
        heading = " ".join(self.rng.choices(self.words, k=3)).capitalize()
        paragraph = " ".join(self.sentence() for _ in range(3))
        return f"## {heading}\n\n{self.items(self.rng.randint(4, 10))}\n\n{paragraph}\n"

    def body(self) -> str:
        """Return two or three sections."""
        return "\n".join(self.section() for _ in range(self.rng.randint(2, MANY)))


def make_tree(root: Path, count: int) -> int:
    """Write as many files as asked for, give or take a few, and make one commit of them; returns their bytes."""
    to = Writer(root)
    to.write("mneme.toml", "")
    to.write("MEMORY.md", f"# Memory\n\n{to.items(20)}\n")
    for number in range(count // 5):
        day = (TODAY - timedelta(days=number)).isoformat()
        closing = f"Updated: {day}\nDecisions: none\nSignal: {to.sentence()}\nOpen: none\n"
        to.write(f"memory/{day}.md", f"# {day}\n\n{to.body()}\n{closing}")
    for number in range(count // 4):
        name = f"{to.rng.choice(to.words)}-{number}"
        head = f"# {name.capitalize()}\n#tags: docker, ssh\n> last_verified: 2026-07-10\n\n"
        to.write(f"memory/semantic/{name}.md", head + to.body())
        kind = CLASSES[number % len(CLASSES)]
        front = f"---\nname: {name}\ndescription: {to.sentence()}\ntype: {kind}\ncreated: 2026-05-02\n---\n\n"
        to.write(f"memory/{kind}/{name}.md", f"{front}# {name}\n\n{to.body()}")
    for number in range(count // 8):
        _write_entity(to, f"{to.rng.choice(to.words)}-{number}")
    for number in range(count // 20):
        _write_cells(to, number)
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all of it"]):
        git(root, *words)
    return sum((root / path).stat().st_size for path in to.written)


def _write_entity(to: Writer, name: str) -> None:
    facts = [
        {
            "id": f"{name}-{n:03}",
            "fact": to.sentence(),
            "category": "status",
            "timestamp": "2026-03-01",
            "source": "conversation",
            "status": "active",
            "supersededBy": None,
        }
        for n in range(1, to.rng.randint(4, 12))
    ]
    to.write(f"brain/areas/{name}/items.json", json.dumps(facts, indent=2) + "\n")
    lines = "\n".join(f"- {fact['fact']}" for fact in facts)
    to.write(f"brain/areas/{name}/summary.md", f"# {name}\n\n{lines}\n")


def _write_cells(to: Writer, number: int) -> None:
    first = 1 + number * CELLS_IN_A_FILE
    cells = (
        f"@ FACT-{n:04}  {to.rng.choice(to.words)}/{to.rng.choice(to.words)}\ngist  {to.sentence()[:70]}\n"
        f"state live   conf med   since 2026-05-02   seen 2026-07-10\ncue   {to.rng.choice(to.words)}\n> {to.sentence()}\n"
        for n in range(first, first + CELLS_IN_A_FILE)
    )
    to.write(f"memory/cells/part-{number}.mneme", "\n".join(cells))


def git(root: Path, *words: str) -> None:
    """Run git as nobody in particular."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    subprocess.run(["git", *who, "-C", str(root), *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S607


def cost_of(command: list[str]) -> Cost:
    """Run a command and return what it cost; a check that finds something is no failure."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"'{' '.join(command)}' ended with {process.returncode}")
    return Cost(time.perf_counter() - started, used.ru_utime + used.ru_stime)


def measure(root: Path, rounds: int) -> dict[str, list[Cost]]:
    """Return the costs of all four, taken in turns."""
    check = [COMMAND, "--workspace", str(root), "--today", TODAY.isoformat(), "check"]
    status = ["git", "-C", str(root), "status", "--porcelain"]
    costs: dict[str, list[Cost]] = {"read": [], "first": [], "status": [], "again": []}
    for _ in range(rounds):
        shutil.rmtree(root / ".mneme.d", ignore_errors=True)
        costs["read"].append(cost_of([sys.executable, "-c", READ, str(root)]))
        costs["first"].append(cost_of(check))
        for _ in range(MANY):
            costs["status"].append(cost_of(status))
            costs["again"].append(cost_of(check))
    return costs


def report_on(costs: dict[str, list[Cost]], count: int, size: int) -> dict[str, object]:
    """Return the figures: medians, and the two ratios by both clocks."""
    middle = {name: Cost(*map(median, zip(*held, strict=True))) for name, held in costs.items()}
    ratios = {
        "first": {clock: getattr(middle["first"], clock) / getattr(middle["read"], clock) for clock in Cost._fields},
        "again": {clock: getattr(middle["again"], clock) / getattr(middle["status"], clock) for clock in Cost._fields},
    }
    return {
        "name": "check",
        "machine": machine(),
        "files": count,
        "bytes": size,
        "seconds": {name: cost._asdict() for name, cost in middle.items()},
        "ratios": ratios,
        "limits": {"first": FIRST_LIMIT, "again": AGAIN_LIMIT},
    }


def as_text(report: dict[str, object]) -> str:
    """Return the report in words."""
    seconds, ratios, limits = report["seconds"], report["ratios"], report["limits"]
    lines = [f"  {report['files']} files, {report['bytes'] / 1e6:.1f} MB; load {report['machine']['load']}"]
    for name, other, told in (("first", "read", "reading and splitting"), ("again", "status", "git status")):
        wall, cpu = ratios[name]["wall"], ratios[name]["cpu"]
        lines.append(
            f"  {name} check: {wall:.2f} times {told} (processor {cpu:.2f}; limit {limits[name]}): "
            f"{seconds[name]['wall']:.2f} s against {seconds[other]['wall']:.2f} s"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure, print, and fail when a limit is passed."""
    parser = argparse.ArgumentParser(prog="bench/check.py")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = make_tree(root, chosen.files)
        time.sleep(MANY)  # what was written just now proves nothing by its stamp
        count = sum(1 for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
        report = report_on(measure(root, chosen.rounds), count, size)
    print(json.dumps(report) if chosen.json else as_text(report))
    ratios = report["ratios"]
    return int(ratios["first"]["wall"] > FIRST_LIMIT or ratios["again"]["wall"] > AGAIN_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
