"""Write a file of the workspace from standard input, whole or not at all.

A crash leaves the old content or the new one, never a part; the old one stays in history (`mneme log`, `mneme undo`).
Nothing on standard input is taken for a broken pipe, and refused where the file held something.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
echo "- one more line" | cat memory/notes.md - | mneme write memory/notes.md
mneme write SOUL.md --dry-run < draft.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    complete_as(parser.add_argument("path", metavar="PATH", help="the file, in the workspace"), "file")
    parser.add_argument("--force", action="store_true", help="write it even if it is empty or looks like a secret")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        path = memory.workspace.relative(args.path)
        done = memory.write(path, sys.stdin.buffer.read(), force=args.force, dry_run=io.dry_run)
    io.print_done(done)
    if not io.json and not io.dry_run:
        io.say(f"wrote '{path}'; mneme undo {done.n} takes it back" if done.n else f"'{path}' says this already")
    return EXIT_CLEAN
