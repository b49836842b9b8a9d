"""How long it takes to start, as a ratio to what any such program pays: starting Python and a few of its modules.

The runs of the commands take turns, so that a busy machine slows all of them; the median of each is compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 41
CELLS = 1000
YARDSTICK = [sys.executable, "-c", "import argparse, dataclasses, json, pathlib, tomllib"]
COMMAND = str(Path(sys.executable).with_name("mneme"))
LIMITS = {"mneme --help": 2.0, f"mneme spine ({CELLS} cells)": 1.5}


def make_workspace(folder: Path, count: int = CELLS) -> None:
    """Write a workspace with as many cells as are measured."""
    cells = (
        f"@ FACT-{n:04}  area{n % 40}/topic{n % 7}\ngist  statement number {n} about something that was found to hold\n"
        f"cue  word{n % 97} / other{n % 89}\nstate live   conf med   since 2026-01-02   seen 2026-01-31\n"
        for n in range(1, count + 1)
    )
    (folder / "memory").mkdir()
    (folder / "mneme.toml").touch()
    (folder / "memory" / "project.mneme").write_text("\n".join(cells), encoding="utf-8")


def seconds(command: list[str]) -> float:
    """Run a command and return how long it took."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> int:
    """Measure, print, and fail when a limit is passed."""
    with tempfile.TemporaryDirectory() as folder:
        make_workspace(Path(folder))
        commands = [YARDSTICK, [COMMAND, "--help"], [COMMAND, "--workspace", folder, "spine"]]
        rounds = [[seconds(command) for command in commands] for _ in range(ROUNDS)]
    yardstick, *times = (median(column) for column in zip(*rounds, strict=True))
    print(f"  yardstick {yardstick * 1000:.0f} ms")
    ratios = dict(zip(LIMITS, (one / yardstick for one in times), strict=True))
    for name, ratio in ratios.items():
        print(f"  {name}: {ratio:.2f} times (limit {LIMITS[name]})")
    return int(any(ratio > LIMITS[name] for name, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
