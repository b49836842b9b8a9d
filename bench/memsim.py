"""Chinese message histories: which messages a question needs; many ask two things at once. BM25 is over characters and pairs.

bench/memsim.py --data DIR [--json] [--words] [--peers]
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
    return load_family(data, "memsim-zh", "*.json", "memsim")


if __name__ == "__main__":
    from table import run

    sys.exit(run("memsim", load))
