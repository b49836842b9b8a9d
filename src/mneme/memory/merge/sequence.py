"""Three versions of a sequence, merged: what either side added is there, in an order that knows no first and second.

Items are compared by key. Sequences are aligned on keys that occur once in both (a cell's does), so that a long file
costs no more than its changes; what lies between two common items is a chunk, taken from the side that changed it, or
from both. Positions in, positions out: nothing here knows what an item is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

Pairs = list[tuple[int, int]]

# Between items that are unique nowhere, an exact answer is worth a bounded search and no more.
_EXACT_SEARCH_LIMIT = 250_000


class Slot(NamedTuple):
    """One place of the merged sequence: the positions of the same item in the base and on either side."""

    base: int | None
    one: int | None
    two: int | None


class _Chunk(NamedTuple):
    """A stretch that lies between two items common to all three: from and to positions in each."""

    base: range
    one: range
    two: range


def merge_sequences(
    base: Sequence[Hashable],
    one: Sequence[Hashable],
    two: Sequence[Hashable],
    rank: Callable[[int, int], tuple[str, ...]],
) -> list[Slot]:
    """Return the merged sequence; where both sides added at one place, the chunk of the lower rank comes first.

    `rank(side, position)` is asked for the first new item of each of the two chunks, side 1 or 2.
    """
    to_one, to_two = dict(align(base, one)), dict(align(base, two))
    slots: list[Slot] = []
    for chunk, stable in _chunks(len(base), len(one), len(two), to_one, to_two):
        slots += _merge_chunk(chunk, (base, one, two), (to_one, to_two), rank)
        slots += [stable] if stable else []
    return slots


def _chunks(
    base: int, one: int, two: int, to_one: dict[int, int], to_two: dict[int, int]
) -> Iterator[tuple[_Chunk, Slot | None]]:
    """Yield every chunk with the common item after it; the last one has none."""
    at = at_one = at_two = 0
    for here in range(base):
        if here in to_one and here in to_two:
            stable = Slot(here, to_one[here], to_two[here])
            yield _Chunk(range(at, here), range(at_one, to_one[here]), range(at_two, to_two[here])), stable
            at, at_one, at_two = here + 1, to_one[here] + 1, to_two[here] + 1
    yield _Chunk(range(at, base), range(at_one, one), range(at_two, two)), None


def _merge_chunk(
    chunk: _Chunk,
    keys: tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable]],
    maps: tuple[dict[int, int], dict[int, int]],
    rank: Callable[[int, int], tuple[str, ...]],
) -> list[Slot]:
    was, first, second = ([keys[side][at] for at in places] for side, places in enumerate(chunk))
    if first == second:
        back = {maps[0][here]: here for here in chunk.base if here in maps[0]}
        return [Slot(back.get(at), at, other) for at, other in zip(chunk.one, chunk.two, strict=True)]
    if second == was:
        return _one_side(chunk, 1, maps[0])
    if first == was:
        return _one_side(chunk, 2, maps[1])
    return _both_sides(chunk, (was, first, second), maps, rank)


def _one_side(chunk: _Chunk, side: int, there: dict[int, int]) -> list[Slot]:
    back = {there[here]: here for here in chunk.base if here in there}
    if side == 1:
        return [Slot(back.get(at), at, None) for at in chunk.one]
    return [Slot(back.get(at), None, at) for at in chunk.two]


def _both_sides(
    chunk: _Chunk,
    keys: tuple[list[Hashable], list[Hashable], list[Hashable]],
    maps: tuple[dict[int, int], dict[int, int]],
    rank: Callable[[int, int], tuple[str, ...]],
) -> list[Slot]:
    """Take from both sides what is new, and what was there and neither took away."""
    was, first, second = map(set, keys)
    kept = (first & second) | (first - was) | (second - was)
    sides = []
    for side, places, names, there in ((1, chunk.one, keys[1], maps[0]), (2, chunk.two, keys[2], maps[1])):
        new = next((at for at, name in zip(places, names, strict=True) if name not in was), None)
        first_new = (False, "") if new is None else (True, rank(side, new))
        sides.append((first_new, side, names, _one_side(chunk, side, there)))
    sides.sort(key=itemgetter(0, 1))
    done: set[Hashable] = set()
    slots: list[Slot] = []
    for _, _, names, found in sides:
        slots += [slot for name, slot in zip(names, found, strict=True) if name in kept and name not in done]
        done |= set(names)
    return slots


def align(one: Sequence[Hashable], two: Sequence[Hashable]) -> Pairs:
    """Return the positions of items common to two sequences, ascending in both."""
    pairs: Pairs = []
    todo = [(0, len(one), 0, len(two))]
    while todo:
        low, high, start, end = todo.pop()
        while low < high and start < end and one[low] == two[start]:
            pairs.append((low, start))
            low, start = low + 1, start + 1
        while low < high and start < end and one[high - 1] == two[end - 1]:
            high, end = high - 1, end - 1
            pairs.append((high, end))
        if low == high or start == end:
            continue
        anchors = _unique_common(one, two, (low, high, start, end))
        if not anchors:
            pairs += _exactly(one, two, (low, high, start, end))
            continue
        for at, there in anchors:
            todo.append((low, at, start, there))
            low, start = at, there
        todo.append((low, high, start, end))
    return sorted(set(pairs))


def _unique_common(one: Sequence[Hashable], two: Sequence[Hashable], bounds: tuple[int, int, int, int]) -> Pairs:
    """Return the longest ascending run of items that occur once in both stretches."""
    low, high, start, end = bounds
    ours, theirs = Counter(one[low:high]), Counter(two[start:end])
    places = {two[at]: at for at in range(start, end) if theirs[two[at]] == 1}
    common = [(at, places[one[at]]) for at in range(low, high) if ours[one[at]] == 1 and one[at] in places]
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(common):
        at = bisect_left(tops, there)
        tops[at : at + 1] = [there]
        before.append(ends[at - 1] if at else -1)
        ends[at : at + 1] = [number]
    run: Pairs = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(common[number])
        number = before[number]
    return run[::-1]


def _exactly(one: Sequence[Hashable], two: Sequence[Hashable], bounds: tuple[int, int, int, int]) -> Pairs:
    low, high, start, end = bounds
    if (high - low) * (end - start) > _EXACT_SEARCH_LIMIT:
        return []
    blocks = SequenceMatcher(None, one[low:high], two[start:end], autojunk=False).get_matching_blocks()
    return [(low + block.a + step, start + block.b + step) for block in blocks for step in range(block.size)]
