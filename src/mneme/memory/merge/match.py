"""Which cells of three versions are the same one, and what each must be called in the merged file.

A cell is the same by its id and what it says, else by an id it once had, else by its id alone (somebody edited what
may not be edited). Two new cells that were given one id are two: one of them gets a new id, and leaves `# was OLD`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mneme.formats.cell import is_id, parse_cells, split_lines
from mneme.formats.cell_edit import numbered_id, was_line
from mneme.formats.spine import content_of
from mneme.memory.merge.document import edited

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from mneme.formats.cell import Cell, CellFile, Content, TextEdit

BASE, ONE, TWO = range(3)

_FORGOTTEN = re.compile(r"(?:\A|[\r\n])#[ \t]*forgotten[ \t]+(\S+)")
_HEADER_ID = re.compile(r"@[^\S\r\n]*(\S+)")
_WORD = re.compile(r"\S+")
_MOST_DIGITS = 18


@dataclass(slots=True, eq=False)
class Group:
    """One cell in up to three versions, by version."""

    cells: dict[int, Cell] = field(default_factory=dict)
    forgotten: bool = False
    id: str = ""

    def rank(self) -> tuple[bool, str, str]:
        """Return what decides who keeps a disputed id: the elder, then the lower hash of what the cell says."""
        first = min(repr(content_of(cell)) for cell in self.cells.values())
        return BASE not in self.cells, hashlib.sha256(first.encode("utf-8", "surrogatepass")).hexdigest(), first


@dataclass(frozen=True, slots=True)
class Matched:
    """Three versions that agree on ids, the group of every cell in each, and who was renumbered."""

    files: tuple[CellFile, CellFile, CellFile]
    groups: tuple[tuple[Group, ...], ...]
    renumbered: dict[str, str]


def match_versions(texts: tuple[str, str, str]) -> Matched:
    """Find out which cells are the same, and give every one of them an id of its own."""
    versions = [parse_cells(text) for text in texts]
    groups = _grouped(versions)
    tombstones = [set(_FORGOTTEN.findall(text)) for text in texts]
    for group in groups:
        group.id = _agreed_id(group)
        group.forgotten = _is_forgotten(group, tombstones)
    renumbered = _tell_apart(groups, tombstones, versions)
    found = {(side, cell.start): group for group in groups for side, cell in group.cells.items()}
    rows = tuple(tuple(found[side, cell.start] for cell in file.cells) for side, file in enumerate(versions))
    base, one, two = (_renamed(side, file, rows[side]) for side, file in enumerate(versions))
    return Matched((base, one, two), rows, renumbered)


# Who is who


def _grouped(versions: Sequence[CellFile]) -> list[Group]:
    groups = [Group({side: cell}) for side, file in enumerate(versions) for cell in file.cells]
    groups = _joined(groups, _as_it_is)
    if any(cell.was for file in versions for cell in file.cells):
        old = {cell.id for cell in versions[BASE].cells}
        groups = _joined(groups, lambda group: _as_another_was(group, old), lambda group: _as_it_was(group, old))
    groups.sort(key=lambda group: BASE not in group.cells)
    return _joined(groups, _by_id, hosts=lambda group: BASE in group.cells)


def _as_it_is(group: Group) -> list[tuple[str, Content]]:
    return [(cell.id, content_of(cell)) for cell in group.cells.values()][:1]


def _as_it_was(group: Group, old: set[str]) -> list[tuple[str, str, Content]]:
    """Return the name that a cell has and those it had, with what it says; what the base has was not renumbered since."""
    return [
        (kind, name, content_of(cell))
        for cell in group.cells.values()
        for kind, name in (("is", cell.id), *(("was", one) for one in cell.was if cell.id not in old))
        if is_id(name) and is_id(cell.id)
    ]


def _as_another_was(group: Group, old: set[str]) -> list[tuple[str, str, Content]]:
    """Return what another would say of itself that this cell was renumbered from, or to."""
    return [("was" if kind == "is" else "is", name, content) for kind, name, content in _as_it_was(group, old)]


def _by_id(group: Group) -> list[str]:
    return [cell.id for cell in group.cells.values()]


def _joined(
    groups: Iterable[Group],
    claims: Callable[[Group], Iterable[Hashable]],
    offers: Callable[[Group], Iterable[Hashable]] | None = None,
    hosts: Callable[[Group], bool] = lambda _: True,
) -> list[Group]:
    """Join groups that claim the same and are of different versions; each joins the first that has room for it."""
    kept: list[Group] = []
    known: dict[Hashable, list[Group]] = {}
    seen: dict[Hashable, int] = {}
    for group in groups:
        host = _find_room(group, claims(group), known, seen)
        if host is None:
            host = group
            kept.append(group)
        else:
            host.cells.update(group.cells)
        if hosts(host):
            for claim in dict.fromkeys((offers or claims)(group)):
                known.setdefault(claim, []).append(host)
    return kept


def _find_room(
    group: Group, wanted: Iterable[Hashable], known: dict[Hashable, list[Group]], seen: dict[Hashable, int]
) -> Group | None:
    """Return the first group under a claim with no cell of the same version; a full one is never looked at again."""
    sides = tuple(sorted(group.cells))
    for claim in wanted:
        row = known.get(claim, [])
        at = seen.get((claim, sides), 0)
        while at < len(row) and not row[at].cells.keys().isdisjoint(sides):
            at += 1
        seen[claim, sides] = at
        if at < len(row):
            return row[at]
    return None


def _is_forgotten(group: Group, tombstones: Sequence[set[str]]) -> bool:
    """Say whether a cell that was there was forgotten on purpose on one side; deleting it by hand is not that."""
    if BASE not in group.cells:
        return False
    names = {cell.id for cell in group.cells.values()}
    return any(side not in group.cells and names & tombstones[side] for side in (ONE, TWO))


# What each is called


def _agreed_id(group: Group) -> str:
    """Return the id that holds: the one a side changed it to, else the one that another version says it was before."""
    ids = {side: cell.id for side, cell in group.cells.items()}
    choices = sorted(set(ids.values()), key=lambda name: (len(name), name))
    changed = [name for name in choices if name != ids.get(BASE)]
    earlier = {name for cell in group.cells.values() for name in cell.was}
    return next((name for name in changed if name not in earlier), changed[0] if changed else choices[0])


def _tell_apart(groups: list[Group], tombstones: Sequence[set[str]], versions: Sequence[CellFile]) -> dict[str, str]:
    """Give a new id to every new cell whose id is another's, or was forgotten on the other side."""
    by_id: dict[str, list[Group]] = {}
    for group in groups:
        by_id.setdefault(group.id, []).append(group)
    moved = [group for name, row in by_id.items() if is_id(name) for group in _losers(name, row, tombstones)]
    if not moved:
        return {}
    highest = _highest_numbers(versions, tombstones)
    renumbered = {}
    for group in sorted(moved, key=lambda group: (len(group.id), group.id, group.rank())):
        prefix = group.id.rpartition("-")[0]
        highest[prefix] = highest.get(prefix, 0) + 1
        renumbered[group.id] = group.id = numbered_id(prefix, highest[prefix])
    return renumbered


def _losers(name: str, row: list[Group], tombstones: Sequence[set[str]]) -> Iterator[Group]:
    keeper, *others = sorted(row, key=Group.rank)
    if _is_taken(keeper, name, tombstones):
        yield keeper
    for group in others:
        # Two cells of one file that share an id were not made by this merge: the linter tells of them.
        if group.cells.keys().isdisjoint(keeper.cells) or keeper.forgotten:
            yield group


def _is_taken(group: Group, name: str, tombstones: Sequence[set[str]]) -> bool:
    """Say whether a cell that only one side has, and made, has an id which the other side has forgotten."""
    if len(group.cells) > 1 or BASE in group.cells:
        return False
    here = next(iter(group.cells))
    return name in tombstones[ONE + TWO - here] and name not in tombstones[here]


def _highest_numbers(versions: Sequence[CellFile], tombstones: Sequence[set[str]]) -> dict[str, int]:
    highest: dict[str, int] = {}
    for name in _names_ever(versions, tombstones):
        prefix, dash, digits = name.rpartition("-")
        if dash and len(digits) <= _MOST_DIGITS and digits.isascii() and digits.isdigit():
            highest[prefix] = max(highest.get(prefix, 0), int(digits))
    return highest


def _names_ever(versions: Sequence[CellFile], tombstones: Sequence[set[str]]) -> Iterator[str]:
    for names in tombstones:
        yield from names
    for file in versions:
        for cell in file.cells:
            yield cell.id
            yield from cell.was
            yield from (link.target for link in cell.links)


# Writing it down


def _renamed(side: int, file: CellFile, groups: Sequence[Group]) -> CellFile:
    edits = list(_renaming(side, file, groups))
    return parse_cells(edited(file.text, edits)) if edits else file


def _renaming(side: int, file: CellFile, groups: Sequence[Group]) -> Iterator[TextEdit]:
    """Yield the edits that give the cells of a version the ids they have from now on, links to them included."""
    if all(cell.id == group.id for cell, group in zip(file.cells, groups, strict=True)):
        return
    old: dict[str, Group] = {}
    for cell, group in zip(file.cells, groups, strict=True):
        old.setdefault(cell.id, group)
    starts = split_lines(file.text).starts
    for cell, group in zip(file.cells, groups, strict=True):
        yield from _relinked(side, file.text, cell, group, old, starts)
        if cell.id != group.id:
            found = _HEADER_ID.match(file.text, cell.start)
            if found:
                yield (*found.span(1), group.id)
            known = {name for one in group.cells.values() for name in one.was}
            if side != BASE and cell.id not in known:
                yield cell.tail, cell.tail, cell.newline + was_line(cell.id)


def _relinked(
    side: int, text: str, cell: Cell, group: Group, old: dict[str, Group], starts: Sequence[int]
) -> Iterator[TextEdit]:
    """Yield the edits of a cell's links; one that the base had means what it meant there, not a cell made since."""
    base = group.cells.get(BASE)
    before = {(link.relation, link.target) for link in base.links} if base else set()
    for link in cell.links:
        target = old.get(link.target)
        if target is None or target.id == link.target:
            continue
        if BASE not in target.cells and (side == BASE or (link.relation, link.target) in before):
            continue
        start = starts[link.line - 1]
        end = starts[link.line] if link.line < len(starts) else len(text)
        words = [word.span() for word in _WORD.finditer(text, start, end) if word[0] == link.target]
        if words:
            yield (*words[-1], target.id)
