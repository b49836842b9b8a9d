"""List the entities that facts are kept about: the people, projects and things, by the name of their folder.

`mneme show NAME` tells what is known of one. Other names that one goes by stand in the frontmatter of its summary:
`aliases: [ACME Inc., 阿克米]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme entities
mneme entities --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments: none."""


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render

    with io.open() as memory:
        rows = memory.entities()
    if io.json:
        io.print_json((), memory.problems, entities=[row.as_json() for row in rows])
    else:
        if rows:
            io.print(render.rows_text(rows))
        else:
            io.say("there are no entities yet")
        io.warn_problems(memory.problems)
    return EXIT_CLEAN if rows else EXIT_PROBLEMS
