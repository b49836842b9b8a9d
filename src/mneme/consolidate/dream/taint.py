"""What may not be dreamt over: paths that hold no day, and text that dreaming itself has written.

A program that reads its own output ends up believing it. What a phase wrote, what asks for a diary, and what carries a
promotion's marker is recognised here, in the forms that OpenClaw gives to it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mneme.formats.promoted import PROMOTION_MARKER

MARKER = PROMOTION_MARKER
CORPUS_FOLDER = "memory/.dreams/session-corpus/"

_DAY_PATH = re.compile(r"(?:^|/)memory/(?:[^/]+/)*\d{4}-\d{2}-\d{2}\.md$|^\d{4}-\d{2}-\d{2}\.md$")
_CORPUS_PATH = re.compile(r"(?:^|/)memory/\.dreams/session-corpus/\d{4}-\d{2}-\d{2}\.(?:md|txt)$")
_REPORT_PATH = re.compile(r"(?:^|/)memory/dreaming/")
_DAY = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)[^/]*$")

_SPACE = re.compile(r"[\s\ufeff]+")
_MARKED = re.compile(rf"<!--\s*{MARKER}", re.IGNORECASE)
_ASKED_FOR_DIARY = re.compile(
    r"\[[^\]]*dreaming-narrative[^\]]*\]\s*(?:User|Assistant):\s*Write a dream diary entry from these memory fragments",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:@@\s*-\d+(?:,\d+)?\s+[-*+]\s+|[\[(] *|[-*+>] )*(?:Candidate|Reflections?):", re.IGNORECASE)
_STAGED = (
    re.compile(r"\bconfidence:\s*\d", re.IGNORECASE),
    re.compile(r"\bevidence:\s*memory/", re.IGNORECASE),
    re.compile(r"\bstatus:\s*staged\b", re.IGNORECASE),
    re.compile(r"\brecalls:\s*\d+\b", re.IGNORECASE),
)


def plain_path(path: str) -> str:
    """Return a path as the stores write it: forward slashes, no leading `./`."""
    return path.replace("\\", "/").removeprefix("./")


def plain_snippet(text: str) -> str:
    """Return a text on one line, as the stores compare it."""
    return _SPACE.sub(" ", text).strip()


@lru_cache(maxsize=4096)
def is_short_term(path: str) -> bool:
    """Say whether a path is one that dreaming may promote from: a day's note or a day of the session corpus."""
    path = plain_path(path)
    if _REPORT_PATH.search(path):
        return False
    return bool(_DAY_PATH.search(path) or _CORPUS_PATH.search(path))


def day_of(path: str) -> str:
    """Return the day that a short-term path stands for, or the empty string."""
    found = _DAY.search(path)
    return found[1] if found else ""


def is_tainted(text: str) -> bool:
    """Say whether a snippet is something that dreaming wrote rather than somebody."""
    snippet = plain_snippet(text)
    if _MARKED.search(snippet) or _ASKED_FOR_DIARY.search(snippet):
        return True
    return bool(_LEAD.match(snippet)) and all(mark.search(snippet) for mark in _STAGED)
