"""The checks of one note by itself.

Most notes have nothing wrong, so each check first looks for what it would find at all, by a search through the plain
text; only a note that has it is read as a note. What it finds depends on the text, the path, the day and the settings
alone, so it can be kept until one of them changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.check.closure import check_closure
from mneme.check.found import Found, find, of_problem
from mneme.check.front import check_front
from mneme.check.head import check_head
from mneme.check.memory_file import check_memory_file
from mneme.check.relative import relative_dates
from mneme.check.secret import find_secrets
from mneme.formats.note import LARGE_NOTE_BYTES, parse_note
from mneme.formats.span import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from mneme.check.role import Role
    from mneme.formats.note import Note
    from mneme.profiles import Profile

_CONFLICT = re.compile(r"^(?:<{7} .*|={7}|>{7} .*)$", re.MULTILINE)
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Standard:
    """What notes are held to: the profile with its settings, and the day."""

    profile: Profile
    today: date

    @property
    def closes_days(self) -> bool:
        """Say whether every day's note must end with the four lines."""
        return self.profile.name == "v4"


def check_note(content: bytes, path: str, role: Role, standard: Standard) -> tuple[Note, list[Found]]:
    """Return a note and every fault that it has by itself, by line."""
    if len(content) > LARGE_NOTE_BYTES:
        limit = LARGE_NOTE_BYTES // MEGABYTE
        return parse_note("", path), [find("large-file", 0, value=f"over {limit}", limit=limit)]
    text, found = decoded(content)
    note = parse_note(text, path)
    found += _written(text, note)
    found += check_head(note, role, standard.profile, standard.today)
    if role.classified or text.startswith("---") or (found and text.startswith(BOM + "---")):
        found += check_front(note, role, standard.profile)
    if role.day is not None and not role.archived:
        found += check_closure(note, role.day.date, standard.today, demanded=standard.closes_days)
    if role.is_memory:
        found += check_memory_file(note, standard.profile.budgets)
    if role.durable:
        found += relative_dates(note)
    if len(text) > standard.profile.budgets.memory_chars:
        found += _oversized(note, standard.profile.budgets.memory_chars)
    found += [find("exposed-secret", secret.line, value=secret.kind) for secret in find_secrets(text)]
    return note, sorted(found, key=_line) if len(found) > 1 else found


def check_head_of(head: bytes, size: int) -> list[Found]:
    """Return what is wrong with a file that is too large to be a note: that it is, and the secrets in its head."""
    secrets = find_secrets(head.decode("utf-8", "replace"))
    large = find("large-file", 0, value=size // MEGABYTE, limit=LARGE_NOTE_BYTES // MEGABYTE)
    return [large, *(find("exposed-secret", secret.line, value=secret.kind) for secret in secrets)]


def _line(found: Found) -> int:
    return found.line


def decoded(content: bytes) -> tuple[str, list[Found]]:
    """Return bytes as text, and the first byte that is no UTF-8."""
    try:
        return content.decode(), []
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        value = f"0x{content[error.start]:02x}"
        return content.decode("utf-8", "surrogateescape"), [find("not-utf-8", line, value=value)]


def _written(text: str, note: Note) -> Iterator[Found]:
    """Yield what is wrong with how a note is written, whatever it says."""
    if text.startswith(BOM):
        yield find("byte-order-mark", 1)
    if "\r" in text:
        yield find("carriage-returns", 1 + text.count("\n", 0, text.index("\r")), value=text.count("\r"))
    if "<<<<<<< " in text and (marker := _CONFLICT.search(text)):
        yield find("conflict-marker", 1 + text.count("\n", 0, marker.start()), value=marker[0])
    commented = "<!--" in text and ("<!-- mneme:" in text or text.count("<!--") != text.count("-->"))
    if commented or "```" in text or "~~~" in text:
        yield from (of_problem(one) for one in note.problems if not one.rule.endswith("frontmatter"))


def _oversized(note: Note, limit: int) -> Iterator[Found]:
    for entry in note.entries:
        if len(entry.text) > limit:
            yield find("oversized-entry", entry.line, value=len(entry.text), limit=limit)
