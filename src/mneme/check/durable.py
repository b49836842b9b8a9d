"""Decisions, lessons and preferences that lie in days' notes alone.

A day's note tells what happened; what should last has a home. A statement counts as carried over when some home has
nearly all of its words, whatever way it puts them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mneme.check.found import Found, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# A statement is carried over when so much of what it says stands in one home.
CARRIED_FIFTHS = 3
LEAST_WORDS = 4
_LEAD = r"^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:\*\*|__)?"
_SAID = re.compile(
    _LEAD
    + r"(?:(?:decisions?|decided|lessons?(?: learned)?|learned|preferences?|rule|policy|convention|\u51b3\u5b9a|\u6559\u8bad|\u504f\u597d|\u89c4\u5219)"
    r"(?:\*\*|__)?[ \t]*[:\uff1a](?:\*\*|__)?|(?:we )?decided (?:to|that)|(?:the )?user (?:prefers|wants|likes|dislikes)|always|never)"
    r"[ \t]+(?P<words>\S[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_NEEDLES = ("ecision", "ecided", "esson", "earned", "reference", "ule:", "olicy", "onvention", "lways ", "ever ", "refers ", "wants ", "likes ", "\u51b3\u5b9a", "\u6559\u8bad", "\u504f\u597d", "\u89c4\u5219")  # fmt: skip
_NOTHING = re.compile(r"(?:none|nothing|n/a|-|\u65e0|no changes?)\W*", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9][a-z0-9_.-]{2,}[a-z0-9]|[\u3400-\u9fff]{2}")
_COMMON = frozenset({"that", "this", "with", "from", "have", "will", "should", "must", "when", "then", "than", "into", "were", "been", "they", "them", "your", "their", "there", "about", "which", "would", "could", "only", "also", "because", "decided", "decision", "lesson", "learned", "always", "never", "user", "prefers", "wants"})  # fmt: skip
_NOT_WORDS = bytes(
    each if chr(each).isalnum() or each in b"_.-" or each > ord("~") else 32 for each in range(256)
).lower()


class Claim(NamedTuple):
    """A statement of a day's note that should last: where it stands, what it says, the words it goes by."""

    path: str
    line: int
    text: str
    words: frozenset[str]


def claims_in(text: str) -> list[tuple[int, str]]:
    """Return the lines of a day's note that say what should last, as (line, words)."""
    found = []
    for start in _suspect_rows(text):
        match = _SAID.match(text, start)
        words = match["words"].strip() if match else ""
        if (
            words
            and not _NOTHING.fullmatch(words)
            and not words.endswith((":", "\uff1a"))
            and len(words_of(words)) >= LEAST_WORDS
        ):
            found.append((1 + text.count("\n", 0, start), words))
    return found


def _suspect_rows(text: str) -> list[int]:
    """Return where the lines begin that have a word of what should last in them."""
    starts: set[int] = set()
    for needle in _NEEDLES:
        at = text.find(needle)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = text.find(needle, end) if end >= 0 else -1
    return sorted(starts)


def words_of(text: str) -> frozenset[str]:
    """Return the words that a statement goes by."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


def find_uncarried(
    claims: Iterable[Claim], homes: Iterable[str], read: Callable[[str], str | None]
) -> Iterator[tuple[str, Found]]:
    """Yield, once for each day, what it says that no home has."""
    claims = list(claims)
    wanted = frozenset(word for claim in claims for word in claim.words)
    if not wanted:
        return
    having: dict[str, set[int]] = {}
    for number, path in enumerate(homes):
        for word in _words_in(read(path) or "", wanted):
            having.setdefault(word, set()).add(number)
    told: dict[str, list[Claim]] = {}
    for claim in claims:
        if not _is_carried(claim.words, having):
            told.setdefault(claim.path, []).append(claim)
    for path, found in told.items():
        more = f", nor are {len(found) - 1} more" if len(found) > 1 else ""
        first = found[0]
        yield path, find("durable-only-in-days", first.line, value=first.text, other=more, target=first.text)


def _words_in(text: str, wanted: frozenset[str]) -> frozenset[str]:
    if text.isascii():
        content = text.lower().encode().translate(_NOT_WORDS).decode()
        return wanted & {word.strip(".-_") for word in content.split()}
    return wanted & frozenset(_WORD.findall(text.lower()))


def _is_carried(words: frozenset[str], having: dict[str, set[int]]) -> bool:
    counts: dict[int, int] = {}
    for word in words:
        for number in having.get(word, ()):
            counts[number] = counts.get(number, 0) + 1
    return max(counts.values(), default=0) * 5 >= CARRIED_FIFTHS * len(words)
