"""Text -> the token numbers of an uncased BERT vocabulary, as that family of models was trained to read it.

Pure Python, because the Rust package for this brings an HTTP client and a hub client with it. Special tokens that are
written out in a text are text here: nothing a note says can end the sentence for the model.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTINUED = "##"
LONGEST_WORD = 100
UNREADABLE = "\ufffd"
REMEMBERED_WORDS = 50_000

# The blocks that the models' tokenizer takes apart character by character: Han, and no other script.
_HAN = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
_ASCII_PUNCTUATION = frozenset(range(33, 48)) | frozenset(range(58, 65)) | frozenset(range(91, 97))
_ASCII_PUNCTUATION |= frozenset(range(123, 127))


class _Characters(dict[int, str]):
    """What each character becomes once the text is decomposed; worked out when it is first met."""

    def __missing__(self, point: int) -> str:
        self[point] = seen = _character(point)
        return seen


def _character(point: int) -> str:
    character = chr(point)
    category = unicodedata.category(character)
    if character in "\t\n\r" or category in {"Zs", "Zl", "Zp"}:
        return " "
    if category[0] == "C" or category == "Mn" or character == UNREADABLE:
        return ""
    if point in _ASCII_PUNCTUATION or category[0] == "P" or any(low <= point <= high for low, high in _HAN):
        return f" {character} "
    return "".join(part for part in character.lower() if unicodedata.category(part) != "Mn")


class WordPiece:
    """A vocabulary, one token to a line, and the numbers of the tokens a text is made of."""

    __slots__ = ("_begin", "_characters", "_end", "_known", "_unknown", "_vocabulary")

    def __init__(self, tokens: Iterable[str]) -> None:
        self._vocabulary = {token: number for number, token in enumerate(tokens)}
        self._begin, self._end = self._vocabulary["[CLS]"], self._vocabulary["[SEP]"]
        self._unknown = (self._vocabulary["[UNK]"],)
        self._characters = _Characters()
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str, most: int) -> list[int]:
        """Return the token numbers of a text between the model's two marks, at most so many in all."""
        numbers = [self._begin]
        # A character is at least no token, and a token is seldom 40 characters: what lies beyond is never read.
        for word in self._words(text[: most * 40]):
            numbers.extend(self._pieces(word))
            if len(numbers) >= most:
                break
        del numbers[most - 1 :]
        numbers.append(self._end)
        return numbers

    def _words(self, text: str) -> list[str]:
        if not text.isascii():
            text = unicodedata.normalize("NFD", text)
        return text.translate(self._characters).split()

    def _pieces(self, word: str) -> tuple[int, ...]:
        pieces = self._known.get(word)
        if pieces is None:
            pieces = self._cut(word)
            if len(self._known) < REMEMBERED_WORDS:
                self._known[word] = pieces
        return pieces

    def _cut(self, word: str) -> tuple[int, ...]:
        """Cut a word into the longest pieces there are, from the left; one that has no pieces is unknown."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        pieces: list[int] = []
        start = 0
        while start < len(word):
            before = CONTINUED if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(before + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            pieces.append(number)
            start = end
        return tuple(pieces)
