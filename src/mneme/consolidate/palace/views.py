"""Memories sorted into views: groups of rows, each of which says one thing and where it is from.

Only what is in force is shown, newest first, and a group that grows long says how much it leaves out. Pure, and a
function of the pieces alone: the same memory gives the same palace.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.entry import normal_text
from mneme.formats.record import WORKING_STATES
from mneme.memory.notes.pieces import CLOSURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mneme.consolidate.palace.dimension import Dimension
    from mneme.formats.piece import Piece

GROUP_ROWS = 40
ROW_CHARS = 160
# What the timeline leaves to the notes themselves: days are told by their closures, and files about people are no events.
_NO_EVENTS = frozenset(
    {"day", "buffer", "task", "identity", "user-file", "reminder", "palace", "index", "report", "dream"}
)
_PROJECT_FOLDER = "/projects/"
_MARKUP = re.compile(r"<!--.*?-->|[*`#|]+|(?<!\w)_+|_+(?!\w)|-{3,}|\[\[|\]\]|!?\[([^\]]*)\]\([^)]*\)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])")


@dataclass(frozen=True, slots=True)
class Row:
    """One memory in a view: since when, what, and the record it stands for."""

    day: str
    text: str
    path: str
    id: str
    state: str
    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading; `more` is how many are not shown."""

    title: str
    rows: tuple[Row, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """A page of the palace."""

    name: str
    title: str
    groups: tuple[Group, ...]


def shown(piece: Piece) -> bool:
    """Say whether a piece is part of the palace at all: in force, and not the palace itself."""
    return piece.record.state in WORKING_STATES and piece.record.kind not in {"palace", "proposal"}


def row_of(piece: Piece) -> Row:
    """Return the row that a piece is shown as: its gist or name, else its first sentence."""
    record = piece.record
    named = piece.gist or _name_of(piece)
    text = " ".join(_MARKUP.sub(r"\1", named or normal_text(piece.body)).split())
    first = _SENTENCE_END.split(text, maxsplit=1)[0] if len(text) > ROW_CHARS else text
    if len(first) > ROW_CHARS:
        first = first[:ROW_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:") + "\u2026"
    return Row(record.since[:10], first, record.path, record.id, record.state, record.kind)


def _name_of(piece: Piece) -> str:
    """Return what a piece is called: the name of its file or section; an entry of a list has none."""
    if piece.record.id == piece.record.path:
        return piece.title
    return piece.title.rpartition(" / ")[2] if piece.record.kind == "note" else ""


def timeline(pieces: Iterable[Piece]) -> View:
    """Return what was decided, learned and reached, month by month; a day is told by what its closure says."""
    months: dict[str, list[Row]] = defaultdict(list)
    for piece in pieces:
        row = row_of(piece)
        told = piece.title == CLOSURE if piece.record.kind == "day" else piece.record.kind not in _NO_EVENTS
        if told and row.day and row.text:
            months[row.day[:7]].append(row)
    return View("timeline", "Timeline", _groups(months, sorted(months, reverse=True)))


def projects(pieces: Sequence[Piece]) -> View:
    """Return what is remembered of each project: what is filed under it, then what mentions it by name."""
    names = _project_names(pieces)
    found: dict[str, list[Row]] = {name: [] for name in names.values()}
    patterns = [(name, _mention(name)) for name in names.values()]
    for piece in pieces:
        row = row_of(piece)
        filed = names.get(_project_key(piece))
        if filed:
            found[filed].append(row)
            continue
        for name, pattern in patterns:
            if piece.record.kind not in _NO_EVENTS and pattern.search(f"{piece.title}\n{piece.gist}\n{piece.body}"):
                found[name].append(row)
    kept = {name: rows for name, rows in found.items() if rows}
    return View("projects", "Projects", _groups(kept, sorted(kept, key=str.casefold)))


def _project_key(piece: Piece) -> str:
    if piece.entity and _PROJECT_FOLDER in f"/{piece.record.path}":
        return piece.entity
    if piece.record.kind == "project" and piece.title:
        return _slug(piece.title)
    if piece.record.kind == "status" and piece.title:
        return _slug(piece.title.rpartition(" / ")[2])
    return piece.topic.partition("/")[0]


def _project_names(pieces: Iterable[Piece]) -> dict[str, str]:
    """Return the projects by key: those that have a place of their own, and topics that several cells share."""
    names: dict[str, str] = {}
    cells: dict[str, int] = defaultdict(int)
    for piece in pieces:
        key = _project_key(piece)
        if not key:
            continue
        if piece.topic.partition("/")[0] == key and not piece.entity:
            cells[key] += 1
        else:
            title = piece.title.rpartition(" / ")[2]
            names.setdefault(key, title if _slug(title) == key else key.replace("-", " "))
    shared = {key: key.replace("-", " ") for key, count in cells.items() if count > 1 and key != "general"}
    return {**shared, **names}


def _slug(text: str) -> str:
    return "-".join(re.findall(r"\w+", text.lower()))


def _mention(name: str) -> re.Pattern[str]:
    words = r"[\s_-]+".join(map(re.escape, re.findall(r"\w+", name)))
    return re.compile(rf"(?<!\w){words}(?!\w)" if name.isascii() else words, re.IGNORECASE)


def technology(pieces: Iterable[Piece], vocabulary: Iterable[str]) -> View:
    """Return what is remembered of each technology: by tag, by topic, and by name where it is a word of the vocabulary."""
    known = {word.lower(): re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE) for word in vocabulary}
    found: dict[str, list[Row]] = defaultdict(list)
    for piece in pieces:
        if piece.record.kind in _NO_EVENTS and piece.record.kind != "day":
            continue
        said = {tag.lower() for tag in piece.tags} | set(piece.topic.lower().split("/"))
        text = f"{piece.title}\n{piece.gist}\n{piece.body}"
        for word, pattern in known.items():
            if word in said or pattern.search(text):
                found[word].append(row_of(piece))
    return View("technology", "Technology", _groups(found, sorted(found)))


def custom(pieces: Sequence[Piece], dimensions: Mapping[str, Dimension]) -> View:
    """Return the dimensions of one's own, in the order in which they are written."""
    found = {
        name: [row_of(piece) for piece in pieces if dimension.takes(piece)] for name, dimension in dimensions.items()
    }
    return View("custom", "Custom", _groups(found, list(dimensions)))


def _groups(rows: Mapping[str, Sequence[Row]], order: Iterable[str]) -> tuple[Group, ...]:
    return tuple(_group(name, rows[name]) for name in order)


def _group(name: str, rows: Iterable[Row]) -> Group:
    told = {(row.path, row.id): row for row in rows if row.text}
    ordered = sorted(told.values(), key=lambda row: (row.path, row.id))
    ordered.sort(key=lambda row: row.day, reverse=True)
    return Group(name, tuple(ordered[:GROUP_ROWS]), max(0, len(ordered) - GROUP_ROWS))
