"""Turn proposals down for good: what they claim is not proposed again.

The reason stays with the proposal, so that whoever wonders later can read it. To accept one instead, use `mneme accept`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme reject PROP-0003 --why "that was the old office"
mneme reject PROP-0004 PROP-0005
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("ids", metavar="ID", nargs="+", help="the proposals")
    parser.add_argument("--why", metavar="TEXT", default="", help="the reason, kept with them")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.reject(args.ids, why=args.why, dry_run=io.dry_run)
    io.print_done(done)
    if done.n:
        io.say(f"rejected {', '.join(dict.fromkeys(args.ids))}")
    return 0
