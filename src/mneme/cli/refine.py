"""Verify what was dreamt and what is new, and write `memory/dreaming/verify/DATE.md`.

The report tells of conflicts (between memories, and of memory with the project: files, functions and versions that are gone),
promotions that their source does not support, what is outdated, what is there twice, links that are missing, the class of each
new memory, and what might be promoted. Suggestions are proposals (`mneme proposals --by refine`); promoting to MEMORY.md stays with you.
With a language model set, it is asked as well, in words that you may edit: `mneme refine --prompt` puts them in a file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme refine
mneme refine --dry-run
mneme refine --prompt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "--prompt", action="store_true", help="write what a model is asked to prompts/refine.md, and end"
    )
    parser.add_argument("--force", action="store_true", help="although a check fails")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        if args.prompt:
            done = memory.refine_prompt(dry_run=io.dry_run)
            io.print_done(done)
            io.say(f"edit {done.paths[0]}")
            return 0
        refined = memory.refine(force=args.force, dry_run=io.dry_run)
    if io.json:
        io.print_json((), refined.problems, **refined.as_json())
        return 0
    io.print_diff(refined.done.diff)
    for section, count in Counter(found.section for found in refined.findings).items():
        io.print(f"{count:>4}  {section.lower()}")
    if refined.classed:
        io.print(f"{len(refined.classed):>4}  new memories")
    for one in refined.accepted:
        io.print(f"{one.id} -> {one.became}")
    io.warn_problems(refined.problems)
    if refined.path in refined.done.paths:
        io.say(f"wrote {refined.path}")
    elif not io.dry_run:
        io.say("nothing new to verify")
    return 0
