"""List what lies beside a record: what it links to, what links to it, what is about the same entity or topic.

Superseded and retired records are among them where a link leads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme related DEC-0001
mneme related DEC-0001 -k 50 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("id", metavar="ID", help="the record's id")
    parser.add_argument("-k", metavar="N", type=int, default=20, help="how many at most (default: 20)")


def run(args: argparse.Namespace, io: IO) -> int:
    """Look, and print what was found."""
    from mneme import render

    with io.open() as memory:
        found = memory.related(args.id, k=args.k)
    if io.json:
        io.print_json(found.beside, memory.problems, record=found.record.as_json())
    else:
        for one in found.beside:
            io.print(f"{render.paint(render.one_line(one.how), 'cyan', colour=io.colour)}")
            io.print("  " + render.records_text([one.record], colour=io.colour, doubted=io.doubted))
        io.warn_problems(memory.problems)
    if not found.beside:
        io.say(f"nothing lies beside '{args.id}'")
    return EXIT_CLEAN if found.beside else EXIT_PROBLEMS
