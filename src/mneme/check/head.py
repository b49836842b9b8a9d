"""The head of a tagged note: its tags on the second line, from the vocabulary, and the day it was last verified."""

from __future__ import annotations

import difflib
import re
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.formats.stamp import LAST_VERIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.check.role import Role
    from mneme.formats.note import Note
    from mneme.profiles import Profile

HEAD_CHARS = 400
TAG_LINE = 2

# A head as it should be, told without reading the note: title, tags, and soon the day of the last look.
_HEAD = re.compile(
    r"[^\r\n]*\n#tags:[ \t]*(?P<tags>[\w ,/-]+)\n(?:[^\n]*\n){0,6}?> last_verified:[ \t]*(?P<day>[0-9-]{10})[ \t]*\n"
)


def check_head(note: Note, role: Role, profile: Profile, today: date) -> Iterator[Found]:
    """Yield what is wrong with the head of a note that has one, or must have one."""
    head = note.text[:HEAD_CHARS]
    if not role.tagged and not (role.is_memory and ("#tags" in head or LAST_VERIFIED in head)):
        return
    limit = profile.budgets.verified_days
    match = _HEAD.match(head)
    if match is not None and _is_young(match["day"], today, limit):
        tags = match["tags"].replace(",", " ").split()
        if not profile.vocabulary or profile.vocabulary.issuperset(tags):
            return
    yield from _tags(note, role, profile)
    yield from _verified(note, role, today, limit)


def _is_young(day: str, today: date, limit: int) -> bool:
    try:
        return 0 <= (today - date.fromisoformat(day)).days < limit
    except ValueError:
        return False


def _tags(note: Note, role: Role, profile: Profile) -> Iterator[Found]:
    line = note.tag_line
    if line is None:
        if role.tagged:
            yield find("missing-tags", TAG_LINE, value="no line of the note is '#tags:'")
        return
    if line.line != TAG_LINE:
        yield find("misplaced-tags", line.line, value=f"'#tags:' stands on line {line.line}, not on line 2")
    if not line.tags:
        yield find("missing-tags", line.line, value="'#tags:' names no tag")
    if not profile.vocabulary:
        return
    for name in line.names:
        if name not in profile.vocabulary:
            yield find("unknown-tag", line.line, value=name, near=_nearest(name, profile.vocabulary))


def _nearest(name: str, vocabulary: frozenset[str]) -> str:
    near = difflib.get_close_matches(name.lower(), sorted(vocabulary), n=1, cutoff=0.4)
    return f"; the nearest is '{near[0]}'" if near else ""


def _verified(note: Note, role: Role, today: date, limit: int) -> Iterator[Found]:
    stamp = note.stamps.get(LAST_VERIFIED)
    key = note.front.find(LAST_VERIFIED) if note.front else None
    line = stamp.line if stamp else key.line if key else 1
    day = note.last_verified
    if stamp is None and key is None:
        if role.tagged:
            yield find("unverified-note", line, value="the note does not say when it was last verified")
    elif not day:
        value = stamp.value if stamp else str(key.value if key else "")
        yield find("unverified-note", line, value=f"'{value}' is not a day on which a note was verified")
    elif (age := (today - date.fromisoformat(day)).days) >= limit:
        yield find("unverified-note", line, value=f"the note was last verified {age} days ago")
    elif age < 0:
        yield find("unverified-note", line, value=f"the note says it was verified on {day}, which is still to come")
