"""List records of every kind, one line each: id, state, confidence, what it says, where it lies.

The options narrow the list; several together all have to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme list
mneme list --kind task --state live
mneme list --state stale
mneme list --topic storage --json
mneme list --tag docker
mneme list --entity acme
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--kind", metavar="KIND", help="only of this kind")
    parser.add_argument(
        "--state", choices=("proposed", "live", "stale", "superseded", "retired"), help="only of this state"
    )
    parser.add_argument("--tier", choices=("hot", "warm", "cold", "buffer"), help="only what is loaded so")
    parser.add_argument("--topic", metavar="A/B", help="only of this topic and those below it")
    parser.add_argument("--tag", metavar="TAG", help="only with this tag")
    parser.add_argument("--entity", metavar="NAME", help="only what is kept about this entity")
    parser.add_argument("--prefix", metavar="X", help="only ids with this prefix")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render

    with io.open() as memory:
        records = memory.list(
            state=args.state,
            topic=args.topic,
            prefix=args.prefix,
            kind=args.kind,
            tag=args.tag,
            entity=args.entity,
            tier=args.tier,
        )
    if io.json:
        io.print_json(records, memory.problems)
    else:
        if records:
            io.print(render.records_text(records, colour=io.colour, doubted=io.doubted))
        else:
            io.say("nothing found")
        io.warn_problems(memory.problems)
    return EXIT_CLEAN if records else EXIT_PROBLEMS
