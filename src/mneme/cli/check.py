"""Check all of memory: cells, notes, facts, and what is derived from them.

Every fault is told with its place, its rule and a command that helps; docs/rules.md describes every rule, `[rules]` in
mneme.toml sets its severity. The exit code is 1 if there is an error. A check of everything that finds one leaves an
alarm: every command then says first that the integrity check failed, until a check finds no error.

--fix repairs what is mechanical, as one change that `mneme undo` takes back: look first with --dry-run. It never
touches a person's words and never says that something was verified. A MEMORY.md over its budget is made to fit by
moving whole sections to files of their own, with a line that leads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme check
mneme check MEMORY.md memory/semantic --json
mneme check --fix --dry-run
mneme check --online
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    complete_as(
        parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders (default: everything)"), "file"
    )
    parser.add_argument("--fix", action="store_true", help="repair what is mechanical, then check again")
    parser.add_argument("--online", action="store_true", help="also ask whether the addresses in memory still answer")
    parser.add_argument("--all", action="store_true", help="print every problem, also the many of one rule")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open(tell_alarm=False) as memory:
        report = memory.check(args.paths, fix=args.fix, online=args.online, dry_run=io.dry_run)
    done = report.done
    if io.json:
        io.print_json(
            (),
            report.problems,
            cells=report.cells,
            notes=report.notes,
            facts=report.facts,
            fixed=done.n if done else 0,
            diff=done.diff if done else "",
        )
        return report.exit_code
    if done is not None:
        io.print_diff(done.diff)
        if done.n or not done.diff:
            io.say(f"fixed as plan {done.n}: mneme diff {done.n}" if done.n else "nothing to fix")
    io.print_report(report, most_of_a_rule=0 if args.all else 20)
    return report.exit_code
