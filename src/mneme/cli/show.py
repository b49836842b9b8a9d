"""Print records as they are written, with where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme show DEC-0002
mneme show DEC-0002 GOTCHA-0001 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("ids", metavar="ID", nargs="+", help="the records to show")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render

    with io.open() as memory:
        found = [memory.show(wanted) for wanted in args.ids]
    if io.json:
        io.print_json([record for record, _ in found], memory.problems)
        return 0
    for record, text in found:
        io.print(render.shown_text(record, text, colour=io.colour))
    io.warn_problems(memory.problems)
    return 0
