"""Take Mneme out of a program that `mneme install` put it into, and give every file back to the byte.

Only lines that `mneme install` wrote are taken away; a file that it made and nobody added to is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme uninstall claude-code --dry-run
mneme uninstall claude-code
mneme uninstall git
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.engine.hosts import HOSTS

    parser.add_argument("--project", action="store_true", help="out of this project's settings, not your own")
    parser.add_argument(
        "host", metavar="HOST", choices=[host.name for host in HOSTS], help="what it was installed into"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, put in place, print."""
    from pathlib import Path

    from mneme.engine.hosts import Wish, plan_host

    wish = Wish(Path.cwd(), io.workspace, args.project)
    installation = plan_host(args.host, wish, away=True)
    names = () if io.dry_run else installation.put_in_place()
    if io.json:
        io.print_json(paths=list(names), diff=installation.diff())
        return 0
    io.print_diff(installation.diff())
    if names:
        io.say(f"taken out of {args.host}")
    elif not installation.diff():
        io.say(f"not installed into {args.host}")
    return 0
