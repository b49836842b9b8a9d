"""What is said of what was found: a few quotes with their sources, within the limit, as data and not as a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.formats.told import told_line
from mneme.recall.active.question import HEADER, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.recall.answer import Hit

_NOTHING = frozenset(
    {
        *("", "none", "no_reply", "no reply", "nothing useful", "no relevant memory", "no relevant memories"),
        *("timeout", "[]", "{}", "null", "n/a", "empty"),
    }
)
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKUP = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?|^#+\s+|\*\*|`", re.MULTILINE)
LEAST_QUOTE_CHARS = 24
LONGEST_SUMMARY_CHARS = 2000  # beyond what any setting allows


def is_nothing(text: str) -> bool:
    """Say whether an answer means that there is nothing to say."""
    return text.strip().strip("\"'`.").strip().lower() in _NOTHING


def cut(text: str, longest: int) -> str:
    """Return a text on one line, no longer than this, and ending where a word ends."""
    text = " ".join(_UNSEEN.sub(" ", text).split())
    if len(text) <= longest:
        return text
    head = text[:longest]
    if text[longest] != " " and " " in head:
        head = head.rsplit(" ", 1)[0]
    return head.rstrip()


def quotes(hits: Sequence[Hit], longest: int) -> str:
    """Return what the hits say, quoted, each with its source and what it may be used for, as many as there is room for."""
    parts: list[str] = []
    room = longest
    for hit in hits:
        said = _quote(hit, room - (2 if parts else 0))
        if not said:
            break
        parts.append(said)
        room -= len(said) + 2
    return "; ".join(parts)


def _quote(hit: Hit, room: int) -> str:
    label = "" if hit.trust == "use" else f", {hit.trust}"
    source = f" [{hit.source}{label}]"
    text = " ".join(_MARKUP.sub("", hit.text.partition("\n")[0] or hit.text).split())
    left = room - len(source) - 2
    if left < min(LEAST_QUOTE_CHARS, len(text)):
        return ""
    return f'"{cut(text, left)}"{source}'


def block(summary: str) -> str:
    """Return the summary as it is put before a prompt; nothing for nothing."""
    if is_nothing(summary):
        return ""
    return f"{HEADER}\n<{TAG}>\n{told_line(summary, LONGEST_SUMMARY_CHARS)}\n</{TAG}>"


# A summary that somebody wrote is held against its sources by what can be checked: numbers, names, and most words.
_WORD = re.compile(r"(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[^\W\d_]){4,}|\d[\w.:/-]*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_LEAST_SHARE = 0.6
_TELLING = frozenset(
    {"user", "prefers", "wants", "likes", "uses", "said", "that", "with", "this", "they", "their", "from"}
)


def unsupported(summary: str, sources: Iterable[str]) -> str:
    """Return what of a summary its sources don't say: a number, a name, or too many words; empty where they say it."""
    told = "\n".join(sources)
    folded = told.lower()
    for number in re.findall(r"\d[\w.:/-]*", summary):
        if number.rstrip(".:-/") not in told:
            return str(number)
    names = re.findall(r"(?<![.!?]\s)(?<!\A)\b[A-Z][\w-]+", summary)
    missing = next((name for name in names if name.lower() not in folded), "")
    if missing:
        return str(missing)
    words = [word.lower() for word in _WORD.findall(summary)] + _CJK.findall(summary)
    words = [word for word in words if word not in _TELLING]
    unknown = [word for word in words if word[:5] not in folded]
    return str(unknown[0]) if words and 1 - len(unknown) / len(words) < _LEAST_SHARE else ""
