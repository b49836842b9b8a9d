"""Mark records stale that nobody has seen to hold for a long time.

A stale record is still recalled, with the advice to verify it first; `mneme affirm` makes it live again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import BadInputError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme decay --dry-run
mneme decay --days 90
"""


def whole_days(text: str) -> int:
    """Read a number of days."""
    if not (text.isascii() and text.isdigit()):
        message = f"'{text}' is not a number of days"
        raise BadInputError(message, "mneme decay --days 45")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "--days", metavar="N", type=whole_days, help="for how many days (default: cells.stale_after_days, 45)"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.decay(args.days, dry_run=io.dry_run)
    io.print_done(done)
    if not done.records and not io.json:
        io.say("nothing to mark")
    return 0
