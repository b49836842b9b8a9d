"""`python -m mneme` is the command `mneme`, for whoever knows the interpreter and not the PATH."""

from __future__ import annotations

import sys

from mneme.cli import main

if __name__ == "__main__":
    sys.exit(main())
