"""What a name on the command line stands for: an id of any kind, lines of a file, an entity, or a date in words.

Every verb that takes a name asks here, so that one name means one thing. What whoever asks may not see is told as if
it were not there.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, MnemeError, NotFoundError
from mneme.formats.record import SHARED, Record
from mneme.formats.span import split_lines
from mneme.index.turns import is_log, turn_pieces
from mneme.profiles.profile import ITEMS
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

    from mneme.engine.memory import Memory
    from mneme.formats.piece import Piece
    from mneme.memory.graph.entities import Entity

CELL, FACT, ENTRY, SECTION, NOTE, LINES, ENTITY = "cell", "fact", "entry", "section", "note", "lines", "entity"

_LINES = re.compile(r"(?P<path>.+)#L(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?")
_FACT_ID = re.compile(r"\S+-\d{1,18}")
_NOTE_SUFFIXES = (".md", ".MD", ".markdown")


@dataclass(frozen=True, slots=True)
class Named:
    """What a name stands for: its form, its record, and its text as it is written."""

    form: str
    record: Record
    text: str


def find_named(memory: Memory, wanted: str) -> Named | None:
    """Return what an id, a path or lines of a path stand for; None where the name has none of these forms."""
    from mneme.formats.cell import is_id

    if is_id(wanted):
        return named_cell(memory, wanted)
    if match := _LINES.fullmatch(wanted):
        if is_log(match["path"]):
            return _named_turn(memory, wanted, match["path"])
        return _named_lines(memory, match["path"], int(match["first"]), int(match["last"] or match["first"]))
    path, _, anchor = wanted.partition("#")
    if _is_path(memory, path):
        return _named_in_file(memory, wanted, memory_path(memory, path), anchor)
    return _named_fact(memory, wanted) if _FACT_ID.fullmatch(wanted) else None


def _named_turn(memory: Memory, wanted: str, path: str) -> Named:
    """Return a turn of a session's log, as far as it is one that may be searched: without its secrets."""
    if path not in memory.workspace.transcript_files() or memory.shared:
        refuse_unknown(memory, wanted)
    content = files.find_file(Path(path)) or b""
    pieces = turn_pieces(content, path, memory.workspace)
    found = next((piece.record for piece in pieces if piece.record.id == wanted), None)
    if found is None:
        refuse_unknown(memory, wanted)
    return Named(LINES, found, found.text)


def get_named(memory: Memory, wanted: str) -> Named:
    """Return what an id, a path or lines of a path stand for."""
    found = find_named(memory, wanted)
    if found is None:
        refuse_unknown(memory, wanted)
    return found


def named_cell(memory: Memory, wanted: str) -> Named:
    """Return the cell of an id; in a shared context, what cannot be seen is not even known by its id."""
    if memory.shared and not _sees_cell(memory, wanted):
        refuse_unknown(memory, wanted)
    file, cell = memory.cells().get(wanted)
    record = next(one.record for one in _pieces(memory, file.path) if one.record.line == cell.line)
    if not memory.sees(record):
        refuse_unknown(memory, wanted)
    return Named(CELL, record, file.text[cell.start : cell.tail])


def _sees_cell(memory: Memory, wanted: str) -> bool:
    """Say whether an id stands for one cell, and that may be seen."""
    pieces = [piece for path in memory.workspace.cell_files() for piece in _pieces(memory, path)]
    found = [piece for piece in pieces if piece.record.id == wanted]
    found = found or [piece for piece in pieces if wanted in piece.aliases]
    return len(found) == 1 and memory.sees(found[0].record)


def named_entity(memory: Memory, wanted: str) -> Entity:
    """Return the entity that a name stands for, or ask which of several is meant."""
    from mneme.errors import UnsureError
    from mneme.memory.graph.entities import load_entities, match_entities

    match = match_entities([one for one in load_entities(memory.workspace) if sees_entity(memory, one)], wanted)
    found = match.sure or match.possible
    if len(found) == 1:
        return found[0]
    if not found:
        refuse_unknown(memory, wanted)
    message = f"'{wanted}' may be any of {', '.join(one.slug for one in found)}"
    raise UnsureError(message, f"mneme show {found[0].slug}", choices=tuple(one.slug for one in found))


def sees_entity(memory: Memory, entity: Entity) -> bool:
    """Say whether whoever asks may see an entity's facts."""
    return not memory.shared or memory.workspace.audience_of(entity.items_path) == SHARED


def memory_path(memory: Memory, path: str) -> str:
    """Return a path as a workspace path, whether it was given so or from where somebody stands."""
    if files.place_of(memory.root, path).is_file():
        return posixpath.normpath(path)
    return memory.workspace.relative(path)


def _is_path(memory: Memory, path: str) -> bool:
    if not path.endswith((*_NOTE_SUFFIXES, *CELL_SUFFIXES, ITEMS)) or "\0" in path or "\n" in path:
        return False
    try:
        return files.place_of(memory.root, memory_path(memory, path)).is_file()
    except (MnemeError, OSError):
        return False


def _pieces(memory: Memory, path: str) -> tuple[Piece, ...]:
    from mneme.memory import load_pieces

    return tuple(load_pieces(memory.workspace, [path]))


def text_of_file(memory: Memory, path: str) -> str:
    """Return the text of a file of the workspace."""
    return files.read_file(files.place_of(memory.root, path), name=path).decode("utf-8", "surrogateescape")


def _whole(memory: Memory, path: str) -> Record:
    """Return a file of memory as one record."""
    workspace = memory.workspace
    text = text_of_file(memory, path)
    end = split_lines(text).count
    plain = Record(path, workspace.kind_of(path), path, 1, max(end, 1), text, audience=workspace.audience_of(path))
    plain = replace(plain, tier=workspace.tier_of(path))
    if path.endswith((*CELL_SUFFIXES, ITEMS)):
        return replace(plain, kind="cells" if path.endswith(CELL_SUFFIXES) else "facts")
    from mneme.formats.note import note_records, parse_note
    from mneme.formats.record import FILE

    day = workspace.profile.find_day(path)
    note = parse_note(text, path)
    return note_records(
        note, kind=plain.kind, grain=FILE, tier=plain.tier, audience=plain.audience, since=day.date if day else ""
    )[0]


def whole_note(memory: Memory, path: str) -> Record | None:
    """Return a whole note as a record known by its title, or None where it is gone."""
    if not files.place_of(memory.root, path).is_file():
        return None
    record = _whole(memory, path)
    title = next((row.lstrip("# ") for row in record.text.splitlines() if row.startswith("# ")), path)
    return replace(record, text=title)


def _named_in_file(memory: Memory, wanted: str, path: str, anchor: str) -> Named:
    whole = _whole(memory, path)
    if not anchor:
        if not _sees_whole(memory, whole):
            refuse_unknown(memory, wanted)
        return Named(NOTE, whole, whole.text)
    named = f"{path}#{anchor}"
    pieces = _pieces(memory, path)
    found = next((piece.record for piece in pieces if piece.record.id == named), None)
    found = found or _inner_record(memory, whole, anchor)
    if found is None or not memory.sees(found):
        refuse_unknown(memory, wanted, [piece.record.id for piece in pieces if memory.sees(piece.record)])
    form = SECTION if _is_section(memory, path, anchor) else ENTRY
    return Named(FACT if path.endswith(ITEMS) else form, found, _lines_of(memory, found))


def _sees_whole(memory: Memory, whole: Record) -> bool:
    """Say whether a whole file may be shown: a note by what its frontmatter says too, others by all that is in them."""
    return memory.sees(whole) if whole.path.endswith(_NOTE_SUFFIXES) else memory.sees_file(whole.path)


def _is_section(memory: Memory, path: str, anchor: str) -> bool:
    from mneme.formats.note import parse_note

    return any(section.slug == anchor for section in parse_note(text_of_file(memory, path), path).sections)


def _inner_record(memory: Memory, whole: Record, anchor: str) -> Record | None:
    """Return a section of a note that is cut into entries, or an item inside of an entry."""
    from mneme.formats.note import parse_note

    if whole.path.endswith((*CELL_SUFFIXES, ITEMS)):
        return None
    note = parse_note(text_of_file(memory, whole.path), whole.path)
    section = next((one for one in note.sections if one.slug == anchor), None)
    if section:
        text = note.text[section.start : section.own_end].rstrip()
        end_line = section.line + text.count("\n")
        return replace(whole, id=f"{whole.path}#{anchor}", line=section.line, end_line=end_line, text=text)
    item = note.find_entry(anchor)
    if item is None:
        return None
    return replace(whole, id=f"{whole.path}#{anchor}", line=item.line, end_line=item.end_line, text=item.text)


def _lines_of(memory: Memory, record: Record) -> str:
    lines = split_lines(text_of_file(memory, record.path))
    start = lines.starts[min(record.line, len(lines.starts)) - 1]
    return lines.text[start : lines.after(min(record.end_line, len(lines.starts)) - 1)].rstrip("\r\n")


def _named_lines(memory: Memory, path: str, first: int, last: int) -> Named:
    wanted = f"{path}#L{first}" + (f"-L{last}" if last > first else "")
    if not _is_path(memory, path):
        refuse_unknown(memory, wanted)
    path = memory_path(memory, path)
    whole = _whole(memory, path)
    if not _sees_whole(memory, whole):
        refuse_unknown(memory, wanted)
    if not 1 <= first <= min(last, whole.end_line):
        message = f"'{path}' has {whole.end_line} lines, so there is no line {max(last, first)}"
        raise BadInputError(message, f"mneme show {path}#L1-L{whole.end_line}")
    record = replace(whole, id=wanted, line=first, end_line=min(last, whole.end_line))
    text = _lines_of(memory, record)
    return Named(LINES, replace(record, text=text), text)


def _named_fact(memory: Memory, wanted: str) -> Named | None:
    for path in memory.workspace.fact_files():
        for piece in _pieces(memory, path):
            if piece.record.id == wanted and memory.sees(piece.record):
                return Named(FACT, piece.record, _lines_of(memory, piece.record))
    return None


def refuse_unknown(memory: Memory, wanted: str, nearby: Sequence[str] = ()) -> NoReturn:
    """Say that there is no such record, and which one comes nearest."""
    from difflib import get_close_matches

    near = get_close_matches(wanted, nearby or list(_all_names(memory)), n=3)
    message = f"there is no record '{wanted}'"
    if near:
        message += "; the nearest: " + ", ".join(near)
    raise NotFoundError(message, f"mneme show {near[0]}" if near else "mneme list")


def _all_names(memory: Memory) -> Iterator[str]:
    """Yield what somebody may have meant: ids of cells and facts, entities, files."""
    from mneme.memory import all_paths
    from mneme.memory.graph.entities import load_entities

    for path in all_paths(memory.workspace):
        if path.endswith((*CELL_SUFFIXES, ITEMS)):
            yield from (piece.record.id for piece in _pieces(memory, path) if memory.sees(piece.record))
        elif not memory.shared or memory.workspace.audience_of(path) == SHARED:
            yield path
    yield from (entity.slug for entity in load_entities(memory.workspace) if sees_entity(memory, entity))
