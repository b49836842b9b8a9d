"""OpenClaw's search by its published figures: queries, scores, what both searches come to, likeness, stretches, limits.

The names of the tests say which of the published vectors they are; each holds the formula beyond the figure as well.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.recall.published.passages import cut_passages, size_of
from mneme.recall.published.ranking import (
    Found,
    by_words_alone,
    cited,
    clamped,
    decayed,
    diverse,
    likeness,
    marginal,
    match_words,
    merged,
    rank_score,
    sure_enough,
    tokens_of,
)


@pytest.mark.parametrize(
    ("query", "match"),
    [
        ("FOO_bar baz-1", '"FOO_bar" AND "baz" AND "1"'),
        ("   ", None),
        ('"; DROP', '"DROP"'),
        ("备份 在哪", '"备份" AND "在哪"'),
    ],
)
def test_s1_every_word_is_asked_for(query: str, match: str | None) -> None:
    """Quoted and joined; a query without words asks nothing."""
    assert match_words(query) == match


@pytest.mark.parametrize(
    ("rank", "score"),
    [
        (0, 1),
        (1, 0.5),
        (10, 0.090909),
        (-0.5, 0.333333),
        (-2.1, 0.677419),
        (-4.2, 0.807692),
        (-100, 0.990099),
        (float("nan"), 0.001),
        (float("-inf"), 0.001),
    ],
)
def test_s2_a_rank_becomes_a_score(rank: float, score: float) -> None:
    """Below zero is a match, the farther the better; what is no number is next to nothing."""
    assert rank_score(rank) == pytest.approx(score, abs=1e-6)


def found(path: str = "memory/a.md", snippet: str = "x", **more: float) -> Found:
    """Return a hit."""
    return Found(path, 1, 2, snippet, **more)


def test_s3_two_searches_come_to_one_score() -> None:
    """Seven to three, or half and half; what one search lacks is nothing, and the snippet of the words stays."""
    assert merged([found(meaning=0.9)], [])[0].score == pytest.approx(0.63)
    assert merged([], [found(words=1.0)])[0].score == pytest.approx(0.30)
    (both,) = merged([found(meaning=0.2, snippet="by meaning")], [found(words=1.0, snippet="by words")], 0.5, 0.5)
    assert (both.score, both.snippet) == (pytest.approx(0.6), "by words")
    assert merged([found(meaning=0.9)], [], 7, 3)[0].score == pytest.approx(0.63), "weights sum to one"
    best = merged([found("memory/b.md", meaning=0.5)], [found(words=1.0)])
    assert [one.path for one in best] == ["memory/b.md", "memory/a.md"]


def test_s4_a_day_fades_and_what_has_none_does_not() -> None:
    """Half in thirty days from the day's beginning; the future is today."""
    now = datetime(2026, 4, 30, tzinfo=UTC)
    half = decayed(found("memory/2026-03-31.md", score=0.8), now)
    assert half.score == pytest.approx(0.4)
    for path in ("MEMORY.md", "memory/network.md", "memory/2026-05-09.md", "memory/2026-13-01.md"):
        assert decayed(found(path, score=0.8), now).score == 0.8


def test_s5_below_the_least_score_only_words_count() -> None:
    """A threshold, relaxed to what words alone can give where nothing reaches it."""
    sure, faint, vague = found(score=0.5), found("b", words=1.0, score=0.31), found("c", meaning=0.4, score=0.28)
    assert sure_enough([sure, faint, vague]) == [sure]
    assert sure_enough([faint, vague]) == [faint]
    assert sure_enough([vague]) == []


def test_s6_what_is_alike_is_set_back() -> None:
    """The marginal worth of a hit, the likeness of word sets, and the order that comes of both."""
    assert marginal(1, 0.5, 0.7) == pytest.approx(0.55)
    assert marginal(0.8, 0.5, 0) == pytest.approx(-0.5)
    assert marginal(0.8, 0.6, 0.5) == pytest.approx(0.1)
    assert likeness(frozenset("abc"), frozenset("bcd")) == 0.5
    assert (likeness(frozenset(), frozenset()), likeness(frozenset("a"), frozenset())) == (1.0, 0.0)
    one, twin, other = (
        found("1", "router vlan ten", score=0.9),
        found("2", "router vlan ten", score=0.88),
        found("3", "backups go to glacier", score=0.7),
    )
    assert [each.path for each in diverse([one, twin, other], 0.5)] == ["1", "3", "2"]
    assert [each.path for each in diverse([other, twin, one], 1)] == ["1", "2", "3"]
    assert diverse([other]) == [other]


def test_s7_without_meaning_words_and_path_count() -> None:
    """Coverage, density, the path and length are added to the rank's score, up to one."""
    hit = found("memory/router.md", "router vlan", words=0.05)
    assert by_words_alone(["router", "vlan"], hit) == pytest.approx(0.05 + 0.45 + 0.2 + 0.18 + 11 / 160)
    assert by_words_alone(["router", "cellar"], hit) == pytest.approx(0.05 + 0.225 + 0.1 + 0.18 + 11 / 160)
    assert by_words_alone(["router"], found("router", "router " * 90, words=0.9)) == 1.0


def test_s8_wide_writing_is_told_by_characters_and_pairs() -> None:
    """Four characters, three pairs; a letter between two parts them."""
    assert tokens_of("今天讨论") == {"今", "天", "讨", "论", "今天", "天讨", "讨论"}
    assert tokens_of("我a好") == {"我", "好", "a"}
    assert tokens_of("Foo_1 BAR") == {"foo_1", "bar"}


def test_s9_a_note_is_cut_by_lines() -> None:
    """A line that is too long is cut; wide characters count four; the last lines are repeated in the next stretch."""
    assert [len(one.text) for one in cut_passages("a" * 4825, 400, 0)] == [1600, 1600, 1600, 25]
    assert len(cut_passages("\n".join(["x" * 20] * 20), 50, 0)) == 3
    assert len(cut_passages("\n".join(["备" * 20] * 20), 50, 0)) == 10
    rows = [f"{number:03d} {'x' * 36}" for number in range(100)]
    first, second, *_ = cut_passages("\n".join(rows), 100, 20)
    assert (first.line, first.end_line, second.line) == (1, 9, 8)
    assert cut_passages("") == cut_passages("", 400, 0)


@given(st.text(alphabet="ab 备🔑\n", max_size=400), st.integers(8, 40))
def test_no_stretch_is_larger_than_asked_and_nothing_is_lost(text: str, tokens: int) -> None:
    """Put together again, without what is repeated, the stretches are the text."""
    passages = cut_passages(text, tokens, 0)
    assert "".join(one.text.replace("\n", "") for one in passages) == text.replace("\n", "")
    most = max(32, tokens * 4)
    assert all(size_of(one.text) <= most or len(one.text) <= tokens for one in passages)


def test_s11_a_citation_names_lines() -> None:
    """One line, or from where to where; under the snippet it stands after a blank line."""
    assert Found("MEMORY.md", 5, 7, "x").citation == "MEMORY.md#L5-L7"
    assert Found("MEMORY.md", 5, 5, "x").citation == "MEMORY.md#L5"
    assert cited(Found("MEMORY.md", 5, 7, " x ")) == "x\n\nSource: MEMORY.md#L5-L7"


def test_s12_what_does_not_fit_is_cut_and_the_rest_left_out() -> None:
    """A hundred characters hold one hit of eighty with its source, cut; nothing is said of the second."""
    hits = [cited(Found("MEMORY.md", line, line, "x" * 80)) for line in (1, 2)]
    assert clamped(hits, 100) == [hits[0][:100]]
    assert clamped(["x" * 30], 20) == ["x" * 20]
    assert clamped(["a", "b"], 0) == ["a", "b"]
