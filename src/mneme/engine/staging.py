"""A stage: a copy of the memory on which the steps of one operation are taken, so that what they come to is one plan.

Each step is planned and applied there as it would be in the workspace, so it sees what the one before it did and every
law holds for it. What differs in the end becomes changes from the very contents that were copied: shown as one diff,
written as one plan, taken back by one undo, refused where somebody edited one of the files meanwhile.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import MnemeError
from mneme.workspace import SKIPPED_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mneme.engine.memory import Memory
    from mneme.files import Change, Edit

# So many files that are no memory are stood in for: what links lead to.
MOST_STAND_INS = 20_000
# Longer stretches are replaced whole: finding what is the same in them costs more than it saves.
LONGEST_COMPARED_LINES = 4_000


@dataclass(slots=True)
class Stage:
    """The copy, and what was copied, by path."""

    memory: Memory
    before: dict[str, bytes] = field(default_factory=dict)

    def changes(self) -> tuple[Change, ...]:
        """Return what the steps that were taken here come to, file by file."""
        return tuple(change for row in self._ends() if (change := self._change(*row)) is not None)

    def _ends(self) -> list[tuple[str | None, str | None, str]]:
        """Return for each file that a step touched where it lay, where it lies now, and the last reason."""
        where: dict[str, tuple[str | None, str]] = {}
        gone: dict[str, str] = {}
        for entry in files.entries(self.memory.root):
            for step in entry.steps:
                origin = where.pop(step.path, (step.path if step.before is not None else None, ""))[0]
                if step.after is not None:
                    where[step.target] = (origin, step.reason)
                elif origin is not None:
                    gone[origin] = step.reason
        for path, (origin, reason) in where.items():
            if origin is None and path in gone:  # taken away by one step, made again by another
                where[path] = (path, reason)
                del gone[path]
        ends: list[tuple[str | None, str | None, str]] = [(was, path, why) for path, (was, why) in where.items()]
        return [*ends, *((path, None, why) for path, why in gone.items())]

    def _change(self, origin: str | None, path: str | None, reason: str) -> Change | None:
        before = b"" if origin is None else self.before[origin]
        if path is None:
            return files.plan_remove(str(origin), before, reason)
        after = files.read_file(files.place_of(self.memory.root, path), name=path)
        if origin is None:
            return files.plan_create(path, after, reason)
        edits = list(line_edits(before, after))
        if origin != path:
            return files.plan_move(origin, before, path, edits, reason)
        return files.plan_edit(path, before, edits, reason) if edits else None


@contextmanager
def staged(memory: Memory) -> Iterator[Stage]:
    """Give a stage of a workspace; it is gone afterwards, with whatever was done on it."""
    from mneme.engine.memory import Memory
    from mneme.memory import all_paths
    from mneme.memory.cells.ids import hand_on_numbers

    with files.scratch_folder() as folder:
        workspace = replace(memory.workspace, root=folder)
        workspace.closed.extend(memory.workspace.closed)
        stage = Stage(Memory(workspace, memory.now, shared=memory.shared))
        stage.memory.staged = True
        for path in all_paths(memory.workspace):
            try:
                stage.before[path] = files.read_file(files.place_of(memory.root, path), name=path)
            except MnemeError:  # what cannot be read is no step's to change
                continue
            files.put_scratch(folder / path, stage.before[path])
        _stand_in(memory.root, folder)
        hand_on_numbers(memory.root, files.workplace(folder).parent)
        try:
            yield stage
        finally:
            stage.memory.close()


def _stand_in(root: Path, folder: Path) -> None:
    """Let links to files that are no memory lead somewhere: each has an empty file in its place."""
    left = MOST_STAND_INS
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS]
        for name in names[:left]:
            files.put_scratch(folder / os.path.relpath(here, root) / name)
        left -= len(names)
        if left <= 0:
            return


def line_edits(before: bytes, after: bytes) -> Iterator[Edit]:
    """Yield the stretches of whole lines in which two contents differ, so that each can be taken back by itself."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    inner, outer = old[first : len(old) - last], new[first : len(new) - last]
    starts = [sum(map(len, old[:first]))]
    for line in inner:
        starts.append(starts[-1] + len(line))
    if max(len(inner), len(outer)) > LONGEST_COMPARED_LINES:
        yield files.Edit(starts[0], starts[-1], b"".join(outer))
        return
    for tag, low, high, mine, yours in SequenceMatcher(None, inner, outer, autojunk=False).get_opcodes():
        if tag != "equal":
            yield files.Edit(starts[low], starts[high], b"".join(outer[mine:yours]))
