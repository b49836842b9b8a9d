"""Descriptions of tools: which of them a task needs. A description is one cell, in no order.

bench/tools.py --data DIR [--json] [--words] [--peers]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stores import load_family

if TYPE_CHECKING:
    from pathlib import Path

    from stores import Store


def load(data: Path) -> list[Store]:
    """Read the sets."""
    return load_family(data, "tools", "*.json", "")


if __name__ == "__main__":
    from table import run

    sys.exit(run("tools", load))
