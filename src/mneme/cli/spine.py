"""Print the spine: one line for each cell that is live or stale, to be read at the start of a session.

With --as-of, the cells that were believed on that day: each holds from its `since` until its successor's `since`, or
until it was retired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme spine
mneme spine memory/team.mneme
mneme spine --as-of 2026-03-01
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    complete_as(
        parser.add_argument("files", metavar="FILE", nargs="*", help="cell files (default: all of the workspace)"),
        "file",
    )
    parser.add_argument("--as-of", metavar="DATE", help="the cells that were believed on this day")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        if io.json:
            io.print_json(memory.spine_records(args.files, as_of=args.as_of), memory.problems)
            return 0
        for line in memory.spine(args.files, as_of=args.as_of):
            io.print_raw(line + "\n")
    io.warn_problems(memory.problems)
    return 0
