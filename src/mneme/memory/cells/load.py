"""Reading the cells of a workspace: all its cell files at one moment, with the bytes they were read from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import ERROR, UNREADABLE, BadInputError, MnemeError, NotFoundError, Problem
from mneme.formats import cell as shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.formats.cell import Cell, CellFile
    from mneme.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CellSet:
    """All the cells of a workspace as they were at one moment, with the bytes they were read from."""

    files: tuple[CellFile, ...]
    contents: dict[str, bytes]
    problems: tuple[Problem, ...] = ()

    def all(self) -> Iterable[tuple[CellFile, Cell]]:
        """Yield every cell with its file, in order of file and line."""
        return ((file, cell) for file in self.files for cell in file.cells)

    def get(self, wanted: str) -> tuple[CellFile, Cell]:
        """Return the cell of an id, or of an id it once had; an unknown one is told with the nearest."""
        found = [(file, cell) for file, cell in self.all() if cell.id == wanted]
        found = found or [(file, cell) for file, cell in self.all() if wanted in cell.was]
        if not found:
            raise self._unknown(wanted)
        if len(found) > 1:
            places = ", ".join(f"{file.path}:{cell.line}" for file, cell in found)
            message = f"the id '{wanted}' stands for several cells: {places}"
            raise BadInputError(message, "mneme lint")
        return found[0]

    def _unknown(self, wanted: str) -> NotFoundError:
        from mneme.memory.cells.ids import nearest_ids

        near = nearest_ids(wanted, (cell.id for _, cell in self.all()))
        message = f"there is no record '{wanted}'"
        if near:
            message += "; the nearest: " + ", ".join(near)
        return NotFoundError(message, f"mneme show {near[0]}" if near else "mneme list")


def load_cells(workspace: Workspace, named: Sequence[str] = ()) -> CellSet:
    """Read all cell files of the workspace, or the files a person named, which may lie anywhere.

    A file of the workspace that cannot be read is a problem beside the others; one that was named is an error.
    """
    if named:
        return _cell_set({name: files.read_file(Path(name), name=name) for name in named}, ())
    contents, problems = {}, []
    for path in workspace.cell_files():
        try:
            contents[path] = files.read_file(files.place_of(workspace.root, path), name=path)
        except MnemeError as error:
            problems.append(Problem(path, 0, UNREADABLE, ERROR, error.message, error.hint))
    return _cell_set(contents, problems)


def _cell_set(contents: dict[str, bytes], problems: Iterable[Problem]) -> CellSet:
    found = tuple(shape.parse_cells(decoded(content), path) for path, content in contents.items())
    return CellSet(found, contents, tuple(problems))


def decoded(content: bytes) -> str:
    """Return bytes as text that turns back into the very same bytes."""
    return content.decode("utf-8", "surrogateescape")
