"""A MEMORY.md over its budget: which sections move out, and what stays in their place.

The largest sections go first, until what is left fits; decisions, open questions and what programs own stay. A section
moves word for word to a file of its own, its links led from there, and a line at the end of MEMORY.md leads to it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mneme.check.memory_file import ACTIVE_DECISIONS, OPEN_QUESTIONS
from mneme.formats.note import parse_note
from mneme.formats.pointer import print_pointer
from mneme.formats.section import NAMELESS
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.check.links import Links
    from mneme.check.places import Places
    from mneme.formats.note import Note
    from mneme.formats.section import Section
    from mneme.profiles import Budgets

TITLE = "Elsewhere"
# A shorter section takes hardly more room than the line that would lead to it.
LEAST_LINES = 4
# The heading above the lines that lead elsewhere, and the blank lines around it.
_HEADING_LINES = 3


def moved_sections(note: Note, budgets: Budgets, places: Places, links: Links) -> tuple[str, list[tuple[str, str]]]:
    """Return the text that is left of a MEMORY.md within its budget, and each file that a section moves to."""
    lines, characters = note.lines.count, len(note.text)
    chosen: list[Section] = []
    elsewhere = note.find_section(TITLE)
    for section in sorted(_movable(note), key=_size, reverse=True):
        extra = _HEADING_LINES * (elsewhere is None) + len(chosen)
        if lines + extra <= budgets.memory_lines and characters + 100 * len(chosen) <= budgets.memory_chars:
            break
        chosen.append(section)
        lines -= _size(section)
        characters -= section.end - section.start
    if not chosen:
        return note.text, []
    chosen.sort(key=_start)
    taken: set[str] = set()
    moved = [(_free_path(note, section, places, taken), section) for section in chosen]
    pointers = [print_pointer(section.title, posixpath.relpath(path, _folder(note))) for path, section in moved]
    text = apply_edits(note.text, [(section.start, section.end, "") for section in chosen])
    bodies = [(path, _led(note, section, path, links)) for path, section in moved]
    return _with_pointers(parse_note(text, note.path), pointers), bodies


def _movable(note: Note) -> list[Section]:
    owned = [(region.line, region.end_line) for region in note.regions]
    level = min((section.level for section in note.sections if section.level > 1), default=0)
    return [
        section
        for section in note.sections
        if section.level == level
        and _size(section) >= LEAST_LINES
        and not ACTIVE_DECISIONS.search(section.title)
        and not OPEN_QUESTIONS.search(section.title)
        and section.title != TITLE
        and not any(first <= section.end_line and last >= section.line for first, last in owned)
    ]


def _size(section: Section) -> int:
    return section.end_line - section.line + 1


def _start(section: Section) -> int:
    return section.start


def _folder(note: Note) -> str:
    return posixpath.dirname(note.path) or "."


def _free_path(note: Note, section: Section, places: Places, taken: set[str]) -> str:
    """Return a path in the folder of memory that no file has."""
    stem = section.slug if section.slug != NAMELESS else "section"
    folder = posixpath.join(posixpath.dirname(note.path), "memory")
    number = 1
    while True:
        path = posixpath.join(folder, f"{stem}{f'-{number}' if number > 1 else ''}.md")
        if path not in taken and not places.exists(path):
            taken.add(path)
            return path
        number += 1


def _led(note: Note, section: Section, path: str, links: Links) -> str:
    """Return a section's text with its links to files as they are written from its new place."""
    edits = []
    for link in note.links:
        if section.start <= link.target_start < section.end and not link.external and link.path and link.kind != "wiki":
            place = links.place_of(note.path, link.path)
            if place is not None and place != note.path:
                anchor = f"#{link.anchor}" if link.anchor else ""
                target = posixpath.relpath(place, posixpath.dirname(path)) + anchor
                edits.append((link.target_start - section.start, link.target_end - section.start, target))
    text = apply_edits(note.text[section.start : section.end], sorted(set(edits)))
    return text.rstrip() + note.lines.newline


def _with_pointers(note: Note, pointers: Sequence[str]) -> str:
    newline = note.lines.newline
    added = "".join(pointer + newline for pointer in pointers)
    section = note.find_section(TITLE)
    if section is not None:
        body = note.text[: section.own_end].rstrip()
        return body + newline + added + note.text[section.own_end :]
    return f"{note.text.rstrip()}{newline}{newline}## {TITLE}{newline}{newline}{added}"
