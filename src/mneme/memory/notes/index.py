"""The index of classified memories: a line for each in MEMORY.md, or in an index of its class when that grows too long.

The lines that programs write stand in the region `index`. When they take MEMORY.md over its budget, those of the
largest class move to `INDEX.md` in its folder, and one line with their number stays; what people wrote never moves.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING

from mneme.errors import WARN, Problem
from mneme.formats.edit import drop_pointer, put_pointer, set_region
from mneme.formats.pointer import print_pointer
from mneme.formats.region import INDEX
from mneme.memory.notes.classified import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.note import Note
    from mneme.formats.pointer import Pointer
    from mneme.memory.notes.drafts import Drafts
    from mneme.profiles import Profile

FILE_NAME = "INDEX.md"
# Fewer characters say nothing.
_LEAST_TITLE_CHARS = 8


def add_line(
    drafts: Drafts, profile: Profile, path: str, title: str, description: str, *, instead_of: str = ""
) -> tuple[Problem, ...]:
    """Give a memory its line in the index, in the place of the one it has, or of the memory that it replaces."""
    if INDEX not in profile.regions or not profile.places.memory:
        return ()
    own = index_path(path)
    here = own if drafts.find(own) is not None else profile.places.memory
    _put(drafts, profile, here, path, title, description, instead_of=instead_of)
    if instead_of:
        drop_line(drafts, profile, instead_of)
    if here == own:
        _count(drafts, profile, own)
    return _fit(drafts, profile)


def drop_line(drafts: Drafts, profile: Profile, path: str) -> None:
    """Take a memory out of the index."""
    for here in (profile.places.memory, index_path(path)):
        if here and (note := _find(drafts, here)) is not None:
            splice = drop_pointer(note, _link(here, path))
            if splice:
                drafts.edit(here, splice)
                if here == index_path(path):
                    _count(drafts, profile, here)


def index_path(path: str) -> str:
    """Return where the index of a memory's class is, if there is one."""
    return posixpath.join(posixpath.dirname(path), FILE_NAME)


def _find(drafts: Drafts, path: str) -> Note | None:
    return None if drafts.find(path) is None else drafts.note(path)


def _link(here: str, path: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(here) or ".")


def _put(
    drafts: Drafts, profile: Profile, here: str, path: str, title: str, description: str, *, instead_of: str = ""
) -> None:
    note = _find(drafts, here) or drafts.write(here, "# Memory\n")
    link, limit = _link(here, path), profile.budgets.index_line_chars - 1
    title = cut(title, max(limit - len(print_pointer("", link)), _LEAST_TITLE_CHARS))
    room = limit - len(print_pointer(title, link, "x")) + 1
    if note.find_region(INDEX) is None and not note.pointers:
        note = drafts.edit(here, set_region(note, INDEX, ""))
    said = cut(description, room) if room > _LEAST_TITLE_CHARS else ""
    old = _link(here, instead_of) if instead_of else ""
    drafts.edit(here, put_pointer(note, title, link, said, instead_of=old))


def _count(drafts: Drafts, profile: Profile, own: str) -> None:
    """Say in MEMORY.md how many memories the index of a class holds."""
    number = len(drafts.note(own).pointers)
    _put(
        drafts,
        profile,
        profile.places.memory,
        own,
        _class_title(own),
        f"{number} {'memory' if number == 1 else 'memories'}",
    )


def _class_title(path: str) -> str:
    return posixpath.basename(posixpath.dirname(path)).capitalize() or "Memory"


def _fit(drafts: Drafts, profile: Profile) -> tuple[Problem, ...]:
    """Move the lines of the largest classes to indexes of their own until MEMORY.md is within its budget."""
    here = profile.places.memory
    while is_over(drafts.note(here), profile):
        folders = Counter(posixpath.dirname(pointer.path) for pointer in _own_lines(drafts.note(here)))
        folders.pop("", None)
        largest = max(sorted(folders), key=lambda folder: folders[folder], default="")
        if folders[largest] < 2:  # noqa: PLR2004 - one line moved for one line written saves nothing
            return (over_budget(drafts.note(here), profile),)
        _move(drafts, profile, largest)
    return ()


def is_over(note: Note, profile: Profile) -> bool:
    """Say whether MEMORY.md is longer than a session should load."""
    return note.lines.count > profile.budgets.memory_lines or len(note.text) > profile.budgets.memory_chars


def over_budget(note: Note, profile: Profile) -> Problem:
    """Return the problem of a MEMORY.md whose own text is over its budget: only a person may move that."""
    message = (
        f"{note.lines.count} lines and {len(note.text)} characters; "
        f"a session loads {profile.budgets.memory_lines} lines and {profile.budgets.memory_chars} characters"
    )
    return Problem(note.path, 0, "memory-over-budget", WARN, message, "mneme check --fix --dry-run")


def _own_lines(note: Note) -> Sequence[Pointer]:
    """Return the index lines that programs wrote: those in the region, but for lines that lead to other indexes."""
    region = note.find_region(INDEX)
    inside = [one for one in note.pointers if region and region.line < one.line < region.end_line]
    return [one for one in inside if posixpath.basename(one.path) != FILE_NAME]


def _move(drafts: Drafts, profile: Profile, folder: str) -> None:
    here = profile.places.memory
    base = posixpath.normpath(posixpath.join(posixpath.dirname(here), folder))
    own = posixpath.join(base, FILE_NAME)
    if drafts.find(own) is None:
        note = drafts.write(own, f"# {_class_title(own)}\n")
        drafts.edit(own, set_region(note, INDEX, ""))
    for pointer in _own_lines(drafts.note(here)):
        if posixpath.dirname(pointer.path) == folder:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(here), pointer.path))
            _put(drafts, profile, own, path, pointer.title, pointer.description)
            splice = drop_pointer(drafts.note(here), pointer.path)
            if splice:
                drafts.edit(here, splice)
    _count(drafts, profile, own)
