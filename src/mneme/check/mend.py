"""Planning the repairs of `lint --fix`: edits in rounds until a file has nothing mechanical left to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.check.cell import fix_cells
from mneme.formats.cell import parse_cells
from mneme.memory.merge import fix_links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.files import Change
    from mneme.formats.cell import CellFile, TextEdit
    from mneme.memory.cells.load import CellSet

# One repair can bring another fault to light; a file that is still not mended then is left to a person.
_MOST_ROUNDS = 8


def plan_mend(cells: CellSet, chosen: Sequence[CellFile]) -> Iterator[Change]:
    """Yield the change that mends each of the chosen files."""
    state = {file.path: file for file in cells.files}
    for _ in range(_MOST_ROUNDS):
        links = fix_links(tuple(state.values()))
        mended = [(file.path, _mended(state[file.path], state, links.get(file.path, ()))) for file in chosen]
        if all(new is None for _, new in mended):
            break
        state |= {path: new for path, new in mended if new is not None}
    for file in chosen:
        new = state[file.path].text.encode("utf-8", "surrogateescape")
        change = files.plan_replace(file.path, cells.contents[file.path], new, "mended")
        if change is not None:
            yield change


def _mended(file: CellFile, state: dict[str, CellFile], links: Sequence[TextEdit]) -> CellFile | None:
    edits = fix_cells(file, [other for other in state.values() if other is not file]) or list(links)
    if not edits:
        return None
    text = file.text
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return parse_cells(text, file.path)
