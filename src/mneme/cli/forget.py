"""Destroy a memory for good: from its file, the history, the trash and everything derived.

WHAT is an id, a file of the workspace, or a text. This is the one verb that deletes; it cannot be undone. Afterwards
it reports where copies may remain that it cannot reach: earlier git commits, other files, other programs' logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme forget FACT-0007
mneme forget memory/2026-03-01.md
mneme forget "the launch code is 0000" --yes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("what", metavar="WHAT", help="an id, a file, or a text")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        if not io.dry_run and not args.yes:
            memory.forget(args.what, dry_run=True)  # what is not there is not asked about
            if not io.confirm(f"forget '{args.what}' for good?", "mneme forget ... --yes"):
                io.say("nothing was forgotten")
                return EXIT_PROBLEMS
        gone = memory.forget(args.what, dry_run=io.dry_run)
    if io.json:
        io.print_json((), memory.problems, **gone.as_json())
    elif io.dry_run:
        io.print_diff(gone.diff)
    else:
        io.print(str(gone))
        io.warn_problems(memory.problems)
    return EXIT_CLEAN
