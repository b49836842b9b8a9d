"""Write down what happened: an entry in today's note, at its time of day.

TEXT is what a reader of tomorrow needs: what happened, what was decided, why it matters. With --section it goes under
that heading instead, which is made where it is missing. Entries stay above the day's closure. What should hold for
long belongs in `mneme remember`; the note is the raw log that it can be drawn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme note "Moved the cache to SQLite; the JSON store lost writes under load"
mneme note "The build takes six minutes because of the fonts" --section Learned
mneme note "Ann asked for the report by Friday" --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("text", metavar="TEXT", help="what happened")
    parser.add_argument("--section", metavar="NAME", help="the heading it goes under (default: by its time)")
    parser.add_argument("--redact", action="store_true", help="write a secret masked instead of refusing it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.engine.results import EXISTS

    with io.open(make=True) as memory:
        done = memory.note(args.text, args.section, redact=args.redact, dry_run=io.dry_run)
    io.print_done(done)
    if done.status == EXISTS and not io.json:
        io.say("the day's note says this already; nothing was written")
    return EXIT_CLEAN
