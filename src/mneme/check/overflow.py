"""A MEMORY.md over its budget: which sections move out, and what stays in their place.

The largest sections go first, until what is left fits; then the last entries, together. Decisions, open questions and what
programs own stay. What moves does so word for word, to a file of its own, its links led from there, and a line at the
end of MEMORY.md leads to it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mneme.check.memory_file import ACTIVE_DECISIONS, OPEN_QUESTIONS
from mneme.formats.entry import LIST_ITEM, PARAGRAPH
from mneme.formats.note import parse_note
from mneme.formats.pointer import print_pointer
from mneme.formats.section import NAMELESS
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.check.links import Links
    from mneme.check.places import Places
    from mneme.formats.entry import Entry
    from mneme.formats.note import Note
    from mneme.formats.section import Section
    from mneme.profiles import Budgets

TITLE = "Elsewhere"
# What the entries become that move together.
MORE = "More"
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
    chosen.sort(key=_start)
    taken: set[str] = set()
    moved = [(_free_path(note, _stem(section), places, taken), section) for section in chosen]
    pointers = [print_pointer(section.title, posixpath.relpath(path, _folder(note))) for path, section in moved]
    text = apply_edits(note.text, [(section.start, section.end, "") for section in chosen])
    bodies = [(path, _led(note, section.start, section.end, path, links)) for path, section in moved]
    left = _with_pointers(parse_note(text, note.path), pointers) if pointers else note.text
    entries = _last_entries(parse_note(left, note.path), budgets)
    if not entries:
        return left, bodies
    path = _free_path(note, MORE.lower(), places, taken)
    text, body = _without(parse_note(left, note.path), entries, path, links)
    pointer = print_pointer(MORE, posixpath.relpath(path, _folder(note)))
    return _with_pointers(parse_note(text, note.path), [pointer]), [*bodies, (path, body)]


def _last_entries(note: Note, budgets: Budgets) -> list[Entry]:
    """Return the entries at the end that have to go for a note to fit; none where it does, or where that is no help."""
    extra = 1 + _HEADING_LINES * (note.find_section(TITLE) is None)
    lines, characters = note.lines.count, len(note.text)
    chosen: list[Entry] = []
    if lines <= budgets.memory_lines and characters <= budgets.memory_chars:
        return chosen
    for entry in reversed(_loose(note)):
        if lines + extra <= budgets.memory_lines and characters + 100 <= budgets.memory_chars:
            break
        chosen.append(entry)
        lines -= entry.end_line - entry.line + 1
        characters -= len(entry.text) + 1
    return chosen[::-1] if len(chosen) > extra else []


def _loose(note: Note) -> list[Entry]:
    """Return the entries that are neither a program's nor in a section that stays."""
    stays = [(region.line, region.end_line) for region in note.regions]
    stays += [(one.line, one.end_line) for one in note.sections if one.level > 1 and _is_kept(one)]
    return [
        entry
        for entry in note.entries
        if entry.kind in (LIST_ITEM, PARAGRAPH)
        and not any(first <= entry.end_line and last >= entry.line for first, last in stays)
    ]


def _without(note: Note, entries: Sequence[Entry], path: str, links: Links) -> tuple[str, str]:
    """Return a note without some entries, and the text of the file that they move to."""
    spans = [(note.lines.starts[one.line - 1], note.lines.after(one.end_line - 1)) for one in entries]
    newline = note.lines.newline
    joints = [newline if one.kind == PARAGRAPH else "" for one in entries]
    parts = [_led(note, *span, path, links) + joint for span, joint in zip(spans, joints, strict=True)]
    text = apply_edits(note.text, [(start, end, "") for start, end in spans])
    return text, f"# {MORE}{newline}{newline}{''.join(parts)}"


def _movable(note: Note) -> list[Section]:
    owned = [(region.line, region.end_line) for region in note.regions]
    level = min((section.level for section in note.sections if section.level > 1), default=0)
    return [
        section
        for section in note.sections
        if section.level == level
        and _size(section) >= LEAST_LINES
        and not _is_kept(section)
        and not any(first <= section.end_line and last >= section.line for first, last in owned)
    ]


def _is_kept(section: Section) -> bool:
    """Say whether a section is what a session needs first, and so stays."""
    title = section.title
    return bool(ACTIVE_DECISIONS.search(title) or OPEN_QUESTIONS.search(title)) or title == TITLE


def _size(section: Section) -> int:
    return section.end_line - section.line + 1


def _start(section: Section) -> int:
    return section.start


def _folder(note: Note) -> str:
    return posixpath.dirname(note.path) or "."


def _stem(section: Section) -> str:
    return section.slug if section.slug != NAMELESS else "section"


def _free_path(note: Note, stem: str, places: Places, taken: set[str]) -> str:
    """Return a path in the folder of memory that no file has."""
    folder = posixpath.join(posixpath.dirname(note.path), "memory")
    number = 1
    while True:
        path = posixpath.join(folder, f"{stem}{f'-{number}' if number > 1 else ''}.md")
        if path not in taken and not places.exists(path):
            taken.add(path)
            return path
        number += 1


def _led(note: Note, start: int, end: int, path: str, links: Links) -> str:
    """Return a part of a note with its links to files as they are written from its new place."""
    edits = []
    for link in note.links:
        if start <= link.target_start < end and not link.external and link.path and link.kind != "wiki":
            place = links.place_of(note.path, link.path)
            if place is not None and place != note.path:
                anchor = f"#{link.anchor}" if link.anchor else ""
                target = posixpath.relpath(place, posixpath.dirname(path)) + anchor
                edits.append((link.target_start - start, link.target_end - start, target))
    text = apply_edits(note.text[start:end], sorted(set(edits)))
    return text.rstrip() + note.lines.newline


def _with_pointers(note: Note, pointers: Sequence[str]) -> str:
    newline = note.lines.newline
    added = "".join(pointer + newline for pointer in pointers)
    section = note.find_section(TITLE)
    if section is not None:
        body = note.text[: section.own_end].rstrip()
        return body + newline + added + note.text[section.own_end :]
    return f"{note.text.rstrip()}{newline}{newline}## {TITLE}{newline}{newline}{added}"
