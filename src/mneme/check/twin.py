"""Cells that say the same, and cells that seem to contradict each other, among any number of cells.

Two claims are alike when their frames are: at least .8 by Jaccard, .6 on one topic. Alike claims say the same or, both
live on one topic, contradict each other. The search is exact and compares few pairs: two alike frames share their
rarest words, so only cells that share a signature of rare words are ever compared. The one limit is a budget of
comparisons, which no ordinary memory reaches; when it is used up the search says so.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from itertools import chain, combinations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from mneme.check.claim import OPPOSED, SAME, Claim, claim_of, compare_claims, framed, likeness, may_name, raw_words
from mneme.formats.columns import collector_off
from mneme.formats.record import LIVE, PROPOSED, STALE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DUPLICATE, CONFLICT = "duplicate", "conflict"

# Likeness in fifths, so that bounds are whole numbers.
ALIKE_FIFTHS, ALIKE_ON_TOPIC_FIFTHS = 4, 3
ALIKE, ALIKE_ON_TOPIC = ALIKE_FIFTHS / 5, ALIKE_ON_TOPIC_FIFTHS / 5

# More than so many cells that differ in nothing but a value are a series (rooms, servers, years), not a quarrel.
SERIES = 4
BUDGET = 2_000_000
SIGNATURE = 2
FEW = 16

# Rows of 13 words or less that are alike to four fifths differ in two words at most; a longer pair has one of 14 and
# none of less than 12.
LONG_PAIR, LONG_PARTNER = 13, 12

# Of two alike rows, only those of eight words or more can differ in two.
TWO_APART = 8

# From so many cells on, those without company are sorted out first.
CROWD = 5000

# Four fields of a sum, each wide enough for 16 numbers of 18 bits.
CODE_BITS, FIELD_BITS = 18, 22
_FIELDS = [((1 << FIELD_BITS) - 1) << (field * FIELD_BITS) for field in range(4)]
_TWO_FIELDS = tuple(map(sum, combinations(_FIELDS, 2)))
_IN_ALL_FIELDS = sum(1 << (field * FIELD_BITS) for field in range(4))

NO_WORD = 0
_NO_WORDS = frozenset((NO_WORD,))

ACTIVE_STATES = frozenset((LIVE, STALE, PROPOSED))

Pair = tuple[int, int]


class Twins(NamedTuple):
    """Pairs of cells by index, each `(earlier, later, kind, in what)`; and after how many comparisons it gave up."""

    pairs: list[tuple[int, int, str, str]]
    unfinished: int = 0


def find_twins(gists: Sequence[str], topics: Sequence[str], states: Sequence[str], budget: int = BUDGET) -> Twins:
    """Return the pairs among all cells that say the same or seem to contradict each other, in order."""
    with collector_off():
        active = [
            at for at, (gist, state) in enumerate(zip(gists, states, strict=True)) if gist and state in ACTIVE_STATES
        ]
        search = _Search(_in_company(active, gists, topics), gists, topics, states, budget)
        search.everywhere()
        search.by_topic()
    return Twins(search.pairs(), budget if search.left <= 0 else 0)


def _in_company(active: list[int], gists: Sequence[str], topics: Sequence[str]) -> list[int]:
    """Return of many cells those that may have a twin or a rival, where that can be told at a glance; else all."""
    if len(active) < CROWD or find_spec("numpy") is None:
        return active
    from mneme.check.crowd import find_company

    whole = len(active) == len(gists)
    found = (
        find_company(gists, topics)
        if whole
        else find_company(*([each[at] for at in active] for each in (gists, topics)))
    )
    return active if found is None else [active[at] for at in found]


class _Search:
    """One search: the words of all cells in force as sets of numbers, and what was found so far.

    Within a search a cell goes by its place among the cells in force.
    """

    __slots__ = (
        "_claims",
        "active",
        "codes",
        "echoes",
        "found",
        "frames",
        "gists",
        "left",
        "rows",
        "states",
        "topics",
    )

    def __init__(
        self, active: list[int], gists: Sequence[str], topics: Sequence[str], states: Sequence[str], budget: int
    ) -> None:
        self.active = active
        self.gists, self.topics, self.states = ([each[at] for at in self.active] for each in (gists, topics, states))
        self.codes = _Codes()
        code = self.codes.__getitem__
        self.rows = [frozenset(map(code, words)) - _NO_WORDS for words in raw_words(self.gists)]
        kinds = self.codes.kinds
        self.frames = [frozenset(map(kinds.get, row, row)) - _NO_WORDS for row in self.rows] if kinds else self.rows
        self.left = budget
        self.echoes: set[int] = set()
        self.found: dict[Pair, tuple[str, str]] = {}
        self._claims: dict[int, Claim] = {}

    def pairs(self) -> list[tuple[int, int, str, str]]:
        """Return what was found, by the numbers that the cells came with."""
        return sorted((self.active[one], self.active[two], *what) for (one, two), what in self.found.items())

    def everywhere(self) -> None:
        """Find what says the same anywhere: first word for word, then nearly."""
        groups = _groups(self.rows)
        first_of: dict[frozenset[int], int] = {}
        for at in sorted(set(chain.from_iterable(groups))):
            row = self.rows[at]
            first = first_of.setdefault(row, at) if row else at
            if first != at:
                self.echoes.add(at)
                self._judge(first, at, ALIKE_FIFTHS)
        if max(map(len, self.rows), default=0) > LONG_PAIR:
            groups.append([at for at, row in enumerate(self.rows) if len(row) >= LONG_PARTNER])
        for group in groups:
            self._among([at for at in group if at not in self.echoes], self.rows, ALIKE_FIFTHS)

    def by_topic(self) -> None:
        """Find, topic by topic, what says nearly the same and what contradicts."""
        topics: dict[str, list[int]] = {}
        for at, name in enumerate(self.topics):
            if name in topics:
                topics[name].append(at)
            else:
                topics[name] = [at]
        topics.pop("", None)
        for members in topics.values():
            if len(members) > 1:
                self._among(self._sociable(self._singles(members)), self.frames, ALIKE_ON_TOPIC_FIFTHS)

    def _singles(self, members: list[int]) -> list[int]:
        """Return the members of a topic that are neither echoes of another cell nor parts of a series."""
        if self.echoes:
            members = [at for at in members if at not in self.echoes]
        if self.frames is self.rows or len(members) <= SERIES:
            return members
        rows, frames = self.rows, self.frames
        valued = [at for at in members if frames[at] != rows[at]]
        sizes = Counter(frames[at] for at in valued) if len(valued) > SERIES else Counter()
        if not sizes or max(sizes.values()) <= SERIES:
            return members
        parts = {at for at in valued if sizes[frames[at]] > SERIES}
        return [at for at in members if at not in parts]

    def _sociable(self, members: list[int]) -> list[int]:
        """Return the members of a topic that share enough words with the others for one of them to be alike."""
        rows = [self.frames[at] for at in members]
        shared = {word for word, number in Counter(chain.from_iterable(rows)).items() if number > 1}
        if not shared:
            return []
        return [at for at, row in zip(members, rows, strict=True) if len(row & shared) * 5 >= len(row) * 3]

    def _among(self, members: list[int], sets: Sequence[frozenset[int]], fifths: int) -> None:
        """Judge every pair of a group that is alike enough; in a large group, those that share rare words."""
        if len(members) < 2:  # noqa: PLR2004 - a pair
            return
        few = len(members) <= FEW
        pairs = combinations(members, 2) if few else _candidates({at: sets[at] for at in members}, fifths)
        for one, two in pairs:
            mine, other = sets[one], sets[two]
            shared = len(mine & other)
            if shared and shared * 5 >= fifths * (len(mine) + len(other) - shared):
                self._judge(one, two, fifths)
            self.left -= 1
            if self.left <= 0:
                return

    def _judge(self, one: int, two: int, fifths: int) -> None:
        pair = (one, two) if one < two else (two, one)
        values = self.codes.values_seen
        if pair in self.found or (fifths == ALIKE_FIFTHS and self.rows[one] & values != self.rows[two] & values):
            return
        if fifths == ALIKE_ON_TOPIC_FIFTHS and self._plainly_apart(one, two):
            return
        same_topic = bool(self.topics[one]) and self.topics[one] == self.topics[two]
        kind, reason = judge_pair(self._claim(pair[0]), self._claim(pair[1]), same_topic=same_topic)
        both_live = self.states[one] == self.states[two] == LIVE
        if kind == DUPLICATE or (kind == CONFLICT and both_live):
            self.found[pair] = kind, reason

    def _plainly_apart(self, one: int, two: int) -> bool:
        """Say, without a look at the claims, whether two cells have rival values but other things to say them of."""
        first, second, frames = self.rows[one], self.rows[two], self.frames
        kinds = self.codes.kinds
        rival = {kinds.get(code) for code in first - second} & {kinds.get(code) for code in second - first} - {None}
        if not rival or frames[one] <= frames[two] or frames[two] <= frames[one]:
            return False
        return not (may_name(self.gists[one]) or may_name(self.gists[two]))

    def _claim(self, at: int) -> Claim:
        claim = self._claims.get(at)
        if claim is None:
            claim = self._claims[at] = claim_of(self.gists[at])
        return claim


class _Codes(dict[str, int]):
    """A number for every word: `NO_WORD` for one that does not count, else one for its place or for its value.

    The low bits of a number are four fields. A word stands in one of them, a value in all four, so that the sum of a
    row keeps apart which quarter of its words is the same as another's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], int] = {}
        self.kinds: dict[int, int] = {}
        self.values_seen: set[int] = set()

    def __missing__(self, word: str) -> int:
        place, value = framed(word)
        code = self._value(place, value) if value else self._place(place) if place else NO_WORD
        self[word] = code
        return code

    def _place(self, place: str) -> int:
        code = self.places.get(place)
        if code is None:
            turn, field = divmod(len(self.places) + 4, 4)
            code = self.places[place] = _scattered(turn) << (field * FIELD_BITS)
        return code

    def _value(self, place: str, value: str) -> int:
        code = self.pairs.get((place, value))
        if code is None:
            code = self.pairs[place, value] = _scattered(len(self.pairs) + 1) * _IN_ALL_FIELDS
            self.kinds[code] = self._place(place) if place else NO_WORD
            self.values_seen.add(code)
        return code


def _scattered(number: int) -> int:
    """Return a number of its own for each number, spread over the low bits while there is room."""
    high, low = divmod(number, 1 << CODE_BITS)
    return (low * 40503 % (1 << CODE_BITS)) + (high << (4 * FIELD_BITS))


def _groups(rows: Sequence[frozenset[int]]) -> list[list[int]]:
    """Return groups such that two rows of one stance, alike to four fifths and not long, are in a group together.

    Two of eight words and nine, or fewer, differ in one word at most: the sum of one is that of the other, less a word.
    Longer ones differ in two words, so they agree in two of the four fields.
    """
    sums = list(map(sum, rows))
    longer = [at for at, row in enumerate(rows) if len(row) >= TWO_APART]
    return [*_one_apart(rows, sums), *_agreeing(longer, sums)]


def _one_apart(rows: Sequence[frozenset[int]], sums: list[int]) -> list[list[int]]:
    """Return the groups of equal rows, and each row with those that have one word less."""
    known = set(sums)
    larger = [at for at, row in enumerate(rows) if not known.isdisjoint(map(sums[at].__sub__, row))]
    if len(known) == len(sums) and not larger:
        return []
    same: dict[int, list[int]] = {}
    for at, total in enumerate(sums):
        same.setdefault(total, []).append(at)
    groups = [group for group in same.values() if len(group) > 1]
    return groups + [[at, *same[sums[at] - word]] for at in larger for word in rows[at] if sums[at] - word in same]


def _agreeing(members: Sequence[int], sums: list[int]) -> list[list[int]]:
    """Return the groups of rows whose sums agree in two fields."""
    groups: list[list[int]] = []
    for mask in _TWO_FIELDS:
        keys = [sums[at] & mask for at in members]
        seen: set[int] = set()
        add = seen.add
        again = {key for key in keys if key in seen or add(key)}
        if again:
            found: dict[int, list[int]] = {}
            for key, at in zip(keys, members, strict=True):
                if key in again:
                    found.setdefault(key, []).append(at)
            groups += found.values()
    return groups


def _candidates(sets: dict[int, frozenset[int]], fifths: int) -> Iterator[Pair]:
    """Yield pairs of sets, every pair that is alike to so many fifths among them.

    Of two alike sets the larger part is shared, so the few rarest shared words are among the first few of each, in any
    one order of words: a choice of those is a signature. The smaller set of a pair has less room to differ than the
    larger one, so sets are looked up, smallest first, among the shorter signatures of those before them.
    """
    counts = Counter(chain.from_iterable(sets.values()))
    rank = {word: at for at, (word, _) in enumerate(sorted(counts.items(), key=itemgetter(1, 0)))}
    index: dict[tuple[int, ...], list[int]] = {}
    for at, words in sorted(sets.items(), key=_size_of_second):
        row, size = sorted(map(rank.__getitem__, words)), len(words)
        length = min(SIGNATURE, size)
        near: dict[int, None] = {}
        for signature in combinations(row[: size - _least(fifths, 5, size) + length], length) if size else ():
            if signature in index:
                near.update(dict.fromkeys(index[signature]))
        yield from ((other, at) for other in near)
        for signature in (
            combinations(row[: size - _least(2 * fifths, 5 + fifths, size) + length], length) if size else ()
        ):
            index.setdefault(signature, []).append(at)


def _least(part: int, whole: int, size: int) -> int:
    """Return the smallest number that is at least a fraction of a size."""
    return -(-part * size // whole)


def _size_of_second(pair: tuple[int, frozenset[int]]) -> int:
    return len(pair[1])


def judge_pair(one: Claim, two: Claim, *, same_topic: bool) -> tuple[str, str]:
    """Say whether two claims are duplicates, or in conflict (and in what), or neither."""
    alike = likeness(one.frame, two.frame)
    if alike < (ALIKE_ON_TOPIC if same_topic else ALIKE):
        return "", ""
    kind, reason = compare_claims(one, two)
    if kind == SAME and (same_topic or one.stance == two.stance):
        return DUPLICATE, ""
    return (CONFLICT, reason) if kind == OPPOSED and same_topic else ("", "")
