"""Marked regions: the parts of a person's file that a program owns.

A region lies between `<!-- mneme:NAME:start -->` and `<!-- mneme:NAME:end -->`; those of OpenClaw's dreaming and its
promotion markers are recognised so that they can be kept, skipped and never taken for a person's words. A marker
without its partner is reported and owns nothing: text is never given up to a program by mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.errors import ERROR, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.formats.block import Comment
    from mneme.formats.span import Lines

MNEME, OPENCLAW = "mneme", "openclaw"
INDEX, PROMOTED, SUMMARY, PALACE = "index", "promoted", "summary", "palace"
NAMES = (INDEX, PROMOTED, SUMMARY, PALACE)

_MARK = re.compile(r"<!--\s*(mneme|openclaw):([a-z0-9]+(?:[-_:][a-z0-9]+)*):(start|end)\s*-->")
_PROMOTION = re.compile(r"<!--\s*openclaw-memory-promotion:(.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Region:
    """A region from its start marker to its end marker; `inner_start` to `inner_end` is what the program wrote."""

    owner: str
    name: str
    start: int
    end: int
    line: int
    end_line: int
    inner_start: int
    inner_end: int


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion marker, and the key of the recall entry that it stands for."""

    key: str
    start: int
    end: int
    line: int


def parse_regions(
    lines: Lines, comments: Iterable[Comment], path: str = ""
) -> tuple[tuple[Region, ...], tuple[Problem, ...]]:
    """Pair the markers among a text's comments; what does not pair is a problem and no region."""
    regions: list[Region] = []
    problems: list[Problem] = []
    names: set[tuple[str, str]] = set()
    opened: tuple[Comment, tuple[str, str]] | None = None
    for comment in comments:
        match = _MARK.fullmatch(comment.text)
        if match is None:
            continue
        name = (match[1], match[2])
        if match[3] == "start":
            if opened:
                problems.append(_problem(path, opened[0], f"region '{opened[1][1]}' has no end marker"))
            opened = (comment, name)
        elif opened is None or opened[1] != name:
            problems.append(_problem(path, comment, f"end marker of region '{match[2]}' has no start"))
        else:
            if name in names:
                problems.append(_problem(path, opened[0], f"region '{match[2]}' is in the file twice"))
            names.add(name)
            regions.append(_region(lines, name, opened[0], comment))
            opened = None
    if opened:
        problems.append(_problem(path, opened[0], f"region '{opened[1][1]}' has no end marker"))
    return tuple(regions), tuple(problems)


def _problem(path: str, comment: Comment, message: str) -> Problem:
    return Problem(path, comment.line, "broken-region", ERROR, message)


def _region(lines: Lines, name: tuple[str, str], first: Comment, last: Comment) -> Region:
    """Return the region between two markers; its content is whole lines when the markers stand alone on theirs."""
    inner_start, inner_end = first.end, last.start
    if first.alone and last.alone and last.line > first.end_line:
        inner_start = lines.after(first.end_line - 1)
        inner_end = lines.starts[last.line - 1]
    return Region(*name, first.start, last.end, first.line, last.end_line, inner_start, inner_end)


def parse_promotions(comments: Iterable[Comment]) -> tuple[Promotion, ...]:
    """Return the promotion markers among a text's comments."""
    return tuple(
        Promotion(match[1], comment.start, comment.end, comment.line)
        for comment in comments
        if (match := _PROMOTION.fullmatch(comment.text))
    )


def start_marker(name: str, owner: str = MNEME) -> str:
    """Return the line that opens a region."""
    return f"<!-- {owner}:{name}:start -->"


def end_marker(name: str, owner: str = MNEME) -> str:
    """Return the line that closes a region."""
    return f"<!-- {owner}:{name}:end -->"
