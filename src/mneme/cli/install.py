"""Install Mneme into a program that works with it: Claude Code, Codex, Gemini CLI, Cursor, OpenClaw or git.

The programs that agents run in get hooks and the MCP server. At the start of a session, at each prompt and at its end
the hooks ask what the model should know, and tell what happened; the server lets the model look and write itself. Both
go into your own settings, or with --project into this project's. Where a program keeps a memory of its own as well, you
are told, and --alone switches that off for as long as mneme is installed.

`git` registers the merge driver for cell files in the repository's configuration and `.gitattributes`, and puts a
check of the staged cells into the pre-commit hook.

Each file's change is shown. What others wrote there stays as it is, comments and order too; installing twice changes
nothing, and `mneme uninstall` gives every file back to the byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme install claude-code --dry-run
mneme install claude-code
mneme install codex --project
mneme install git
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.engine.hosts import HOSTS

    names = [host.name for host in HOSTS]
    told = "; ".join(f"{host.name}: {host.summary}" for host in HOSTS)
    parser.add_argument("host", metavar="HOST", choices=names, help=told)
    parser.add_argument("--project", action="store_true", help="into this project's settings, not your own")
    parser.add_argument(
        "--alone", action="store_true", help="also switch off what the program remembers and dreams by itself"
    )
    parser.add_argument(
        "--files", action="store_true", help="also tell, before a tool touches a file, what was decided about it"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, put in place, print."""
    from pathlib import Path

    from mneme.engine.hosts import Wish, plan_host

    wish = Wish(Path.cwd(), io.workspace, args.project, args.files, args.alone)
    installation = plan_host(args.host, wish)
    names = () if io.dry_run else installation.put_in_place()
    if io.json:
        io.print_json(paths=list(names), diff=installation.diff(), notes=list(installation.notes))
        return 0
    io.print_diff(installation.diff())
    for note in installation.notes:
        io.warn(note)
    if names:
        io.say(f"installed into {args.host}; take it away with `mneme uninstall {args.host}`")
    elif not installation.diff():
        io.say(f"already installed into {args.host}")
    return 0
