"""Where statements are looked for: turns of sessions, entries of notes, a text that was handed over.

Each source is cut into passages that somebody wrote or said, with their line and day; what programs said is no passage.
Pure: contents are given, nothing is opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.capture.scaffold import is_anothers, is_ours, own_words
from mneme.formats.entry import LISTING, QUOTATION, TABULAR
from mneme.formats.note import parse_note
from mneme.formats.transcript import USER, parse_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_PROSE = frozenset({LISTING, QUOTATION, TABULAR})
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|my|mine|we|we're|we've|we'll|our|ours)\b|[我咱]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """Some words in one place: who they are by decides what they may become.

    `spoken` words were said in a conversation; `own` ones by the user, in a session of their own about this workspace.
    """

    text: str
    path: str
    line: int
    day: str
    spoken: bool = False
    own: bool = False

    def anchor(self, line: int) -> str:
        """Return where one of its lines stands."""
        return f"{self.path}:{line}"


def note_passages(text: str, path: str, day: str) -> Iterator[Passage]:
    """Yield the entries of a day's note that whoever keeps it wrote; the closure is the review's."""
    note = parse_note(text, path)
    for entry in note.entries:
        if entry.kind not in _NO_PROSE and not is_ours(entry.text):
            yield Passage(entry.text, path, entry.line, day)


def turn_passages(text: str, path: str, *, own: bool, after: int = 0) -> Iterator[Passage]:
    """Yield what the user said in a session, from the line behind `after` on."""
    logged = text.split("\n")
    for turn in parse_transcript(text).turns:
        if turn.role != USER or turn.line <= after:
            continue
        words = own_words(turn.text)
        if words:
            theirs = own and not is_anothers(logged[turn.line - 1])
            yield Passage(words, path, turn.line, turn.at[:10], spoken=True, own=theirs)


def said_passages(text: str, path: str, day: str) -> Iterator[Passage]:
    """Yield a text that was handed over, as something that was said."""
    words = own_words(text)
    if words:
        yield Passage(words, path, 1, day, spoken=True)


def is_first_person(text: str) -> bool:
    """Say whether whoever speaks speaks of themselves."""
    return bool(_FIRST_PERSON.search(text))
