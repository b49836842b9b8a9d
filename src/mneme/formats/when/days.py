"""Stretches of days as words name them: a day, its week, a month, a year, or so many units away from today."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

DAY, WEEK, MONTH, YEAR, STRETCH = "day", "week", "month", "year", "stretch"
WEEKEND, QUARTER = "weekend", "quarter"
WEEK_DAYS = 7
QUARTER_MONTHS = 3
YEAR_MONTHS = 12
# "A few" is said of this many.
FEW = 3
SATURDAY = 5
# How far the day may lie from the one that somebody counts back to in these units.
_REACH_DAYS = {DAY: 0, WEEK: 3, MONTH: 15, YEAR: 183}
_FEW_REACH_DAYS = 2


@dataclass(frozen=True, slots=True)
class When:
    """A date in words: the days from `first` to `last` that it may mean, the one it names best, and its place.

    `size` says how wide the expression itself is; one that counts units ("3 weeks ago") covers the days around. A
    `relative` one means other days when it is read on another day; one that is not `certain` leaves open which it is.
    """

    day: date
    first: date
    last: date
    size: str = DAY
    start: int = 0
    end: int = 0
    relative: bool = False
    certain: bool = True
    counted: bool = False

    def covers(self, day: date | str) -> bool:
        """Say whether a day is among those meant; a text is compared by its first ten characters."""
        return self.first.isoformat() <= str(day)[:10] <= self.last.isoformat()


# A rule finds an expression and says what it means on a day; for a day that does not exist it raises ValueError.
Read = Callable[["re.Match[str]", date], When]
Rule = tuple[str, Read]


def on_day(day: date, *, relative: bool = True, certain: bool = True) -> When:
    """Return a single day."""
    return When(day, day, day, DAY, relative=relative, certain=certain)


def month_of(year: int, month: int, *, relative: bool = True, certain: bool = True) -> When:
    """Return a month."""
    first = date(year, month, 1)
    return When(first, first, month_end(first), MONTH, relative=relative, certain=certain)


def year_of(year: int, *, relative: bool = True) -> When:
    """Return a year."""
    return When(date(year, 1, 1), date(year, 1, 1), date(year, 12, 31), YEAR, relative=relative)


def stretch(first: date, last: date, *, relative: bool = True, certain: bool = True) -> When:
    """Return any run of days, known by its first."""
    return When(first, first, last, STRETCH, relative=relative, certain=certain)


def months(first: date, count: int, *, relative: bool = True, certain: bool = True) -> When:
    """Return a run of whole months."""
    return stretch(first, month_end(add_months(first, count - 1)), relative=relative, certain=certain)


def month_end(day: date) -> date:
    """Return the last day of a day's month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def add_months(day: date, count: int) -> date:
    """Return the same day of another month, or that month's last day when it is shorter."""
    year, month = divmod(day.year * YEAR_MONTHS + day.month - 1 + count, YEAR_MONTHS)
    first = date(year, month + 1, 1)
    return first.replace(day=min(day.day, monthrange(year, month + 1)[1]))


def stepped(today: date, step: int, unit: str) -> When:
    """Return the week, weekend, month, quarter or year so many steps from this one."""
    if unit == WEEK:
        monday = today - timedelta(days=today.weekday() - WEEK_DAYS * step)
        return When(monday, monday, monday + timedelta(days=WEEK_DAYS - 1), WEEK, relative=True)
    if unit == WEEKEND:
        week = stepped(today, step, WEEK)
        return stretch(week.first + timedelta(days=SATURDAY), week.last)
    if unit == MONTH:
        first = add_months(today.replace(day=1), step)
        return month_of(first.year, first.month)
    if unit == QUARTER:
        this = date(today.year, (today.month - 1) // QUARTER_MONTHS * QUARTER_MONTHS + 1, 1)
        return months(add_months(this, QUARTER_MONTHS * step), QUARTER_MONTHS)
    return year_of(today.year + step)


def counted(today: date, count: int, unit: str, *, certain: bool = True) -> When:
    """Return the day so many units away, and the days around it that such words may mean; today is not passed."""
    if unit in (DAY, WEEK):
        day = today + timedelta(days=count * (WEEK_DAYS if unit == WEEK else 1))
    else:
        day = add_months(today, count * (YEAR_MONTHS if unit == YEAR else 1))
    reach = timedelta(days=_REACH_DAYS[unit] or (0 if certain else _FEW_REACH_DAYS))
    when = When(day, day - reach, day + reach, unit, relative=True, certain=certain, counted=True)
    return replace(when, last=min(when.last, today)) if count < 0 else replace(when, first=max(when.first, today))


def span_of(today: date, count: int, unit: str, *, certain: bool = True) -> When:
    """Return the days between today and so many units away."""
    there = counted(today, count, unit).day
    return stretch(min(there, today), max(there, today), certain=certain)


def weekday_before(today: date, weekday: int) -> date:
    """Return the last such day of the week, today not counted."""
    return today - timedelta(days=(today.weekday() - weekday - 1) % WEEK_DAYS + 1)


def weekday_after(today: date, weekday: int) -> date:
    """Return the next such day of the week, today not counted."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % WEEK_DAYS + 1)


def weekday_lately(today: date, weekday: int) -> When:
    """Return the last such day of the week, today counted: what a bare name of a day most often means in memory."""
    return on_day(today - timedelta(days=(today.weekday() - weekday) % WEEK_DAYS), certain=False)


def latest_year(today: date, month: int, day: int = 1) -> int:
    """Return the year of the last such day that is not ahead of us."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1
