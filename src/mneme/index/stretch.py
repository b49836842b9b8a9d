"""A long text in stretches of one vector each: what a page says at its end is found as well as what it begins with.

A model reads so much of a text and no more, and one vector of much says little of each part. The nearest stretch
speaks for the whole.
"""

from __future__ import annotations

import re
from functools import cache

# About 200 tokens of English. A character that is a word of its own counts as three of a word with many.
STRETCH_CHARS = 900
WIDE = 3
# Beyond these, words alone find a text: a log that somebody pasted is no reason to embed for an hour.
MOST_STRETCHES = 32
# What is never cut: a word with what follows it, or so much of one that has no end.
_UNIT = re.compile(r"\s*[^\s。！？；，]{1,40}[\s。！？；，]*|\s+|[。！？；，]+")


def parse_stretches(text: str) -> list[str]:
    """Return a text's stretches, of nearly the same length; a short text is one."""
    if len(text) * WIDE <= STRETCH_CHARS or (whole := _length(text)) <= STRETCH_CHARS:
        return [text]
    length = whole / min(MOST_STRETCHES, -(-whole // STRETCH_CHARS))
    length = min(length, STRETCH_CHARS)
    stretches: list[str] = []
    start = read = 0
    for unit in _UNIT.finditer(text):
        read += _length(unit[0])
        if read >= length * (len(stretches) + 1):
            stretches.append(text[start : unit.end()].strip())
            start = unit.end()
            if len(stretches) == MOST_STRETCHES:
                return stretches
    return [*stretches, rest] if (rest := text[start:].strip()) else stretches


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (WIDE - 1) * len(_wide().findall(text))


@cache
def _wide() -> re.Pattern[str]:
    return re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
