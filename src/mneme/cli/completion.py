"""Print a script that teaches a shell to complete `mneme` verbs, options and their values.

The script is static: completing never starts mneme. Print it again after an upgrade.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mneme.cli import verbs
from mneme.cli.options import add_everywhere

if TYPE_CHECKING:
    from mneme.cli.context import IO

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """
mneme completion bash > ~/.local/share/bash-completion/completions/mneme
mneme completion zsh > ~/.zfunc/_mneme    # with ~/.zfunc in fpath
mneme completion fish > ~/.config/fish/completions/mneme.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(args: argparse.Namespace, io: IO) -> int:
    """Print the script of one shell."""
    io.print(script_text(args.shell))
    return 0


def script_text(shell: str) -> str:
    """Return the completion script for one shell."""
    import shtab

    parser = whole_parser()
    places = {"file": shtab.FILE, "dir": shtab.DIRECTORY}
    for each in (parser, *_parsers_of(parser)):
        for action in each._actions:  # noqa: SLF001 -- argparse has no public way to list what was added
            if place := places.get(getattr(action, "complete", "")):
                action.complete = place  # type: ignore[attr-defined] # shtab's own protocol
    return str(shtab.complete(parser, shell))


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every verb under it: what completion generators read, never what parses a command."""
    parser = argparse.ArgumentParser(prog="mneme", add_help=False)
    add_everywhere(parser)
    under = parser.add_subparsers(dest="verb", metavar="VERB")
    for verb in verbs.VERBS:
        one = under.add_parser(verb.name, help=verb.summary, add_help=False)
        add_everywhere(one, writes=verb.writes)
        verbs.load_verb(verb).add_arguments(one)
    return parser


def _parsers_of(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return the parsers of the verbs under a parser."""
    under = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001 -- as above
    return [one for action in under for one in action.choices.values()]
