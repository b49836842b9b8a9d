"""What the resident engine does while nobody asks: it takes in what changed on the disk, a little at a time.

Nothing is begun where mneme has not been at work before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine.home import Home
    from mneme.engine.memory import Memory
    from mneme.index.backend import Backend

# So long may one look at the files take; what is left is taken in at the next one.
WATCH_SECONDS = 0.5


def watch(memory: Memory) -> None:
    """Bring in what changed, so that the next question finds it read already."""
    from mneme.engine.indexing import bring_in, serving_embedder, with_index

    def look(backend: Backend) -> None:
        bring_in(memory, backend, WATCH_SECONDS)
        serving_embedder(memory, backend, WATCH_SECONDS)

    if _is_in_use(memory.root):
        with_index(memory, look)


def watch_home(home: Home) -> None:
    """Do the same for the home."""
    from mneme.engine.home.index import find_embedder, open_index
    from mneme.memory.skills import INDEX

    if (home.root / INDEX).exists():
        with open_index(home, find_embedder(home)[0]):
            pass


def _is_in_use(root: Path) -> bool:
    return (root / files.WORKPLACE).is_dir()
