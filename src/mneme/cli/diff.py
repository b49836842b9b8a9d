"""Show what an applied plan did, as a unified diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme diff 12
mneme diff
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("n", metavar="N", type=int, nargs="?", help="the plan's number (default: the newest)")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        number, diff = memory.diff(args.n)
    if io.json:
        io.print_json((), memory.problems, plan=number, diff=diff)
    else:
        io.print_diff(diff)
        io.warn_problems(memory.problems)
    return 0
