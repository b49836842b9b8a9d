"""The palace: views over all that is remembered, written as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done


def palace(memory: Memory, *, dry_run: bool = False) -> Done:
    """Bring the pages of the palace up to what is remembered; nothing happens where they are."""
    from mneme.consolidate.palace.plan import plan_palace
    from mneme.memory import load_pieces

    with memory.writing("palace", dry_run=dry_run):
        pieces = list(load_pieces(memory.workspace))
        changes = tuple(plan_palace(memory.workspace, pieces))
        return memory.apply(files.Plan("palace", changes, f"{len(changes)} pages"), dry_run=dry_run)
