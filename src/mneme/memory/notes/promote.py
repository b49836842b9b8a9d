"""What of a day should be remembered for longer than the day: its decisions, its signal, what it learned, its friction.

A candidate is an entry or a line of the closure with the kind of memory it would be. Whether it is remembered already,
and how it is worded in the end, is for others to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.closure import DECISIONS, SIGNAL
from mneme.formats.entry import find_time, normal_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.note import Note

DECISION, LESSON, PREFERENCE = "decision", "lesson", "preference"
_NOTHING = frozenset({"", "none", "nothing", "-", "n/a", "无", "無", "没有"})
_PARTS = re.compile(r"\s*[;；]\s*")
_LEAD = re.compile(r"\A[\s*_`~(\[]*\d{1,2}[:：]\d{2}(?::\d{2})?[\s*_`~)\]]*")
_FRICTION = re.compile(r"#friction:?\s*", re.IGNORECASE)
_SECTIONS = (
    (DECISION, re.compile(r"\bdecisions?\b|\bdecided\b|决定|決定", re.IGNORECASE)),
    (LESSON, re.compile(r"\blessons?\b|\blearn(?:ed|t|ings?)\b|\bsignals?\b|教训|学到|經驗|经验", re.IGNORECASE)),
    (PREFERENCE, re.compile(r"\bpreferences?\b|偏好", re.IGNORECASE)),
)
_WORDS = (
    (DECISION, re.compile(r"\b(?:we|i)? ?(?:have )?(?:decided|agreed|settled on)\b|决定|決定", re.IGNORECASE)),
    (LESSON, re.compile(r"\b(?:lesson|learned that|turns out|root cause)\b|教训|原来是|根本原因", re.IGNORECASE)),
    (
        PREFERENCE,
        re.compile(r"\b(?:prefers?|from now on|always|never again)\b|以后都|从现在起|喜欢|更喜欢", re.IGNORECASE),
    ),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something a day says that may deserve a home of its own: its words, its kind, and the line it stands on."""

    text: str
    kind: str
    line: int


def find_candidates(note: Note) -> Iterator[Candidate]:
    """Yield what a day's note says that may hold for longer, each thing once, in order of line."""
    found = [*_from_entries(note), *_from_closure(note)]
    seen: set[str] = set()
    for candidate in sorted(found, key=lambda one: one.line):
        if candidate.text not in seen:
            seen.add(candidate.text)
            yield candidate


def _from_entries(note: Note) -> Iterator[Candidate]:
    frictions = {tag.line for tag in note.frictions}
    for entry in note.entries:
        words = plain_words(entry.text)
        if any(entry.line <= line <= entry.end_line for line in frictions):
            yield Candidate(_FRICTION.sub("", words), LESSON, entry.line)
        elif kind := _kind_by(_SECTIONS, " / ".join(entry.context)) or _kind_by(_WORDS, words):
            yield Candidate(words, kind, entry.line)


def _from_closure(note: Note) -> Iterator[Candidate]:
    closure = note.closure
    for line in closure.lines if closure else ():
        kind = {DECISIONS: DECISION, SIGNAL: LESSON}.get(line.label)
        for said in parts_of(line.value) if kind else ():
            yield Candidate(said, kind or "", line.line)


def parts_of(value: str) -> Iterator[str]:
    """Yield what a line of a closure lists, nothing where it says that there is nothing."""
    for said in _PARTS.split(value):
        if said.strip().lower().rstrip(".") not in _NOTHING:
            yield said.strip()


def _kind_by(rows: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> str:
    return next((kind for kind, pattern in rows if pattern.search(text)), "")


def plain_words(text: str) -> str:
    """Return an entry's words without its marker and without the time that it begins with."""
    words = normal_text(text)
    return _LEAD.sub("", words) if find_time(words) else words
