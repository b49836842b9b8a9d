"""The index of MEMORY.md: one line for each memory of a class, none for what is gone."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.formats.pointer import print_pointer
from mneme.formats.region import INDEX, MNEME
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.check.links import Links
    from mneme.formats.note import Note
    from mneme.formats.pointer import Pointer
    from mneme.formats.region import Region


def check_index(note: Note, links: Links, unlisted: Sequence[str]) -> Iterator[Found]:
    """Yield where the index of a note names what is gone, or leaves out what is there."""
    region = note.find_region(INDEX, MNEME)
    if region is None:
        return
    for pointer in dead_pointers(note, region, links):
        yield find("index-out-of-step", pointer.line, value=f"the index names '{pointer.path}', which is gone")
    if unlisted:
        more = f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else ""
        yield find("index-out-of-step", region.line, value=f"the index does not list '{unlisted[0]}'{more}")


def dead_pointers(note: Note, region: Region, links: Links) -> list[Pointer]:
    """Return the lines of an index whose file is gone."""
    inside = (one for one in note.pointers if region.line < one.line < region.end_line)
    return [one for one in inside if "://" not in one.target and links.place_of(note.path, one.path) is None]


def listed_in(note: Note, links: Links) -> set[str]:
    """Return the files that a note points to from its lists."""
    places = (links.place_of(note.path, one.path) for one in note.pointers if "://" not in one.target)
    return {place for place in places if place is not None}


def renewed_index(note: Note, links: Links, unlisted: Sequence[str], read: Callable[[str], Note | None]) -> str:
    """Return the text of a note whose index has a line for every memory of a class and none for what is gone."""
    region = note.find_region(INDEX, MNEME)
    if region is None:
        return note.text
    text, newline = note.text, note.lines.newline
    edits = [(one.start, note.lines.after(one.line - 1), "") for one in dead_pointers(note, region, links)]
    lines = [_pointer(path, note.path, read(path)) for path in unlisted]
    if lines:
        at = region.inner_end
        edits.append((at, at, newline * (text[at - 1] not in "\r\n") + "".join(line + newline for line in lines)))
    return apply_edits(text, edits)


def _pointer(path: str, index: str, note: Note | None) -> str:
    front = note.front if note else None
    title = front.text("name") if front else ""
    described = front.text("description") if front else ""
    stem = posixpath.splitext(posixpath.basename(path))[0].replace("-", " ").capitalize()
    return print_pointer(title or stem, posixpath.relpath(path, posixpath.dirname(index) or "."), described)
