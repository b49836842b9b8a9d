"""Print what a session should load when it begins, most of it at a glance.

In order: the hot files (MEMORY.md first), USER.md, the spine, today's note and yesterday's, the working buffer with
what is still to be done, and the reminders of HEARTBEAT.md that are due. With --compacted, where to resume after the
context was compacted. A token is counted as four characters, an ideograph as one; when not everything fits, what is in
hand goes first, and nothing is cut in the middle of an entry. In a shared context nothing private appears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme boot
mneme boot --budget 2000
mneme boot --compacted
mneme boot --context shared --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--budget", metavar="N", type=int, help="how many tokens to print at most (default: 6000)")
    parser.add_argument("--compacted", action="store_true", help="the context was compacted: say where to resume too")


def run(args: argparse.Namespace, io: IO) -> int:
    """Read, print."""
    with io.open(tell_alarm=False) as memory:  # it stands first in what is printed
        boot = memory.boot(args.budget, compacted=args.compacted)
    if io.json:
        parts = [part.as_json() for part in boot.parts]
        more = {"alarm": boot.alarm, "trusted": boot.trusted, "budget": boot.budget, "tokens": boot.tokens}
        io.print_json(boot.records, boot.problems, parts=parts, **more)
        return EXIT_CLEAN
    text = str(boot)
    if text:
        io.print(text)
    else:
        io.say("there is nothing to load yet")
    io.warn_problems(boot.problems)
    return EXIT_CLEAN
