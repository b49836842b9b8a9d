"""Text -> the terms it is indexed under, and question -> the terms and the shape it is searched with.

One function cuts both, so a question always meets its answer: words are folded and stemmed, names made of several
words count whole and in parts, and Chinese, Japanese and Korean runs become single characters and pairs. Every term
is letters and digits only: whatever is typed is text to a search engine, never its syntax. Nothing here knows dates.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from mneme.index.stem import stem

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST_TEXT = 100_000  # characters of one text that are looked at
LONGEST_QUERY = 8_000
MOST_TERMS = 48
LONGEST_TERM = 64

# Scripts written without spaces; kana and hangul share the treatment of Han.
_DENSE = (
    "\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af"
)
# Combining marks belong to the letter before them, or the words of India and Thailand fall apart.
_MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a3c-\u0a4d\u0abc-\u0acd\u0b3c-\u0b4d"
_MARKS += (
    "\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbc-\u0ccd\u0d3e-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0591-\u05c7\u064b-\u065f"
)
# A word of a text that is all ASCII. That of any other text takes milliseconds to make, so it is made when one comes.
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[a-z]{1,2}\b)?", re.ASCII)
_APOSTROPHE = re.compile(r"['’].*")
_LATIN_MARKS = re.compile("[\u0300-\u036f]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{3,}[a-z]{2}|[A-Za-z][0-9]{2,}")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{2,200})」|《([^》\n]{2,200})》')

# Words that ask or join, and so say nothing about the answer.
_QUIET = """
    a an the and or but nor so if then than as of at by for with about against between into through during before
    after above below to from up down in out on off over under again further once here there all any both each few
    more most other some such no not only own same too very s t d ll m re ve can will just don should now i me my
    myself we our ours ourselves you your yours yourself he him his himself she her hers herself it its itself they
    them their theirs themselves what which who whom whose this that these those am is are was were be been being
    have has had having do does did doing would could shall may might must as until while because how when where why
    ever get got tell please also like"""
QUIET_WORDS = frozenset(_QUIET.split())
_QUIET_CJK = frozenset("的了是在吗呢吧啊么嘛呀着")

_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:time|date|day|month|year)|how long|how old|how often|since when)\b|什么时候|何时|几点|哪天|日期"
    r"|时间",
    re.IGNORECASE,
)
_ASKS_COUNT = re.compile(r"\bhow (?:many|much|often)\b|多少|几个|几次", re.IGNORECASE)
_ASKS_NAME = re.compile(
    r"\b(?:who(?:se|m)?|where|which|what (?:is|are|was|were)(?: the)? names?|called|named)\b|谁|哪里|哪个|叫什么",
    re.IGNORECASE,
)

_LONGEST_SAMPLE = 4_000  # traits are told from the beginning
_MANY_NAMES = 4
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_TIMES = """
    yesterday today tomorrow tonight ago last next this since recently just weekend week weeks month months year years
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday morning 昨天 今天 明天 年 月 周 点
"""
_NUMBERS = """
    one two three four five six seven eight nine ten several couple few twice once 一 二 三 四 五 六 七 八 九 十 两 几
"""
_TIMED = frozenset(map(stem, _TIMES.split()))
_COUNTED = frozenset(map(stem, _NUMBERS.split()))
_YEAR_DIGITS = 4
_PART_END = re.compile(
    r"[.!?;\n]+\s+|[。！？；\n]+|，?(?:另外|还有|此外)，?|,?\s+(?:and then|and also|and|then|also|additionally|finally|next|after that),?\s+",
    re.IGNORECASE,
)
_LEAST_OF_PART = 2
MOST_PARTS = 6
_NAMED = re.compile(r'[a-z,] "?[A-Z][a-z]|"[^"\n]+"|《[^》\n]+》')


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it is searched: its terms in order, what it puts in quotes, and what kind of answer it wants."""

    text: str
    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]] = frozenset()
    phrases: tuple[tuple[str, ...], ...] = ()
    asks_when: bool = False
    asks_count: bool = False
    asks_name: bool = False
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Traits:
    """What can be seen from a text without knowing what it means; shares lie between 0 and 1."""

    asks: float = 0.0
    timed: bool = False
    counted: bool = False
    named: float = 0.0


def parse_traits(text: str, terms: Collection[str]) -> Traits:
    """Return how much of a text asks, and whether times, numbers and names are in it; `terms` are its own."""
    text = text[:_LONGEST_SAMPLE]
    asks = 0.0
    if "?" in text or "？" in text:
        asks = sum(len(one) for one in _SENTENCE.findall(text) if one.endswith(("?", "？"))) / len(text)
    numbers = [term for term in terms if term.isdigit()]
    return Traits(
        asks=asks,
        timed=not _TIMED.isdisjoint(terms) or any(len(number) == _YEAR_DIGITS for number in numbers),
        counted=bool(numbers) or not _COUNTED.isdisjoint(terms),
        named=min(len(_NAMED.findall(text)), _MANY_NAMES) / _MANY_NAMES,
    )


def print_terms(text: str) -> str:
    """Return a text's terms with spaces between: what a search engine is given to index."""
    return " ".join(parse_terms(text))


def parse_terms(text: str) -> list[str]:
    """Return the terms of a text, in order, repeated as they are in it."""
    return list(chain.from_iterable(map(_terms_of, _words(text[:LONGEST_TEXT]))))


def parse_query(text: str, *, longest: int = LONGEST_QUERY) -> Query:
    """Cut a question into what it is searched with; of a question that is all quiet words, every word counts."""
    text = text[:longest]
    spoken = _words(text)
    kept = _asked(spoken)
    every = [term for word in spoken for term in _terms_of(word)]
    known = frozenset(kept)
    return Query(
        text=text,
        terms=kept,
        pairs=frozenset(pair for pair in pairwise(every) if pair[0] in known or pair[1] in known),
        phrases=tuple(
            filter(None, (tuple(parse_terms("".join(found.groups("")))) for found in _QUOTED.finditer(text)))
        ),
        asks_when=bool(_ASKS_WHEN.search(text)),
        asks_count=bool(_ASKS_COUNT.search(text)),
        asks_name=bool(_ASKS_NAME.search(text)),
        parts=parse_parts(text),
    )


@lru_cache(1 << 12)
def query_terms(text: str) -> frozenset[str]:
    """Return the terms that a short text is searched with, as `parse_query` cuts them."""
    return frozenset(_asked(_words(text[:LONGEST_QUERY])))


def may_hold(text: str, terms: frozenset[str]) -> bool:
    """Say whether a text may have all of these terms: most have not, which is seen without cutting them."""
    text = text.lower()
    return not text.isascii() or all(head in text for head in _heads(terms))


@lru_cache(1 << 6)
def _heads(terms: frozenset[str]) -> tuple[str, ...]:
    # A stem begins as its word does; only a stem of two letters may have lost the second one.
    return tuple(term[: 2 if len(term) > 2 else 1] for term in terms)  # noqa: PLR2004


def _asked(spoken: list[str]) -> tuple[str, ...]:
    loud = [word for word in spoken if word.lower() not in QUIET_WORDS and word not in _QUIET_CJK] or spoken
    terms = dict.fromkeys(term for word in loud for term in _terms_of(word) if term not in _QUIET_CJK)
    return tuple(terms)[:MOST_TERMS]


def parse_parts(text: str) -> tuple[str, ...]:
    """Return the things that a long question asks one after the other; nothing when it asks one."""
    parts = [
        part for part in map(str.strip, _PART_END.split(text)) if part and len(_loud_terms(part)) >= _LEAST_OF_PART
    ]
    return tuple(dict.fromkeys(parts))[:MOST_PARTS] if len(parts) > 1 else ()


def _loud_terms(text: str) -> set[str]:
    return {term for word in _words(text) if word.lower() not in QUIET_WORDS for term in _terms_of(word)} - _QUIET_CJK


def has_cjk(text: str) -> bool:
    """Say whether a text has Chinese, Japanese or Korean in it."""
    return not text.isascii() and bool(_cjk().search(text))


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(f"[{_DENSE}]")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_DENSE}]+|(?:[^\W_{_DENSE}]|(?<=\w)[{_MARKS}])+(?:['’](?:[a-z]{{1,2}})\b)?")


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _word().findall(_composed(text))


def _composed(text: str) -> str:
    """Return compatibility forms as plain letters, without the marks on Latin ones; surrogates pass."""
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare)


@lru_cache(1 << 16)
def _terms_of(word: str) -> tuple[str, ...]:
    """Return one word's terms; a run of Chinese gives its characters and its pairs."""
    if not word.isascii() and _cjk().match(word):
        return (*word, *(word[place : place + 2] for place in range(len(word) - 1)))
    word = _APOSTROPHE.sub("", word)
    whole = stem(word.lower()[:LONGEST_TERM])
    if not _HUMP.search(word):
        return (whole,)
    return tuple(dict.fromkeys((whole, *(stem(part.lower()) for part in _PART.findall(word)[:8]))))
