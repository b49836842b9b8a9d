"""Store one memory: a cell with an id of its own, appended to the workspace's cell file.

TEXT is one self-contained sentence that will still make sense in a year. Say why with --why, and when it should come
back to mind with --cue. If a cell that means the same exists already, nothing is written: affirm it, or supersede it.

The test for what to store: would a future session be wrong, or redo work, without it?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme remember "Local cache uses SQLite, not JSON" --kind decision --topic storage/cache --why "JSON lost concurrent writes"
mneme remember "Answer in short sentences" --kind preference --cue "reply style / tone"
mneme remember "Windows paths break the importer" --kind gotcha --link "relates DEC-0001" --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument("text", metavar="TEXT", help="what to remember, in one line")
    parser.add_argument("--kind", metavar="KIND", help="decision, goal, preference, gotcha, fact or todo")
    parser.add_argument("--prefix", metavar="X", help="a prefix of your own instead of a kind: capitals and digits")
    parser.add_argument(
        "--topic", metavar="A/B", default="general", help="where it belongs, as a path (default: general)"
    )
    parser.add_argument("--cue", metavar="TEXT", default="", help="words that should bring it back, parted by ' / '")
    parser.add_argument("--why", metavar="TEXT", default="", help="the reason, the cost, the context")
    parser.add_argument("--conf", choices=("high", "med", "low"), default="med", help="how sure it is (default: med)")
    parser.add_argument(
        "--state", choices=("live", "proposed"), default="live", help="proposed: not yet to be acted on"
    )
    parser.add_argument(
        "--link", metavar="LINK", action="append", default=[], help="a relation and an id; may be repeated"
    )
    complete_as(parser.add_argument("--file", metavar="F", help="the cell file to append to"), "file")
    parser.add_argument("--force", action="store_true", help="write it even if it is there already")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render
    from mneme.engine.results import EXISTS, PROBABLE

    with io.open(make=True) as memory:
        done = memory.remember(
            args.text,
            kind=args.kind,
            prefix=args.prefix,
            topic=args.topic,
            cue=args.cue,
            why=args.why,
            conf=args.conf,
            state=args.state,
            links=args.link,
            file=args.file,
            force=args.force,
            dry_run=io.dry_run,
        )
    if io.json:
        io.print_json(done.records, done.problems, status=done.status, plan=done.n, diff=done.diff)
    elif io.dry_run and done.diff:
        io.print_diff(done.diff)
    else:
        io.print(render.records_text(done.records, colour=io.colour))
    io.warn_problems(() if io.json else done.problems)
    if memory.workspace.found_by == "personal":
        io.say(f"this is your personal workspace, '{memory.root}'; mneme init makes one here")
    twin = done.records[0].id if done.records else ""
    if done.status == EXISTS:
        io.say(f"'{twin}' says this already; nothing was written")
    if done.status == PROBABLE:
        io.warn(f"'{twin}' probably says this already; nothing was written", _what_to_do(twin))
        return EXIT_PROBLEMS
    return EXIT_CLEAN


def _what_to_do(twin: str) -> str:
    choices = (f"mneme affirm {twin}", f"mneme supersede {twin} '...'", "mneme remember ... --force")
    return "\n".join(choices)
