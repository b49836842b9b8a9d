"""Twins: the fast search finds what comparing every pair finds, and what counts as alike, opposed or a series."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.check.claim import claim_of, likeness, raw_words, stem
from mneme.check.twin import ACTIVE_STATES, CONFLICT, DUPLICATE, SERIES, find_twins, judge_pair

Row = tuple[str, str, str]


def twins(*gists: str, topic: str = "a/b") -> list[str]:
    """Return what the search says of live cells of one topic, pair by pair."""
    found = find_twins(gists, [topic] * len(gists), ["live"] * len(gists))
    return [f"{one}-{two} {kind}" for one, two, kind, _ in found.pairs]


def slow_twins(rows: list[Row]) -> set[tuple[int, int, str, str]]:
    """Return what comparing every pair of cells finds: the definition that the search must meet."""
    claims = [claim_of(gist) for gist, _, _ in rows]
    active = [at for at, (gist, _, state) in enumerate(rows) if state in ACTIVE_STATES and gist]
    found, echoes = set(), set()

    def judge(one: int, two: int) -> None:
        same_topic = bool(rows[one][1]) and rows[one][1] == rows[two][1]
        kind, reason = judge_pair(claims[one], claims[two], same_topic=same_topic)
        if kind == DUPLICATE or (kind == CONFLICT and rows[one][2] == rows[two][2] == "live"):
            found.add((one, two, kind, reason))

    first: dict[object, int] = {}
    for at in active:
        key = claims[at].frame, claims[at].stance
        if claims[at].frame or claims[at].stance:
            earlier = first.setdefault(key, at)
            if earlier != at:
                echoes.add(at)
                judge(earlier, at)
    single = [at for at in active if at not in echoes]
    series: dict[object, list[int]] = {}
    for at in single:
        if claims[at].stance and rows[at][1]:
            series.setdefault((rows[at][1], claims[at].frame), []).append(at)
    parts = {at for each in series.values() if len(each) > SERIES for at in each}
    for one, two in combinations(single, 2):
        alike = likeness(claims[one].frame, claims[two].frame)
        same_topic = bool(rows[one][1]) and rows[one][1] == rows[two][1]
        if (alike >= 0.8 and claims[one].stance == claims[two].stance) or (
            alike >= 0.6 and same_topic and not {one, two} & parts
        ):
            judge(one, two)
    return found


WORDS = [
    "cache",
    "caches",
    "database",
    "backup",
    "runs",
    "uses",
    "keeps",
    "every",
    "server",
    "60",
    "90",
    "30",
    "not",
    "never",
    "tabs",
    "spaces",
    "SQLite",
    "Redis",
    "Maria",
    "Jonas",
    "night",
    "day",
]
WIDE = ["缓存", "使用", "不", "数据库", "每天", "三天", "五天", "开启", "关闭", "部署", "测试", "SQLite", "60", "的"]
gist = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.lists(st.sampled_from(WORDS[:9]), min_size=10, max_size=20).map(" ".join),
    st.lists(st.sampled_from(WIDE), min_size=1, max_size=6).map("".join),
)
row = st.tuples(
    gist, st.sampled_from(["a", "a", "b", ""]), st.sampled_from(["live", "live", "live", "stale", "retired"])
)


@settings(max_examples=500, deadline=None)
@given(st.lists(row, max_size=24))
def test_the_search_finds_what_comparing_all_pairs_finds(rows: list[Row]) -> None:
    """No pair is missed and none invented, whatever the words, topics and states."""
    columns = tuple(list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    found = find_twins(*columns)
    assert set(found.pairs) == slow_twins(rows)
    assert found.unfinished == 0


def test_a_crowd_is_searched_like_a_few() -> None:
    """Among many cells, most of them unlike, the few alike ones are found."""
    gists = [f"w{at % 97} x{at % 89} y{at % 83} plain{at} other{at}" for at in range(3000)]
    gists[1500] = "The local cache uses SQLite for every agent on this machine"
    gists[2500] = "Local cache uses SQLite for every agent on the machine"
    found = find_twins(gists, [f"t/{at % 5}" for at in range(3000)], ["live"] * 3000)
    assert (1500, 2500, DUPLICATE, "") in found.pairs


def test_the_search_gives_up_openly() -> None:
    """Where nearly all cells are nearly alike, the search stops at its budget and says so."""
    gists = [
        " ".join(f"word{number}" for number in range(14) if number not in {at % 14, at % 13, at % 11})
        for at in range(400)
    ]
    found = find_twins(gists, ["a"] * 400, ["live"] * 400, budget=100)
    assert found.unfinished == 100


def test_a_series_is_no_quarrel() -> None:
    """A few cells that differ in one value contradict each other; many are a list."""
    few = [f"Room seats {number} people" for number in range(20, 20 + SERIES)]
    assert len(twins(*few)) == SERIES * (SERIES - 1) // 2
    assert twins(*few, "Room seats 99 people") == []


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("Cache entries expire after 60 seconds", "Cache entries expire after 90 seconds", "conflict"),
        ("We deploy on Fridays", "We don't deploy on Fridays", "conflict"),
        ("Indent with tabs", "Indent with spaces", "conflict"),
        ("Local cache uses SQLite", "Local cache uses Redis", "conflict"),
        ("Local cache uses SQLite, not JSON", "The local cache uses SQLite.", "duplicate"),
        ("Local cache uses SQLite, not JSON", "local cache uses sqlite not JSON", "duplicate"),
        ("Answer in English not German", "Answer in German", "conflict"),
        ("Deploys not allowed on Fridays", "Deploys allowed on Fridays", "conflict"),
        ("Users can not log in", "Users can log in", "conflict"),
        ("Staging deploys run every hour", "Production deploys run every night", ""),
        ("Server 1 listens on port 8080", "Server 2 listens on port 8081", ""),
        ("Alice prefers tea", "Bob prefers tea", ""),
        ("Alice owns the billing service", "Bob owns the billing service", "conflict"),
        ("The 2025 budget was 80 units", "The 2026 budget was 95 units", ""),
        ("Prefer tabs over spaces", "Prefer spaces over tabs", "conflict"),
        ("Alice reports to Bob", "Bob reports to Alice", "conflict"),
        ("Ana works with Bob", "Bob works with Ana", "duplicate"),
        ("Names hold letters and digits", "Names hold digits and letters", "duplicate"),
        ("The local cache uses SQLite", "SQLite is what the local cache uses", "duplicate"),
        ("先测试再发布", "先发布再测试", ""),
        ("张三向李四汇报", "李四向张三汇报", ""),
        ("缓存过期时间是 60 秒", "缓存过期时间是 90 秒", "conflict"),
        ("周五可以部署", "周五不可以部署", "conflict"),
        ("日志保留三天", "日志保留五天", "conflict"),
        ("部署之前必须跑完测试", "部署之前要跑完测试", "duplicate"),
        ("测试环境每天部署", "生产环境每周部署", ""),
    ],
)
def test_two_gists_of_one_topic(one: str, two: str, expected: str) -> None:
    """Values, denials and rivals contradict; other subjects and scopes do not; wording alone makes a duplicate."""
    assert twins(one, two) == ([f"0-1 {expected}"] if expected else [])
    assert twins(two, one) == ([f"0-1 {expected}"] if expected else [])


def test_likeness_asks_for_more_between_topics() -> None:
    """Two thirds alike is enough on one topic, not between two."""
    one, two = "release notes describe every visible change", "release notes describe every visible fix"
    found = find_twins([one, two], ["a", "b"], ["live", "live"])
    assert twins(one, two) == ["0-1 duplicate"]
    assert found.pairs == []


def test_only_live_cells_contradict_and_dead_ones_are_left_out() -> None:
    """A stale cell may repeat another but not contradict it; a superseded one does neither."""
    gists = ["Cache entries expire after 60 seconds", "Cache entries expire after 90 seconds"]
    assert find_twins(gists, ["a", "a"], ["live", "stale"]).pairs == []
    assert find_twins([gists[0]] * 2, ["a", "b"], ["live", "stale"]).pairs == [(0, 1, DUPLICATE, "")]
    assert find_twins([gists[0]] * 2, ["a", "b"], ["live", "superseded"]).pairs == []


@pytest.mark.parametrize(
    "forms",
    [
        ("cache", "caches", "cached", "caching"),
        ("deploy", "deploys", "deployed", "deploying"),
        ("policy", "policies"),
        ("commit", "commits", "committed", "committing"),
        ("call", "calls", "called", "calling"),
        ("run", "runs", "running"),
    ],
)
def test_forms_of_one_word_are_one(forms: tuple[str, ...]) -> None:
    """Inflection does not make another word."""
    assert len({stem(form) for form in forms}) == 1


@given(st.lists(st.text(st.characters(exclude_characters="\n")), max_size=5))
def test_gists_are_taken_apart_each_by_itself(gists: list[str]) -> None:
    """The words of many gists at once are the words of each one alone."""
    assert raw_words(gists) == [raw_words([gist])[0] for gist in gists]
