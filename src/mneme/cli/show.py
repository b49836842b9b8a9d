"""Print what is remembered as it is written, with where it lies.

NAME is the id of a record (DEC-0002, acme-001, memory/semantic/decisions.md#1a2b3c4d), a file or lines of it
(memory/2026-01-31.md#L3-L9), an entity by any of its names, or a date in words: yesterday, "last Tuesday",
"3 weeks ago", 昨天, 上周二.

An entity is shown with its summary, the facts that hold and those that once did; with --as-of, as it was on that day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine.listing import Shown

EXAMPLES = """
mneme show DEC-0002
mneme show memory/semantic/decisions.md#L4-L9
mneme show "last Tuesday"
mneme show acme --as-of "3 weeks ago"
mneme show DEC-0002 GOTCHA-0001 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("names", metavar="NAME", nargs="+", help="what to show: ids, files, entities, dates")
    parser.add_argument("--as-of", metavar="DATE", help="an entity as it was on a day")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        found = [shown for wanted in args.names for shown in memory.show(wanted, as_of=args.as_of)]
    if io.json:
        io.print_json([record for shown in found for record in shown.records], memory.problems)
        return 0
    for shown in found:
        _print(shown, io)
    io.warn_problems(memory.problems)
    return 0


def _print(shown: Shown, io: IO) -> None:
    from mneme import render
    from mneme.render import DOUBT

    if shown.active is None:
        io.print(render.shown_text(shown.record, shown.text, colour=io.colour, doubted=io.doubted))
        return
    if shown.text:
        io.print(render.shown_text(shown.record, shown.text.rstrip("\n"), colour=io.colour, doubted=io.doubted))
    if not shown.records[1:]:
        io.say("nothing is known of it on that day")
    for title, records in (("facts that hold", shown.active), ("facts that held", shown.history)):
        if records:
            title_text = title + DOUBT * io.doubted
            io.print(render.section_text(title_text, render.facts_text(records, colour=io.colour), colour=io.colour))
