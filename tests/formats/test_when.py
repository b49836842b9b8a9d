"""Dates in words, in English and Chinese."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.when import add_months, find_when, find_whens
from mneme.formats.when.english import RULES, TELLING

SATURDAY = date(2026, 1, 31)


def days_of(words: str, today: date = SATURDAY) -> str:
    """Return the days that some words stand for, as `first..last`, or `first` where they are one."""
    when = find_when(words, today)
    if when is None:
        return ""
    return str(when.first) if when.first == when.last else f"{when.first}..{when.last}"


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("today", "2026-01-31"),
        ("yesterday", "2026-01-30"),
        ("the day before yesterday", "2026-01-29"),
        ("last night", "2026-01-30"),
        ("tomorrow", "2026-02-01"),
        ("last Tuesday", "2026-01-27"),
        ("on last tues.", "2026-01-27"),
        ("next Friday", "2026-02-06"),
        ("Tuesday", "2026-01-27"),
        ("Tuesday last week", "2026-01-20"),
        ("last week on Tuesday", "2026-01-20"),
        ("last week", "2026-01-19..2026-01-25"),
        ("the week before last", "2026-01-12..2026-01-18"),
        ("last weekend", "2026-01-24..2026-01-25"),
        ("last month", "2025-12-01..2025-12-31"),
        ("last quarter", "2025-10-01..2025-12-31"),
        ("last year", "2025-01-01..2025-12-31"),
        ("last May", "2025-05-01..2025-05-31"),
        ("last January", "2025-01-01..2025-01-31"),
        ("two days ago", "2026-01-29"),
        ("3 weeks ago", "2026-01-07..2026-01-13"),
        ("a fortnight ago", "2026-01-14..2026-01-20"),
        ("a few days ago", "2026-01-26..2026-01-30"),
        ("2 years ago", "2023-08-01..2024-08-01"),
        ("in 3 days", "2026-02-03"),
        ("the past 10 days", "2026-01-21..2026-01-31"),
        ("3 March 2025", "2025-03-03"),
        ("March 3rd, 2025", "2025-03-03"),
        ("March 3", "2025-03-03"),
        ("January 3", "2026-01-03"),
        ("in May", "2025-05-01..2025-05-31"),
        ("May 2025", "2025-05-01..2025-05-31"),
        ("early May 2025", "2025-05-01..2025-05-10"),
        ("the end of February 2024", "2024-02-21..2024-02-29"),
        ("Q3 2025", "2025-07-01..2025-09-30"),
        ("last summer", "2025-06-01..2025-08-31"),
        ("last winter", "2024-12-01..2025-02-28"),
        ("summer 2024", "2024-06-01..2024-08-31"),
        ("2023", "2023-01-01..2023-12-31"),
        ("in 2023", "2023-01-01..2023-12-31"),
        ("2025-12-24", "2025-12-24"),
        ("2025/12/4", "2025-12-04"),
        ("2025-12", "2025-12-01..2025-12-31"),
        ("昨天", "2026-01-30"),
        ("大前天", "2026-01-28"),
        ("昨晚", "2026-01-30"),
        ("上周二", "2026-01-20"),
        ("上周", "2026-01-19..2026-01-25"),
        ("上个星期天", "2026-01-25"),
        ("上上周", "2026-01-12..2026-01-18"),
        ("上周末", "2026-01-24..2026-01-25"),
        ("周三", "2026-01-28"),
        ("上个月", "2025-12-01..2025-12-31"),
        ("上个月5号", "2025-12-05"),
        ("三周前", "2026-01-07..2026-01-13"),
        ("3天前", "2026-01-28"),
        ("二十天前", "2026-01-11"),
        ("两个月前", "2025-11-15..2025-12-15"),
        ("最近三天", "2026-01-28..2026-01-31"),
        ("去年", "2025-01-01..2025-12-31"),
        ("去年5月", "2025-05-01..2025-05-31"),
        ("今年一月三日", "2026-01-03"),
        ("2025年3月1日", "2025-03-01"),
        ("2025年十二月", "2025-12-01..2025-12-31"),
        ("3月1日", "2025-03-01"),
        ("下周一", "2026-02-02"),
    ],
)
def test_words_name_their_days(words: str, days: str) -> None:
    """Each expression stands for the days that a person means by it."""
    assert days_of(words) == days


@pytest.mark.parametrize(
    "words",
    [
        "",
        "may",
        "you may go",
        "in march time",
        "current",
        "每周三",
        "一周三次",
        "三个月",
        "今天气",
        "2026-02-30",
        "2026-13",
        "half a year ago",
    ],
)
def test_other_words_name_none(words: str) -> None:
    """What only looks like a date is none."""
    assert find_when(words, SATURDAY) is None


def test_dates_are_found_where_they_stand() -> None:
    """Each date in a text knows its place; of two that overlap the first and longer one is taken."""
    text = "Met Ann the day before yesterday; the release of 3 March 2025 slipped to last week. 上周二见了老王。"
    assert [text[when.start : when.end] for when in find_whens(text, SATURDAY)] == [
        "the day before yesterday",
        "3 March 2025",
        "last week",
        "上周二",
    ]


@pytest.mark.parametrize("text", ["meet every Friday", "on Fridays", "每周三开会", "the May release", "March on"])
def test_habits_and_names_are_no_dates(text: str) -> None:
    """A day that comes again and again is no date, nor is a word that is also a month."""
    assert find_whens(text, SATURDAY) == ()


@pytest.mark.parametrize(
    ("words", "relative", "certain"),
    [
        ("2025-12-24", False, True),
        ("3 March 2025", False, True),
        ("March 3", True, False),
        ("yesterday", True, True),
        ("last Tuesday", True, True),
        ("Tuesday", True, False),
        ("a few days ago", True, False),
        ("2025年3月1日", False, True),
        ("去年5月", True, True),
        ("3月1日", True, False),
        ("几天前", True, False),
    ],
)
def test_a_date_says_what_it_leaves_open(words: str, relative: bool, certain: bool) -> None:  # noqa: FBT001 - the table
    """A date says whether it depends on the day it is said, and whether it leaves open which day it means."""
    when = find_when(words, SATURDAY)
    assert when is not None
    assert (when.relative, when.certain) == (relative, certain)


def test_the_day_named_best_is_inside() -> None:
    """A count of weeks names one day best and covers those around it, never one on the other side of today."""
    when = find_when("a week ago", date(2026, 1, 3))
    assert when is not None
    assert (when.day, when.covers("2025-12-24"), when.covers("2025-12-31")) == (date(2025, 12, 27), True, False)
    near = find_when("a month ago", SATURDAY)
    assert near is not None
    assert near.last <= SATURDAY


@given(st.text(alphabet="last nexthidy01234567 ago-/年月日上下周个前后三tuesmayjch", max_size=60), st.dates())
def test_no_text_and_no_day_makes_it_fail(text: str, today: date) -> None:
    """Any text on any day, the first and the last there are included, has ordered dates that lie inside it."""
    whens = find_whens(text, today)
    assert all(when.first <= when.day <= when.last for when in whens)
    places = [0, *(place for when in whens for place in (when.start, when.end)), len(text)]
    assert places == sorted(places)


@given(st.dates(min_value=date(2, 1, 1), max_value=date(9990, 1, 1)), st.integers(-24, 24))
def test_months_are_added_without_leaving_the_month_meant(day: date, count: int) -> None:
    """So many months on, the month is the one meant and the day at most the same."""
    there = add_months(day, count)
    assert (there.year * 12 + there.month) - (day.year * 12 + day.month) == count
    assert there.day <= day.day
    assert there.day == day.day or (there + timedelta(days=1)).day == 1


@given(st.lists(st.sampled_from(["last", "next", "this", "in", "the", "early", "mid", "of", "a", "few", "two", "couple",
                                 "ago", "back", "from", "now", "before", "after", "since", "during", "half", "every"])))  # fmt: skip
def test_no_rule_fits_a_text_without_a_telling_word(words: list[str]) -> None:
    """So that none has to be compiled for it."""
    text = " ".join(words)
    assert TELLING.isdisjoint(words)
    assert not any(re.search(pattern, text, re.IGNORECASE) for pattern, _ in RULES)
