"""The command line: parse, one engine call, render.

`main` is the console script. Start-up is light on purpose: nothing is imported here until it is known what was asked.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever happens is said in one line."""
    try:
        from mneme.cli import frame

        return frame.run_command(sys.argv[1:] if argv is None else [*argv])
    except KeyboardInterrupt:
        sys.stderr.write("mneme: interrupted\n")
        return EXIT_INTERRUPTED
