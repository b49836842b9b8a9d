"""Say that a record still holds: its `seen` date becomes today, and a stale one is live again.

Affirm only what you have just checked against the thing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme affirm DEC-0002
mneme affirm DEC-0002 --conf high
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("id", metavar="ID", help="the record that was checked")
    parser.add_argument("--conf", choices=("high", "med", "low"), help="how sure it is now")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.affirm(args.id, conf=args.conf, dry_run=io.dry_run)

    io.print_done(done)
    return 0
