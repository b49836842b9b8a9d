"""A crowd of cells: sorting out those without company changes no finding, whatever the words, topics and values."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.check import crowd
from mneme.check.claim import framed, raw_words
from mneme.check.crowd import COMMON, find_company
from mneme.check.twin import ACTIVE_STATES, CROWD, find_twins

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENS = """
cache caches database backup runs uses keeps every server night day Maria owns leads JSON 60 90 30 7.5 12. 12 007 7 60s
90s not never without tabs spaces SQLite Redis Friday Monday staging internationalisation internationalization
incomprehensibilities incomprehensibility 1234567 12345678 # c# a an of no-way żółw Ünïcode naïve \u0663
"""
WORDS = [*TOKENS.split(), "\x01", "\x1c", "x\x02y"]
CHINESE = "缓存 使用 不 数据库 每天 三天 五天 开启 关闭 部署 测试 SQLite 60 的"
WIDE = [*CHINESE.split(), " "]
PLAIN = [f"w{letter}{other}" for letter in "abcdefgh" for other in "aeiou"]
VOCABULARY = ["".join(letters) for letters in product("bcdfgklmnp", "aeo", "bcdfgklmnp", "aeo", "bdk")]
TEMPLATES = ["Room {} seats {} people of {}", "Statement number {} about {} found for {}", "{} 的过期时间是 {} 秒,{}"]

gists = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.lists(st.sampled_from(PLAIN), min_size=4, max_size=18).map(" ".join),
    st.lists(st.sampled_from(WIDE), min_size=1, max_size=7).map("".join),
    st.builds(
        lambda frame, *values: frame.format(*values),
        st.sampled_from(TEMPLATES),
        *[st.sampled_from([*WORDS[:6], *map(str, range(12))])] * 3,
    ),
)
rows = st.tuples(gists, st.sampled_from(["a", "a/b", "c", ""]), st.sampled_from(["live", "live", "stale", "retired"]))


def in_company(columns: Sequence[Sequence[str]], common: int = COMMON) -> list[tuple[int, int, str, str]]:
    """Return what the search finds among the cells in force that have company, by the numbers of all cells."""
    active = [at for at, state in enumerate(columns[2]) if state in ACTIVE_STATES]
    company = find_company([columns[0][at] for at in active], [columns[1][at] for at in active], common=common)
    assert company is not None
    chosen = [active[at] for at in company]
    found = find_twins(*[[column[at] for at in chosen] for column in columns])
    assert found.unfinished == 0
    return [(chosen[one], chosen[two], kind, reason) for one, two, kind, reason in found.pairs]


def columns_of(drawn: Sequence[tuple[str, str, str]]) -> list[list[str]]:
    """Return rows as columns."""
    return [[row[at] for row in drawn] for at in range(3)]


@settings(max_examples=400, deadline=None)
@given(st.lists(rows, max_size=40), st.sampled_from([2, 3, 16]))
def test_a_crowd_has_the_twins_that_comparing_everything_finds(drawn: list[tuple[str, str, str]], common: int) -> None:
    """Nothing is missed and nothing invented, also where words that a few cells have count as common."""
    columns = columns_of(drawn)
    assert in_company(columns, common) == find_twins(*columns).pairs


def made(number: int, seed: random.Random) -> tuple[str, str, str]:
    """Return a cell of one of many makes, now and then nearly one that was made before."""
    vocabulary = VOCABULARY[:400]
    topic = f"t/{seed.randint(1, 40)}"
    kind = number % 4
    if kind == 0:
        gist = f"The {seed.choice(vocabulary[:20])} gauge reports {seed.choice(vocabulary[:20])} every {seed.randint(1, 90)} minutes"
    elif kind == 1:
        gist = (
            "缓存" + "".join(seed.choices("甲乙丙丁戊己庚辛壬癸过期时间数据库备份", k=8)) + f"{seed.randint(1, 30)} 秒"
        )
    else:
        own = random.Random(seed.randint(1, 900))  # noqa: S311 - made-up cells
        words = own.choices(vocabulary[:120], k=own.randint(3, 17))
        if seed.random() < 0.5:
            words[seed.randrange(len(words))] = seed.choice(vocabulary)
        seed.shuffle(words)
        gist = " ".join(words)
    return gist, topic, seed.choice(["live", "live", "live", "stale", "proposed", "retired"])


def test_thousands_of_cells_have_the_same_findings_either_way() -> None:
    """Sensors, Chinese and shuffled near twins: the same pairs, of both kinds."""
    seed = random.Random(7)  # noqa: S311 - made-up cells
    columns = columns_of([made(number, seed) for number in range(CROWD - 1)])
    found = in_company(columns)
    assert found == find_twins(*columns).pairs
    assert len({kind for _, _, kind, _ in found}) == 2


def test_cells_without_company_are_left_out() -> None:
    """Of many cells that have nothing in common but a few words, only the alike ones remain."""
    seed = random.Random(8)  # noqa: S311 - made-up cells
    lines = [" ".join(["statement", "about", *seed.sample(VOCABULARY, 6)]) for _ in range(3000)]
    lines[100] = "Local cache uses SQLite for every agent"
    lines[2900] = "The local cache uses Redis for every agent"
    company = find_company(lines, [f"t/{at % 50}" for at in range(3000)])
    assert company is not None
    assert {100, 2900} <= set(company)
    assert len(company) < 300


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(gists, st.text(st.characters(exclude_characters="\n"))), max_size=8))
def test_the_words_of_columns_are_the_words_of_each_gist(drawn: list[str]) -> None:
    """Read all at once, every gist has the places and values that its words have one by one."""
    read = crowd._read(drawn)
    plain = [pair for words in raw_words(drawn) for pair in map(framed, words) if pair != ("", "")]
    mine = list(zip(read.places.tolist(), read.values.tolist(), strict=True))
    assert len(mine) == len(plain)
    assert len(set(zip(mine, plain, strict=True))) == len(set(mine)) == len(set(plain))
    counts = [sum(framed(word) != ("", "") for word in words) for words in raw_words(drawn)]
    assert read.rows.tolist() == [row for row, count in enumerate(counts) for _ in range(count)]
