"""How a day's note ends: with four lines that say what was decided, learned and left open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.check.found import Found, find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from mneme.formats.note import Note

# The block as it should be at the end of a text, told without reading the note.
_CLOSED = re.compile(r"(?:^|\n)Updated: \S[^\n]*\nDecisions: \S[^\n]*\nSignal: \S[^\n]*\nOpen: \S[^\n]*\s*\Z")
_TAIL_CHARS = 2000


def check_closure(note: Note, day: str, today: date, *, demanded: bool) -> Iterator[Found]:
    """Yield what the closing block of a day's note lacks.

    A day that is not over needs no block yet, and where blocks are not demanded a note without one is left alone; a
    block that was begun must be complete everywhere.
    """
    text = note.text
    if _CLOSED.search(text, max(0, len(text) - _TAIL_CHARS)):
        return
    closure = note.closure
    if closure is None:
        if demanded and day < today.isoformat():
            yield find("incomplete-closure", note.lines.count, value="the note does not end with a closing block")
    elif not closure.complete:
        if demanded or len(closure.missing) < len(closure.lines):
            missing = ", ".join(f"'{label}'" for label in closure.missing)
            yield find("incomplete-closure", closure.line, value=f"the closing block lacks {missing}")
    elif demanded and not closure.last:
        yield find("incomplete-closure", closure.line, value="the closing block is not the end of the note")
