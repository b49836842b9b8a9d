"""Move old days' notes to the archive, one folder for each year and month.

A note goes by the date in its name, when it is more than 30 days old or as many as --days says. It is moved, not copied,
and never onto a file that is there; links to it, and its own, are rewritten in the same step. What is archived is found
by recall, and loaded by no session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme archive
mneme archive --days 14 --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--days", metavar="N", type=int, help="how old a note may be (default: the profile's, 30)")
    parser.add_argument("--force", action="store_true", help="archive although the check finds errors")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.render import one_line

    with io.open() as memory:
        archived = memory.archive(args.days, force=args.force, dry_run=io.dry_run)
    done = archived.done
    moved = [{"from": old, "to": new} for old, new in archived.moved]
    if io.json:
        io.print_json((), archived.problems, status=done.status, plan=done.n, diff=done.diff, moved=moved)
        return EXIT_CLEAN
    io.print_diff(done.diff)
    for old, new in () if io.dry_run else archived.moved:
        io.print(one_line(f"{old} -> {new}"))
    io.warn_problems(archived.problems)
    if not moved:
        io.say("nothing is old enough for the archive")
    elif done.n:
        io.say(f"moved {len(moved)} note{'' if len(moved) == 1 else 's'}; take it back with: mneme undo {done.n}")
    return EXIT_CLEAN
