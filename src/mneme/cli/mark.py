"""Set the state of a record, its confidence, or both, without saying that it was checked.

A proposed record becomes live or retired; a live one stale or retired; a stale one live or retired. To replace a
record use `mneme supersede`; to confirm it use `mneme affirm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme mark GOTCHA-0007 stale
mneme mark DEC-0004 retired
mneme mark FACT-0003 --conf low
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("id", metavar="ID", help="the record to mark")
    parser.add_argument(
        "state", metavar="STATE", nargs="?", choices=("live", "stale", "retired"), help="live, stale or retired"
    )
    parser.add_argument("--conf", choices=("high", "med", "low"), help="how sure it is")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.mark(args.id, args.state, conf=args.conf, dry_run=io.dry_run)

    io.print_done(done)
    return 0
