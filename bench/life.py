"""A year of dreaming: does what mattered get promoted, does noise stay out, is what changed told as it is now?

    bench/life.py --data DIR [--seed 7 ...] [--nights 365] [--json] [--ours-only]

The year is made from a seed, with wording from the workspaces, transcripts and Chinese histories in DIR (`workspaces/`,
`transcripts/`, `memsim-zh/`); as agents do, it notes now and then what memory told it, and asks about that, too.
It is lived twice, night by night, in a workspace of its own: in our scoring, and in OpenClaw's without our budgets. A
scorer that knows neither the year's maker nor us reads what was true and what MEMORY.md said each night.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import Any

from life_score import score
from life_year import Ask, Year, make_year, read_pools

from mneme.engine import open_memory
from mneme.formats.entry import entry_hash
from mneme.formats.recalled import Recalled, Seen, print_recalled, query_hash

FIRST_DAY = date(2026, 1, 1)
NO_LIMIT = 1_000_000
ECHOES = 0.3  # of all days
WAYS = {
    "trusted": "",
    "openclaw": f'[dream]\nscoring = "openclaw"\n[budgets]\nmemory_lines = {NO_LIMIT}\nmemory_chars = {NO_LIMIT}\n',
}
BUDGETS = {"memory_lines": 60, "memory_chars": 10_000, "diary_chars": 40_000, "store_entries": 512}


class Life:
    """One workspace living through a year."""

    def __init__(self, root: Path, year: Year, settings: str) -> None:
        self.root, self.year = root, year
        (root / "memory").mkdir(parents=True)
        (root / "mneme.toml").write_text(settings)
        (root / "MEMORY.md").write_text("# Memory\n\n- This is the memory of one agent.\n")
        self.where: dict[str, tuple[str, int]] = {}
        self.dice = random.Random(str(root.name))  # noqa: S311 - the same echoes each time

    def live(self, day: str) -> dict[str, Any]:
        """Live a day and its night, and return how the night looked."""
        self._note(day)
        for ask in self.year.asks[day]:
            self._ask(ask)
        now = datetime.combine(date.fromisoformat(day), clock(23, tzinfo=UTC))
        began = time.process_time()
        self._dream(now)
        seconds = time.process_time() - began
        asked = [ask.fact for ask in self.year.asks[day] if ask.origin == "asked" and ask.fact >= 0]
        before = self._state()
        self._dream(now)
        figures = {"sizes": self._sizes(), "seconds": seconds, "same_again": self._state() == before}
        return {"day": day, "promoted": self._promoted(), "asked": asked, **figures}

    def _dream(self, now: datetime) -> None:
        with open_memory(str(self.root), now=lambda: now) as memory:
            memory.dream(force=True)  # the check before it is timed elsewhere

    def _state(self) -> dict[str, bytes]:
        """Return everything that a night writes."""
        written = [self.root / "MEMORY.md", self.root / "DREAMS.md", *(self.root / "memory").rglob("*")]
        state = (place for place in written if place.is_file() and place.parent.name != "memory")
        return {str(place): place.read_bytes() for place in state}

    def _note(self, day: str) -> None:
        path = f"memory/{day}.md"
        rows = [f"# {day}", ""]
        for line in [*self.year.notes[day], *self._echoes(day)]:
            rows.append(f"- {line}")
            self.where[line] = (path, len(rows))
        (self.root / path).write_text("\n".join(rows) + "\n", encoding="utf-8")

    def _echoes(self, day: str) -> list[str]:
        """Return what memory told the agent and the agent noted, as it came or in a sentence; it is asked about next day."""
        rows = self._promoted()
        if not rows or self.dice.random() > ECHOES:
            return []
        row = self.dice.choice(rows).removeprefix("- ")
        said = row.split(" <!--")[0].split(" [score=")[0]
        echo = self.dice.choice(
            (row, f"Recalled from memory: {said}", f"<active_memory_plugin> {said} </active_memory_plugin>")
        )
        later = [one for one in sorted(self.year.asks) if one >= day][:4]
        for turn in range(self.dice.randint(0, 4)):
            at = self.dice.choice(later)
            ask = Ask(at, -1, echo, f"{day} echo {turn}", "asked", at, self.dice.uniform(0.5, 0.9))
            self.year.asks[at].append(ask)
        return [echo]

    def _ask(self, ask: Ask) -> None:
        """Write the recall log as a recall would have: the hit lies in MEMORY.md where it says so already."""
        line = ask.line or self._current(ask)
        place = self._place(line)
        if place is None:
            return
        path, number, text = place
        hit = Seen(f"{path}#{entry_hash(text)}", path, number, number, ask.score)
        at = datetime.combine(date.fromisoformat(ask.day), clock(12, tzinfo=UTC)) + timedelta(minutes=len(ask.question))
        recalled = Recalled(at.isoformat(), ask.origin, ask.session, query_hash(ask.question), (hit,))
        log = self.root / ".mneme.d" / "recall.jsonl"
        log.parent.mkdir(exist_ok=True)
        with log.open("a", encoding="utf-8") as out:
            out.write(print_recalled(recalled) + "\n")

    def _current(self, ask: Ask) -> str:
        version = [one for one in self.year.facts[ask.fact].versions if one.day <= ask.day][-1]
        noted = [text for text in (version.text, *version.again) if text in self.where]
        return noted[len(ask.question) % len(noted)]

    def _place(self, line: str) -> tuple[str, int, str] | None:
        path, number = self.where.get(line, ("", 0))
        source = f"{path}#{entry_hash(f'- {line}')}"
        for at, row in enumerate((self.root / "MEMORY.md").read_text(encoding="utf-8").splitlines(), 1):
            if f", {source}" in row:
                return "MEMORY.md", at, row
        return (path, number, f"- {line}") if path else None

    def _promoted(self) -> list[str]:
        rows = (self.root / "MEMORY.md").read_text(encoding="utf-8").splitlines()
        return [
            row for row in rows if row.startswith("- ") and ("openclaw-memory-promotion:" in row or "[score=" in row)
        ]

    def _sizes(self) -> dict[str, tuple[int, int]]:
        memory = (self.root / "MEMORY.md").read_text(encoding="utf-8")
        diary = self.root / "DREAMS.md"
        store = self.root / "memory/.dreams/short-term-recall.json"
        entries = json.loads(store.read_bytes())["entries"] if store.exists() else {}
        found = {
            "memory_lines": memory.count("\n"),
            "memory_chars": len(memory),
            "diary_chars": len(diary.read_text(encoding="utf-8")) if diary.exists() else 0,
            "store_entries": len(entries),
        }
        return {name: (size, BUDGETS[name]) for name, size in found.items()}


def run(year: Year, days: list[str], way: str, folder: Path) -> dict[str, Any]:
    """Live the year one way, and have it scored."""
    truth, nights = folder / f"truth-{way}.json", folder / f"nights-{way}.jsonl"
    asks = {day: list(rows) for day, rows in year.asks.items()}
    life = Life(folder / way, replace(year, asks=asks), WAYS[way])
    truth.write_text(year.truth(), encoding="utf-8")
    with nights.open("w", encoding="utf-8") as out:
        for day in days:
            out.write(json.dumps(life.live(day), ensure_ascii=False) + "\n")
    return score(truth, nights)


def main() -> int:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=[7], nargs="+", help="one year for each")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder to live in, which stays")
    args = parser.parse_args()
    pools = read_pools(args.data)
    if not pools.lasting or not pools.passing:
        print(f"there are no workspaces and transcripts in '{args.data}'", file=sys.stderr)
        return 2
    found: dict[str, Any] = {}
    for seed in args.seed:
        year = make_year(pools, seed, FIRST_DAY, args.nights)
        with tempfile.TemporaryDirectory() as temporary:
            folder = (args.keep or Path(temporary)) / str(seed)
            for way in ["trusted"] if args.ours_only else list(WAYS):
                found[f"{way} {seed}"] = run(year, sorted(year.notes), way, folder)
    if args.json:
        print(json.dumps(found, indent=1))
        return 0
    print(f"{len(pools.lasting)} curated lines, {len(pools.passing)} passing ones")
    for name in next(iter(found.values())):
        print(f"{name:<22}", *(f"{way}: {figures[name]!s:<28}" for way, figures in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
