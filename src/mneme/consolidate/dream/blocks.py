"""What changed between two contents of a file, as edits: entry by entry in a state file, else line by line.

History keeps edits, so that a night costs what it changed and not the whole store. Which blocks stay is found in one
pass over those that are there once on each side, whatever their number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Sequence

# A line of a state file, with the lines of its entry after it.
_BLOCK = re.compile(rb"[^\n]*\n(?:(?: {6}| {4}\})[^\n]*\n?)*|[^\n]+")


def block_edits(before: bytes, after: bytes) -> list[files.Edit]:
    """Return the edits from one content to another, block by block: an entry of a state file, else a line."""
    if before.endswith(b"\n") and after.startswith(before):
        return [files.Edit(len(before), len(before), after[len(before) :])] if len(after) > len(before) else []
    old, new = _blocks(before), _blocks(after)
    starts = [0]
    for block in old:
        starts.append(starts[-1] + len(block))
    edits = []
    at = to = 0
    for first, second in [*_kept_blocks(old, new), (len(old), len(new))]:
        if at < first or to < second:
            edits.append(files.Edit(starts[at], starts[first], b"".join(new[to:second])))
        at, to = first + 1, second + 1
    return edits


def _kept_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> Sequence[tuple[int, int]]:
    """Return the blocks that stay, as pairs of places that rise on both sides.

    They are those alike at both ends, between them those that are the only ones of their kind and keep their order, and
    whatever lies alike beside these: blank lines and rules, which are never the only ones.
    """
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    between = _rising(old[head : len(old) - tail], new[head : len(new) - tail])
    kept = [(at, at) for at in range(head)]
    for at, to in [*((head + at, head + to) for at, to in between), (len(old) - tail, len(new) - tail)]:
        kept += _beside(old, new, kept[-1] if kept else (-1, -1), (at, to))
        if at < len(old) - tail:
            kept.append((at, to))
    return [*kept, *((len(old) - at, len(new) - at) for at in range(tail, 0, -1))]


def _beside(
    old: Sequence[bytes], new: Sequence[bytes], after: tuple[int, int], before: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the blocks between two pairs that lie alike right after the first or right before the second."""
    (at, to), (end, stop) = after, before
    down: list[tuple[int, int]] = []
    while at + 1 < end and to + 1 < stop and old[at + 1] == new[to + 1]:
        at, to = at + 1, to + 1
        down.append((at, to))
    up: list[tuple[int, int]] = []
    while end - 1 > at and stop - 1 > to and old[end - 1] == new[stop - 1]:
        end, stop = end - 1, stop - 1
        up.append((end, stop))
    return down + up[::-1]


def _rising(old: Sequence[bytes], new: Sequence[bytes]) -> Sequence[tuple[int, int]]:
    """Return the longest run of blocks, each the only one of its kind on both sides, whose places rise on both."""
    once = _only(new)
    pairs = [(at, once[block]) for block, at in _only(old).items() if block in once]
    ends: list[int] = []
    runs: list[tuple[int, int, int]] = []  # a pair and which one comes before it
    last: list[int] = []
    for at, to in pairs:
        place = bisect_left(ends, to)
        runs.append((at, to, last[place - 1] if place else -1))
        ends[place : place + 1] = [to]
        last[place : place + 1] = [len(runs) - 1]
    found: list[tuple[int, int]] = []
    one = last[-1] if last else -1
    while one >= 0:
        at, to, one = runs[one]
        found.append((at, to))
    return found[::-1]


def _only(blocks: Sequence[bytes]) -> dict[bytes, int]:
    """Return the blocks that are there once, each with its place."""
    count = Counter(blocks)
    return {block: at for at, block in enumerate(blocks) if count[block] == 1}


def _blocks(content: bytes) -> list[bytes]:
    return _BLOCK.findall(content) if content.startswith(b"{\n") else content.splitlines(keepends=True)
