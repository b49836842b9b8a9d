"""The command line: parse, one engine call, render.

`main` is the console script. Start-up is light on purpose: nothing is imported here until it is known what was asked.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from mneme import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["main"]

EXIT_INTERRUPTED, EXIT_TERMINATED = 130, 143


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end: it tidies up as after Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever happens is said in one line."""
    try:
        compiled.keep()
        from mneme.cli import frame

        _heed_termination()
        return frame.run_command(sys.argv[1:] if argv is None else [*argv])
    except Terminated:
        sys.stderr.write("mneme: terminated\n")
        return EXIT_TERMINATED
    except KeyboardInterrupt:
        sys.stderr.write("mneme: interrupted\n")
        return EXIT_INTERRUPTED
    finally:
        compiled.save(least=compiled.MANY)


def _heed_termination() -> None:
    """Let a request to end reach the work under way as an exception, so that a plan half written is taken back."""
    import signal

    # Only the main thread may say what a signal does; whoever calls this from another has said it already.
    with suppress(ValueError):
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: FrameType | None) -> None:
    raise Terminated
