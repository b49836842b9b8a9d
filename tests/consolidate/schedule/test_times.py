"""Moments that come again are found in any zone, on any day, also where the clock is put forward or back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.consolidate.schedule.times import Recurrence, parse_recurrence, print_recurrence
from mneme.errors import BadInputError

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [UTC, BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu"), ZoneInfo("Australia/Lord_Howe")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12:30", Recurrence(12, 30)),
        ("Mon 09:00", Recurrence(9, 0, 0)),
        ("sunday 7:05", Recurrence(7, 5, 6)),
        ("every 30m", Recurrence(every_minutes=30)),
        ("every 2 hours", Recurrence(every_minutes=120)),
        ("off", None),
    ],
)
def test_what_people_write_is_read(text: str, wanted: Recurrence | None) -> None:
    """And printed so that it reads back."""
    assert parse_recurrence(text, "dream") == wanted
    assert parse_recurrence(print_recurrence(wanted), "dream") == wanted


@pytest.mark.parametrize("text", ["", "25:00", "noon", "every 1m", "Moo 09:00", "30 12 * * *"])
def test_what_is_no_time_is_told_with_its_job(text: str) -> None:
    """With an example."""
    with pytest.raises(BadInputError, match="'dream'"):
        parse_recurrence(text, "dream")


moments = st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1)).map(lambda one: one.replace(tzinfo=UTC))  # noqa: DTZ001
recurrences = st.builds(Recurrence, st.integers(0, 23), st.integers(0, 59), st.none() | st.integers(0, 6)) | st.builds(
    Recurrence, every_minutes=st.sampled_from([5, 30, 60, 720])
)


@given(moments, recurrences, st.sampled_from(ZONES))
def test_the_last_moment_is_past_and_the_next_is_to_come(now: datetime, when: Recurrence, zone: ZoneInfo) -> None:
    """Whatever the zone: last <= now < next, on the hour and the weekday that were asked for, unless the clock skips it."""
    last, coming = when.latest(now, zone), when.coming(now, zone)
    assert last <= now < coming
    assert when.latest(coming, zone) == coming
    span = (
        timedelta(minutes=when.every_minutes)
        if when.every_minutes
        else timedelta(days=7 if when.weekday is not None else 1)
    )
    assert abs((coming - last) - span) <= timedelta(hours=2)
    local = coming.astimezone(zone)
    if not when.every_minutes and local.replace(tzinfo=None) == local.astimezone(UTC).astimezone(zone).replace(
        tzinfo=None
    ):
        assert when.weekday in (None, local.weekday())


def test_a_skipped_hour_is_taken_an_hour_later_and_a_double_one_once() -> None:
    """Berlin in spring and in autumn, at half past two."""
    half_past_two = Recurrence(2, 30)
    spring = datetime(2026, 3, 29, 0, 0, tzinfo=UTC)
    assert half_past_two.coming(spring, BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert half_past_two.coming(first - timedelta(minutes=1), BERLIN) == first
    assert half_past_two.latest(first + timedelta(hours=1, minutes=5), BERLIN) == first
    assert half_past_two.coming(first, BERLIN) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "cron"),
    [
        ("12:30", "30 12 * * *"),
        ("Mon 09:00", "0 9 * * 1"),
        ("Sun 23:05", "5 23 * * 0"),
        ("every 30m", "*/30 * * * *"),
        ("every 6h", "0 */6 * * *"),
    ],
)
def test_a_table_of_cron_has_it_in_five_fields(said: str, cron: str) -> None:
    """Days of the week count from Sunday there."""
    recurrence = parse_recurrence(said, "dream")
    assert recurrence is not None
    assert recurrence.cron == cron
