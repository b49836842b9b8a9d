"""How a gist or a body line is worded: too wide, two claims in one, a link in prose."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from mneme.formats.cell import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

# In columns of a terminal: a letter takes one, an ideograph two.
GIST_WIDTH = 200

# A gist longer than this is too long whatever it says, and is not read to its end.
READ_CHARACTERS = 1000

_MARKS = (";", "\uff1b", ". ", "! ", "? ", "\u3002")


@cache
def _second_claim() -> re.Pattern[str]:
    """Match the place where a first claim ends and a second one, of three words or four ideographs, begins."""
    return re.compile(
        r"\S\s+\S+\s*(?:;\s+|(?<!\b[Ee]\.g)(?<!\b[Ii]\.e)(?<!\bvs)(?<!\betc)(?<!\bcf)(?<!\bapprox)(?<![. ][A-Za-z])"
        r"[.!?]\s+(?=[A-Z]))\S+\s+\S+\s+\S"
        r"|[\u3400-\u9fff]{2}[^\u3002\uff1b]*[\u3002\uff1b]\s*[^\s\u3002\uff1b]{4}"
    )


@cache
def _relation_line() -> re.Pattern[str]:
    names = "|".join(sorted(RELATIONS, key=len, reverse=True))
    return re.compile(rf"\s*(?:{names})\s+[A-Z][A-Z0-9]*-[0-9]+\s*")


def width_of(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else len(text) + sum(east_asian_width(char) in "WF" for char in text)


def is_compound(gists: Sequence[str]) -> list[int]:
    """Return the indexes of the gists that make more than one claim."""
    joined = "\n".join(gists)
    marks = [mark for mark in _MARKS if mark[0] in joined and mark in joined]
    if not marks:
        return []
    return [
        at
        for at, gist in enumerate(gists)
        if any(mark in gist for mark in marks) and _second_claim().search(gist, 0, READ_CHARACTERS) is not None
    ]


def named_relation(line: str) -> bool:
    """Say whether a body line is nothing but a relation and an id, as a link line would be."""
    return _relation_line().fullmatch(line) is not None
