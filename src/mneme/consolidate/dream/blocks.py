"""What changed between two contents of a file, as edits: entry by entry in a state file, else line by line.

History keeps edits, so that a night costs what it changed and not the whole store. Which blocks stay is found in one
pass over those that are there once on each side, whatever their number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Sequence


def block_edits(before: bytes, after: bytes) -> list[files.Edit]:
    """Return the edits from one content to another, block by block: an entry of a state file, else a line."""
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

    They are those alike at both ends, and between them those that are the only ones of their kind and keep their order.
    """
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    between = _rising(old[head : len(old) - tail], new[head : len(new) - tail])
    return [
        *((at, at) for at in range(head)),
        *((head + at, head + to) for at, to in between),
        *((len(old) - at, len(new) - at) for at in range(tail, 0, -1)),
    ]


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
    rows = content.splitlines(keepends=True)
    if not content.startswith(b"{\n"):
        return rows
    blocks: list[bytes] = []
    for row in rows:
        if (blocks and row.startswith(b"      ")) or row.startswith(b"    }"):
            blocks[-1] += row
        else:
            blocks.append(row)
    return blocks
