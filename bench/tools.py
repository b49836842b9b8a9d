"""Descriptions of tools: which of them a task needs. A description is one document, in no order.

bench/tools.py --data DIR [--json]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stores import load_stores
from table import run

if TYPE_CHECKING:
    from pathlib import Path

    from stores import Store


def load(data: Path) -> list[Store]:
    """Read the sets."""
    return [store for path in sorted((data / "tools").glob("*.json")) for store in load_stores(path, path.stem)]


if __name__ == "__main__":
    sys.exit(run("tools", load))
