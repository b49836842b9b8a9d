"""Throw random and mutated texts at the cell parser, the checks, the repairs and the merge; stop at the first surprise.

What must hold for any text: nothing raises, nothing hangs, printing what was parsed gives the text back, the bulk
reader agrees with the strict one, and repairs settle. With `--atheris` the inputs are guided by coverage (the package
must be installed by hand); without it they are drawn from a seed, so that a failure can be had again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from datetime import date

from mneme.check.cell import check_cells, fix_cells
from mneme.formats.cell import CellFile, parse_cells, print_cells
from mneme.formats.columns import FIELD_NAMES, Columns
from mneme.memory.merge import merge_cells

TODAY = date(2026, 7, 20)
SLOWEST_SECONDS = 5.0
PIECES = (
    "@ DEC-0042  storage/cache\n", "@ FACT-0001 a\n", "@", " @ DEC-0002 b\n", "@DEC-0001 a/b\n", "@ dec-1 x\n", "@ \u0661-\u0662 x\n",
    "gist  Local cache uses SQLite, not JSON\n", "gist\n", "gist: x\n", "gist \u672c\u5730\u7f13\u5b58\u4f7f\u7528 SQLite\n", "cue a / b\n", "cue\n",
    "state live   conf med   since 2026-06-03   seen 2026-06-05\n", "state superseded conf high since 2026-13-99 seen 2026-02-30\n",
    "state LIVE conf hi\n", "state live gist hello\n", "state\n", "seen 20260605\n", "since 2026-W23-5 seen 2027-01-01\n",
    "> why\n", ">\n", "> link relates DEC-0001\n", "> state retired\n", "link supersedes DEC-0042\n", "link superseded-by FACT-0001\n",
    "link likes X\n", "link\n", "link depends-on DEC-0042\n", "# retired 2026-07-01\n", "# was DEC-0001\n", "# audience: shared\n",
    "# forgotten DEC-0042 2026-07-01\n", "# x\n", "\n", "\r\n", "\r", "\u2028", "\ufeff", "\udce9", "\x00", "\t", " ",
    "@ DEC-0007  storage/cache\ngist  Local cache uses SQLite\nstate live   conf med   since 2026-06-03   seen 2026-06-05\n> why\n\n",
    "@ PREF-0001  style\ngist  Answer in short sentences\nstate stale   conf low   since 2026-01-03   seen 2026-01-05\ncue   a / b\n",
    "@ DEC-0008  storage/cache\ngist  \u672c\u5730\u7f13\u5b58\nstate live   conf high   since 2026-06-04   seen 2026-06-05\nlink  supersedes DEC-0007\n",
    "<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n", "AKIAIOSFODNN7EXAMPLE\n", "password = 'hunter2hunter2'\n", "x" * 300 + "\n",
)  # fmt: skip


def draw_text(source: random.Random) -> str:
    """Return a text put together from telling pieces, bent here and there."""
    text = "".join(source.choices(PIECES, k=source.randint(0, 24)))
    for _ in range(source.randint(0, 3)):
        text = bend(text, source)
    return text


def bend(text: str, source: random.Random) -> str:
    """Return a text with a stretch cut out, doubled, turned round, or replaced by anything."""
    start = source.randint(0, len(text))
    end = min(len(text), start + source.randint(0, 12))
    piece = text[start:end]
    new = source.choice(
        (
            "",
            piece * 2,
            piece[::-1],
            chr(source.choice((0, 9, 10, 13, 32, 35, 62, 64, 0x85, 0x2028, 0xFEFF, 0xDCFF, 0x5B57, 0x1F600))),
        )
    )
    return text[:start] + new + text[end:]


def try_text(text: str, other: str) -> None:
    """Put one text, and its merge with another, through everything; raises where something does not hold."""
    file = parse_cells(text, "a.mneme")
    assert print_cells(file) == text, "printing changed the text"
    agree(CellFile(text, "a.mneme").columns, file)
    check_cells([file, parse_cells(other, "b.mneme")], today=TODAY)
    mend(text)
    one, two = merge_cells(other, text, other), merge_cells(other, other, text)
    assert one.text == two.text, "merging depends on the side"
    parse_cells(one.text).cells  # noqa: B018 - it is read on first use


def agree(columns: Columns, file: CellFile) -> None:
    """Hold the bulk reader to the strict one, in every field of every cell and in what it finds wrong."""
    for name, column in zip(FIELD_NAMES, columns.fields(), strict=True):
        assert list(column) == [getattr(cell, name) for cell in file.cells], f"the readers disagree about {name}"
    assert tuple(columns.faults) == file.faults, "the readers disagree about faults"
    assert [columns.cell(at) for at in range(len(columns))] == list(file.cells), "the readers disagree about a cell"


def mend(text: str) -> None:
    """Repair until nothing is left to repair; a repair that calls for itself again and again is a fault."""
    for _ in range(16):
        edits = fix_cells(parse_cells(text))
        if not edits:
            return
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
    message = "repairs do not settle"
    raise AssertionError(message)


def run_random(count: int, seed: int) -> int:
    """Try `count` drawn texts; print the seed of the first failure."""
    began = time.monotonic()
    for number in range(count):
        source = random.Random(f"{seed}-{number}")  # noqa: S311 - to be had again, not to be secret
        text, other = draw_text(source), draw_text(source)
        started = time.process_time()
        try:
            try_text(text, other)
            assert time.process_time() - started < SLOWEST_SECONDS, "too slow"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what was looked for
            print(f"failed at --seed {seed} --only {number}: {type(error).__name__}: {error}\n{text!r}\n{other!r}")
            return 1
        if sys.stderr.isatty() and number % 1000 == 0:
            rate = (number + 1) / (time.monotonic() - began)
            sys.stderr.write(f"\r{number:,} of {count:,}, {rate:,.0f} a second, {(count - number) / rate:,.0f} s left ")
    print(f"{count} passed, 0 failed")
    return 0


def run_guided(arguments: list[str]) -> None:
    """Let atheris look for inputs by coverage."""
    import atheris  # type: ignore[import-not-found]

    def one_input(content: bytes) -> None:
        half = len(content) // 2
        try_text(content[:half].decode("utf-8", "surrogateescape"), content[half:].decode("utf-8", "surrogateescape"))

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments], one_input)
    atheris.Fuzz()


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="try one number again")
    parser.add_argument("--atheris", action="store_true", help="guide by coverage; further arguments go to libFuzzer")
    args, rest = parser.parse_known_args()
    if args.atheris:
        run_guided(rest)
        return 0
    if args.only is not None:
        source = random.Random(f"{args.seed}-{args.only}")  # noqa: S311
        try_text(draw_text(source), draw_text(source))
        return 0
    return run_random(args.count, args.seed)


if __name__ == "__main__":
    sys.exit(main())
