"""Replace a record by a new one: the old one stays, marked superseded, and is linked to the new one.

What was believed until today can still be read with `mneme show` and `mneme spine --as-of`. A cell and a fact stay
where they are; what stands in a note moves to the archive, but for the entries of a day's note, which is a log. Topic
and cue of a cell, category and source of a fact are taken over unless you give new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme supersede DEC-0002 "Local cache uses SQLite, not JSON" --why "JSON lost writes"
mneme supersede acme-001 "Acme pays yearly"
mneme supersede memory/feedback/no-tables.md "Tables are fine in reports" --why "the reader changed"
mneme supersede DEC-0002 "Local cache uses SQLite" --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument("id", metavar="ID", help="the record that no longer holds")
    parser.add_argument("text", metavar="TEXT", help="what holds instead")
    parser.add_argument("--topic", metavar="A/B", help="where it belongs (default: as before)")
    parser.add_argument("--cue", metavar="TEXT", help="words that should bring it back (default: as before)")
    parser.add_argument("--why", metavar="TEXT", help="what changed")
    parser.add_argument("--how", metavar="TEXT", help="when and how to apply it")
    parser.add_argument("--title", metavar="TEXT", help="what to call it (default: how the text begins)")
    parser.add_argument("--conf", choices=("high", "med", "low"), help="how sure it is (default: as before)")
    parser.add_argument(
        "--link", metavar="LINK", action="append", default=[], help="a relation and an id; may be repeated"
    )
    complete_as(
        parser.add_argument("--file", metavar="F", help="the cell file to append to (default: the old record's)"),
        "file",
    )
    parser.add_argument(
        "--category",
        choices=("relationship", "milestone", "status", "preference", "decision"),
        help="what a fact says of its entity (default: as before)",
    )
    parser.add_argument("--source", choices=("conversation", "observation"), help="where a fact comes from")
    parser.add_argument("--redact", action="store_true", help="write a secret masked instead of refusing it")


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
            title=args.title,
            how=args.how,
            category=args.category,
            source=args.source,
            redact=args.redact,
            dry_run=io.dry_run,
        )

    io.print_done(done)
    return 0
