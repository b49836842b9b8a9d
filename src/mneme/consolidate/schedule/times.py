"""Moments that come again: `12:30`, `Mon 09:00`, `every 30m`, or `off`, in a time zone.

A moment that the clock skips in spring is taken an hour later, one that it shows twice in autumn is taken once, at its
first. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mneme.errors import BadInputError

if TYPE_CHECKING:
    from datetime import tzinfo

OFF = "off"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK_DAYS = 7
_AT = re.compile(r"(?:(?P<day>[a-z]{3,9})\s+)?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_EVERY = re.compile(r"every\s+(?P<count>[1-9]\d{0,3})\s*(?P<unit>m|min|minutes?|h|hours?)")
_LEAST_MINUTES = 5


@dataclass(frozen=True, slots=True)
class Recurrence:
    """When something comes again: at a time of day, perhaps on one day of the week, or every so many minutes."""

    hour: int = 0
    minute: int = 0
    weekday: int | None = None
    every_minutes: int = 0

    @property
    def cron(self) -> str:
        """Return it in the five fields of a table of cron."""
        if self.every_minutes:
            hours, minutes = divmod(self.every_minutes, 60)
            return f"0 */{hours} * * *" if hours and not minutes else f"*/{min(self.every_minutes, 59)} * * * *"
        return f"{self.minute} {self.hour} * * {'*' if self.weekday is None else (self.weekday + 1) % _WEEK_DAYS}"

    def latest(self, now: datetime, zone: tzinfo) -> datetime:
        """Return the last moment, up to now, at which it came."""
        if self.every_minutes:
            step = self.every_minutes * 60
            return datetime.fromtimestamp(now.timestamp() // step * step, UTC)
        today = now.astimezone(zone).date()
        days = (today - timedelta(days=back) for back in range(_WEEK_DAYS + 1))
        moments = (
            datetime(day.year, day.month, day.day, self.hour, self.minute, tzinfo=zone).astimezone(UTC)
            for day in days
            if self.weekday in (None, day.weekday())
        )
        return next(moment for moment in moments if moment <= now)

    def coming(self, now: datetime, zone: tzinfo) -> datetime:
        """Return the next moment after now."""
        if self.every_minutes:
            return self.latest(now, zone) + timedelta(minutes=self.every_minutes)
        span = timedelta(days=1 if self.weekday is None else _WEEK_DAYS)
        local = self.latest(now, zone).astimezone(zone).replace(tzinfo=None) + span
        return local.replace(hour=self.hour, minute=self.minute, tzinfo=zone).astimezone(UTC)


def parse_recurrence(text: str, name: str) -> Recurrence | None:
    """Read when a job comes again; None for one that is off. What can't be read is an error that names the job."""
    said = " ".join(text.lower().split())
    if said == OFF:
        return None
    if match := _EVERY.fullmatch(said):
        minutes = int(match["count"]) * (60 if match["unit"].startswith("h") else 1)
        if minutes >= _LEAST_MINUTES:
            return Recurrence(every_minutes=minutes)
    elif (match := _AT.fullmatch(said)) and (match["day"] is None or match["day"][:3] in DAYS):
        weekday = DAYS.index(match["day"][:3]) if match["day"] else None
        return Recurrence(int(match["hour"]), int(match["minute"]), weekday)
    message = f"'{text}' is no time for the job '{name}'; say '12:30', 'Mon 09:00', 'every 30m' or 'off'"
    raise BadInputError(message, f'edit mneme.toml: [schedule] {name} = "12:30"')


def print_recurrence(recurrence: Recurrence | None) -> str:
    """Return when a job comes again, as it is written in settings."""
    if recurrence is None:
        return OFF
    if recurrence.every_minutes:
        return f"every {recurrence.every_minutes}m"
    day = f"{DAYS[recurrence.weekday].capitalize()} " if recurrence.weekday is not None else ""
    return f"{day}{recurrence.hour:02}:{recurrence.minute:02}"
