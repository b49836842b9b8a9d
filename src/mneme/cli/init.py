"""Make a workspace: in this folder, or in the one that --workspace names.

It adds what a workspace of its profile begins with, `mneme.toml` first, and touches nothing that is there. The folder
is trusted from then on. Without --profile, a folder that holds memory already keeps the layout it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme init
mneme init --profile v4
mneme init --workspace ~/memory
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "--profile", metavar="P", help="the layout: default, openclaw, v4, never-forget, protocol or cells"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.engine.setup import init_workspace

    root, done = init_workspace(io.workspace, now=io.clock, profile=args.profile, dry_run=io.dry_run)
    if io.json:
        io.print_json(workspace=str(root), plan=done.n, paths=list(done.paths), diff=done.diff)
        return 0
    io.print_diff(done.diff)
    if done.n:
        io.say(f"made a workspace in '{root}'")
    elif not io.dry_run:
        io.say(f"'{root}' is a workspace already")
    return 0
