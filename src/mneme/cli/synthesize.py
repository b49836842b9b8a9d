"""Rewrite the summary of each entity from its active facts, and say what changed since the last time.

The summary lies in its own region of `summary.md`, what changed in a second one; what you write around them stays. Nothing is written
where nothing changed. Where a language model is set, a few sentences of its own come first, each held against the facts that it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme synthesize
mneme synthesize --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--force", action="store_true", help="although a check fails")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.render import one_line

    with io.open() as memory:
        made = memory.synthesize(force=args.force, dry_run=io.dry_run)
    if io.json:
        io.print_json((), made.problems, **made.as_json())
        return 0
    io.print_diff(made.done.diff)
    for name, rows in made.changed:
        io.print(name)
        for row in rows:
            io.print(one_line(f"  {row}"))
    io.warn_problems(made.problems)
    if not made.changed:
        io.say("every summary is up to date")
    return 0
