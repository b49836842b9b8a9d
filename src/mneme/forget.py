"""What to destroy, and which texts must be nowhere afterwards: for an id, a file, or a piece of text.

A cell leaves a tombstone comment with its id, so that the id is never given again; a text leaves a gap that says so.
Planning only: `files.destroy` does it, and finds the texts in history and in everything derived.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, MnemeError, NotFoundError, StorageError
from mneme.files.forget import GAP
from mneme.formats.cell import is_id
from mneme.memory.cells.load import decoded, load_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from mneme.files import Change, Plan
    from mneme.formats.cell import Cell, CellFile
    from mneme.memory.cells.load import CellSet
    from mneme.workspace import Workspace

TEXT_SUFFIXES = (".mneme", ".mn", ".md", ".markdown", ".txt", ".json", ".jsonl", ".toml", ".yaml", ".yml", ".csv")
# A shorter line says too little by itself to be searched for everywhere; it is then searched for as a whole line.
TELLING_CHARS = 8
_WORD = re.compile(r"\w{3}|[\u3400-\u9fff]")
_MARKER = re.compile(r"\A\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")


def plan_forget(workspace: Workspace, what: str, today: date) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan that destroys what was named, and the texts that must be nowhere afterwards."""
    if not what.strip():
        message = "there is nothing to forget: the text is empty"
        raise BadInputError(message, "mneme forget ID")
    cells = load_cells(workspace)
    for problem in cells.problems:
        raise StorageError(problem.message, problem.hint)
    named = [(file, cell) for file, cell in cells.all() if what == cell.id or what in cell.was]
    if named:
        return _plan(_forget_cells(cells, named, today), what), tuple(_cell_needles(named))
    if is_id(what):
        cells.get(what)
    if (content := _find_named_file(workspace, what)) is not None:
        path = workspace.relative(workspace.root / what)
        needles = telling_lines(workspace, decoded(content), {path: ""})
        return _plan([files.plan_remove(path, content, "forgotten")], path), tuple(needles)
    return _plan(list(_forget_text(workspace, what)), "a text"), (what,)


@contextmanager
def reading_all(workspace: Workspace) -> Iterator[None]:
    """Refuse where a folder cannot be listed, before or in the block: what may lie in it would not be forgotten."""
    list(workspace.walk(TEXT_SUFFIXES))
    _refuse_closed(workspace)
    yield
    _refuse_closed(workspace)


def _refuse_closed(workspace: Workspace) -> None:
    if workspace.closed:
        folder = workspace.closed[0] or "./"
        message = f"the folder '{folder}' cannot be listed, so what it holds cannot be forgotten"
        raise StorageError(message, f"ls -ld {workspace.root / folder}")


def _plan(changes: Sequence[Change], subject: str) -> Plan:
    note = subject if subject == "a text" or re.fullmatch(r"[\w./ -]+", subject) else "a file"
    return files.Plan("forget", tuple(changes), note, free=True)


def _forget_cells(cells: CellSet, named: list[tuple[CellFile, Cell]], today: date) -> list[Change]:
    changes = []
    for file in dict.fromkeys(file for file, _ in named):
        edits = [
            (cell.start, cell.tail, f"# forgotten {cell.id} {today.isoformat()}") for one, cell in named if one is file
        ]
        content = cells.contents[file.path]
        changes.append(files.plan_edit(file.path, content, files.text_edits(file.text, edits), "forgotten"))
    return changes


def _cell_needles(named: list[tuple[CellFile, Cell]]) -> Iterator[str]:
    for file, cell in named:
        yield from (text for text in (cell.gist, cell.cue) if text)
        yield from _telling(file.text[cell.start : cell.tail].splitlines()[1:])


def _telling(lines: Sequence[str]) -> Iterator[str]:
    """Yield the texts to search for: a telling line without its key, a short one as the whole line that it is."""
    for line in lines:
        text = line.removeprefix(">").strip()
        if len(text) >= TELLING_CHARS and not re.match(r"(state|conf|since|seen|link)\s", text):
            yield text
        elif line.startswith(">") and text:
            yield line + "\n"


def _find_named_file(workspace: Workspace, what: str) -> bytes | None:
    if "\n" in what or "\0" in what:
        return None
    try:
        return files.find_file(files.place_of(workspace.root, workspace.relative(workspace.root / what)))
    except (MnemeError, OSError):
        return None


def telling_lines(workspace: Workspace, text: str, changed: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a text that nothing else in the workspace has; `changed` files as they are to be."""
    lines = {_whole_or_bare(line) for line in text.splitlines() if _WORD.search(line)}
    for path in workspace.walk(TEXT_SUFFIXES):
        if lines:
            other = changed[path] if path in changed else decoded(files.find_file(workspace.root / path) or b"")
            lines -= {_whole_or_bare(line) for line in other.splitlines()}
    yield from sorted(lines)


def _whole_or_bare(line: str) -> str:
    """Return what of a line is searched for: the words without their marker, of a short one the whole line."""
    bare = _MARKER.sub("", line).strip()
    return bare if len(bare) >= TELLING_CHARS else line + "\n"


def _forget_text(workspace: Workspace, what: str) -> Iterator[Change]:
    wanted = what.encode("utf-8", "surrogateescape")
    found = False
    for path in sorted(workspace.walk(TEXT_SUFFIXES)):
        content = files.find_file(files.place_of(workspace.root, path)) or b""
        spots = [match.start() for match in re.finditer(re.escape(wanted), content)]
        if spots:
            found = True
            edits = [files.Edit(at, at + len(wanted), GAP) for at in spots]
            yield files.plan_edit(path, content, edits, "forgotten")
    if not found and not files.is_remembered(workspace.root, what):
        message = f"nothing in the workspace says '{what}'"
        raise NotFoundError(message, "mneme list")
