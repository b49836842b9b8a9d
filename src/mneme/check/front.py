"""The frontmatter of a note: well-formed anywhere, complete and of a known type where a memory of a class lies."""

from __future__ import annotations

import posixpath
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.found import Found, find, of_problem
from mneme.formats.record import AUDIENCES
from mneme.profiles.profile import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.check.role import Role
    from mneme.formats.note import Note
    from mneme.profiles import Profile

NEEDED = ("name", "description", "type", "created")


def check_front(note: Note, role: Role, profile: Profile) -> Iterator[Found]:
    """Yield what is wrong with the frontmatter of a note."""
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
