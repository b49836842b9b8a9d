"""How many tokens a text has, near enough: four characters are one, a Chinese, Japanese or Korean one is one by itself."""

from __future__ import annotations

import re

CHARS_PER_TOKEN = 4
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]")


def count_tokens(text: str) -> int:
    """Return how many tokens a text is counted as."""
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return dense + -(-(len(text) - dense) // CHARS_PER_TOKEN)


def cut_to_tokens(text: str, most: int) -> str:
    """Return as much of the beginning of a text as so many tokens hold."""
    if count_tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= most else (low, middle - 1)
    return text[:low]
