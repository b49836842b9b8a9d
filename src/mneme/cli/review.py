"""Review the week: what its closures decided and taught goes home, what is broken is mended, what is old is put away.

Decisions and lessons of the last seven days' closures are written to their homes, each once; friction (`#friction:`) that recurs
becomes a lesson; a lesson learned on three days is flagged, and proposed as a rule. Then `check --fix`, the archive, a buffer that
was left over, the open questions and the date of MEMORY.md. All of it is one change, and one commit where the workspace makes commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme review
mneme review --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--force", action="store_true", help="although a check fails")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.engine.review import NOTHING
    from mneme.render import one_line

    with io.open() as memory:
        reviewed = memory.review(force=args.force, dry_run=io.dry_run)
    if io.json:
        io.print_json((), reviewed.problems, **reviewed.as_json())
        return 0
    io.print_diff(reviewed.diff)
    for step in reviewed.steps:
        io.print(one_line(step))
    for flag in reviewed.flagged:
        io.print(one_line(flag))
    io.warn_problems(reviewed.problems)
    if not reviewed.steps:
        io.print(NOTHING)
    elif reviewed.plans:
        io.say(f"take it back with: mneme undo {reviewed.plans[0]}")
    return 0
