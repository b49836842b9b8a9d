"""Merge two versions of a cell file that have a common ancestor: git's merge driver for cells.

Both sides' cells are kept; states meet by rule (a retirement beats a stale mark, a supersession beats both, the later
`seen` wins); two cells that were given one id are told apart by giving one of them a new one, and `# was` remembers
the old. The result is written to OURS. Exit code 1 means that a true contradiction was left between conflict markers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme merge base.mneme ours.mneme theirs.mneme
mneme install git
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    for name, help_text in (
        ("base", "the common ancestor"),
        ("ours", "our version, and where the result goes"),
        ("theirs", "their version"),
    ):
        complete_as(parser.add_argument(name, metavar=name.upper(), help=help_text), "file")
    parser.add_argument("--path", metavar="PATH", help="what to call the file in messages (default: OURS)")


def run(args: argparse.Namespace, io: IO) -> int:
    """Merge, print."""
    from mneme.engine.hosts import merge_files

    merged = merge_files(args.base, args.ours, args.theirs, dry_run=io.dry_run, name=args.path or "")
    if io.json:
        io.print_json((), merged.problems, diff=merged.diff, renumbered=merged.renumbered)
        return merged.exit_code
    io.print_diff(merged.diff)
    io.warn_problems(merged.problems)
    for old, new in merged.renumbered.items():
        io.say(f"both sides used '{old}': one of the two cells is '{new}' now")
    return merged.exit_code
