"""Pointers: the lines of an index, `- [Title](path) - description`.

Reads them wherever they stand, with any dash or a colon between, and prints new ones in the one form we write. A line
that only begins with a link is a pointer too: a missing description is for a check to mention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mneme.formats.block import ITEM

if TYPE_CHECKING:
    from mneme.formats.span import Lines

DASH = "\u2014"

_POINTER = re.compile(
    r"(?P<lead>[ \t]*(?:[-*+\u2022]|[0-9]{1,9}[.)])[ \t]+)(?:\[[^\[\]\n]?\][ \t]+)?(?P<mark>\*\*|__)?"
    r"\[(?P<title>(?:[^\[\]\\]++|\\.|\[(?:[^\[\]\\]++|\\.)*+\])*+)\]"
    r"""\((?:<(?P<angled>[^<>]*+)>|(?P<bare>(?:[^\s()\\]++|\\.|\([^\s()]*+\))*+))(?:[ \t]+"[^"]*+")?[ \t]*\)"""
    r"(?:\*\*|__)?(?P<between>[ \t]*(?:[\u2014\u2013:\uff1a]|--?|\u2500|\u2014\u2014)[ \t]*)?(?P<rest>.*)"
)
_PLAIN_PATH = re.compile(r"[^\s()<>\\]+")
_AWKWARD = re.compile(r"[<>\\#\n\r]|%(?=[0-9A-Fa-f]{2})")
_BRACKET = re.compile(r"([\[\]\\])")


@dataclass(frozen=True, slots=True)
class Pointer:
    """One line of an index: what it calls a file, where that lies, and what it says of it."""

    title: str
    path: str
    anchor: str
    description: str
    target: str
    separator: str
    start: int
    end: int
    line: int
    target_start: int
    target_end: int
    description_start: int

    @property
    def length(self) -> int:
        """Return how many characters the line has."""
        return self.end - self.start


def parse_pointers(lines: Lines, kinds: bytearray) -> tuple[Pointer, ...]:
    """Read every index line of a text, in order."""
    if "](" not in lines.flat:
        return ()
    return tuple(
        _pointer(lines, index, match)
        for index, row in enumerate(lines.rows)
        if kinds[index] == ITEM and "](" in row and (match := _POINTER.match(row))
    )


def _pointer(lines: Lines, index: int, match: re.Match[str]) -> Pointer:
    start = lines.starts[index]
    group = "bare" if match["angled"] is None else "angled"
    target = match[group]
    path, _, anchor = re.sub(r"\\(.)", r"\1", target).partition("#")
    rest = match["rest"].rstrip()
    return Pointer(
        match["title"],
        unquote(path, errors="surrogateescape"),
        unquote(anchor, errors="surrogateescape"),
        rest,
        target,
        (match["between"] or "").strip(),
        start,
        lines.end_of(index),
        index + 1,
        start + match.start(group),
        start + match.end(group),
        min(start + match.start("rest"), lines.end_of(index)),
    )


def find_pointer(text: str) -> str:
    """Return the path that a line without its marker begins by linking to; empty where it begins otherwise."""
    match = _POINTER.match(f"- {text}")
    target = (match["bare"] if match["angled"] is None else match["angled"]) if match else ""
    return unquote(re.sub(r"\\(.)", r"\1", target).partition("#")[0], errors="surrogateescape")


def print_pointer(title: str, path: str, description: str = "", bullet: str = "-") -> str:
    """Write an index line."""
    words = _BRACKET.sub(r"\\\1", " ".join(title.split()))
    target = _AWKWARD.sub(_percent, path)
    if not _PLAIN_PATH.fullmatch(target):
        target = f"<{target}>"
    said = " ".join(description.split())
    return f"{bullet} [{words}]({target}) {DASH} {said}" if said else f"{bullet} [{words}]({target})"


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
