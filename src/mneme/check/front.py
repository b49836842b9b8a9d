"""The frontmatter of a note: well-formed anywhere, complete and of a known type where a memory of a class lies."""

from __future__ import annotations

import posixpath
import re
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.found import Found, find, of_problem
from mneme.formats.record import AUDIENCES
from mneme.profiles.profile import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mneme.check.role import Role
    from mneme.formats.note import Note
    from mneme.profiles import Profile

NEEDED = ("name", "description", "type", "created")
_NEEDED = frozenset(NEEDED)

# Frontmatter as most of it is, told without reading the note: words of one line that no YAML reader stumbles over.
_PLAIN = re.compile(r"---\n((?:[a-z_]+: [^\W_][^\n\r\t:#'\"\[\]{}&*!|>%@`\\]*\n)+)---\n")


def plain_front(text: str) -> dict[str, str] | None:
    """Return the keys of a note's frontmatter where nothing about it needs a closer look, else None."""
    match = _PLAIN.match(text)
    if match is None:
        return None
    rows = match[1].splitlines()
    keys = dict(row.split(": ", 1) for row in rows)
    return keys if len(keys) == len(rows) else None


def said_audience(note: Note) -> str:
    """Return what the frontmatter of a note says of its audience, in lower case."""
    plain = plain_front(note.text)
    if plain is not None:
        return plain.get("audience", "").strip().lower()
    return note.front.text("audience").lower() if note.front else ""


def check_front(note: Note, role: Role, profile: Profile) -> Iterator[Found]:
    """Yield what is wrong with the frontmatter of a note."""
    plain = plain_front(note.text)
    if plain is not None and "audience" not in plain and (not role.classified or _is_whole(plain, note.path, profile)):
        return
    broken = [of_problem(one) for one in note.problems if one.rule.endswith("frontmatter")]
    yield from broken
    front = note.front
    if front is None:
        if role.classified and not broken:
            yield find("missing-frontmatter", 1)
        return
    audience = front.find("audience")
    if audience is not None and front.text("audience").lower() not in AUDIENCES:
        yield find("unknown-audience", audience.line, value=front.text("audience"))
    if not role.classified:
        return
    missing = [name for name in NEEDED if not front.text(name).strip()]
    if missing:
        yield find("incomplete-frontmatter", 1, value=", ".join(f"'{name}'" for name in missing))
    created = front.find("created")
    if created is not None and front.text("created").strip() and not _is_day(front.text("created")):
        value = f"day in 'created': '{front.text('created')}' is none"
        yield find("incomplete-frontmatter", created.line, value=value)
    yield from _type(note, profile)


def _is_whole(keys: Mapping[str, str], path: str, profile: Profile) -> bool:
    """Say whether plain frontmatter is complete, of a known type, and in the folder of that type."""
    if not keys.keys() >= _NEEDED or keys["type"] not in CLASSES or not _is_day(keys["created"]):
        return False
    return f"/{profile.class_folders.get(keys['type'], '?')}" in f"/{path}"


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text.strip()[:10])
    except ValueError:
        return False
    return True


def _type(note: Note, profile: Profile) -> Iterator[Found]:
    key = note.front.find("type") if note.front else None
    said = note.front.text("type").strip() if note.front else ""
    if key is None or not said:
        return
    if said not in CLASSES:
        yield find("unknown-type", key.line, value=said, other=", ".join(CLASSES))
        return
    folder = next((one for one in profile.class_folders.values() if f"/{one}" in f"/{note.path}"), "")
    wanted = profile.class_folders.get(said, "")
    if wanted and folder and wanted != folder:
        target = note.path.replace(folder, wanted, 1)
        yield find("misfiled-memory", key.line, value=said, other=posixpath.dirname(folder), target=target)
