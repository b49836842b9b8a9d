"""English word -> the stem that its inflections share, by Porter's rules of 1980 written as tables.

It promises that a question's words and their answer's inflections meet, and that a stem depends on the word alone.
It knows no dictionary; words of other scripts, and what has a digit in it, come back as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

SHORTEST = 3
REMEMBERED_WORDS = 1 << 16

_ENGLISH = re.compile(r"[a-z]+")
_TURN = re.compile("v+c")
# Longest ending first. A rule replaces its ending when the stem before it has more than so many turns.
_DERIVED = {
    "ational": "ate",
    "ization": "ize",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "tional": "tion",
    "biliti": "ble",
    "entli": "ent",
    "ousli": "ous",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "iviti": "ive",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "alli": "al",
    "ator": "ate",
    "logi": "log",
    "bli": "ble",
    "eli": "e",
}
_SHORTENED = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ness": "", "ful": ""}
_ENDINGS = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
_DROPPED = tuple(sorted(_ENDINGS.split(), key=len, reverse=True))


@lru_cache(REMEMBERED_WORDS)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    if len(word) < SHORTEST or not _ENGLISH.fullmatch(word):
        return word
    word = _without_plural(word)
    word = _without_tense(word)
    if word.endswith("y") and "v" in _letters(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _DERIVED)
    word = _replaced(word, _SHORTENED)
    return _without_last_e(_dropped(word))


def _letters(word: str) -> str:
    """Return a word's shape: `v` for a vowel, `c` for a consonant; a y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _turns(word: str) -> int:
    """Count how often vowels turn into a consonant: roughly, the syllables that an ending leaves behind."""
    return len(_TURN.findall(_letters(word)))


def _is_short(word: str) -> bool:
    """Say whether a word ends consonant, vowel, consonant, so that it lost an e: `hop` of `hoping`."""
    return _letters(word).endswith("cvc") and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _turns(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and "v" in _letters(rest):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """Give back the e that an ending took, and take back the consonant that it doubled."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and rest[-1] not in "aeioulsz":
        return rest[:-1]
    return rest + "e" if _turns(rest) == 1 and _is_short(rest) else rest


def _replaced(word: str, endings: dict[str, str]) -> str:
    for ending, shorter in endings.items():
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + shorter if _turns(rest) else word
    return word


def _dropped(word: str) -> str:
    for ending in _DROPPED:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            kept = _turns(rest) < 2 or (ending == "ion" and not rest.endswith(("s", "t")))  # noqa: PLR2004 - two syllables
            return word if kept else rest
    return word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        turns = _turns(rest)
        if turns > 1 or (turns == 1 and not _is_short(rest)):
            return rest
    return word[:-1] if word.endswith("ll") and _turns(word) > 1 else word
