"""Answer one event of a host program: its JSON on stdin, what it is to read on stdout.

Host programs run this, or the quicker file that `mneme install` names, at each event of a session: what the model
should know is printed in the host's own form, and what is worth keeping is kept. Whatever happens, it exits 0 in time
with a valid answer or none; faults are told in a log, whose place `mneme serve --status` prints.

EVENT is Claude Code's name of the event, or the host's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
echo '{"prompt": "which database does the cache use?"}' | mneme hook UserPromptSubmit --host plain
mneme hook BeforeAgent --host gemini < event.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.engine.hooks import DIALECTS

    parser.add_argument("event", metavar="EVENT", help="the event that happened, such as UserPromptSubmit")
    parser.add_argument(
        "--host",
        metavar="HOST",
        default="claude-code",
        choices=list(DIALECTS),
        help=f"whose event it is: {', '.join(DIALECTS)} (default: claude-code; plain answers it in plain text)",
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Answer and end the process."""
    from mneme.engine.hooks import event_name, find_dialect
    from mneme.errors import BadInputError
    from mneme.hooks import call

    dialect = find_dialect(args.host)
    name = None if dialect is None else event_name(dialect, args.event)
    if name is None:
        message = f"'{args.host}' has no event '{args.event}'"
        raise BadInputError(message, "mneme hook --help")
    call.main([args.host, name])
    return 0
