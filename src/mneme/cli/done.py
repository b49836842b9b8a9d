"""Tick a task: by its id, or by words that only one open task has.

The task stays where it is, ticked. A cell that is a todo is retired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import UnsureError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme done certificate
mneme done todos.md#1a2b3c4d
mneme done TODO-0003
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("task", metavar="TASK", help="its id, or words that only it has")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        try:
            done = memory.done(args.task, dry_run=io.dry_run)
        except UnsureError as unsure:
            done = memory.done(io.choose(unsure), dry_run=io.dry_run)
    io.print_done(done)
    return 0
