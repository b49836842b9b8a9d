"""Write the palace: views over all that is remembered, by time, by project, by technology, and by your own dimensions.

The pages lie in `memory/palace/`; every row links to its source. What you write around the marks stays. Dimensions of
your own are queries in `mneme.toml`, under `[palace.dimensions]`: `"Ways of working" = "kind:feedback tag:style"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine.memory import Memory

EXAMPLES = """
mneme palace
mneme palace --dry-run
mneme palace --watch
"""
WATCH_SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--watch", action="store_true", help="go on writing it whenever memory changes, until Ctrl-C")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    with io.open() as memory:
        done = memory.palace(dry_run=io.dry_run)
        io.print_done(done)
        _tell(io, done.paths)
        if args.watch and not io.dry_run:
            _watch(memory, io)
    return 0


def _watch(memory: Memory, io: IO) -> None:
    """Go on, with the index kept open: what did not change is not read again."""
    import time

    io.say("watching; Ctrl-C ends it")
    while True:
        time.sleep(WATCH_SECONDS)
        _tell(io, memory.palace().paths, quiet=True)


def _tell(io: IO, paths: tuple[str, ...], *, quiet: bool = False) -> None:
    if paths:
        io.say(f"wrote {', '.join(paths)}")
    elif not quiet and not io.dry_run:
        io.say("the palace is up to date")
