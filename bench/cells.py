"""How much the cells of a long file cost, as ratios to what plain Python pays on the same machine in the same run.

Reading and checking 100,000 canonical cells is compared with `open(f).read().splitlines()` of the same file; whether a
cell is known already is asked of that file's text. The rounds take turns, and the best of each is compared. Then, if
there is a `mneme` beside this Python, `remember` on that file is compared with `remember` on an empty one.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from statistics import median

from mneme.check.cell import check_cells
from mneme.check.known import duplicate_in_text
from mneme.formats.cell import parse_cells
from mneme.formats.spine import spine_lines

CELLS = 100_000
ROUNDS = 7
SHELL_ROUNDS = 9
TODAY = date(2026, 7, 20)
CHECK_LIMIT, REMEMBER_LIMIT = 8.0, 3.0
COMMAND = Path(sys.executable).with_name("mneme")

SYLLABLES = [first + last for first in "bcdfghjklmnprstvw" for last in "aeiou"]


def make_words(count: int, seed: random.Random) -> list[str]:
    """Return made-up words, two to four syllables long."""
    words = {"".join(seed.choices(SYLLABLES, k=seed.randint(2, 4))) for _ in range(2 * count)}
    return sorted(words)[:count]


def mixed_gist(_: int, words: list[str], seed: random.Random) -> str:
    """Return a gist of 6 to 12 words, the short ones of English among them."""
    plain = seed.choices(words, k=seed.randint(5, 8))
    for small in seed.sample(["the", "is", "in", "of", "to", "for", "with", "and"], k=seed.randint(1, 4)):
        plain.insert(seed.randint(0, len(plain)), small)
    return " ".join(plain).capitalize()


def plain_gist(_: int, words: list[str], seed: random.Random) -> str:
    """Return a gist of 6 to 12 words that all count."""
    return " ".join(seed.choices(words, k=seed.randint(6, 12))).capitalize()


def numbered_gist(number: int, words: list[str], seed: random.Random) -> str:
    """Return a gist made from a template, with a number in it."""
    return f"Statement number {number} about {seed.choice(words)} that was found to hold for {seed.choice(words)}"


def make_file(gist_of: object, topics: int) -> str:
    """Return a file of canonical cells."""
    seed = random.Random(20260720)  # noqa: S311 - made-up cells
    words = make_words(5000, seed)
    names = [f"{first}/{second}" for first in words[:100] for second in words[100 : 100 + topics // 100]]
    cells = []
    for number in range(1, CELLS + 1):
        day = f"2026-0{seed.randint(1, 6)}-{seed.randint(1, 28):02}"
        lines = [
            f"@ FACT-{number:04}  {seed.choice(names)}",
            f"gist  {gist_of(number, words, seed)}",  # type: ignore[operator]
            f"state live   conf {seed.choice(['high', 'med', 'low'])}   since {day}   seen 2026-07-{seed.randint(1, 20):02}",
            f"cue   {' '.join(seed.choices(words, k=2))} / {seed.choice(words)}",
            *(f"> {' '.join(seed.choices(words, k=12))}" for _ in range(seed.randint(1, 2))),
        ]
        if number > 1 and seed.random() < 0.25:  # noqa: PLR2004 - one in four
            lines.append(f"link  relates FACT-{seed.randint(1, number - 1):04}")
        cells.append("\n".join(lines))
    return "\n\n".join(cells) + "\n"


def seconds(work: object) -> float:
    """Return how long a piece of work took."""
    started = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - started


def check_ratio(path: Path, name: str) -> float:
    """Print and return how reading and checking a file compares with splitting it into lines."""
    text = path.read_text(encoding="utf-8")
    plain, parsed, checked, known, spine = [], [], [], [], []
    for _ in range(ROUNDS):
        plain.append(seconds(lambda: open(path).read().splitlines()))  # noqa: PTH123, SIM115 - the yardstick
        file = parse_cells(text, path.name)
        parsed.append(seconds(lambda file=file: file.columns))
        checked.append(seconds(lambda file=file: check_cells([file], today=TODAY)))
        spine.append(seconds(lambda: spine_lines(parse_cells(text))))
        known.append(
            seconds(lambda: duplicate_in_text("Local cache uses SQLite for every agent", "storage/cache", text))
        )
    yardstick, ratio = min(plain), (min(parsed) + min(checked)) / min(plain)
    print(
        f"  {name}: parse {min(parsed) / yardstick:.1f} + lint {min(checked) / yardstick:.1f} = {ratio:.1f} times "
        f"read and splitlines ({yardstick * 1000:.0f} ms; limit {CHECK_LIMIT}); spine {min(spine) / yardstick:.1f} times; "
        f"known already? {min(known) * 1000:.0f} ms"
    )
    return ratio


def remember_ratio(text: str) -> float:
    """Print and return how remembering on a long file compares with remembering on an empty one."""
    times = []
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
        for folder, content in ((empty, ""), (full, text)):
            (Path(folder) / "project.mneme").write_text(content, encoding="utf-8")
            runs = []
            for number in range(SHELL_ROUNDS):
                gist = f"The measured claim has the name of word{number}"
                command = [
                    str(COMMAND),
                    "--workspace",
                    folder,
                    "remember",
                    gist,
                    "--kind",
                    "fact",
                    "--topic",
                    f"bench/t{number}",
                ]
                runs.append(
                    seconds(lambda command=command: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
                )
            times.append(median(runs))
    ratio = times[1] / times[0]
    print(
        f"  remember: {times[1] * 1000:.0f} ms on {CELLS} cells, {ratio:.1f} times that on none (limit {REMEMBER_LIMIT})"
    )
    return ratio


def main() -> int:
    """Measure, print, and fail when a limit is passed."""
    kinds = (
        ("mixed words", mixed_gist, 1000),
        ("rare words", plain_gist, 12_000),
        ("one template", numbered_gist, 300),
    )
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "project.mneme"
        for name, gist_of, topics in kinds:
            path.write_text(make_file(gist_of, topics), encoding="utf-8")
            ratios.append(check_ratio(path, name))
    failed = max(ratios) > CHECK_LIMIT
    if COMMAND.exists():
        failed |= remember_ratio(make_file(mixed_gist, 1000)) > REMEMBER_LIMIT
    else:
        print(f"  remember: not measured, there is no '{COMMAND}'")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
