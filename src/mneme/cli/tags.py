"""List the tags in use with how often, then those that may be used; with TAG, the records that have it.

A tag stands on a file's `#tags:` line, in its frontmatter, or as `#word` in a text. The vocabulary, in its groups, is
the profile's; `[tags]` in mneme.toml changes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme tags
mneme tags docker
mneme tags --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("tag", metavar="TAG", nargs="?", help="the records with this tag")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render

    with io.open() as memory:
        rows = () if args.tag else memory.tags()
        records = memory.list(tag=args.tag) if args.tag else ()
    if io.json:
        io.print_json(records, memory.problems, tags=[row.as_json() for row in rows])
    else:
        if records:
            io.print(render.records_text(records, colour=io.colour, doubted=io.doubted))
        elif rows:
            io.print(render.rows_text(rows))
        else:
            io.say("nothing found")
        io.warn_problems(memory.problems)
    return EXIT_CLEAN if records or rows else EXIT_PROBLEMS
