"""Store one memory in the one place where memories of its kind live; which that is, the profile of the workspace says.

TEXT is one self-contained sentence that will still make sense in a year. What else can be said depends on the kind:

  a cell (decision, goal, gotcha, ...)
                                --topic --cue --why --conf --state --link
  a memory with a file of its own (user, feedback, project, reference)
                                --title --why --how --conf
  an entry of a shared file (lesson, howto, infrastructure, ...)
                                --title --why --how --tags
  a fact about somebody         --about --category --source
  where a project stands        --project
  a task, an event              nothing

Without --kind the words of the text say which kind it is likely to be, and you are asked; --yes takes the likeliest.
If something that means the same is remembered already, nothing is written: affirm it, or supersede it.

The test for what to store: would a future session be wrong, or redo work, without it? Dates such as "yesterday" are
written as the day they mean. What looks like a secret is refused; what git, the code or a manual says already, or
what will not be true tomorrow, is refused with the reason, and --force writes it all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, UnsureError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine import Memory
    from mneme.engine.results import Done

EXAMPLES = """
mneme remember "Local cache uses SQLite, not JSON" --kind decision --topic storage/cache --why "JSON lost concurrent writes"
mneme remember "Don't use Markdown tables, use lists" --kind feedback --why "tables break on the phone" --how "in every reply"
mneme remember "Acme pays yearly" --about acme --category status
mneme remember "The index runs on port 6333" --kind infrastructure --tags qdrant,networking
mneme remember "Blocked on the vendor's API key" --project Atlas
mneme remember "Renew the certificate" --kind task
mneme remember "The user prefers short answers" --yes --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument("text", metavar="TEXT", help="what to remember")
    parser.add_argument("--kind", metavar="KIND", help="which kind of memory; docs/profiles.md says where each lives")
    parser.add_argument("--yes", action="store_true", help="without --kind, take the likeliest without asking")
    parser.add_argument("--why", metavar="TEXT", help="the reason, the cost, the context")
    parser.add_argument("--how", metavar="TEXT", help="when and how to apply it")
    parser.add_argument("--title", metavar="TEXT", help="what to call it (default: how the text begins)")
    parser.add_argument("--tags", metavar="A,B", help="tags of the vocabulary; `mneme tags` lists it")
    parser.add_argument("--about", metavar="NAME", help="the entity that a fact is about, by any of its names")
    parser.add_argument(
        "--category",
        choices=("relationship", "milestone", "status", "preference", "decision"),
        help="what a fact says of its entity (default: status)",
    )
    parser.add_argument(
        "--source", choices=("conversation", "observation"), help="where a fact comes from (default: conversation)"
    )
    parser.add_argument("--new", action="store_true", help="a new entity, though its name is like that of another")
    parser.add_argument("--project", metavar="NAME", help="the project whose status it is")
    parser.add_argument("--prefix", metavar="X", help="for a cell, a prefix of your own instead of a kind")
    parser.add_argument("--topic", metavar="A/B", help="where it belongs, as a path (default: general)")
    parser.add_argument("--cue", metavar="TEXT", help="words that should bring it back, parted by ' / '")
    parser.add_argument("--conf", choices=("high", "med", "low"), help="how sure it is (default: med)")
    parser.add_argument("--since", metavar="DAY", help="the day from which it holds, YYYY-MM-DD (default: today)")
    parser.add_argument("--state", choices=("live", "proposed"), help="proposed: not yet to be acted on")
    parser.add_argument(
        "--link", metavar="LINK", action="append", default=[], help="a relation and an id; may be repeated"
    )
    complete_as(parser.add_argument("--file", metavar="F", help="the cell file to append to"), "file")
    parser.add_argument("--redact", action="store_true", help="write a secret masked instead of refusing it")
    parser.add_argument("--force", action="store_true", help="write it even if it is there already or not worth it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme import render

    with io.open(make=True) as memory:
        done = _remember(memory, args, io)
    if io.json:
        io.print_json(done.records, done.problems, status=done.status, plan=done.n, diff=done.diff)
    elif io.dry_run and done.diff:
        io.print_diff(done.diff)
    else:
        io.print(render.records_text(done.records, colour=io.colour))
    io.warn_problems(() if io.json else done.problems)
    if memory.workspace.found_by == "personal":
        io.say(f"this is your personal workspace, '{memory.root}'; mneme init makes one here")
    return _told(done, io)


def _remember(memory: Memory, args: argparse.Namespace, io: IO) -> Done:
    """Store it; where several kinds or entities fit and somebody is there to ask, ask once for each."""
    given = {name: getattr(args, name) for name in _GIVEN}
    given |= {"links": args.link, "tags": args.tags.split(",") if args.tags else (), "guess": args.yes}
    try:
        return memory.remember(args.text, **given, dry_run=io.dry_run)
    except UnsureError as unsure:
        given["about" if unsure.choices and args.about else "kind"] = io.choose(unsure)
    return memory.remember(args.text, **given, dry_run=io.dry_run)


_GIVEN = (
    *("kind", "prefix", "topic", "cue", "why", "conf", "state", "file", "title", "how"),
    *("about", "category", "source", "project", "new", "since", "redact", "force"),
)


def _told(done: Done, io: IO) -> int:
    """Say whether it was there already, and what can be done about that."""
    from mneme.engine.results import EXISTS, PROBABLE

    twin = done.records[0].id if done.records else ""
    if done.status == EXISTS:
        io.say(f"'{twin}' says this already; nothing was written")
    if done.status == PROBABLE:
        choices = (f"mneme affirm {twin}", f"mneme supersede {twin} '...'", "mneme remember ... --force")
        io.warn(f"'{twin}' probably says this already; nothing was written", "\n".join(choices))
        return EXIT_PROBLEMS
    return EXIT_CLEAN
