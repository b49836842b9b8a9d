"""List what was changed, newest first: the number of each applied plan, when, by which verb, and which files.

`mneme diff N` shows a plan, `mneme undo N` takes it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme log
mneme log --limit 5 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="only the newest N")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        rows = memory.log(args.limit)
    if io.json:
        io.print_json((), memory.problems, plans=[row.as_json() for row in rows])
    else:
        for row in rows:
            io.print(str(row))
        io.warn_problems(memory.problems)
        if not rows:
            io.say("nothing has been changed yet")
    return EXIT_CLEAN if rows else EXIT_PROBLEMS
