"""List what was changed, newest first: the number of each applied plan, when, by which verb, and which files.

`mneme diff N` shows a plan, `mneme undo N` takes it back. With `--models`, the questions that were asked of a language
model instead, with their size, what they cost by the prices in the settings, and what came of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme log
mneme log --limit 5 --json
mneme log --models
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="only the newest N")
    parser.add_argument("--models", action="store_true", help="what was asked of a language model, and what it cost")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    if args.models:
        return _models(args, io)
    with io.open() as memory:
        rows = memory.log(args.limit)
    if io.json:
        io.print_json((), memory.problems, plans=[row.as_json() for row in rows])
    else:
        for row in rows:
            io.print(str(row))
        io.warn_problems(memory.problems)
        if not rows:
            io.say("nothing has been changed yet")
    return EXIT_CLEAN if rows else EXIT_PROBLEMS


def _models(args: argparse.Namespace, io: IO) -> int:
    """Print what was asked of a model, newest first, and what it cost today and in all."""
    import dataclasses

    from mneme.engine.check import refuse_shared
    from mneme.engine.models import calls

    with io.open() as memory:
        refuse_shared(memory, "log --models")
        found = calls(memory)[::-1]
        today = memory.today.isoformat()
    spent = {"today": sum(one.cost for one in found if one.at.startswith(today)), "all": sum(one.cost for one in found)}
    shown = found[: args.limit or None]
    if io.json:
        io.print_json((), (), calls=[dataclasses.asdict(one) for one in shown], spent=spent)
        return EXIT_CLEAN if shown else EXIT_PROBLEMS
    for one in shown:
        io.print(str(one))
    io.say(f"spent {spent['today']:.4f} today, {spent['all']:.4f} in all" if found else "no model was asked yet")
    return EXIT_CLEAN if shown else EXIT_PROBLEMS
