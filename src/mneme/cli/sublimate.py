"""Propose pages of knowledge of what has ripened; memories stay where they are, and the pages link to them.

A project of which every task is done and that three memories tell of is proposed as a postmortem; feedback that comes back three times to
one thing, for the work style guide; a user whose role, preferences and habits are known, as a playbook; five memories of one class
about one thing, as a suggestion. Progress, blockers and needs of projects that the last days tell of go to `project-tracker.md` at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme sublimate
mneme sublimate --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--force", action="store_true", help="although a check fails")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.render import one_line

    with io.open() as memory:
        found = memory.sublimate(force=args.force, dry_run=io.dry_run)
    if io.json:
        io.print_json((), found.problems, **found.as_json())
        return 0
    io.print_diff(found.diff)
    for text in found.tracked:
        io.print(one_line(f"tracked  {text}"))
    for one in found.proposed:
        io.print(one_line(f"{one.id}  {one.text}  ({one.said.get('why', '')})"))
        for source in one.sources:
            io.print(one_line(f"    from {source.anchor}"))
    io.warn_problems(found.problems)
    if found.message or not (found.proposed or found.tracked):
        io.say(found.message or "nothing has ripened")
    return 0
