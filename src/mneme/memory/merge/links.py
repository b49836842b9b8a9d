"""Links to a cell that a merge renumbered, in files the merge did not see.

`# was DEC-0042` says which id a cell had. Where nobody has that id any more, a link to it can mean nobody else; where
the other cell kept it, a supersession tells the two apart: its other half is written on the cell that was meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.formats.cell import INVERSE_RELATIONS, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.formats.cell import Cell, CellFile, TextEdit

_WORD = re.compile(r"\S+")


def fix_links(files: Sequence[CellFile]) -> dict[str, list[TextEdit]]:
    """Return, by path, the edits that lead links to the id which their cell has now; a doubtful one is left alone."""
    if not any("was" in file.text for file in files):
        return {}
    cells = [cell for file in files for cell in file.cells]
    now: dict[str, list[Cell]] = {}
    for cell in cells:
        for name in cell.was:
            now.setdefault(name, []).append(cell)
    known = {cell.id for cell in cells}
    linked = {(cell.id, link.relation, link.target) for cell in cells for link in cell.links}
    found = {file.path: list(_edits(file, now, known, linked)) for file in files}
    return {path: edits for path, edits in found.items() if edits}


def _edits(
    file: CellFile, now: dict[str, list[Cell]], known: set[str], linked: set[tuple[str, str, str]]
) -> Iterator[TextEdit]:
    if not any(name in file.text for name in now):
        return
    starts = split_lines(file.text).starts
    for cell in file.cells:
        for link in cell.links:
            inverse = INVERSE_RELATIONS.get(link.relation, "")
            meant = [one.id for one in now.get(link.target, ()) if one.id != cell.id]
            if link.target in known:
                paired = (link.target, inverse, cell.id) in linked
                meant = [] if paired else [one for one in meant if (one, inverse, cell.id) in linked]
            if len(meant) == 1:
                end = starts[link.line] if link.line < len(starts) else len(file.text)
                words = [word.span() for word in _WORD.finditer(file.text, starts[link.line - 1], end)]
                yield (*next(span for span in reversed(words) if file.text[slice(*span)] == link.target), meant[0])
