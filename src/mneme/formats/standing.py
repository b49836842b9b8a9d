"""The standing of an entry or a section: its state, how sure it is, when it was last seen to hold, what replaced it.

A cell keeps these on its status line and a memory with a file of its own in its frontmatter. What is one of many in a
note keeps them in a comment that readers of Markdown do not show, behind its words or below its heading:

    - The importer needs UTF-8 paths <!-- mneme: stale, conf low, seen 2026-01-31 -->

The comment is no part of what the entry says: it stays the same entry, with the same id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mneme.formats.record import CONFS, STATES, SUPERSEDED

_COMMENT = re.compile(r"[ \t]*<!--[ \t]*mneme:(?=[ \t])(?P<said>[^<>\n]*?)[ \t]*-->")
_HINT = "<!--"
_SEEN, _CONF, _BY = "seen", "conf", "superseded by"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a comment says; what it does not say is empty."""

    state: str = ""
    conf: str = ""
    seen: str = ""
    successor: str = ""

    def __bool__(self) -> bool:
        return bool(self.state or self.conf or self.seen or self.successor)


def parse_standing(text: str) -> Standing:
    """Return what the first such comment in a text says; words that mean nothing are passed over."""
    match = _COMMENT.search(text) if _HINT in text else None
    if match is None:
        return Standing()
    state = conf = seen = successor = ""
    for part in (piece.strip() for piece in match["said"].split(",")):
        if part in STATES:
            state = part
        elif part.startswith(_BY):
            state, successor = SUPERSEDED, part.removeprefix(_BY).strip()
        elif part.startswith(f"{_SEEN} "):
            seen = part.removeprefix(_SEEN).strip()
        elif part.startswith(f"{_CONF} ") and part.removeprefix(_CONF).strip() in CONFS:
            conf = part.removeprefix(_CONF).strip()
    return Standing(state, conf, seen, successor)


def print_standing(standing: Standing) -> str:
    """Return the comment that says so; empty where there is nothing to say."""
    if not standing:
        return ""
    state = f"{_BY} {standing.successor}" if standing.successor else standing.state
    parts = (state, standing.conf and f"{_CONF} {standing.conf}", standing.seen and f"{_SEEN} {standing.seen}")
    return f"<!-- mneme: {', '.join(part for part in parts if part)} -->"


def without_standing(text: str) -> str:
    """Return a text without such comments and the white space before them."""
    return _COMMENT.sub("", text) if _HINT in text else text


def find_comment(text: str) -> tuple[int, int] | None:
    """Return where the first such comment stands, with the white space before it; None where there is none."""
    match = _COMMENT.search(text) if _HINT in text else None
    return match.span() if match else None
