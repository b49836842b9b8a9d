"""Dates in words made absolute on writing, in English and Chinese."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.when.absolute import with_dates

SATURDAY = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("We met Ann yesterday", "We met Ann on 2026-01-30"),
        ("Yesterday we moved it", "On 2026-01-30 we moved it"),
        ("yesterday's outage was DNS", "the 2026-01-30 outage was DNS"),
        ("In yesterday's meeting we agreed", "In the 2026-01-30 meeting we agreed"),
        ("call Ann tomorrow morning", "call Ann on 2026-02-01 in the morning"),
        ("Last night it broke", "On 2026-01-30 at night it broke"),
        ("We shipped it last week", "We shipped it in the week of 2026-01-19"),
        ("It slipped to next month", "It slipped to February 2026"),
        ("Since last year the office is closed", "Since 2025 the office is closed"),
        ("We moved 3 weeks ago", "We moved around 2026-01-10"),
        ("two days ago it broke", "on 2026-01-29 it broke"),
        ("He joined 2 years ago", "He joined around 2024"),
        ("I worked on it for the last 3 days", "I worked on it for 2026-01-28 to 2026-01-31"),
        ("we met last weekend", "we met on the weekend of 2026-01-24"),
        ("Last month's bill was paid", "The December 2025 bill was paid"),
        ("昨天搬了缓存", "2026-01-30搬了缓存"),
        ("昨天3点搬了缓存", "2026-01-30 3点搬了缓存"),
        ("上周发布了", "2026-01-19那一周发布了"),
        ("三周前搬家", "2026-01-10前后搬家"),
        ("去年5月开始", "2025年5月开始"),
    ],
)
def test_a_relative_date_becomes_a_day(said: str, written: str) -> None:
    """What means another day tomorrow is written as the day or the stretch that it means today."""
    assert with_dates(said, SATURDAY) == written


@pytest.mark.parametrize(
    "text",
    [
        *("Tuesday is the review", "in May", "a few days ago", "on 2026-01-03", "`yesterday`", "", "last year (2025)"),
        *(
            "Show today's tasks every morning",
            'The user says "last week" a lot',
            "每周三发昨天的日报",
            "Always ask about tomorrow",
        ),
    ],
)
def test_what_leaves_the_day_open_stays(text: str) -> None:
    """A guess would put a day into somebody's mouth; absolute dates, quotes, code and habits are not touched."""
    assert with_dates(text, SATURDAY) == text


WORDS = st.lists(st.sampled_from(["yesterday", "last week", "last year", "昨天", "we", "moved", "(2025)", "it.", "`"]))


@given(words=WORDS)
def test_writing_it_again_changes_nothing(words: list[str]) -> None:
    """What is absolute already has nothing left to say."""
    once = with_dates(" ".join(words), SATURDAY)
    assert with_dates(once, SATURDAY) == once
