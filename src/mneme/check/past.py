"""What cells were before: as git has them, or else as our own history wrote them.

Cells may be edited by hand, but not everything about them may change. What they were is asked of the last commit where
there is a repository; elsewhere it is put together from the plans that wrote them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mneme import files, git
from mneme.check.cell import check_transitions
from mneme.formats.cell import Cell, CellFile, parse_cells
from mneme.formats.cell_edit import print_cell
from mneme.memory.cells.load import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mneme.errors import Problem


def check_past(
    root: Path, checked: Iterable[CellFile], everything: Iterable[CellFile], severities: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what the cells of some files became that they could not."""
    repository = git.find_repository(root)
    places = {cell_id: file.path for file in everything for cell_id in file.columns.ids}
    for file in checked:
        old = _committed(root, file) if repository else None
        old = old or _written(root, file)
        if old is not None and old.text != file.text:
            elsewhere = {cell_id for cell_id, path in places.items() if path != file.path}
            yield from check_transitions(old, file, severities=severities, elsewhere=elsewhere)


def _committed(root: Path, file: CellFile) -> CellFile | None:
    content = git.head_content(root, file.path)
    return None if content is None else parse_cells(decoded(content), file.path)


def _written(root: Path, file: CellFile) -> CellFile | None:
    """Return the cells that our plans wrote into a file, each as the last plan left it, if it was edited since."""
    known: dict[str, Cell] = {}
    last = None
    for entry in files.entries(root):
        for step in entry.steps:
            if step.target != file.path or entry.abandoned:
                continue
            last = step.after
            if step.removes:
                known.clear()
            for hunk in step.hunks:
                _learn(known, decoded(hunk.pre), decoded(hunk.old), decoded(hunk.new), decoded(hunk.post))
    if not known or files.digest(file.text.encode("utf-8", "surrogateescape")) == last:
        return None
    return parse_cells("\n".join(print_cell(cell) for cell in known.values()), file.path)


def _learn(known: dict[str, Cell], pre: str, old: str, new: str, post: str) -> None:
    """Take from one hunk the cells it wrote whole, and the state of those it only touched."""
    written = {cell.id: cell for cell in parse_cells(new).cells}
    for gone in parse_cells(old).cells:
        if gone.id not in written:
            known.pop(gone.id, None)
    for cell in parse_cells(pre + new + post).cells:
        if cell.id in written and cell.id not in known:
            known[cell.id] = written[cell.id]
        elif cell.id in known and cell.state:
            known[cell.id] = replace(known[cell.id], state=cell.state)
