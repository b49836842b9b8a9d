"""The palace: views over all that is remembered, written as Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend

MOST_PIECES = 10_000_000
TURN = "turn"  # what was said in sessions is searchable, and no memory


def palace(memory: Memory, *, dry_run: bool = False) -> Done:
    """Bring the pages of the palace up to what is remembered; nothing happens where they are."""
    from mneme.consolidate.palace.plan import plan_palace

    with memory.writing("palace", dry_run=dry_run):
        changes = tuple(plan_palace(memory.workspace, _pieces(memory)))
        return memory.apply(files.Plan("palace", changes, f"{len(changes)} pages"), dry_run=dry_run)


def _pieces(memory: Memory) -> Sequence[Piece]:
    """Return everything that is remembered, from the index: only what changed since is read from its file."""
    from mneme.engine.indexing import bring_in, with_index
    from mneme.index.backend import ANY

    def read(backend: Backend) -> Sequence[Piece]:
        bring_in(memory, backend, math.inf)
        return [piece for _, piece in backend.listed(ANY, MOST_PIECES) if piece.record.kind != TURN]

    return with_index(memory, read)
