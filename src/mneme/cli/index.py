"""Bring the index up to date with the files: read what changed, drop what is gone, make the vectors that are missing.

Every read does this for what was just written, within a fifth of a second, so you rarely need it: after a clone, after
many files changed at once, or after choosing another embedder. It may be stopped at any moment, and two may run at once.

The index is derived. Deleting `.mneme.d/index.sqlite*` loses nothing that `mneme index` does not make again.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine import Memory

EXAMPLES = """
mneme index
mneme index --rebuild
mneme index --watch
"""
WATCH_SECONDS = 1.0
BAR_CHARS = 24
# Often enough to be alive, seldom enough to cost nothing.
DRAW_SECONDS = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--rebuild", action="store_true", help="make all of it anew, vectors included")
    parser.add_argument("--words", action="store_true", help="make no vectors")
    parser.add_argument("--watch", action="store_true", help="go on, looking once a second, until you stop it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Index once, or again and again, telling how far it is."""
    with io.open() as memory:
        _once(args, io, memory)
        try:
            while args.watch:
                time.sleep(WATCH_SECONDS)
                _once(args, io, memory, again=True)
        except KeyboardInterrupt:
            io.say("no longer watching")
    return EXIT_CLEAN


def _once(args: argparse.Namespace, io: IO, memory: Memory, *, again: bool = False) -> None:
    bar = Bar(io)
    done = memory.index(rebuild=args.rebuild and not again, words=args.words, progress=bar if bar.shown else None)
    bar.clear()
    for notice in done.notices:
        io.warn(notice)
    if again and not done.read and not done.dropped:
        return
    if io.json:
        io.print_json((), (*memory.problems, *done.problems), **done.as_json())
    else:
        io.print(str(done))
        io.warn_problems((*memory.problems, *done.problems))
    io.stdout.flush()


class Bar:
    """A line on the terminal that says how much is done, how fast, and how long it will take."""

    def __init__(self, io: IO) -> None:
        self._io = io
        self.shown = not io.quiet and io.stderr.isatty()
        self._stage, self._began, self._drawn = "", 0.0, 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the line again, unless it was drawn just now."""
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._began, self._drawn = stage, now, 0.0
        if now - self._drawn < DRAW_SECONDS and done < total:
            return
        self._drawn = now
        self._io.stderr.write(f"\r\x1b[K{bar_text(stage, done, total, now - self._began)}")
        self._io.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self.shown and self._stage:
            self._io.stderr.write("\r\x1b[K")
            self._io.stderr.flush()


def bar_text(stage: str, done: int, total: int, seconds: float) -> str:
    """Return the line: what, how much of it, a bar, the rate, and the time left."""
    full = BAR_CHARS * done // total if total else BAR_CHARS
    rate = done / seconds if seconds > 0 else 0.0
    left = f"{(total - done) / rate:.0f} s left" if rate else ""
    return f"{stage:<9} [{'#' * full}{'.' * (BAR_CHARS - full)}] {done}/{total}  {rate:.0f}/s  {left}".rstrip()
