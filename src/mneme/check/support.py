"""Whether a claim is supported by the words that it is said to come from.

Its numbers, dates and names must stand there, and most of its other words, inflection aside. Used on what a language
model extracts, and on what was promoted. Strict: what cannot be found is not supported. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

LEAST_SHARE = 0.6
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w'\u2019-]*|[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w-]{2,}")
_WIDE = re.compile(r"[\u3400-\u9fff]")
# What a claim adds when it tells in its own words what somebody said of themselves.
_TELLING = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "am",
        "i",
        "my",
        "me",
        "we",
        "our",
        "us",
        "you",
        "your",
        "he",
        "she",
        "they",
        "his",
        "her",
        "their",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "and",
        "or",
        "but",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "with",
        "from",
        "by",
        "as",
        "user",
        "user's",
        "users",
        "person",
        "wants",
        "want",
        "likes",
        "like",
        "said",
        "says",
        "prefers",
        "prefer",
        "uses",
        "use",
        "has",
        "have",
        "had",
        "will",
        "would",
        "should",
        "must",
        "does",
        "do",
        "did",
        "not",
        "no",
        "never",
        "always",
        "asked",
        "because",
        "so",
        "的",
        "了",
        "是",
        "在",
        "和",
        "我",
        "他",
        "她",
        "它",
        "用",
        "户",
        "们",
        "有",
        "也",
        "都",
        "很",
        "这",
        "那",
        "就",
        "不",
        "会",
        "要",
        "说",
    ]
)
_STEM_CHARS = 5


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in _TELLING)


def _stem(word: str) -> str:
    return word[:_STEM_CHARS]


def is_supported(claim: str, source: str, least: float = LEAST_SHARE) -> bool:
    """Say whether a source says what a claim says."""
    said = source.lower()
    if any(number not in source for number in _NUMBER.findall(claim) if not _is_date(number)):
        return False
    if any(name.lower() not in said for name in _NAME.findall(claim)):
        return False
    wanted = _words(claim)
    if not wanted:
        return bool(claim.strip()) and claim.strip().lower() in said
    there = _words(source)
    return len(wanted & there) >= least * len(wanted)


def has_quote(quote: str, source: str) -> bool:
    """Say whether some words stand in a source as they are, white space and quotation marks aside."""
    return bool(quote.strip()) and _flat(quote) in _flat(source)


def _flat(text: str) -> str:
    return (
        " ".join(text.replace("\u2019", "'").replace("\u201c", '"').replace("\u201d", '"').split())
        .lower()
        .strip("\"' .")
    )


def _is_date(number: str) -> bool:
    """Say whether a number is a day written out, which a claim may well have in place of `yesterday`."""
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", number))
