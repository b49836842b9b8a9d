"""List what waits for your word: what capture, refinement and outcomes found worth remembering, each with its source.

Nothing that was found in conversations, tools or other people's folders is remembered before somebody accepts it.
`mneme accept ID` makes a memory of a proposal, in the home of its kind; `mneme reject ID` turns it down for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme proposals
mneme proposals --kind decision --json
mneme proposals --settled
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--kind", metavar="KIND", default="", help="only those that would become this kind of memory")
    parser.add_argument("--by", metavar="NAME", default="", help="only those proposed by this: capture, refine, ...")
    parser.add_argument("--settled", action="store_true", help="those that were accepted or rejected instead")


def run(args: argparse.Namespace, io: IO) -> int:
    """Read, print."""
    from mneme import render

    with io.open() as memory:
        found = memory.proposals(by=args.by, kind=args.kind, settled=args.settled)
    if io.json:
        io.print_json(found, memory.problems)
        return EXIT_CLEAN if found else EXIT_PROBLEMS
    for one in found:
        fate = f"  {one.fate} {one.outcome}".rstrip() if one.fate else ""
        head = f"{one.id}  {one.kind}  {one.since}  by {one.by}{fate}"
        io.print(render.paint(render.one_line(head), "dim", colour=io.colour))
        io.print(f"  {render.one_line(one.text)}")
        for name, value in one.said.items():
            io.print(f"    {name}: {render.one_line(value)}")
        for source in one.sources:
            quote = f"  \u201c{render.one_line(source.quote)}\u201d" if source.quote else ""
            io.print(f"    from {render.one_line(source.anchor)}{quote}")
    if not found:
        io.say("nothing waits for your word")
    elif not args.settled:
        io.say(f"{len(found)} waiting: mneme accept {found[0].id}, or mneme reject {found[0].id} --why '...'")
    return EXIT_CLEAN if found else EXIT_PROBLEMS
