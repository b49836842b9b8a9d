"""Print the next free id of a prefix, without taking it; `mneme remember` takes one by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme new-id DEC
mneme new-id FACT memory/team.mneme
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument("prefix", metavar="PREFIX", help="DEC, OKR, PREF, GOTCHA, FACT, TODO, or one of your own")
    complete_as(parser.add_argument("files", metavar="FILE", nargs="*", help="look at these cell files too"), "file")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        new_id = memory.new_id(args.prefix, args.files)
    if io.json:
        io.print_json((), memory.problems, id=new_id)
    else:
        io.print(new_id)
        io.warn_problems(memory.problems)
    return 0
