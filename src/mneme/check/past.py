"""What cells were before: as git has them, or else as our own history wrote them.

Cells may be edited by hand, but not everything about them may change. What they were is asked of the last commit where
there is a repository; elsewhere it is put together from the plans that wrote them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mneme import files, git
from mneme.check.cell import check_transitions
from mneme.errors import StorageError
from mneme.formats.cell import Cell, CellFile, parse_cells
from mneme.formats.cell_edit import print_cell
from mneme.memory.cells.load import decoded
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mneme.errors import Problem


def check_past(
    root: Path, checked: Iterable[CellFile], everything: Iterable[CellFile], severities: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what the cells of some files became that they could not.

    Where everything is checked, a file that is gone is one whose cells are all gone.
    """
    checked, everything = list(checked), list(everything)
    plans = list(past_plans(root))
    if len(checked) == len(everything):
        checked += [parse_cells("", path) for path in _gone(root, plans, {file.path for file in everything})]
    committed = _committed(root, checked)
    written = _written(root, plans, {file.path: file for file in checked if file.path not in committed})
    places = {cell_id: file.path for file in everything for cell_id in file.columns.ids}
    for file in checked:
        old = committed.get(file.path) or written.get(file.path)
        if old is not None and old.text != file.text:
            elsewhere = {cell_id for cell_id, path in places.items() if path != file.path}
            yield from check_transitions(old, file, severities=severities, elsewhere=elsewhere)


def _committed(root: Path, checked: Sequence[CellFile]) -> dict[str, CellFile]:
    """Return what the last commit has of the files that differ from it."""
    if git.find_repository(root) is None:
        return {}
    changed = {*git.changed_files(root, *(f"*{suffix}" for suffix in CELL_SUFFIXES))}
    contents = git.head_contents(root, [file.path for file in checked if file.path in changed])
    return {path: parse_cells(decoded(content), path) for path, content in contents.items()}


def _gone(root: Path, plans: Iterable[files.Entry], there: Collection[str]) -> list[str]:
    """Return the files of cells that the last commit or our plans had and that nobody has taken back since.

    One that was committed and is in no commit any more was taken out by a commit: that is a person's word.
    """
    in_git = git.find_repository(root) is not None
    names = git.changed_files(root, *(f"*{suffix}" for suffix in CELL_SUFFIXES)) if in_git else ()
    held: dict[str, bool] = {}
    for step in (step for entry in plans if not entry.abandoned for step in entry.steps):
        held[step.path] = False
        held[step.target] = not step.removes
    committed = {path for path in git.head_contents(root, names) if held.get(path, True)}
    planned = {path for path, is_held in held.items() if is_held and path.endswith(CELL_SUFFIXES)} - committed
    missing = {path for path in committed | planned if path not in there and not (root / path).exists()}
    return sorted(path for path in missing if path in committed or not (in_git and git.was_committed(root, path)))


def _written(root: Path, plans: Iterable[files.Entry], checked: Mapping[str, CellFile]) -> dict[str, CellFile]:
    """Return the cells that our plans wrote into files, each as the last plan left it, where they were edited since.

    What a file was when it was committed counts for more than what a plan left of it.
    """
    known: dict[str, dict[str, Cell]] = {}
    last: dict[str, str | None] = {}
    for entry in plans:
        for step in entry.steps:
            if step.target not in checked or entry.abandoned:
                continue
            last[step.target] = step.after
            cells = known.setdefault(step.target, {})
            if step.removes:
                cells.clear()
            for hunk in step.hunks:
                _learn(cells, decoded(hunk.pre), decoded(hunk.old), decoded(hunk.new), decoded(hunk.post))
    edited = [
        path
        for path, cells in known.items()
        if cells and files.digest(checked[path].text.encode("utf-8", "surrogateescape")) != last[path]
    ]
    if git.find_repository(root) is not None:
        committed = git.head_contents(root, edited)
        edited = [path for path in edited if path not in committed]
    return {path: parse_cells("\n".join(map(print_cell, known[path].values())), path) for path in edited}


def past_plans(root: Path) -> Iterator[files.Entry]:
    """Yield the plans of history; one that cannot be listed tells nothing, and stops no check."""
    with suppress(StorageError):
        yield from files.entries(root)


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
