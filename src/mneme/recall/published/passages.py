"""A note cut into the stretches that OpenClaw indexes: whole lines up to a size, the last ones repeated in the next."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKENS, OVERLAP = 400, 80
CHARS_PER_TOKEN, LEAST_CHARS = 4, 32
_WIDE = re.compile("[\u2e80-\u9fff\ua000-\ua4ff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a file: its first and last line, and its text."""

    line: int
    end_line: int
    text: str


def cut_passages(text: str, tokens: int = TOKENS, overlap: int = OVERLAP) -> list[Passage]:
    """Cut a text; a line longer than a stretch is cut too, and a wide character counts as four."""
    most, shared = max(LEAST_CHARS, tokens * CHARS_PER_TOKEN), max(0, overlap * CHARS_PER_TOKEN)
    passages: list[Passage] = []
    held: list[tuple[int, str]] = []
    size = 0
    for number, row in enumerate(text.split("\n"), 1):
        for part in _parts(row, most, tokens):
            wide = size_of(part) + 1
            if held and size + wide > most:
                passages.append(_passage(held))
                held = _tail(held, shared)
                size = sum(size_of(one) + 1 for _, one in held)
            held.append((number, part))
            size += wide
    return [*passages, _passage(held)]


def size_of(text: str) -> int:
    """Return how many characters a text counts for."""
    return len(text) + 3 * len(_WIDE.findall(text))


def _passage(held: list[tuple[int, str]]) -> Passage:
    return Passage(held[0][0], held[-1][0], "\n".join(part for _, part in held))


def _tail(held: list[tuple[int, str]], shared: int) -> list[tuple[int, str]]:
    """Return the last lines that a stretch gives to the next one."""
    size = 0
    for at in range(len(held) - 1, -1, -1):
        size += size_of(held[at][1]) + 1
        if size >= shared:
            return held[at:] if shared else []
    return held[:] if shared else []


def _parts(row: str, most: int, tokens: int) -> list[str]:
    """Return a line in parts none of which is longer than a stretch."""
    parts: list[str] = []
    for start in range(0, len(row), most):
        coarse = row[start : start + most]
        step = len(coarse) if size_of(coarse) <= most else max(1, tokens)
        parts += [coarse[at : at + step] for at in range(0, len(coarse), step)]
    return parts or [""]
