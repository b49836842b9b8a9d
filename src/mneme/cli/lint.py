"""Check cells: what is missing, malformed, contradictory, forgotten, or was edited where nothing may be edited.

Warnings come first, then errors; the exit code is 1 if there is an error. --fix repairs what is mechanical (a missing
inverse link, a header that lost its space, a date in another form) and never a person's words. Every rule is described
in docs/rules.md, and `[rules]` in mneme.toml sets its severity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme lint
mneme lint memory/team.mneme --json
mneme lint --fix --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    complete_as(
        parser.add_argument("files", metavar="FILE", nargs="*", help="cell files (default: all of the workspace)"),
        "file",
    )
    parser.add_argument("--fix", action="store_true", help="repair what is mechanical, then check again")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        fixed = memory.fix_cells(args.files, dry_run=io.dry_run) if args.fix else None
        report = memory.lint(args.files)
    if io.json:
        io.print_json(
            (), report.problems, cells=report.cells, fixed=fixed.n if fixed else 0, diff=fixed.diff if fixed else ""
        )
        return report.exit_code
    if fixed is not None:
        io.print_diff(fixed.diff)
        io.say(f"fixed as plan {fixed.n}: mneme diff {fixed.n}" if fixed.n else "nothing to fix")
    io.print_report(report)
    return report.exit_code
