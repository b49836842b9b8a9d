"""End a session: write its summary, empty the buffer, and see what should outlive the day.

TEXT, what was done and what comes next, goes into today's note; the same text is written once. A session that has a
name (--session) has one summary, and a later one takes its place. What the buffer holds goes into the day's note in the
same step. Then the day's closure is checked, and two lists are printed: what the day says that is remembered nowhere
yet, and what nobody has seen to hold for long, each with the command that does something about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine.sessions import Suggestion, WrapUp

EXAMPLES = """
mneme wrap-up "The cache is on SQLite; the importer is next"
mneme wrap-up "The importer reads Windows paths" --session 3f2a
mneme wrap-up --dry-run
"""
MOST_SHOWN = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("text", metavar="TEXT", nargs="?", default="", help="what was done, and what comes next")
    parser.add_argument("--session", metavar="NAME", default="", help="the name that the host gives this session")
    parser.add_argument("--redact", action="store_true", help="write a secret masked instead of refusing it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open(make=bool(args.text)) as memory:
        wrapped = memory.wrap_up(args.text, session=args.session, redact=args.redact, dry_run=io.dry_run)
    done = wrapped.done
    if io.json:
        io.print_json(
            (),
            wrapped.problems,
            status=done.status,
            plan=done.n,
            diff=done.diff,
            alarm=wrapped.alarm,
            emptied=list(wrapped.emptied),
            pending=list(wrapped.pending),
            promote=[one.as_json() for one in wrapped.promote],
            decay=[one.as_json() for one in wrapped.decay],
        )
        return EXIT_CLEAN
    _print(wrapped, io)
    return EXIT_CLEAN


def _print(wrapped: WrapUp, io: IO) -> None:
    from mneme.render import one_line

    if wrapped.alarm:
        io.print(one_line(wrapped.alarm))
    io.print_diff(wrapped.done.diff)
    if not io.dry_run:
        io.print(f"summary   {f'in {one_line(wrapped.path)}' if wrapped.written else 'nothing new'}")
        io.print(f"buffer    {one_line('emptied into ' + ', '.join(wrapped.emptied)) if wrapped.emptied else 'empty'}")
    for task in wrapped.pending:
        io.print(one_line(f"to do     {task}"))
    _print_suggestions("to promote", wrapped.promote, io)
    _print_suggestions("may decay", wrapped.decay, io)
    io.warn_problems(wrapped.problems)


def _print_suggestions(title: str, found: tuple[Suggestion, ...], io: IO) -> None:
    from mneme.render import one_line

    if not found:
        return
    io.print(f"\n{title}:")
    for one in found[:MOST_SHOWN]:
        io.print(one_line(f"  {one.what}  {one.text}  ({one.why})"))
        io.print(one_line(f"    {one.run}"))
    if len(found) > MOST_SHOWN:
        io.print(f"  and {len(found) - MOST_SHOWN} more: mneme wrap-up --json")
