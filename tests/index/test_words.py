"""How texts and questions are cut into terms: both alike, and always into letters and digits."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.index import words
from mneme.index.stem import stem
from mneme.index.words import (
    MOST_TERMS,
    Traits,
    has_cjk,
    may_hold,
    parse_parts,
    parse_query,
    parse_terms,
    parse_traits,
    print_terms,
    query_terms,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("caches caching cached cache", "cach"),
        ("relate relates related relating", "relat"),
        ("hopping hops hopped hop", "hop"),
        ("hoping hopes hoped hope", "hope"),
        ("agreed agrees agree", "agre"),
        ("happiness happy", "happi"),
        ("nationalize nationalizing", "nation"),
        ("technologies technology", "technolog"),
        ("stories story", "stori"),
        ("is", "is"),
        ("yes", "ye"),
        ("sky", "sky"),
        ("bring", "bring"),
        ("über", "über"),
        ("b2b", "b2b"),
    ],
)
def test_inflections_share_a_stem(words: str, expected: str) -> None:
    """The forms of a word meet in one stem; what is no English word is left alone."""
    assert {stem(word) for word in words.split()} == {expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't panic, O'Brien", "don panic o brien"),
        ("the user’s caches", "the user cach"),
        ("getUserInfo HTTPServer utf8", "getuserinfo get user info httpserver http server utf8"),
        ("snake_case kebab-case a.b", "snake case kebab case a b"),
        ("café CAFE\u0301 Ｆｕｌｌ", "cafe cafe full"),
        ("小王 2024年", "小 王 小王 2024 年"),
        ("한국어", "한 국 어 한국 국어"),
        ("हिन्दी", "हिन्दी"),
        ("DEC-0042", "dec 0042"),
        ("🙂 -- ***", ""),
        ("a\x00b\udcffc", "a b c"),
    ],
)
def test_terms(text: str, expected: str) -> None:
    """Words are folded and stemmed, compound names count whole and in parts, Chinese by characters and pairs."""
    assert print_terms(text) == expected


@given(st.text(max_size=200))
def test_terms_are_letters_and_digits(text: str) -> None:
    """No term holds a space, a quote or an operator, whatever the text, and none is empty."""
    assert all(re.fullmatch(r"[^\s\"'()*:^+\-{}\x00]+", term) for term in parse_terms(text))
    print_terms(text).encode("utf-8")


@given(st.text(max_size=100))
def test_a_question_is_cut_like_its_answer(text: str) -> None:
    """Every term of a question is a term of the same text indexed."""
    assert set(parse_query(text).terms) <= set(parse_terms(text))


def test_question_words_are_left_out() -> None:
    """What asks says nothing about the answer; a question of nothing else keeps what it has."""
    assert parse_query("When did Ann go to the bank?").terms == ("ann", "go", "bank")
    assert parse_query("who is it").terms == ("who", "is", "it")
    assert parse_query("花生的").terms == ("花", "生", "花生", "生的")


def test_what_a_question_wants() -> None:
    """Times, counts and names are asked for in words that tell."""
    assert parse_query("when did it break?").asks_when
    assert parse_query("how many turtles?").asks_count
    assert parse_query("who wrote it?").asks_name
    assert parse_query("什么时候上线").asks_when
    assert not parse_query("whenever it rains").asks_count


def test_quotes_are_phrases() -> None:
    """What is quoted is kept in order, in any quotes; an unbalanced one is no phrase."""
    assert parse_query('who saw "Little Women" and “The Birds”?').phrases == (("littl", "women"), ("the", "bird"))
    assert parse_query('5" pipe').phrases == ()


def test_parts_of_a_long_question() -> None:
    """A question about two things has two parts, a question about one has none."""
    assert parse_parts("Scan the network for threats. Then send a push notification") == (
        "Scan the network for threats",
        "Then send a push notification",
    )
    assert len(parse_parts("有几个活动在山东青岛？另外，有几个人的家乡在北京？")) == 2
    assert parse_parts("what do both of them like?") == ()


def traits(text: str) -> Traits:
    """Return the traits of a text."""
    return parse_traits(text, set(parse_terms(text)))


def test_traits() -> None:
    """Questions, times, numbers and names are seen without being understood."""
    assert traits("Really? I met Ann in 2024.").asks == pytest.approx(7 / 26)
    assert traits("see you tomorrow").timed
    assert traits("three turtles").counted
    assert traits("with Ann and Bob").named == 0.5
    assert traits("").asks == 0.0


def test_scripts_without_spaces() -> None:
    """Han, kana and hangul are told from the rest."""
    assert has_cjk("a 小")
    assert has_cjk("カ")
    assert not has_cjk("café")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "a " * 50_000,
        "小" * 100_000,
        "🙂" * 100_000,
        '"' * 100_000,
        "." * 100_000,
        "?" * 100_000,
        "a," * 50_000,
        "Aa" * 50_000,
    ],
)
def test_bounded(text: str) -> None:
    """A hundred kilobytes of anything are cut, questioned and surveyed in bounded time."""
    started = time.process_time()
    assert len(parse_query(text).terms) <= MOST_TERMS
    parse_terms(text)
    parse_traits(text, set(parse_terms(text)))
    assert time.process_time() - started < 3.0


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_cut_as_all_text_is(text: str) -> None:
    """The shorter way that plain English goes comes to the same words."""
    assert words._ASCII_WORD.findall(text) == words._word().findall(text)


@given(words=st.lists(st.text("abceginorstuyAY'-_2 ", min_size=1, max_size=9), max_size=6))
def test_what_cannot_hold_a_word_holds_none_of_it(words: list[str]) -> None:
    """A text that is passed over without being cut has not all of the terms."""
    text = " ".join(words)
    assert may_hold(text, query_terms(text))
    assert may_hold(text, frozenset(parse_terms(text)))


def test_most_texts_are_passed_over() -> None:
    """Most texts are seen to lack a word by its first letters."""
    asked = query_terms("which database does the cache use?")
    assert not may_hold("The garden needs water in summer", asked)
    assert may_hold("USE a DATAbase as cache", asked)
    assert may_hold("das Gedächtnis", asked)
