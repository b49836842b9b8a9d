"""Long conversations between two people: which turns answer a question. One turn is one document, in its session.

bench/locomo.py --data DIR [--json]
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
    return [store for path in sorted((data / "locomo").glob("*.json")) for store in load_stores(path, "locomo")]


if __name__ == "__main__":
    sys.exit(run("locomo", load))
