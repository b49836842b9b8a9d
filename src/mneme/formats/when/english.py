"""The English words for dates, as rules: what to look for, and the days that it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme.formats.when.days import (
    DAY,
    FEW,
    MONTH,
    QUARTER_MONTHS,
    STRETCH,
    WEEK,
    YEAR,
    YEAR_MONTHS,
    add_months,
    counted,
    latest_year,
    month_of,
    months,
    on_day,
    span_of,
    stepped,
    weekday_after,
    weekday_before,
    weekday_lately,
    year_of,
)

if TYPE_CHECKING:
    import re

    from mneme.formats.when.days import Rule, When

_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu", "friday fri", "saturday sat")
    )
    for name in names.split()
} | {"sunday": 6, "sun": 6}
_MONTH_NAMES = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905 - reads as the calendar does
)
_MONTHS = {name[:cut]: number for number, name in enumerate(_MONTH_NAMES, 1) for cut in (None, 3)} | {"sept": 9}
# Months that are words of their own when they are written small.
_WORDS_TOO = frozenset({"may", "march", "mar"})
_NUMBERS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)  # noqa: SIM905 - the same
} | {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30}
_UNITS = {"day": (1, DAY), "week": (1, WEEK), "fortnight": (2, WEEK), "month": (1, MONTH), "year": (1, YEAR)}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}
_DAYS_AWAY = {
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "day after tomorrow": 2,
}

# Every rule below needs a digit or one of these: a text that has neither has no date, and no rule need be compiled for it.
TELLING = frozenset(
    {
        *(word for names in (_WEEKDAYS, _MONTHS, _SEASONS) for word in names),
        *(f"{unit}{end}" for unit in _UNITS for end in ("", "s")),
        *[
            "weekend",
            "weekends",
            "quarter",
            "today",
            "tonight",
            "yesterday",
            "tomorrow",
            "night",
            "morning",
            "afternoon",
            "evening",
        ],
    }
)


def _any_of(names: object) -> str:
    return "|".join(sorted(map(str, names), key=len, reverse=True))  # type: ignore[call-overload] # any names


_WEEKDAY = rf"(?P<weekday>{_any_of(_WEEKDAYS)})\b\.?"
_WHOLE_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_MONTH = rf"(?P<month>{_any_of(_MONTHS)})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d-])"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_PART = r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+"
_COUNT = rf"(?:(?P<few>(?:a\s+)?(?:few|couple(?:\s+of)?)|several)|(?P<count>\d{{1,4}}|{_any_of(_NUMBERS)}))"
_UNIT = rf"(?P<unit>{_any_of(_UNITS)})s?\b"
_WHICH = rf"(?P<which>{_any_of(_STEPS)})"
_WORDS = (
    r"(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|today|tonight"
    r"|(?:yesterday|tomorrow)(?:\s+(?:morning|afternoon|evening|night))?"
    r"|last\s+night|this\s+(?:morning|afternoon|evening)"
)
_BEFORE_A_YEAR = (
    r"(?:in|since|during|of|from|until|till|by|before|after|through|throughout|around|about|for|and|to)\s+"
    r"(?:the\s+year\s+)?"
)


def _said(match: re.Match[str], name: str) -> str:
    """Return a group in small letters; empty where it was not said, or the rule has none of that name."""
    return (match.groupdict().get(name) or "").lower()


def _iso_day(match: re.Match[str], _: date) -> When:
    return on_day(date(int(match["year"]), int(match["month"]), int(match["day"])), relative=False)


def _iso_month(match: re.Match[str], _: date) -> When:
    return month_of(int(match["year"]), int(match["month"]), relative=False)


def _day_of_month(match: re.Match[str], today: date) -> When:
    month, day, year = _MONTHS[_said(match, "month")], int(match["day"]), _said(match, "year")
    number = int(year) if year else latest_year(today, month, day)
    return on_day(date(number, month, day), relative=not year, certain=bool(year))


def _month(match: re.Match[str], today: date) -> When:
    month, part, year = _MONTHS[_said(match, "month")], _said(match, "part"), _said(match, "year")
    when = month_of(int(year) if year else latest_year(today, month), month, relative=not year, certain=bool(year))
    tenth, twentieth = when.first.replace(day=10), when.first.replace(day=20)
    if part.startswith(("early", "beginning", "start")):
        return replace(when, last=tenth, size=STRETCH)
    if part.startswith("mid"):
        after = tenth + timedelta(days=1)
        return replace(when, day=after, first=after, last=twentieth, size=STRETCH)
    if part:
        after = twentieth + timedelta(days=1)
        return replace(when, day=after, first=after, size=STRETCH)
    return when


def _small_month(match: re.Match[str], today: date) -> When:
    if match["month"] in _WORDS_TOO and not _said(match, "which"):
        raise ValueError(match["month"])
    return _month(match, today)


def _year(match: re.Match[str], _: date) -> When:
    return year_of(int(match["year"]), relative=False)


def _quarter(match: re.Match[str], today: date) -> When:
    month, year = int(match["quarter"]) * QUARTER_MONTHS - 2, _said(match, "year")
    first = date(int(year) if year else latest_year(today, month), month, 1)
    return months(first, QUARTER_MONTHS, relative=not year, certain=bool(year))


def _season(match: re.Match[str], today: date) -> When:
    month, year = _SEASONS[_said(match, "season")], _said(match, "year")
    if year:
        return months(date(int(year), month, 1), QUARTER_MONTHS, relative=False)
    step = _STEPS[_said(match, "which")]
    first = date(latest_year(today, month) if step < 0 else today.year, month, 1)
    if step < 0 and add_months(first, QUARTER_MONTHS) > today:
        first = add_months(first, -YEAR_MONTHS)
    elif step > 0 and first <= today:
        first = add_months(first, YEAR_MONTHS)
    return months(first, QUARTER_MONTHS, certain=False)


def _word(match: re.Match[str], today: date) -> When:
    word = " ".join(match[0].lower().split()).removeprefix("the ")
    away = _DAYS_AWAY.get(word, _DAYS_AWAY.get(word.split()[0], 0))
    return on_day(today + timedelta(days=away))


def _step(match: re.Match[str], today: date) -> When:
    return stepped(today, _STEPS[_said(match, "which")], _said(match, "what"))


def _two_steps(match: re.Match[str], today: date) -> When:
    return stepped(today, -2 if _said(match, "side").startswith("before") else 2, _said(match, "what"))


def _step_to_weekday(match: re.Match[str], today: date) -> When:
    step, weekday = _STEPS[_said(match, "which")], _WEEKDAYS[_said(match, "weekday")]
    if step < 0:
        return on_day(weekday_before(today, weekday))
    return on_day(today if step == 0 and weekday == today.weekday() else weekday_after(today, weekday))


def _step_to_month(match: re.Match[str], today: date) -> When:
    step, month = _STEPS[_said(match, "which")], _MONTHS[_said(match, "month")]
    ahead, behind = step > 0 and month <= today.month, step < 0 and month >= today.month
    return month_of(today.year + ahead - behind, month)


def _weekday_of_week(match: re.Match[str], today: date) -> When:
    week = stepped(today, _STEPS[_said(match, "which")], WEEK)
    return on_day(week.first + timedelta(days=_WEEKDAYS[_said(match, "weekday")]))


def _weekday(match: re.Match[str], today: date) -> When:
    return weekday_lately(today, _WEEKDAYS[_said(match, "weekday")])


def _count(match: re.Match[str]) -> tuple[int, str]:
    """Return how many of which unit are counted."""
    few, said = _said(match, "few"), _said(match, "count")
    number = (2 if "couple" in few else FEW) if few else int(said) if said.isdigit() else _NUMBERS[said]
    times, unit = _UNITS[_said(match, "unit")]
    return number * times, unit


def _ago(match: re.Match[str], today: date) -> When:
    number, unit = _count(match)
    return counted(today, -number, unit, certain=not match["few"])


def _ahead(match: re.Match[str], today: date) -> When:
    number, unit = _count(match)
    return counted(today, number, unit, certain=not match["few"])


def _span(match: re.Match[str], today: date) -> When:
    number, unit = _count(match)
    return span_of(today, number * _STEPS[_said(match, "which")], unit, certain=not match["few"])


RULES: tuple[Rule, ...] = (
    (r"(?<![\d-])(?P<year>(?:19|20)\d\d)(?P<sign>[-/.])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?!\d|-\d)", _iso_day),
    (r"(?<![\w./-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?![\w-])", _iso_month),
    (rf"\b{_MONTH}\s+{_DAY}(?!:)(?:,?\s*{_YEAR})?", _day_of_month),
    (rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?", _day_of_month),
    (rf"\b(?:(?:the\s+)?{_PART})?{_MONTH}(?:\s+of)?,?\s+{_YEAR}", _month),
    (rf"\b(?:the\s+)?{_PART}{_MONTH}", _month),
    (rf"(?:(?<=\bin )|(?<=\bsince )|(?<=\bduring )){_MONTH}(?!\s+\d)", _small_month),
    (rf"\b{_BEFORE_A_YEAR}{_YEAR}(?!\s*(?:[%$€]|[a-z]*bytes\b|times\b))", _year),
    (rf"\bQ(?P<quarter>[1-4])(?:[\s/-]+{_YEAR})?\b", _quarter),
    (rf"\b{_WHICH}\s+(?P<season>{_any_of(_SEASONS)})\b", _season),
    (rf"\b(?P<season>{_any_of(_SEASONS)})(?:\s+of)?\s+{_YEAR}", _season),
    (rf"\b(?:{_WORDS})\b", _word),
    (rf"\b(?:the\s+)?{_WHICH}\s+(?P<what>week|weekend|month|quarter|year)\b", _step),
    (r"\b(?:the\s+)?(?P<what>week|weekend|month|year)\s+(?P<side>before\s+last|after\s+next)\b", _two_steps),
    (rf"\b{_WHICH}\s+{_WEEKDAY}(?!\s+(?:of\s+)?(?:last|this|next)\b)", _step_to_weekday),
    (rf"\b{_WHICH}\s+{_MONTH}(?!\s+\d)", _step_to_month),
    (rf"\b{_WEEKDAY}\s+(?:of\s+)?{_WHICH}\s+week\b", _weekday_of_week),
    (rf"\b{_WHICH}\s+week(?:\s+on|'s)?\s+{_WEEKDAY}", _weekday_of_week),
    (rf"(?<!half )\b(?:(?:about|around|roughly)\s+)?{_COUNT}\s+{_UNIT}\s+(?:ago|back|earlier)\b", _ago),
    (rf"\bin\s+(?:about\s+)?{_COUNT}\s+{_UNIT}(?!\s+(?:of|time|long))", _ahead),
    (rf"\b{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)\b", _ahead),
    (rf"\b(?:the\s+)?(?P<which>last|past|previous|next|coming)\s+{_COUNT}\s+{_UNIT}", _span),
    (rf"(?<!\bevery )(?<!\beach )\b{_WHOLE_WEEKDAY}(?!s|'s|\s+(?:of\s+)?(?:last|this|next)\s+week)\b", _weekday),
)
