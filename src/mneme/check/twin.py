"""Cells that say the same, and cells that seem to contradict each other, among any number of cells.

Two claims are alike when their frames are: at least .8 by Jaccard, .6 on one topic. Alike claims say the same or, both
live on one topic, contradict each other. The search is exact and compares few pairs: two alike frames share their
rarest words, so only cells that share a signature of rare words are ever compared. The one limit is a budget of
comparisons, which no ordinary memory reaches; when it is used up the search says so.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from mneme.check.claim import OPPOSED, SAME, Claim, claim_of, compare_claims, framed, likeness, raw_words
from mneme.formats.record import LIVE, PROPOSED, STALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DUPLICATE, CONFLICT = "duplicate", "conflict"

# Likeness in fifths, so that bounds are whole numbers.
ALIKE_FIFTHS, ALIKE_ON_TOPIC_FIFTHS = 4, 3
ALIKE, ALIKE_ON_TOPIC = ALIKE_FIFTHS / 5, ALIKE_ON_TOPIC_FIFTHS / 5

# More than so many cells that differ in nothing but a value are a series (rooms, servers, years), not a quarrel.
SERIES = 4
BUDGET = 2_000_000
CROWDED = 400_000
FEW = 16

# Rows of 13 words or less that are alike to four fifths differ in two words at most; a longer pair has one of 14 and
# none of less than 12.
LONG_PAIR, LONG_PARTNER = 13, 12

# Three fields of a sum, each wide enough for 16 numbers of 17 bits.
CODE_BITS, FIELD_BITS = 17, 21
FIELD_MASK = (1 << FIELD_BITS) - 1

_NO_WORD = frozenset((0,))

ACTIVE_STATES = frozenset((LIVE, STALE, PROPOSED))

Pair = tuple[int, int]


class Twins(NamedTuple):
    """Pairs of cells by index, each `(earlier, later, kind, in what)`; and after how many comparisons it gave up."""

    pairs: list[tuple[int, int, str, str]]
    unfinished: int = 0


def find_twins(gists: Sequence[str], topics: Sequence[str], states: Sequence[str], budget: int = BUDGET) -> Twins:
    """Return the pairs among all cells that say the same or seem to contradict each other, in order."""
    active = [at for at, state in enumerate(states) if state in ACTIVE_STATES and gists[at]]
    search = _Search(gists, topics, states, active, budget)
    search.everywhere()
    search.by_topic()
    return Twins(sorted(search.found.values()), budget if search.left <= 0 else 0)


class _Search:
    """One search: the words of all active cells as numbers, and what was found so far."""

    __slots__ = ("active", "claims", "codes", "echoes", "found", "frames", "gists", "left", "rows", "states", "topics")

    def __init__(
        self, gists: Sequence[str], topics: Sequence[str], states: Sequence[str], active: list[int], budget: int
    ) -> None:
        self.gists, self.topics, self.states, self.active = gists, topics, states, active
        self.left = budget
        self.found: dict[Pair, tuple[int, int, str, str]] = {}
        self.echoes: set[int] = set()
        self.claims: dict[int, Claim] = {}
        self.codes = _Codes()
        code = self.codes.__getitem__
        words = raw_words([gists[at] for at in active])
        self.rows = {at: frozenset(map(code, each)) - _NO_WORD for at, each in zip(active, words, strict=True)}
        self.frames: dict[int, frozenset[int]] = {}

    def everywhere(self) -> None:
        """Find what says the same anywhere: first word for word, then nearly."""
        groups = _groups(self.active, list(map(sum, self.rows.values())))
        alike: dict[frozenset[int], int] = {}
        for at in sorted({at for group in groups for at in group}):
            first = alike.setdefault(self.rows[at], at) if self.rows[at] else at
            if first != at:
                self.echoes.add(at)
                self._judge(first, at, ALIKE_FIFTHS)
        for group in groups:
            self._among([at for at in group if at not in self.echoes], self._row, ALIKE_FIFTHS)
        if any(len(row) > LONG_PAIR for row in self.rows.values()):
            long = [at for at, row in self.rows.items() if len(row) >= LONG_PARTNER and at not in self.echoes]
            self._among(long, self._row, ALIKE_FIFTHS)

    def by_topic(self) -> None:
        """Find, topic by topic, what says nearly the same and what contradicts."""
        topics: dict[str, list[int]] = {}
        for at in self.active:
            name = self.topics[at]
            if name in topics:
                topics[name].append(at)
            else:
                topics[name] = [at]
        topics.pop("", None)
        values = self.codes.values_seen
        for members in topics.values():
            if len(members) > 1:
                if self.echoes:
                    members = [at for at in members if at not in self.echoes]  # noqa: PLW2901 - the same, thinned out
                if values:
                    members = self._singles(members)  # noqa: PLW2901
                self._among(self._sociable(members), self._frame, ALIKE_ON_TOPIC_FIFTHS)

    def _singles(self, members: list[int]) -> list[int]:
        """Return the members of a topic that are not parts of a series; the frames of those with values are noted."""
        series: dict[frozenset[int], list[int]] = {}
        for at in members:
            if not self.codes.values_seen.isdisjoint(self.rows[at]):
                series.setdefault(self._frame(at), []).append(at)
        parts = {at for each in series.values() if len(each) > SERIES for at in each}
        return [at for at in members if at not in parts] if parts else members

    def _sociable(self, members: list[int]) -> list[int]:
        """Return the members of a topic that share enough words with the others for one of them to be alike."""
        frames, least = self.frames, ALIKE_ON_TOPIC_FIFTHS
        rows = [frames.get(at) or self.rows[at] for at in members]
        shared = {word for word, number in Counter(chain.from_iterable(rows)).items() if number > 1}
        if not shared:
            return []
        return [at for at, row in zip(members, rows, strict=True) if len(row & shared) * 5 >= least * len(row)]

    def _row(self, at: int) -> frozenset[int]:
        return self.rows[at]

    def _frame(self, at: int) -> frozenset[int]:
        frame = self.frames.get(at)
        if frame is None:
            kinds = self.codes.kinds
            frame = self.frames[at] = frozenset(kinds.get(code, code) for code in self.rows[at]) - _NO_WORD
        return frame

    def _among(self, members: list[int], words_of: Callable[[int], frozenset[int]], fifths: int) -> None:
        """Judge every pair of a group that is alike enough; a large group is first parted by rare words."""
        if len(members) < 2:  # noqa: PLR2004 - a pair
            return
        sets = {at: words_of(at) for at in members}
        if len(members) <= FEW:
            self._compare(members, sets, fifths)
            return
        for length in (2, 3, 4) if fifths == ALIKE_FIFTHS else (2,):
            buckets = _buckets(sets, fifths, length)
            if sum(len(bucket) ** 2 for bucket in buckets) < CROWDED:
                break
        for bucket in buckets:
            self._compare(bucket, sets, fifths)

    def _compare(self, members: list[int], sets: dict[int, frozenset[int]], fifths: int) -> None:
        for number, one in enumerate(members):
            mine = sets[one]
            for two in members[number + 1 :]:
                other = sets[two]
                shared = len(mine & other)
                if shared and shared * 5 >= fifths * (len(mine) + len(other) - shared):
                    self._judge(one, two, fifths)
            self.left -= len(members) - number - 1
            if self.left <= 0:
                return

    def _judge(self, one: int, two: int, fifths: int) -> None:
        pair = (one, two) if one < two else (two, one)
        values = self.codes.values_seen
        if pair in self.found or (fifths == ALIKE_FIFTHS and self.rows[one] & values != self.rows[two] & values):
            return
        same_topic = bool(self.topics[one]) and self.topics[one] == self.topics[two]
        kind, reason = judge_pair(self._claim(pair[0]), self._claim(pair[1]), same_topic=same_topic)
        both_live = self.states[one] == self.states[two] == LIVE
        if kind == DUPLICATE or (kind == CONFLICT and both_live):
            self.found[pair] = (*pair, kind, reason)

    def _claim(self, at: int) -> Claim:
        claim = self.claims.get(at)
        if claim is None:
            claim = self.claims[at] = claim_of(self.gists[at])
        return claim


class _Codes(dict[str, int]):
    """A number for every word: 0 for one that does not count, else one for its place in the frame, or for its value.

    The low bits of a number are three fields. A word stands in one of them, a value in all three, so that the sum of
    a row keeps apart which third of its words is the same as another's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], int] = {}
        self.kinds: dict[int, int] = {}
        self.values_seen: set[int] = set()

    def __missing__(self, word: str) -> int:
        place, value = framed(word)
        code = self._value(place, value) if value else self._place(place) if place else 0
        self[word] = code
        return code

    def _place(self, place: str) -> int:
        code = self.places.get(place)
        if code is None:
            turn, third = divmod(len(self.places) + 3, 3)
            code = self.places[place] = _scattered(turn) << (third * FIELD_BITS)
        return code

    def _value(self, place: str, value: str) -> int:
        code = self.pairs.get((place, value))
        if code is None:
            low = _scattered(len(self.pairs) + 1)
            code = self.pairs[place, value] = low + (low << FIELD_BITS) + (low << (2 * FIELD_BITS))
            self.kinds[code] = self._place(place) if place else 0
            self.values_seen.add(code)
        return code


def _scattered(number: int) -> int:
    """Return a number of its own for each number, spread over the low bits while there is room."""
    high, low = divmod(number, 1 << CODE_BITS)
    return (low * 40503 % (1 << CODE_BITS)) + (high << (3 * FIELD_BITS + 1))


def _groups(members: Sequence[int], sums: list[int]) -> list[list[int]]:
    """Return groups such that two rows of one stance, alike to four fifths and not long, are in a group together.

    They differ in two words at most, so in one of three fields of their sums they agree.
    """
    groups: list[list[int]] = []
    for field in range(3):
        shift = field * FIELD_BITS
        keys = [(each >> shift) & FIELD_MASK for each in sums] if shift else [each & FIELD_MASK for each in sums]
        if len(set(keys)) == len(keys):
            continue
        crowded = {key for key, number in Counter(keys).items() if number > 1}
        found: dict[int, list[int]] = {}
        for key, at in zip(keys, members, strict=True):
            if key in crowded:
                found.setdefault(key, []).append(at)
        groups += found.values()
    return groups


def _buckets(sets: dict[int, frozenset[int]], fifths: int, length: int) -> list[list[int]]:
    """Return groups such that two sets that are alike to so many fifths are in a group together.

    Of two alike sets the larger part is shared, so the `length` rarest shared words are among the first few of each,
    in any one order of words: every choice of `length` of those first few is a signature.
    """
    counts = Counter(chain.from_iterable(sets.values()))
    rank = {word: at for at, (word, _) in enumerate(sorted(counts.items(), key=itemgetter(1, 0)))}
    by_size: dict[int, tuple[list[int], list[list[int]]]] = {}
    for at, words in sets.items():
        members, rows = by_size.setdefault(len(words), ([], []))
        members.append(at)
        rows.append(sorted(map(rank.__getitem__, words)))
    by_size.pop(0, None)
    plans = [
        (itemgetter(*choice), members, rows)
        for size, (members, rows) in by_size.items()
        for choice in _choices(size, fifths, length)
    ]
    signatures: Counter[object] = Counter()
    for pick, _, rows in plans:
        signatures.update(map(pick, rows))
    crowded = {signature for signature, number in signatures.items() if number > 1}
    groups: dict[object, dict[int, None]] = {}
    if crowded:
        for pick, members, rows in plans:
            for signature, at in zip(map(pick, rows), members, strict=True):
                if signature in crowded:
                    groups.setdefault(signature, {})[at] = None
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _choices(size: int, fifths: int, length: int) -> Iterator[tuple[int, ...]]:
    spare = size - -(-fifths * size // 5)
    length = min(length, size)
    return combinations(range(min(size, spare + length)), length)


def judge_pair(one: Claim, two: Claim, *, same_topic: bool) -> tuple[str, str]:
    """Say whether two claims are duplicates, or in conflict (and in what), or neither."""
    alike = likeness(one.frame, two.frame)
    if alike < (ALIKE_ON_TOPIC if same_topic else ALIKE):
        return "", ""
    kind, reason = compare_claims(one, two)
    if kind == SAME and (same_topic or one.stance == two.stance):
        return DUPLICATE, ""
    return (CONFLICT, reason) if kind == OPPOSED and same_topic else ("", "")
