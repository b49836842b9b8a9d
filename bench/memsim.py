"""Chinese message histories: which messages a question needs; many ask two things at once.

bench/memsim.py --data DIR [--json]
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
    return load_stores(data / "memsim-zh" / "dev.json", "memsim")


if __name__ == "__main__":
    sys.exit(run("memsim", load))
