"""Make old sessions searchable: what host programs logged before memory was there, or beside it.

`mneme import transcripts` finds the logs that Claude Code, Codex and OpenClaw keep about this workspace, or takes the
files and folders named. Nothing is copied: the index reads the logs where they are, without their secrets, and each
hit leads back to its line. What was said there is never taken for memory by itself; `mneme capture` proposes from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme import transcripts
mneme import transcripts --host codex --dry-run
mneme import transcripts ~/old-laptop/.claude/projects --all
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("what", metavar="WHAT", choices=("transcripts",), help="transcripts")
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="logs or folders of logs (default: those of the hosts)"
    )
    parser.add_argument("--host", metavar="HOST", default="", help="claude-code, codex or openclaw only")
    parser.add_argument("--all", action="store_true", help="sessions about other folders as well")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        found = memory.import_transcripts(args.paths, host=args.host, everywhere=args.all, dry_run=io.dry_run)
    if io.json:
        io.print_json(
            found.done.records, found.done.problems, plan=found.done.n, diff=found.done.diff, **found.as_json()
        )
        return EXIT_CLEAN if found.turns else EXIT_PROBLEMS
    io.print_done(found.done)
    span = f", {found.first} to {found.last}" if found.first else ""
    io.print(f"{found.sessions} sessions, {found.turns} turns{span}: {', '.join(found.sources)}")
    if found.passed:
        io.say(f"{found.passed} logs hold nothing about this folder; --all takes those about others too")
    if found.broken:
        io.say(f"{found.broken} lines of them cannot be read, and are passed over")
    if found.turns and not io.dry_run:
        io.say('they are searched from now on: mneme recall "..." --kind turn')
    return EXIT_CLEAN if found.turns else EXIT_PROBLEMS
