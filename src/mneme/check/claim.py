"""What a gist claims, in a form that two gists can be compared by.

A claim is its frame (the words it is made of, inflection and stop words taken away, numbers and rival words replaced
by their kind), its stance (the very numbers, the very rival word, whether it denies), its names and its scope. Two
claims with one frame say the same if their stances agree, and contradict each other if not. English and Chinese.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mneme.check.lexicon import (
    DENIALS,
    DENIED_AFTER,
    DENIED_BEFORE,
    NUMBER_WORDS,
    NUMBERED_THINGS,
    RIVALS,
    ROLE_VERBS,
    SAME_VALUES,
    SCOPES,
    STOP_WORDS,
    SYNONYMS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What takes the place of a word in the frame.
STOP, DENIAL, NUMBER = "", "!", "#"
DENIED = STOP, DENIAL

_CJK = "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_CJK_STOP = "的了是在要会把被就都也很和与及并而必须需应该可以能请个我们其之为"
_CJK_DENIALS = (
    "不要|不能|不得|不可|不应|不再|不会|不需要|无需|禁止|严禁|没有|从不|不用|请勿|切勿|勿|没|不|别(?![的人名])"
)
_CJK_NOT_DENIAL = "不同|不仅|不但|不断|不过|不论|不管|无论|不一样|差不多|特别|区别|级别|分别|类别|别的|别名"
_CJK_DIGITS = "\u3007零一二两三四五六七八九十百千万"
_CJK_MEASURES = "天周个次秒分小月年点号台份条人块倍级层位轮条日时行页杯杯元"

# Punctuation becomes space, apostrophes vanish (`don't`, `user's`); what may stand inside a number or a name stays.
_TABLE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, '!"$&()*,-/;<=>?@[\\]^`{|}~'), " "),
    **dict.fromkeys(map(ord, "\u3001\u3002\uff0c\uff1b\uff1a\uff1f\uff01\u201c\u201d\u300c\u300d\u300a\u300b\u3010\u3011\uff08\uff09\u2014\u2013\u2026\u00b7\u3000\u2192"), " "),
    **dict.fromkeys(map(ord, "'\u2019\u2018"), None),
}  # fmt: skip
# `X, not Y` says X: what it contrasts with is no part of the claim. So does `X not Y` where `not` denies no verb: it
# follows a word that no denial follows, and comes before one word or two.
_CONTRASTS = (" not ", " rather than ", " instead of ", "而不是", "而非", "\uff0c不是")


class Claim(NamedTuple):
    """What a gist claims: see the module."""

    frame: frozenset[str]
    stance: frozenset[tuple[str, str]]
    names: frozenset[str]
    scope: frozenset[tuple[str, str]]
    words: tuple[str, ...]


def raw_words(gists: Sequence[str]) -> list[list[str]]:
    """Return the words of each gist, without the punctuation between them; no gist may hold a line feed.

    Chinese counts as characters and as pairs of them. `plain_word` brings a word into its plain form, `framed` does so by
    itself: that is done once for each word there is.
    """
    return list(map(str.split, plain_text(gists).split("\n")[:-1])) if gists else []


def plain_text(gists: Sequence[str]) -> str:
    """Return each gist as its words with blanks between them, and a line feed after it."""
    text = "\n".join(gists) + "\n"
    if any(mark in text for mark in _CONTRASTS):
        text = "\n".join(map(_without_contrast, gists)) + "\n"
    text = text.translate(_TABLE)
    if text.isascii():
        return text
    lines = text.split("\n")[:-1]
    return "\n".join([line if line.isascii() else " ".join(_wide_words(line)) for line in lines]) + "\n"


def _without_contrast(gist: str) -> str:
    if not any(mark in gist for mark in _CONTRASTS):
        return gist
    return (
        _bare_contrast().sub(_kept_of_contrast, _contrast().sub("", gist))
        if " not " in gist
        else _contrast().sub("", gist)
    )


def _kept_of_contrast(found: re.Match[str]) -> str:
    """Return what remains of `X not Y`: X where Y is only what it contrasts with, else all of it."""
    before, after = found[1].lower(), found[2].lower()
    is_denial = (
        before in DENIED_AFTER or before.endswith("ly") or after in DENIED_BEFORE or after.endswith(("ed", "ing"))
    )
    return found[0] if is_denial else found[1]


@cache
def _contrast() -> re.Pattern[str]:
    return re.compile(
        r"(?:, not| rather than| instead of)\s[^,;.\n]*|(?:\uff0c?而(?:不是|非)|\uff0c不是)[^\uff0c\u3002\uff1b\n]*"
    )


@cache
def _bare_contrast() -> re.Pattern[str]:
    return re.compile(r"([\w+#.-]+) not ([\w+#-]+(?:\.\w+)*)(?: [\w+#-]+)?(?=[,;.]|$)", re.MULTILINE)


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|[^\s{_CJK}]+")


@cache
def _specials() -> re.Pattern[str]:
    """Match, within Chinese text, what is a word of its own: denials, rivals, scopes, counted numbers; and stop words."""
    known = sorted({word for row in (*RIVALS, *SCOPES) for word in row if not word.isascii()}, key=len, reverse=True)
    return re.compile(
        rf"(?P<plain>{_CJK_NOT_DENIAL})|(?P<denial>{_CJK_DENIALS})|(?P<known>{'|'.join(known)})"
        rf"|(?P<number>[{_CJK_DIGITS}]+(?=[{_CJK_MEASURES}]))|(?P<stop>[{_CJK_STOP}])"
    )


def _wide_words(line: str) -> list[str]:
    words: list[str] = []
    for piece in _pieces().findall(line):
        if piece.isascii() or not is_wide(piece[0]):
            words.append(piece)
        else:
            words += _chinese_words(piece)
    return words


def is_wide(char: str) -> bool:
    """Say whether a character is one of those that are read in pairs."""
    return re.match(f"[{_CJK}]", char) is not None


def _chinese_words(run: str) -> list[str]:
    words: list[str] = []
    plain: list[str] = []
    at = 0
    for found in _specials().finditer(run):
        plain.append(run[at : found.start()])
        at = found.end()
        if found.lastgroup == "plain":
            plain.append(found[0])
        elif found.lastgroup != "stop":
            words += _pairs("".join(plain))
            plain = []
            words.append("不" if found.lastgroup == "denial" else found[0])
    return words + _pairs("".join(plain) + run[at:])


def _pairs(text: str) -> list[str]:
    """Return the characters of a text, and every two that stand together: told by both, order counts for half."""
    return [*(text[at : at + 2] for at in range(len(text) - 1)), *text]


@cache
def _rows() -> dict[str, str]:
    return {word: f"={number}" for number, row in enumerate(RIVALS) for word in row}


@cache
def _scopes() -> dict[str, str]:
    return {word: row[0] for row in SCOPES for word in row}


def has_digit(word: str) -> bool:
    """Say whether a word holds an ASCII digit."""
    return not word.isalpha() and _digits().search(word) is not None


@cache
def _digits() -> re.Pattern[str]:
    return re.compile(r"[0-9]+(?:[.:,][0-9]+)*")


@lru_cache(maxsize=1 << 16)
def framed(word: str) -> tuple[str, str]:
    """Return what stands for a word in the frame, and what it adds to the stance; either may be empty."""
    word = plain_word(word)
    if word in STOP_WORDS:
        return STOP, ""
    if word in DENIALS:
        return DENIED
    if word in NUMBER_WORDS or word.isdigit() or (word and not word.strip(_CJK_DIGITS)):
        return NUMBER, word
    row = _rows().get(word)
    if row is not None:
        value = stem(word)
        return row, SAME_VALUES.get(value, SAME_VALUES.get(word, value))
    if has_digit(word):
        return _digits().sub(NUMBER, word), word
    return stem(word) or STOP, ""


def plain_word(word: str) -> str:
    """Return a word in lower case, without the stop or colon that ends a sentence."""
    return word.lower().strip(".:")


def stem(word: str) -> str:
    """Return a word without its inflection, roughly; it need not be a word any more."""
    if word in SYNONYMS:
        return SYNONYMS[word]
    if not word.isascii() or len(word) <= 3:  # noqa: PLR2004
        return word
    for ending, least in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least:
            root = word[: -len(ending)]
            doubled = len(root) > 2 and root[-1] == root[-2] and root[-1] not in "lsz"  # noqa: PLR2004
            return root[:-1] if doubled else root.removesuffix("e")
    if word.endswith("ies"):
        return word[:-3] + "i"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and word[-2] not in "aeiou" else word.removesuffix("e")


def claim_of(gist: str) -> Claim:
    """Return what a gist claims."""
    words = list(map(plain_word, raw_words([gist.replace("\n", " ")])[0]))
    pairs = list(map(framed, words))
    return Claim(
        frame=frozenset(place for place, _ in pairs if place),
        stance=frozenset(pair for pair in pairs if pair[1]),
        names=_names(gist),
        scope=frozenset(_scope(words)),
        words=tuple(words),
    )


def _names(gist: str) -> frozenset[str]:
    """Return the words of a gist that are written like names, as they stand in its frame."""
    wide = not gist.isascii() and any("\u3400" <= char <= "\u9fff" for char in gist)
    found = set()
    for number, word in enumerate(re.findall(r"[A-Za-z][\w+#]*(?:\.\w+)*", gist)):
        if wide or word[1:] != word[1:].lower() or (number and word[0].isupper()):
            found.add(framed(word.lower())[0])
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def may_name(gist: str) -> bool:
    """Say, at a glance, whether a gist may hold a name or a role: if not, a claim has none."""
    return not gist.isascii() or gist[1:] != gist[1:].lower() or any(verb in gist for verb in ROLE_VERBS)


def _scope(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what narrows a claim down: an environment, a year, a numbered thing that says something, not is said."""
    rows = _scopes()
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in NUMBERED_THINGS and _is_number(following) and (at == 0 or at + 2 < len(words)):
            yield word, following
        elif following and (_years().fullmatch(word) or (following[0] == "号" and not word.strip(_CJK_DIGITS))):
            yield "year" if word.isascii() else "号", word
        elif word in rows:
            yield rows[word], stem(word)


def _is_number(word: str) -> bool:
    return bool(word) and (len(word) == 1 or has_digit(word) or word in NUMBER_WORDS)


@cache
def _years() -> re.Pattern[str]:
    return re.compile("(?:19|20)[0-9]{2}")


def likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Return the Jaccard likeness of two frames."""
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared) if shared else 0.0


# Of so many words is what changes places; and what relates two things both ways.
LONGEST_THING = 3
MUTUAL = frozenset({"and", "or", "nor", "plus", "with", "versus", "vs", "between", "married", *"和与及或跟"})
SAME, OPPOSED, APART = "same", "opposed", "apart"


def compare_claims(one: Claim, two: Claim) -> tuple[str, str]:
    """Say whether two claims of like frames say the same, contradict each other (and in what), or are of other things."""
    if _scopes_differ(one, two) or _subjects_differ(one, two):
        return APART, ""
    left, right = one.frame - two.frame, two.frame - one.frame
    names = left & (one.names | _role(one)), right & (two.names | _role(two))
    reason = _rival_value(one, two) or (f"{min(names[0])} or {min(names[1])}" if all(names) else "")
    if not reason and (DENIED in one.stance) != (DENIED in two.stance):
        reason = "one denies it"
    if not reason and one.words != two.words and _turned_round(one.words, two.words):
        reason = "one turns it round"
    if not reason:
        return SAME, ""
    others = left - names[0], right - names[1]
    return (APART, "") if all(others) else (OPPOSED, reason)


def _turned_round(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Say whether two things have changed places about what relates them: `Ann reports to Bob`, `tabs over spaces`.

    What is only enumerated, or related both ways, may stand in any order. Of Chinese the characters count, not the pairs.
    """
    one, two = (tuple(word for word in words if len(word) == 1 or not is_wide(word[:1])) for words in (one, two))
    if one == two or Counter(one) != Counter(two):
        return False
    first = next(at for at, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1])
    last = len(one) - next(at for at, pair in enumerate(zip(one[::-1], two[::-1], strict=True)) if pair[0] != pair[1])
    mine, yours = one[first:last], two[first:last]
    for size in range(1, min(LONGEST_THING, (len(mine) - 1) // 2) + 1):
        between = mine[size:-size]
        if yours == (*mine[-size:], *between, *mine[:size]) and MUTUAL.isdisjoint(between):
            return True
    return False


def _scopes_differ(one: Claim, two: Claim) -> bool:
    for row in {row for row, _ in one.scope} & {row for row, _ in two.scope}:
        if {name for key, name in one.scope if key == row}.isdisjoint(name for key, name in two.scope if key == row):
            return True
    return False


def _role(claim: Claim) -> frozenset[str]:
    """Return who holds a role that only one can hold: `Maria owns ...`."""
    words = claim.words
    return frozenset({framed(words[0])[0]}) if len(words) > 1 and words[1] in ROLE_VERBS else frozenset()


def _subjects_differ(one: Claim, two: Claim) -> bool:
    """Say whether two claims are word for word the same but for who or what they begin with."""
    return (
        one.words[:1] != two.words[:1]
        and _is_subject_alone(one, one.frame - two.frame)
        and _is_subject_alone(two, two.frame - one.frame)
    )


def _is_subject_alone(claim: Claim, difference: frozenset[str]) -> bool:
    words = claim.words
    if len(words) < 2 or difference != {framed(words[0])[0]}:  # noqa: PLR2004 - a subject and its verb
        return False
    return words[1].isascii() and words[1].endswith("s") and words[1] not in ROLE_VERBS


def _rival_value(one: Claim, two: Claim) -> str:
    """Return the two values of one kind that can't both be true, as text, or an empty text."""
    left = {value: place for place, value in map(framed, one.words) if place and value}
    right = {value: place for place, value in map(framed, two.words) if place and value}
    for value, place in left.items():
        if value not in right:
            for other, elsewhere in right.items():
                if place == elsewhere and other not in left:
                    return f"{value} or {other}"
    return ""
