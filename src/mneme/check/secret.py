"""Passwords, tokens and private keys that ended up in memory.

A text of any length is first searched for the few things every secret has (a long word, a key block, a word like
`password` before a value), at C speed; only lines that have one are looked at with the exact patterns. Those say what
kind of secret it is, never the secret. Where the extra `secrets` is installed, the patterns that detect-secrets keeps up
are asked about the same lines; another detector can take the place of both.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mneme.check.secret_shapes import byte_marks, find_shapes, marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    # Given a line, yields what kind of secret stands in it, from which character up to which.
    Detector = Callable[[str], Iterable[tuple[str, int, int]]]

LONG_WORD = 20
NAME_REACH = 24
MIN_PASSWORD = 8
MIN_TOKEN = 16
MIN_ENTROPY_BITS = 3.3

_WORD_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_RUN = b"x" * LONG_WORD
_TO_RUNS = bytes(120 if each in _WORD_BYTES else 32 for each in range(256))

_NAMES = ("passw", "pwd", "secret", "token", "key", "passphrase", "credential")
_CJK_NAMES = ("\u5bc6\u7801", "\u53e3\u4ee4", "\u5bc6\u94a5", "\u79c1\u94a5", "\u4ee4\u724c")
_NAME_BYTES = tuple(name.encode() for name in (*_NAMES, *_CJK_NAMES))
_SAID_BYTES = (b"assword", *(name.encode() for name in _CJK_NAMES[:2]))


class Secret(NamedTuple):
    """A secret in a text: what kind, on which line, and where."""

    kind: str
    line: int
    start: int
    end: int


def find_secrets(text: str, detector: Detector | None = None) -> list[Secret]:
    """Return the secrets of a text, in its order."""
    content = text.encode("utf-8", "surrogatepass").replace(b"\r", b"\n")
    found: list[Secret] = []
    number, counted, offset = 1, 0, 0
    for start, end in _suspect_lines(content, narrow=detector is None):
        line = content[start:end].decode("utf-8", "surrogatepass")
        number += content.count(b"\n", counted, start)
        if not text.isascii():
            offset += len(content[counted:start].decode("utf-8", "surrogatepass"))
        else:
            offset = start
        counted = start
        found += [Secret(kind, number, offset + a, offset + b) for kind, a, b in (detector or find_in_line)(line)]
    return found if "\r" not in text else [each._replace(line=_line_at(text, each.start)) for each in found]


def _line_at(text: str, at: int) -> int:
    before = text[:at]
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")


# --- which lines to look at ---------------------------------------------------------------------------------------


def _suspect_lines(content: bytes, *, narrow: bool) -> list[tuple[int, int]]:
    """Return the spans of the lines that have something every secret has, each once, in order.

    With `narrow` a long word is only looked at where one of our own patterns could begin.
    """
    shaped = _lines_at(content, _long_words(content))
    if narrow and shaped:
        joined = b"\n".join([content[start:end] for start, end in shaped])
        if not byte_marks().search(joined):
            shaped = []
    if b"-----BEGIN" in content:
        shaped += _lines_at(content, _mentions(content, b"-----BEGIN"))
    if b":" in content and b"://" in content and (not narrow or b"@" in content):
        shaped += _lines_at(content, _mentions(content, b"://"))
    shaped += _lines_at(content, _named(content))
    return sorted(set(shaped)) if len(shaped) > 1 else shaped


def _lines_at(content: bytes, places: Iterable[int]) -> list[tuple[int, int]]:
    """Return the spans of the lines that some places lie in."""
    spans = []
    end = -1
    for at in places:
        if at >= end:
            start = content.rfind(b"\n", 0, at) + 1
            end = content.find(b"\n", at)
            end = end if end >= 0 else len(content)
            spans.append((start, end))
    return spans


def _mentions(content: bytes, needle: bytes) -> Iterator[int]:
    at = content.find(needle)
    while at >= 0:
        yield at
        line_end = content.find(b"\n", at)
        at = content.find(needle, line_end) if line_end >= 0 else -1


def _long_words(content: bytes) -> Iterator[int]:
    runs = content.translate(_TO_RUNS)
    at = runs.find(_RUN)
    while at >= 0:
        yield at
        line_end = content.find(b"\n", at)
        at = runs.find(_RUN, line_end) if line_end >= 0 else -1


def _named(content: bytes) -> Iterator[int]:
    """Yield where something is named like a secret and given a value: `token = ...`, `the password is ...`."""
    places = [at for name in (_SAID_BYTES[:1] if content.isascii() else _SAID_BYTES) for at in _mentions(content, name)]
    for sign in (b"=", b":") if content.isascii() else (b"=", b":", b"\xef\xbc\x9a"):
        pieces = content.split(sign) if sign in content else []
        ends = [piece[-NAME_REACH:] for piece in pieces[:-1]]
        joined = b"\n".join(ends).lower()
        if any([name in joined for name in _NAME_BYTES]):  # noqa: C419 - a list is quicker than what yields one by one
            starts = accumulate((len(piece) + len(sign) for piece in pieces), initial=0)
            next(starts)
            found = zip(starts, (end.lower() for end in ends), strict=False)
            places += [at - len(sign) for at, end in found if any(name in end for name in _NAME_BYTES)]
    yield from sorted(places)


# --- what stands in a line ----------------------------------------------------------------------------------------


@cache
def _url_login() -> re.Pattern[str]:
    return re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,15}://[^\s:/@]{1,80}:([^\s:/@]{3,80})@[^\s/@]")


@cache
def _assignment() -> re.Pattern[str]:
    names = r"passw(?:or)?d|pwd|passphrase|secret|token|credential|(?:api|access|auth|private|secret|signing)[ _-]?key"
    cjk = "|".join(_CJK_NAMES)
    return re.compile(
        rf"(?:(?<![a-z])(?P<name>{names})s?[\"'`]?(?:\s*[:=\uff1a]\s*|\s+is\s+)"
        rf"|(?P<cjk>{cjk})\s*(?:[:=\uff1a]|\u662f|\u4e3a)\s*)[\"'`]?(?P<value>[^\s\"'`,;\uff0c\u3002]{{{MIN_PASSWORD},200}})",
        re.IGNORECASE,
    )


def find_in_line(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kinds of secret in one line and where each stands; this is the built-in detector."""
    taken: list[tuple[int, int]] = []
    if marks().search(line):
        for kind, start, end in find_shapes(line):
            if not _is_made_up(line[start:end]) and not any(a < end and start < b for a, b in taken):
                taken.append((start, end))
                yield kind, start, end
    if "://" in line and "@" in line:
        for found in _url_login().finditer(line):
            if not _is_placeholder(found[1]):
                taken.append(found.span(1))
                yield "a password in an address", *found.span(1)
    taken.sort()
    lower = line.lower()
    if not any([name in lower for name in (*_NAMES, *_CJK_NAMES)]):  # noqa: C419 - as above
        return
    for found in _assignment().finditer(line):
        start, end = found.span("value")
        name = (found["name"] or "password").lower()
        if not _overlaps(taken, start, end) and _is_strong(found["value"], name):
            yield f"a {name}", start, end


def _overlaps(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Say whether one of some sorted spans shares a character with a stretch."""
    after = bisect_left(spans, (end, end))
    return after > 0 and spans[after - 1][1] > start


def _is_made_up(token: str) -> bool:
    return "EXAMPLE" in token.upper() or len(set(token)) <= 5  # noqa: PLR2004 - `ghp_xxxxxxxx`


def _is_placeholder(value: str) -> bool:
    if value[0] in "<${%*[(" or "..." in value or "\u2026" in value or len(set(value)) <= 2:  # noqa: PLR2004
        return True
    return bool(
        re.fullmatch(
            r"(?i)(?:your|my|the|some)?[-_]?(?:pass(?:word)?|pwd|secret|token|key|user|changeme|example)+", value
        )
    )


def _is_strong(value: str, name: str) -> bool:
    """Say whether a value given to something named like a secret is one, not a word about it."""
    value = value.rstrip(".)]}>!?")
    if len(value) < MIN_PASSWORD or _is_placeholder(value) or _is_made_up(value) or value[0] in "/~@#":
        return False
    letters, digits = re.search(r"[A-Za-z]", value), re.search(r"[0-9]", value)
    marks = re.search(r"[!@#$%^&*+~?]", value)
    if not letters or not (digits or marks) or "://" in value or "(" in value:
        return False
    if "pass" in name or name == "pwd":
        return bool(marks) or _turns(value) >= 2 or not re.search(r"[-_./:]", value)  # noqa: PLR2004
    return len(value) >= MIN_TOKEN and _turns(value) >= 3 and entropy_bits(value) >= MIN_ENTROPY_BITS  # noqa: PLR2004


def _turns(value: str) -> int:
    """Count how often letters turn to digits or back with nothing between: words and dates hardly do."""
    return len(re.findall(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]", value))


def entropy_bits(value: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0
