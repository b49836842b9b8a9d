"""Take an applied plan back: the newest one, or plan N of `mneme log`.

An undo is a plan itself, so it can be undone too. Where a later edit would be lost, nothing is changed, and the reason
is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme undo
mneme undo 12 --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "n", metavar="N", type=int, nargs="?", help="the plan's number (default: the newest that was not undone)"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.undo(args.n, dry_run=io.dry_run)
    io.print_done(done)
    if done.n and not io.json:
        io.say(f"{done.status}; take it back with: mneme undo {done.n}")
    return 0
