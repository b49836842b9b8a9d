"""What entities are called: when two names are surely one, and when they may be.

Surely one are names that differ in case, accents, punctuation, spacing or legal form ("ACME Inc.", "acme"). One that
is a part of the other, its initials, or a slip of the pen away may be the same: that is for somebody to say.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

_LEGAL = frozenset(
    "inc incorporated ltd limited llc llp plc gmbh ag kg corp corporation co company sa srl bv nv oy ab pty".split()  # noqa: SIM905 - a list of words reads as one
)
_LEGAL_CJK = re.compile(r"(?:股份)?有限公司$|集团$|公司$")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_ALIKE = 0.82
_SHORT_CHARS = 4


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as names are compared: in small letters, without accents, marks and legal form."""
    flat = unicodedata.normalize("NFKD", _POSSESSIVE.sub("", name)).casefold()
    flat = "".join(char for char in flat if not unicodedata.combining(char))
    words = _WORD.findall(_LEGAL_CJK.sub("", unicodedata.normalize("NFC", flat).strip()))
    while len(words) > 1 and words[-1] in _LEGAL:
        words.pop()
    return tuple(words)


def is_same_name(one: str, other: str) -> bool:
    """Say whether two names are surely one."""
    words = name_words(one)
    return bool(words) and "".join(words) == "".join(name_words(other))


def may_be_same_name(one: str, other: str) -> bool:
    """Say whether two names may be one: a part, initials, or nearly the same letters."""
    first, second = name_words(one), name_words(other)
    if not first or not second:
        return False
    if set(first) < set(second) or set(second) < set(first):
        return True
    joined = "".join(first), "".join(second)
    if _initials(first) == joined[1] or _initials(second) == joined[0]:
        return True
    if min(map(len, joined)) < _SHORT_CHARS:
        return False
    return SequenceMatcher(None, *joined, autojunk=False).ratio() >= _ALIKE


def _initials(words: tuple[str, ...]) -> str:
    return "".join(word[0] for word in words) if len(words) > 1 else ""
