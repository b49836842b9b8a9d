"""See what memory would say of its own accord, and switch that off or on.

Before an agent answers, Active Memory looks for what bears on the prompt and says it in one line with its source, or
says nothing. `mneme active ask TEXT` shows what it would say to a prompt and how it came to that; `off` and `on` switch
it in the whole workspace, or with --session in one session. How readily it speaks is a setting: `[active]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, BadInputError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme active ask "which database did we choose for the cache?"
mneme active status
mneme active off
mneme active off --session 4f1c
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "what", metavar="WHAT", nargs="?", choices=("status", "on", "off", "ask"), default="status",
        help="status (the default), on, off, or ask",
    )  # fmt: skip
    parser.add_argument("text", metavar="TEXT", nargs="?", default="", help="the prompt to ask about")
    parser.add_argument("--session", metavar="ID", default="", help="one session instead of the whole workspace")


def run(args: argparse.Namespace, io: IO) -> int:
    """Ask, tell or switch."""
    if args.what == "ask":
        return _ask(args, io)
    with io.open() as memory:
        if args.what == "status":
            state = memory.active_state(session=args.session)
            if io.json:
                io.print_json(state=state)
            else:
                for name, value in state.items():
                    io.print(f"{name:<22} {value}")
            return EXIT_CLEAN
        done = memory.switch_active(on=args.what == "on", session=args.session, dry_run=io.dry_run)
    if done is not None:
        io.print_done(done)
    where = f"in session '{args.session}'" if args.session else "in this workspace"
    io.say(f"active memory is {args.what} {where}")
    return EXIT_CLEAN


def _ask(args: argparse.Namespace, io: IO) -> int:
    if not args.text.strip():
        message = "ask about which prompt?"
        raise BadInputError(message, 'mneme active ask "which database do we use?"')
    with io.open() as memory:
        outcome = memory.active(args.text)
    if io.json:
        io.print_json(
            status=outcome.status, summary=outcome.summary, elapsed_ms=outcome.elapsed_ms, because=outcome.because
        )
    elif outcome.summary:
        io.print(outcome.summary)
    io.say(outcome.line)
    io.say(outcome.debug_line)
    return EXIT_CLEAN if outcome.summary else EXIT_PROBLEMS
