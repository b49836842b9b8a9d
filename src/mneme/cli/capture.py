"""Propose what was said lately: facts, decisions, preferences, corrections, gotchas, todos, entities, each with its words.

Reads the days' notes and the sessions that settings name (`mneme import transcripts`), from where it left off, or the files
that you name. Only what somebody says outright counts; heartbeats, injected memory, tool output and what Mneme wrote
itself never do. Everything waits for `mneme accept` or `mneme reject`, and what was said before is not proposed again. In
the profile `protocol`, what you say of yourself in your own sessions is accepted at once (`capture.accept`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme capture
mneme capture --from note --dry-run
mneme capture --from transcript ~/.claude/projects/-home-ann-work/0b1c.jsonl
pbpaste | mneme capture --from stdin
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("paths", metavar="FILE", nargs="*", help="read these instead: notes, or logs of sessions")
    parser.add_argument(
        "--from",
        dest="sources",
        action="append",
        choices=("note", "transcript", "stdin"),
        help="read only this; notes and sessions otherwise",
    )
    parser.add_argument("--force", action="store_true", help="although a check fails")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    sources = args.sources or ["note", "transcript"]
    text = sys.stdin.read() if "stdin" in sources else ""
    with io.open() as memory:
        captured = memory.capture(sources, paths=args.paths, text=text, force=args.force, dry_run=io.dry_run)
    if io.json:
        io.print_json((), captured.problems, **captured.as_json())
        return 0
    from mneme.render import one_line

    for one in captured.proposed:
        io.print(one_line(f"{one.id}  {one.kind:<10}  {one.text}  [{one.sources[0].anchor}]"))
    for done in captured.accepted:
        io.print(one_line(f"{done.id} -> {done.became}"))
    io.warn_problems(captured.problems)
    many = len(captured.proposed)
    if io.dry_run or not (many or captured.accepted):
        io.say(
            f"{captured.read} passages read, {many} proposals"
            if many
            else f"{captured.read} passages read, nothing new"
        )
    elif many:
        io.say(
            f"{many} waiting: mneme accept {captured.proposed[0].id}, or mneme reject {captured.proposed[0].id} --why '...'"
        )
    return 0
