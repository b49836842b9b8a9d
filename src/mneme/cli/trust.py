"""Say that the workspace's word may be taken, or no longer.

A folder that was cloned or unpacked is somebody else's: until you trust it, its records read as not authoritative, and
no command that its settings name is run. Trust is kept by path in your own configuration, never in the workspace.
`mneme init` trusts what it makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme trust
mneme trust --no
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--no", action="store_true", help="take the trust back")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        memory.trust(not args.no)
    word = "no longer trusted" if args.no else "trusted"
    if io.json:
        io.print_json(workspace=str(memory.root), trusted=not args.no)
    else:
        io.say(f"'{memory.root}' is {word}")
    return 0
