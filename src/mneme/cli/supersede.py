"""Replace a record by a new one: the old one stays, marked superseded, and both link to each other.

What was believed until today can still be read with `mneme show` and `mneme spine --as-of`. Topic and cue are taken
over from the old record unless you give new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme supersede DEC-0002 "Local cache uses SQLite, not JSON" --why "JSON lost writes"
mneme supersede DEC-0002 "Local cache uses SQLite" --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument("id", metavar="ID", help="the record that no longer holds")
    parser.add_argument("text", metavar="TEXT", help="what holds instead, in one line")
    parser.add_argument("--topic", metavar="A/B", help="where it belongs (default: as before)")
    parser.add_argument("--cue", metavar="TEXT", help="words that should bring it back (default: as before)")
    parser.add_argument("--why", metavar="TEXT", default="", help="what changed")
    parser.add_argument("--conf", choices=("high", "med", "low"), help="how sure it is (default: as before)")
    parser.add_argument(
        "--link", metavar="LINK", action="append", default=[], help="a relation and an id; may be repeated"
    )
    complete_as(
        parser.add_argument("--file", metavar="F", help="the cell file to append to (default: the old record's)"),
        "file",
    )
    parser.add_argument("--force", action="store_true", help="write it even if it looks like a secret")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.supersede(
            args.id,
            args.text,
            topic=args.topic,
            cue=args.cue,
            why=args.why,
            conf=args.conf,
            links=args.link,
            file=args.file,
            force=args.force,
            dry_run=io.dry_run,
        )

    io.print_done(done)
    return 0
