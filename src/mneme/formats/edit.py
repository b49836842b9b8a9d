"""Edits to a note: which characters to replace, and with what.

Every function reads a note and returns one `(start, end, new_text)` span; nothing outside it changes, and new lines
end the way the note's own do. An edit that the note could not be read back with is refused rather than made. These
functions write nothing: the spans go into a plan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, RefusedError
from mneme.formats.block import BLANK, HEADING, ITEM, RULE, TEXT
from mneme.formats.closure import LABELS
from mneme.formats.entry import LIST_ITEM, find_time, normal_text
from mneme.formats.front import (
    BLOCK_LIST,
    DOUBLE,
    EMPTY,
    PLAIN,
    SINGLE,
    print_scalar,
)
from mneme.formats.note import parse_note
from mneme.formats.pointer import print_pointer
from mneme.formats.region import INDEX, MNEME, end_marker, start_marker
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mneme.formats.block import Item
    from mneme.formats.entry import Entry
    from mneme.formats.front import Key
    from mneme.formats.note import Note
    from mneme.formats.section import Section
    from mneme.formats.span import Splice

_KEY_NAME = re.compile(r"[^\W\d][\w.-]*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_LIST_START = re.compile(r"[ \t]*(?:[-*+\u2022]|[0-9]{1,9}[.)])[ \t]")
_ITEM_LEAD = re.compile(r"[ \t]*-[ \t]+")
NOTHING = "none"


def set_front(note: Note, name: str, value: str | Sequence[str]) -> Splice:
    """Set a frontmatter key, keeping its place, its quotes and its comment; a new one goes last."""
    if not _KEY_NAME.fullmatch(name):
        raise BadInputError(f"'{name}' cannot be a frontmatter key")
    front = note.front
    key = front.find(name) if front else None
    if key is not None:
        return _replace_value(note, key, value)
    line = f"{name}: {_print_value(value, PLAIN)}"
    if front:
        return _whole_lines(note, front.inner_end, [line])
    if any(problem.rule == "unclosed-frontmatter" for problem in note.problems):
        raise RefusedError(f"frontmatter of '{note.path}' has no closing '---'", f"mneme show {note.path}")
    start = note.lines.starts[0]
    gap = [""] if note.lines.rows[0].strip() else []
    return _whole_lines(note, start, ["---", line, "---", *gap])


def drop_front(note: Note, name: str) -> Splice | None:
    """Remove a frontmatter key with its value; None when it is not there."""
    key = note.front.find(name) if note.front else None
    if key is None:
        return None
    return note.lines.starts[key.line - 1], note.lines.after(key.end_line - 1), ""


def _replace_value(note: Note, key: Key, value: str | Sequence[str]) -> Splice:
    if key.style == BLOCK_LIST and not isinstance(value, str) and value:
        first = note.lines.starts[key.line]
        match = next(filter(None, map(_ITEM_LEAD.match, note.lines.rows[key.line : key.end_line])), None)
        lead = match[0] if match else "  - "
        items = [lead + print_scalar(item, in_list=True) for item in value]
        return first, key.end, note.lines.newline.join(items)
    style = key.style if key.style in (SINGLE, DOUBLE) else PLAIN
    space = "" if key.style != EMPTY and note.text[key.value_start - 1] in " \t" else " "
    return key.value_start, key.value_end, space + _print_value(value, style)


def _print_value(value: str | Sequence[str], style: str) -> str:
    if isinstance(value, str):
        return print_scalar(value, style) if value else '""'
    return "[" + ", ".join(print_scalar(item, in_list=True) if item else '""' for item in value) + "]"


def set_stamp(note: Note, name: str, value: str) -> Splice:
    """Set a dated header line where it is, in the frontmatter if it is kept there, else below the title and tags."""
    value = " ".join(value.split())
    stamp = note.stamps.get(name)
    if stamp:
        space = "" if note.text[stamp.value_start - 1] in " \t" else " "
        return stamp.value_start, stamp.value_end, space + value
    if note.front and note.front.find(name):
        return set_front(note, name, value)
    index = note.tag_line.line if note.tag_line else _below_title(note)
    return _header_line(note, index, f"> {name}: {value}")


def set_tags(note: Note, tags: Sequence[str]) -> Splice:
    """Set the `#tags:` line, or put one below the title."""
    words = ", ".join(tags)
    if note.tag_line:
        return note.tag_line.value_start, note.tag_line.end, f" {words}"
    return _header_line(note, _below_title(note), f"#tags: {words}")


def _below_title(note: Note) -> int:
    """Return the index of the row below the title, or of the first row of the body when there is none."""
    first = note.front.end_line if note.front else 0
    while first < len(note.shape.kinds) and note.shape.kinds[first] == BLANK:
        first += 1
    if note.headings and note.headings[0].line - 1 == first:
        return note.headings[0].end_line
    return note.front.end_line if note.front else 0


def _header_line(note: Note, index: int, line: str) -> Splice:
    """Put a line before the row of this index, apart from prose that would otherwise run on from it."""
    kinds = note.shape.kinds
    below = [""] if index < len(kinds) and kinds[index] in (TEXT, HEADING) and not _is_header(note, index) else []
    at = note.lines.starts[index] if index < len(kinds) else len(note.text)
    return _whole_lines(note, at, [line, *below])


def _is_header(note: Note, index: int) -> bool:
    """Return whether a row is a tags or stamp line, which header lines stand right above."""
    lines = [stamp.line for stamp in note.stamps.values()] + ([note.tag_line.line] if note.tag_line else [])
    return index + 1 in lines


def set_region(note: Note, name: str, content: str, owner: str = MNEME) -> Splice:
    """Set what a marked region holds; a region that is not there is added at the end."""
    if any(f"'{name}'" in problem.message for problem in note.problems if problem.rule == "broken-region"):
        raise RefusedError(f"markers of region '{name}' in '{note.path}' do not pair", f"mneme check {note.path}")
    region = note.find_region(name, owner)
    rows = _rows(content)
    if region is None:
        splice = _at_end(note, [start_marker(name, owner), *rows, end_marker(name, owner)])
    else:
        whole = note.lines.starts[note.lines.line_of(region.inner_start) - 1] == region.inner_start
        gap = "" if whole else note.lines.newline
        inner = gap + "".join(row + note.lines.newline for row in rows)
        splice = (region.inner_start, region.inner_end, inner)
    read = parse_note(apply_edits(note.text, [splice])).find_region(name, owner)
    if read is None or _read_rows(note, splice, read.inner_start, read.inner_end) != rows:
        raise RefusedError(f"content of region '{name}' would not end at its marker", f"mneme check {note.path}")
    return splice


def _read_rows(note: Note, splice: Splice, start: int, end: int) -> list[str]:
    """Return the lines that a span of the edited text holds, blank ones at its ends left out."""
    return _rows(apply_edits(note.text, [splice])[start:end])


def append_entry(note: Note, text: str, section: str = "", level: int = 2) -> Splice:
    """Add an entry at the end of a section, or of the note, but above its closure block.

    A section that is not there is added under a heading of the given level.
    """
    rows = _rows(text)
    found = note.find_section(section) if section else None
    if section and found is None:
        rows = [f"{'#' * level} {section}", "", *rows]
    return _insert_rows(note, _end_row(note, found), rows)


def put_timed(note: Note, text: str, time: str, section: str = "", *, apart: str = "") -> Splice:
    """Add a list item that begins with a time to the note's timeline: below the last one that is not later.

    The timeline is wherever items that begin with a time stand, the section `apart` excepted. Without any it is the
    section given, else what stands under the title.
    """
    aside = note.find_section(apart) if apart else None
    timed = [entry for entry in note.entries if entry.kind == LIST_ITEM and _own_time(entry)]
    timed = [entry for entry in timed if not aside or not aside.line < entry.line <= aside.end_line]
    rows, earlier = _rows(text), [entry for entry in timed if _own_time(entry) <= time]
    if timed:
        return _insert_rows(note, earlier[-1].end_line if earlier else timed[0].line - 1, rows)
    found = note.find_section(section) if section else _title(note)
    return _insert_rows(note, _end_row(note, found), rows) if found else append_entry(note, text, section)


def _own_time(entry: Entry) -> str:
    return find_time(normal_text(entry.text))


def _title(note: Note) -> Section | None:
    """Return the section of the heading that the note begins with, if others follow it."""
    top = note.sections[0] if len(note.sections) > 1 else None
    return top if top and not any(entry.end_line < top.line for entry in note.entries) else None


def set_closure(note: Note, values: Mapping[str, str]) -> Splice:
    """Write the closure block: in the place of the last one, or at the end. What is not given stays, or says none."""
    closure = note.closure
    said = {label: values.get(label) or (closure.text(label) if closure else "") or NOTHING for label in LABELS}
    rows = [f"{label}: {' '.join(said[label].split())}" for label in LABELS]
    if closure is None:
        splice = _at_end(note, rows)
    else:
        start = note.lines.starts[closure.line - 1]
        splice = (start, closure.end, note.lines.newline.join(rows))
    read = parse_note(apply_edits(note.text, [splice])).closure
    if read is None or not read.canonical:
        raise RefusedError(f"closure block of '{note.path}' would not read as one", f"mneme check {note.path}")
    return splice


def put_pointer(note: Note, title: str, path: str, description: str = "", *, instead_of: str = "") -> Splice:
    """Write the index line of a path: in the place of the one it has, or of another, or last in the index."""
    paths = [pointer.path for pointer in note.pointers]
    known = next((note.pointers[paths.index(one)] for one in (path, instead_of) if one in paths), None)
    if known:
        row = note.lines.rows[known.line - 1]
        indent = row[: len(row) - len(row.lstrip())]
        bullet = row.lstrip()[0] if row.lstrip()[0] in "-*+" else "-"
        return known.start, known.end, indent + print_pointer(title, path, description, bullet)
    line = print_pointer(title, path, description)
    region = note.find_region(INDEX)
    if region and note.lines.starts[region.end_line - 1] == region.inner_end:
        return _whole_lines(note, region.inner_end, [line])
    if note.pointers:
        return _insert_rows(note, note.pointers[-1].line, [line])
    return append_entry(note, line)


def drop_pointer(note: Note, path: str) -> Splice | None:
    """Remove the index line of a path; None when it has none."""
    known = next((pointer for pointer in note.pointers if pointer.path == path), None)
    return (known.start, note.lines.after(known.line - 1), "") if known else None


def tick(note: Note, item: Item, *, done: bool) -> Splice:
    """Tick or clear the checkbox of a list item, giving it one if it has none."""
    mark = "x" if done else " "
    if item.box is not None:
        return item.box_start, item.box_end, mark
    space = "" if note.text[item.body_start - 1].isspace() else " "
    return item.body_start, item.body_start, f"{space}[{mark}] "


def append_item(note: Note, text: str, section: str = "", *, checked: bool | None = None) -> Splice:
    """Add a list item below the last one of a section, or of the note, marked as that one is."""
    found = note.find_section(section) if section else None
    last = None if section and found is None else _last_item(note, found)
    marker = _next_marker(last.marker) if last else "-"
    box = "" if checked is None else "[x] " if checked else "[ ] "
    indent = " " * last.indent if last else ""
    first, *more = _rows(text) or [""]
    rows = [f"{indent}{marker} {box}{first}", *(f"{indent}  {row}" if row else "" for row in more)]
    if last is None:
        return append_entry(note, "\n".join(rows), section)
    return _insert_rows(note, last.tree_end_line, rows)


def _last_item(note: Note, section: Section | None) -> Item | None:
    first, last = (section.line, section.own_end_line) if section else (1, len(note.lines.rows))
    closure = note.closure
    for item in reversed(note.items):
        in_closure = closure and closure.line <= item.line <= closure.end_line
        if item.depth == 0 and first <= item.line <= last and not in_closure:
            return item
    return None


def _next_marker(marker: str) -> str:
    digits = re.match(r"[0-9]+", marker)
    return f"{int(digits[0]) + 1}{marker[digits.end() :]}" if digits else marker


def _end_row(note: Note, section: Section | None) -> int:
    """Return the index of the row that new rows go before: the end of a section or the note, above its closure."""
    kinds = note.shape.kinds
    first = section.heading.end_line if section else 0
    last = section.own_end_line if section else len(kinds)
    closure = note.closure
    if closure and first < closure.line <= last:
        last = closure.line - 1
        while last > first and kinds[last - 1] in (BLANK, RULE):
            last -= 1
    while last > first and kinds[last - 1] == BLANK:
        last -= 1
    return last


def _at_end(note: Note, rows: list[str]) -> Splice:
    last = len(note.shape.kinds)
    while last and note.shape.kinds[last - 1] == BLANK:
        last -= 1
    return _insert_rows(note, last, rows)


def _insert_rows(note: Note, index: int, rows: list[str]) -> Splice:
    """Put rows before the row of this index, with one blank row to what they must not run into."""
    kinds = note.shape.kinds
    listed = bool(rows) and _LIST_START.match(rows[0]) is not None
    above = kinds[index - 1] if index else BLANK
    below = kinds[index] if index < len(kinds) else BLANK
    joins = listed and (above == ITEM or (above == TEXT and _ends_item(note, index)))
    before = [""] if above != BLANK and not joins else []
    after = [""] if below != BLANK and not (listed and below == ITEM) else []
    at = note.lines.starts[index] if index < len(kinds) else len(note.text)
    return _whole_lines(note, at, [*before, *rows, *after])


def _ends_item(note: Note, line: int) -> bool:
    """Return whether a list item ends on this line."""
    return any(item.tree_end_line == line for item in note.items)


def _whole_lines(note: Note, at: int, rows: list[str]) -> Splice:
    """Return the edit that puts whole lines at the start of a line, or at the end of the text."""
    newline = note.lines.newline
    text = "".join(row + newline for row in rows)
    open_end = at == len(note.text) and note.lines.rows[-1] != "" and at > note.lines.starts[0]
    return at, at, newline + text if open_end else text


def _rows(text: str) -> list[str]:
    """Cut new text into rows, blank ones at its ends left out."""
    rows = _LINE_END.split(text)
    while rows and not rows[-1].strip():
        rows.pop()
    while rows and not rows[0].strip():
        rows.pop(0)
    return rows
