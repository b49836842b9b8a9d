"""What the resident engine does while nobody asks: it takes in what changed on the disk, and makes missing vectors.

Both a little at a time, and vectors only until somebody asks: whoever chose another embedder has its vectors soon after.

Nothing is begun where mneme has not been at work before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mneme.engine.home import Home
    from mneme.engine.memory import Memory

# So long may one look at the files take; what is left is taken in at the next one.
WATCH_SECONDS = 0.5
# So long are vectors made at a stretch.
STRETCH_SECONDS = 0.25


def watch(memory: Memory) -> None:
    """Bring in what changed, so that the next question finds it read already."""
    from mneme.engine.indexing import bring_in, with_index

    if _is_in_use(memory.root):
        with_index(memory, lambda backend: bring_in(memory, backend, WATCH_SECONDS))


def catch_up(memory: Memory, stop: Callable[[], bool]) -> bool:
    """Make some of the vectors that the chosen embedder lacks, until it is time to stop; say whether any are left."""
    from mneme.engine.indexing import embed_some, with_index

    if not _is_in_use(memory.root):
        return False
    return with_index(memory, lambda backend: embed_some(memory, backend, STRETCH_SECONDS, stop))


def watch_home(home: Home) -> None:
    """Do the same for the home."""
    from mneme.engine.home.index import find_embedder, open_index
    from mneme.memory.skills import INDEX

    if (home.root / INDEX).exists():
        with open_index(home, find_embedder(home)[0]):
            pass


def _is_in_use(root: Path) -> bool:
    return (root / files.WORKPLACE).is_dir()
