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
        ("Yesterday we moved it", "2026-01-30 we moved it"),
        ("call Ann tomorrow", "call Ann 2026-02-01"),
        ("call Ann tomorrow morning", "call Ann 2026-02-01 morning"),
        ("last night it broke", "last night (2026-01-30) it broke"),
        ("seen last week and last month", "seen last week (2026-01-19 to 2026-01-25) and last month (2025-12)"),
        ("last year", "last year (2025)"),
        ("two days ago", "2026-01-29"),
        ("昨天搬了缓存", "2026-01-30 搬了缓存"),
    ],
)
def test_a_relative_date_becomes_a_day(said: str, written: str) -> None:
    """What means another day tomorrow is written as the day or the stretch that it means today."""
    assert with_dates(said, SATURDAY) == written


@pytest.mark.parametrize(
    "text", ["Tuesday is the review", "in May", "a few days ago", "on 2026-01-03", "`yesterday`", ""]
)
def test_what_leaves_the_day_open_stays(text: str) -> None:
    """A guess would put a day into somebody's mouth; an absolute date and code are not touched."""
    assert with_dates(text, SATURDAY) == text


WORDS = st.lists(st.sampled_from(["yesterday", "last week", "last year", "昨天", "we", "moved", "(2025)", "it.", "`"]))


@given(words=WORDS)
def test_writing_it_again_changes_nothing(words: list[str]) -> None:
    """What is absolute already has nothing left to say."""
    once = with_dates(" ".join(words), SATURDAY)
    assert with_dates(once, SATURDAY) == once
