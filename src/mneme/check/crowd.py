"""Which cells of a crowd may have a twin or a rival: all that have one, and few that have none.

Whole columns at once, with numpy; the rest is left out of the exact search of `check.twin`, whose findings stay what they
would be without it. Words go by numbers here: a token by the first token that reads the same, a place in a frame by its
own. `None` means that the crowd is not to be thinned out cheaply.
"""

from __future__ import annotations

from itertools import combinations, count
from typing import TYPE_CHECKING, Any, NamedTuple

from mneme.check.claim import NUMBER, framed, may_name, plain_text
from mneme.check.lexicon import ROLE_VERBS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[Any]

# A frame of 13 words or less differs from one that is alike to four fifths in two words at most, and in one at most if
# either has less than eight.
LONG, LONG_PARTNER, TWO_APART = 13, 12, 8

COMMON = 16
MOST_PAIRS = 2_000_000
_AT_ONCE = 1 << 15

_PACKED = 8
_LONGEST = 2 * _PACKED
_SLOT_BITS = 20
_ROUNDS = 8
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_WEIGHT_BITS = 40
_FIELDS = 4
_KEY_BITS = 62


class _Words(NamedTuple):
    """The words of all rows that count, side by side: the row, the place in its frame, the value (-1 if it has none)."""

    rows: Numbers
    places: Numbers
    values: Numbers


class _Frames(NamedTuple):
    """The frames of all rows: row and group (topic and place) of each word, sorted by group; each row's size and topic."""

    rows: Numbers
    groups: Numbers
    sizes: Numbers
    topics: Numbers


def find_company(gists: Sequence[str], topics: Sequence[str], *, common: int = COMMON) -> list[int] | None:
    """Return the rows that may have a twin or a rival among the others, in order.

    A word that more than so many cells of a topic have is a `common` one: pairs are looked for by the others.
    """
    import numpy as np

    words = _read(gists)
    named = {topic: number for number, topic in enumerate(dict.fromkeys(topics), 1)}
    named[""] = 0
    numbers = np.fromiter(map(named.__getitem__, topics), np.int64, len(topics))
    if not len(words.rows):
        return []
    row_bits, place_bits = len(gists).bit_length(), int(words.places.max()).bit_length()
    if row_bits + place_bits + len(named).bit_length() > _KEY_BITS:
        return None
    places = words.places > 0
    rows = words.rows[places]
    keys = np.sort((((numbers[rows] << place_bits) | words.places[places]) << row_bits) | rows)
    keys = keys[_firsts(keys)]
    rows, groups = keys & ((1 << row_bits) - 1), keys >> row_bits
    frames = _Frames(rows, groups, np.bincount(rows, minlength=len(gists)), numbers)
    valued = _values(words, len(gists))
    kept = _alike_anywhere(frames, groups & ((1 << place_bits) - 1), valued)
    kept[_alike_on_topic(frames, groups >> place_bits > 0, common, valued, gists)] = True
    found: list[int] = np.flatnonzero(kept).tolist()
    return found


def _firsts(ordered: Numbers) -> Numbers:
    """Say of each of some ordered numbers whether it is the first of its kind."""
    import numpy as np

    return np.concatenate((np.ones(min(1, len(ordered)), bool), ordered[1:] != ordered[:-1]))


# --- words ----------------------------------------------------------------------------------------------------------


def _read(gists: Sequence[str]) -> _Words:
    """Return the words of all gists that count."""
    import numpy as np

    data = b"\n" + plain_text(gists).encode("utf-8", "surrogatepass") + b" " * _LONGEST
    octets = np.frombuffer(data, np.uint8)
    inside = (octets > ord(" ")) | (octets < ord("\t")) | ((octets > ord("\r")) & (octets < 0x1C))  # noqa: PLR2004
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[0::2].copy(), edges[1::2].copy()
    breaks = np.flatnonzero(octets == ord("\n"))
    rows = np.repeat(np.arange(len(gists)), np.diff(np.searchsorted(starts, breaks)))
    firsts, packed = _first_alike(data, starts, ends)
    places, values = _framed(data, starts, ends, np.flatnonzero(firsts == np.arange(len(firsts))), packed)
    places, values = places[firsts], values[firsts]
    counts = (places > 0) | (values >= 0)
    return _Words(rows[counts], places[counts], values[counts])


def _first_alike(data: bytes, starts: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each token one that reads the same (the same one for all of them); and its first eight bytes."""
    import numpy as np

    eight = np.ndarray(shape=(len(data) - _PACKED + 1,), dtype="<u8", buffer=data, strides=(1,))
    sizes = ends - starts
    masks = np.array([(1 << (8 * size)) - 1 for size in range(_PACKED + 1)], np.uint64)
    low = eight[starts] & masks[np.minimum(sizes, _PACKED)]
    high = eight[np.minimum(starts + _PACKED, len(eight) - 1)] & masks[np.clip(sizes - _PACKED, 0, _PACKED)]
    firsts = np.arange(len(starts))
    slots = np.zeros(1 << _SLOT_BITS, np.int64)
    left = np.flatnonzero(sizes <= _LONGEST) if len(sizes) and sizes.max() > _LONGEST else firsts
    for turn in range(_ROUNDS):
        one, two = low[left], high[left]
        mixed = one * np.uint64(_ODD[turn % 4]) ^ two * np.uint64(_ODD[(turn + 1 + turn // 4) % 4])
        slot = (mixed >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
        slots[slot] = left
        found = slots[slot]
        same = (low[found] == one) & (high[found] == two)
        firsts[left[same]] = found[same]
        left = left[~same]
        if not len(left):
            break
    known: dict[bytes, int] = {}
    for at in [*left.tolist(), *np.flatnonzero(sizes > _LONGEST).tolist()]:
        firsts[at] = known.setdefault(data[starts[at] : ends[at]], at)
    return firsts, low


def _framed(data: bytes, starts: Numbers, ends: Numbers, chosen: Numbers, packed: Numbers) -> tuple[Numbers, Numbers]:
    """Return the place in a frame and the value of some tokens, 0 and -1 for the rest."""
    import numpy as np

    places, values = np.zeros(len(starts), np.int64), np.full(len(starts), -1)
    numbered: dict[str, int] = {"": 0, NUMBER: 1}
    known: dict[str, int] = {}
    digits = _are_digits(packed[chosen], (ends - starts)[chosen])
    plain = chosen[digits]
    places[plain], values[plain] = numbered[NUMBER], packed[plain].astype(np.int64)
    others = chosen[~digits]
    spans = zip(starts[others].tolist(), ends[others].tolist(), strict=True)
    for at, (start, end) in zip(others.tolist(), spans, strict=True):
        place, value = framed(data[start:end].decode("utf-8", "surrogatepass"))
        places[at] = numbered.setdefault(place, len(numbered))
        if value:
            values[at] = _number_of(value, known)
    return places, values


def _are_digits(packed: Numbers, sizes: Numbers) -> Numbers:
    """Say of tokens, by their first eight bytes, whether they are nothing but digits, and no more than seven."""
    import numpy as np

    ones = np.array([sum(1 << (8 * at) for at in range(size)) for size in range(_PACKED)] + [0], np.uint64)
    ones = ones[np.minimum(sizes, _PACKED)]
    high, zeros = ones * np.uint64(0xF0), ones * np.uint64(0x30)
    found: Numbers = (ones > 0) & (packed & high == zeros) & ((packed + ones * np.uint64(6)) & high == zeros)
    return found


def _number_of(value: str, known: dict[str, int]) -> int:
    """Return a number of its own for a value: what is packed for one of a few ASCII characters, else an odd high one."""
    content = value.encode("utf-8", "surrogatepass")
    if len(content) < _PACKED:
        return int.from_bytes(content, "little")
    return (1 << _KEY_BITS) + known.setdefault(value, len(known))


# --- values ---------------------------------------------------------------------------------------------------------


class _Values(NamedTuple):
    """The values of all rows: how many each has and what they add up to; of a row with one, its place and itself."""

    counts: Numbers
    sums: Numbers
    place: Numbers
    value: Numbers


def _values(words: _Words, size: int) -> _Values:
    import numpy as np

    at = np.flatnonzero(words.values >= 0)
    at = at[np.lexsort((words.values[at], words.places[at], words.rows[at]))]
    rows, places, values = words.rows[at], words.places[at], words.values[at]
    if len(at):
        first = _firsts(rows) | _firsts(places) | _firsts(values)
        rows, places, values = rows[first], places[first], values[first]
    place, value = np.zeros(size, np.int64), np.zeros(size, np.int64)
    place[rows], value[rows] = places, values
    weights = _weights(values.astype(np.uint64) * np.uint64(_ODD[1]) + places.astype(np.uint64))
    sums = np.bincount(rows, weights, size).astype(np.uint64)
    return _Values(np.bincount(rows, minlength=size), sums, place, value)


def _weights(numbers: Numbers) -> Numbers:
    """Return a scattered number for each number: small enough for a sum of thousands of them to be exact."""
    import numpy as np

    mixed = numbers.astype(np.uint64) * np.uint64(_ODD[0])
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(_ODD[2])
    return (mixed >> np.uint64(64 - _WEIGHT_BITS)).astype(np.float64)


# --- alike anywhere -------------------------------------------------------------------------------------------------


def _alike_anywhere(frames: _Frames, places: Numbers, valued: _Values) -> Numbers:
    """Say which rows may be alike to another to four fifths, with the same values.

    The words of a row fall into four fields. Of two rows that differ in one word three fields agree, in two words two.
    """
    import numpy as np

    total = len(frames.sizes)
    size = frames.sizes + valued.counts
    sums = np.bincount(frames.rows * _FIELDS + places % _FIELDS, _weights(places), total * _FIELDS)
    fields = sums.astype(np.uint64).reshape(total, _FIELDS).T
    kept = (size >= LONG_PARTNER) if size.max() > LONG else np.zeros(total, bool)
    for agreeing, rows in (
        (_FIELDS - 1, np.flatnonzero((size > 0) & (size <= TWO_APART))),
        (_FIELDS - 2, np.flatnonzero((size >= TWO_APART) & (size <= LONG))),
    ):
        for chosen in combinations(range(_FIELDS), agreeing):
            keys = valued.sums[rows]
            for field in chosen:
                keys = keys * np.uint64(_ODD[1]) + fields[field][rows] * np.uint64(_ODD[field])
            ordered = np.sort(keys)
            again = ordered[~_firsts(ordered)]
            if len(again):
                kept[rows[np.isin(keys, again)]] = True
    return kept


# --- alike on a topic -----------------------------------------------------------------------------------------------


def _alike_on_topic(frames: _Frames, told: Numbers, common: int, valued: _Values, gists: Sequence[str]) -> Numbers:
    """Return rows that may be alike to another on their topic to three fifths, and are not plainly of something else."""
    import numpy as np

    rows, groups = frames.rows[told], frames.groups[told]
    for _ in range(2):
        # Only rows that share three fifths of their words with others, each word with any.
        counts = _group_sizes(groups)
        shared = np.bincount(rows[counts > 1], minlength=len(frames.sizes))
        some = (counts > 1) & (5 * shared >= 3 * frames.sizes)[rows]
        rows, groups = rows[some], groups[some]
    if not len(rows):
        return rows
    pairs = _pairs(rows, groups, frames, common)
    if pairs is None:
        return rows
    one, two = pairs
    alike, within = _compare(frames, one, two)
    one, two = one[alike], two[alike]
    apart = ~within[alike] & _rival(valued, one, two)
    named = np.zeros(len(gists), bool)
    named[one[apart]] = named[two[apart]] = True
    suspects = np.flatnonzero(named)
    named[suspects] = _may_name([gists[at] for at in suspects.tolist()])
    kept = ~apart | named[one] | named[two]
    return np.concatenate((one[kept], two[kept]))


def _group_sizes(groups: Numbers) -> Numbers:
    """Return for each of some ordered numbers how many there are of its kind."""
    import numpy as np

    edges = np.append(np.flatnonzero(_firsts(groups)), len(groups))
    sizes = np.diff(edges)
    return np.repeat(sizes, sizes)


def _pairs(rows: Numbers, groups: Numbers, frames: _Frames, limit: int) -> tuple[Numbers, Numbers] | None:
    """Return pairs of rows that may be alike; None if they are too many.

    The smaller row of an alike pair has three quarters of its words from the other. If fewer of them are common ones,
    the two share a rare word; if not, it is paired with every row of its topic that is no smaller.
    """
    import numpy as np

    sizes, counts = frames.sizes, _group_sizes(groups)
    common = np.bincount(rows[counts > limit], minlength=len(sizes))
    one, two = _sharing(rows[counts <= limit], groups[counts <= limit])
    keys = np.sort(one * len(sizes) + two)
    times = _group_sizes(keys)[_firsts(keys)]
    one, two = np.divmod(keys[_firsts(keys)], len(sizes))
    enough = 8 * (times + np.minimum(common[one], common[two])) >= 3 * (sizes[one] + sizes[two])
    heavy = _with_heavy(np.flatnonzero(np.bincount(rows)), common, frames)
    if heavy is None or len(keys) > MOST_PAIRS:
        return None
    keys = np.unique(np.concatenate((keys[_firsts(keys)][enough], heavy)))
    one, two = np.divmod(keys, len(sizes))
    return one, two


def _sharing(rows: Numbers, groups: Numbers) -> tuple[Numbers, Numbers]:
    """Return every two rows of one group, the lower one first; the rows of a group stand together, in order."""
    import numpy as np

    lower, higher = [rows[:0]], [rows[:0]]
    for step in count(1):
        both = np.flatnonzero(groups[step:] == groups[:-step])
        if not len(both):
            break
        lower.append(rows[both])
        higher.append(rows[both + step])
    return np.concatenate(lower), np.concatenate(higher)


def _with_heavy(rows: Numbers, common: Numbers, frames: _Frames) -> Numbers | None:
    """Return, as one number each, the pairs of a row of common words and a larger one of its topic."""
    import numpy as np

    rows = rows[np.argsort(frames.topics[rows], kind="stable")]
    heavy = rows[4 * common[rows] >= 3 * frames.sizes[rows]]
    topics = frames.topics[rows]
    starts = np.searchsorted(topics, frames.topics[heavy])
    members = np.searchsorted(topics, frames.topics[heavy], side="right") - starts
    if members.sum() > MOST_PAIRS:
        return None
    one = np.repeat(heavy, members)
    within = np.arange(len(one)) - np.repeat(np.cumsum(members) - members, members)
    two = rows[np.repeat(starts, members) + within]
    larger = (frames.sizes[two] >= frames.sizes[one]) & (one != two)
    one, two = one[larger], two[larger]
    keys: Numbers = np.minimum(one, two) * len(frames.sizes) + np.maximum(one, two)
    return keys


def _compare(frames: _Frames, one: Numbers, two: Numbers) -> tuple[Numbers, Numbers]:
    """Say of pairs whether they are alike to three fifths, and whether one has all the words of the other."""
    import numpy as np

    sizes = frames.sizes
    inside = np.zeros(len(sizes), bool)
    inside[one] = inside[two] = True
    some = inside[frames.rows]
    rows, groups = frames.rows[some], frames.groups[some]
    order = np.argsort(rows, kind="stable")
    rows, groups = rows[order], groups[order]
    row_of = np.cumsum(inside) - 1
    width = int(sizes[inside].max()) if len(rows) else 0
    column = np.arange(len(rows)) - np.flatnonzero(_firsts(rows))[row_of[rows]]
    shared = np.zeros(len(one), np.int64)
    if len(rows):
        table = np.zeros((int(inside.sum()), width), np.int64)
        table[row_of[rows], column] = groups + 1
        step = max(1, _AT_ONCE // width)
        for at in range(0, len(one), step):
            mine, other = table[row_of[one[at : at + step]]], table[row_of[two[at : at + step]]]
            same = (mine[:, :, None] == other[:, None, :]) & (mine > 0)[:, :, None]
            shared[at : at + step] = same.sum((1, 2))
    alike = 8 * shared >= 3 * (sizes[one] + sizes[two])
    return alike, shared == np.minimum(sizes[one], sizes[two])


def _rival(valued: _Values, one: Numbers, two: Numbers) -> Numbers:
    """Say of pairs whether each has one value, of one kind, and not the same."""
    single = (valued.counts[one] == 1) & (valued.counts[two] == 1) & (valued.place[one] > 0)
    rival: Numbers = single & (valued.place[one] == valued.place[two]) & (valued.value[one] != valued.value[two])
    return rival


def _may_name(gists: Sequence[str]) -> list[bool]:
    """Say of each gist whether it may hold a name or a role."""
    import numpy as np

    text = "\n" + "\n".join(gists)
    if text.isascii() and not any(verb in text for verb in ROLE_VERBS):
        octets = np.frombuffer(text.encode(), np.uint8)
        capital = (octets >= ord("A")) & (octets <= ord("Z"))
        if not (capital[1:] & (octets[:-1] != ord("\n"))).any():
            return [False] * len(gists)
    return [may_name(gist) for gist in gists]
