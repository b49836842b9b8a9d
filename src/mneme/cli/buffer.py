"""The working buffer: what must not be lost if the session ends now.

Write first, then answer: `buffer add` before you reply to something important, so that a restart or a compaction finds
it. Begin TEXT with `[ ]` for work that is still to be done; --friction marks what cost time. `buffer show` prints it
with its state; a buffer that nobody has written to for two hours is stale and wants a look.

`buffer rotate` moves a buffer of more than 80 lines into the day's note, above its closure, and clears it, in one step;
while a task is active it waits, unless you say --force. `mneme wrap-up` does the same at the end of a session.
`buffer clear` takes everything out; `mneme undo` brings it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, BadInputError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme buffer add "Ann wants the report as a PDF, not as a link"
mneme buffer add "[ ] move the second half of the index"
mneme buffer add "the emulator took ten minutes to start" --friction
mneme buffer show
mneme buffer rotate --dry-run
"""
ACTIONS = ("add", "show", "rotate", "clear")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("action", metavar="add|show|rotate|clear", choices=ACTIONS, help="what to do")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="what to add")
    parser.add_argument("--friction", action="store_true", help="add: mark it as something that cost time")
    parser.add_argument("--redact", action="store_true", help="add: write a secret masked instead of refusing it")
    parser.add_argument("--force", action="store_true", help="rotate: now, though a task is active")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    if args.action == "add" and args.text is None:
        message = "TEXT is missing"
        raise BadInputError(message, "mneme buffer add 'what must not be lost'")
    if args.action != "add" and (args.text is not None or args.friction):
        message = f"'buffer {args.action}' takes no {'--friction' if args.text is None else 'TEXT'}"
        raise BadInputError(message, f"mneme buffer {args.action}")
    return {"add": _add, "show": _show, "rotate": _rotate, "clear": _clear}[args.action](args, io)


def _add(args: argparse.Namespace, io: IO) -> int:
    with io.open(make=True) as memory:
        done = memory.buffer_add(args.text, friction=args.friction, redact=args.redact, dry_run=io.dry_run)
    io.print_done(done)
    return EXIT_CLEAN


def _show(args: argparse.Namespace, io: IO) -> int:
    from mneme import render

    with io.open() as memory:
        view = memory.buffer_show()
    if io.json:
        io.print_json((), view.problems, buffer=view.as_json())
        return EXIT_CLEAN if view.text else EXIT_PROBLEMS
    if view.text:
        io.print(render.safe_text(view.text))
    io.warn_problems(view.problems)
    if not view.text:
        io.say("there is no working buffer")
        return EXIT_PROBLEMS
    pending = f", {len(view.pending)} still to do" if view.pending else ""
    io.say(f"{view.state}: {view.lines} of {view.limit} lines{pending}")
    return EXIT_CLEAN


def _rotate(args: argparse.Namespace, io: IO) -> int:
    with io.open() as memory:
        rotation = memory.buffer_rotate(force=args.force, dry_run=io.dry_run)
    done = rotation.done
    if io.json:
        more = {"notes": list(rotation.notes), "put_off": rotation.put_off}
        io.print_json((), done.problems, status=done.status, plan=done.n, diff=done.diff, **more)
        return EXIT_CLEAN
    io.print_diff(done.diff)
    io.warn_problems(done.problems)
    if done.n:
        io.say(f"rotated into {', '.join(rotation.notes)}; take it back with: mneme undo {done.n}")
    elif rotation.put_off and not io.dry_run:
        io.say(f"not rotated: {rotation.put_off}")
    return EXIT_CLEAN


def _clear(args: argparse.Namespace, io: IO) -> int:
    with io.open() as memory:
        done = memory.buffer_clear(dry_run=io.dry_run)
    io.print_done(done)
    if not io.json and not io.dry_run:
        io.say(f"the buffer is empty; mneme undo {done.n} brings it back" if done.n else "the buffer is empty already")
    return EXIT_CLEAN
