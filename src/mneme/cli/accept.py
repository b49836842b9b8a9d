"""Make memories of proposals, each in the home of its kind, and say of each what it became.

A proposal and the memory that it becomes are one change, so that `mneme undo` takes both back. What a proposal says
that is remembered already makes no second memory. To turn one down instead, use `mneme reject`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme accept PROP-0003
mneme accept PROP-0004 PROP-0005
mneme accept PROP-0006 --kind preference
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("ids", metavar="ID", nargs="+", help="the proposals")
    parser.add_argument("--kind", metavar="KIND", default="", help="what they become, instead of what they say")
    parser.add_argument("--about", metavar="NAME", default="", help="whom they are about, where facts are kept")
    parser.add_argument("--force", action="store_true", help="although a check fails, or the text is better not kept")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        accepted = memory.accept(args.ids, kind=args.kind, about=args.about, force=args.force, dry_run=io.dry_run)
    records = [record for one in accepted for record in one.done.records]
    problems = [problem for one in accepted for problem in one.done.problems]
    if io.json:
        io.print_json(records, problems, accepted=[one.as_json() for one in accepted])
        return 0
    for one in accepted:
        io.print_diff(one.done.diff)
        if not io.dry_run:
            io.print(f"{one.id} -> {one.became}")
    io.warn_problems(problems)
    return 0
