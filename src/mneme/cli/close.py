"""Close the day: the four lines that end its note, written once and then replaced, never doubled.

Decisions is what was changed, Signal what was learned about the system, Open what is left to do. What you do not give
stays as it was, or says `none`. A day can be closed again whenever there is more to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme close --decisions "cache moved to SQLite" --signal "the JSON store loses writes under load" --open "tell Ann"
mneme close --open none
mneme close --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--decisions", metavar="TEXT", default="", help="what was changed")
    parser.add_argument("--signal", metavar="TEXT", default="", help="what was learned about the system")
    parser.add_argument("--open", metavar="TEXT", default="", help="what is left to do, or none")
    parser.add_argument("--redact", action="store_true", help="write a secret masked instead of refusing it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.render import one_line

    with io.open(make=True) as memory:
        closed = memory.close_day(
            decisions=args.decisions, signal=args.signal, open=args.open, redact=args.redact, dry_run=io.dry_run
        )
    done = closed.done
    if io.json:
        io.print_json((), done.problems, status=done.status, plan=done.n, diff=done.diff, closure=closed.lines)
        return EXIT_CLEAN
    if io.dry_run:
        io.print_diff(done.diff)
        return EXIT_CLEAN
    for line in closed.lines:
        io.print(one_line(line))
    io.warn_problems(done.problems)
    io.say(f"'{closed.path}' is closed" if done.n else f"'{closed.path}' says this already; nothing was written")
    return EXIT_CLEAN
