"""Merging the texts of a cell file: pure, total, and the same whichever side is called ours.

Every cell of either side is in the result: one deleted by hand on one side comes back, one that was forgotten on
purpose does not. What neither side touched keeps its bytes. Nothing here fails, whatever the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from mneme.errors import ERROR, Problem
from mneme.formats.cell import BOM, count_lines
from mneme.memory.merge.document import (
    After,
    Item,
    Version,
    join_items,
    newline_in,
    same_breaks,
    split_version,
    without_bom,
)
from mneme.memory.merge.join import join_cell
from mneme.memory.merge.match import BASE, ONE, TWO, match_versions
from mneme.memory.merge.sequence import merge_sequences

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from mneme.memory.merge.match import Group, Matched

_MARK_WIDTH = 7


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, what a person has to look at in it, and the new ids of cells that had another's."""

    text: str
    problems: tuple[Problem, ...] = ()
    conflicts: bool = False
    renumbered: dict[str, str] = field(default_factory=dict)


def merge_cells(base: str, ours: str, theirs: str) -> Merged:
    """Merge two versions of a cell file; any three texts have a result, and swapping the sides does not change it."""
    if ours == theirs:
        return Merged(ours)
    texts = [without_bom(text) for text in (base, *sorted((ours, theirs)))]
    was, one, two = (marked for marked, _ in texts)
    marked = one if one == two else not was
    matched = match_versions(same_breaks(*(text for _, text in texts)))
    versions = _taken_apart(matched)
    pieces = [*_merged_pieces([version.preamble for version in versions])]
    pieces += _merged_pieces(_complete([version.items for version in versions]))
    newline = newline_in(*(matched.files[side].text for side in (ONE, TWO, BASE)))
    text, starts = join_items([piece.as_item() for piece in pieces], newline)
    problems = tuple(_problems(text, pieces, starts))
    conflicts = any(piece.contradicts for piece in pieces)
    return Merged(BOM * marked + text, problems, conflicts, matched.renumbered)


def _taken_apart(matched: Matched) -> list[Version]:
    """Return the three versions as items; what was forgotten on purpose is in none of them."""
    numbers: dict[Group, int] = {}
    versions = []
    for file, row in zip(matched.files, matched.groups, strict=True):
        names = [numbers.setdefault(group, len(numbers)) for group in row]
        gone = {("cell", numbers[group]) for group in row if group.forgotten}
        version = split_version(file, names)
        versions.append(replace(version, items=tuple(item for item in version.items if item.key not in gone)))
    return versions


def _complete(versions: Sequence[Sequence[Item]]) -> list[Sequence[Item]]:
    """Put back on each side the cells that were deleted there by hand and are still on the other."""
    keys = [{item.key for item in version} for version in versions]
    back = keys[BASE] & (keys[ONE] ^ keys[TWO])
    return [versions[BASE], *(_with_again(versions[BASE], versions[side], back - keys[side]) for side in (ONE, TWO))]


def _with_again(base: Sequence[Item], side: Sequence[Item], back: set[Hashable]) -> Sequence[Item]:
    """Return a side with some items of the base, each behind the cell that it followed there."""
    back = {item.key for item in base if item.cell and item.key in back}
    if not back:
        return side
    here = {item.key for item in side if item.cell}
    behind: dict[Hashable, list[Item]] = {}
    before: Hashable = None
    for item in base:
        if item.key in back:
            behind.setdefault(before, []).append(item)
        elif item.key in here:
            before = item.key
    whole = list(behind.get(None, []))
    for item in side:
        whole += [item, *(behind.get(item.key, []) if item.cell else [])]
    return whole


@dataclass(frozen=True, slots=True)
class _Piece:
    """One item of the result."""

    text: str
    after: After
    id: str = ""
    is_cell: bool = False
    contradicts: bool = False
    edited: bool = False

    def as_item(self) -> tuple[str, After, bool]:
        return self.text, self.after, self.is_cell


def _merged_pieces(versions: Sequence[Sequence[Item]]) -> Iterator[_Piece]:
    cells = [{item.key: item for item in version if item.cell} for version in versions]
    keys = [[item.key for item in version] for version in versions]
    done: set[Hashable] = set()
    for slot in merge_sequences(keys[BASE], keys[ONE], keys[TWO], lambda side, at: _rank(versions[side], at)):
        found = [version[at] if at is not None else None for version, at in zip(versions, slot, strict=True)]
        item = found[ONE] or found[TWO]
        if item is None or (item.cell and item.key in done):
            continue
        if item.cell:
            done.add(item.key)
            yield _merged_cell([row.get(item.key) for row in cells])
        else:
            yield _Piece(item.text, _after(found))


def _rank(version: Sequence[Item], at: int) -> tuple[str, str, str]:
    """Return what orders the additions of two sides at one place: the first day and id in each."""
    cell = next((item.cell for item in islice(version, at, None) if item.cell), None)
    return (cell.since, cell.id, version[at].text) if cell else ("", "", version[at].text)


def _after(found: Sequence[Item | None]) -> After:
    """Return what follows an item: of the side that changed it, else the longer."""
    base, one, two = (item.after if item else None for item in found)
    if one is None or two is None:
        return one or two or After("", is_end=True)
    if two in (one, base):
        return one
    if one == base:
        return two
    return max(one, two, key=lambda after: (len(after.text), after))


def _merged_cell(found: Sequence[Item | None]) -> _Piece:
    joined = join_cell(*(item.text if item else None for item in found))
    item = found[ONE] or found[TWO] or found[BASE]
    cell = item.cell if item else None
    name, newline = (cell.id, cell.newline) if cell else ("", "\n")
    contradicts = joined.other is not None
    text = joined.text if joined.other is None else _in_markers(name, joined.text, joined.other, newline)
    return _Piece(text, _after(found), name, is_cell=True, contradicts=contradicts, edited=joined.edited)


def _in_markers(name: str, one: str, two: str, newline: str) -> str:
    """Return both texts as git writes what it could not merge; the markers name the cell, for no side is the first."""
    return newline.join((f"{'<' * _MARK_WIDTH} {name}", one, "=" * _MARK_WIDTH, two, f"{'>' * _MARK_WIDTH} {name}"))


def _problems(text: str, pieces: Sequence[_Piece], starts: Sequence[int]) -> Iterator[Problem]:
    for piece, start in zip(pieces, starts, strict=True):
        line = count_lines(text[:start]) + 1 if piece.contradicts or piece.edited else 0
        if piece.contradicts:
            message = f"both sides changed '{piece.id}' and contradict each other"
            yield Problem("", line, "conflict-marker", ERROR, message, "keep one of the two, and remove the markers")
        elif piece.edited:
            message = f"one side edited what '{piece.id}' says"
            yield Problem("", line, "edited-content", ERROR, message, f"mneme supersede {piece.id} 'the new text'")
