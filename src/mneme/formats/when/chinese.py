"""The Chinese words for dates, as rules: what to look for, and the days that it names."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme.formats.when.days import (
    DAY,
    FEW,
    MONTH,
    QUARTER,
    SATURDAY,
    WEEK,
    YEAR,
    add_months,
    counted,
    latest_year,
    month_of,
    on_day,
    span_of,
    stepped,
    stretch,
    weekday_lately,
    year_of,
)

if TYPE_CHECKING:
    import re

    from mneme.formats.when.days import Rule, When

_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100}
_SOME = frozenset("几数幾數")
_WEEKDAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
_DAYS_AWAY = {
    "大前": -3,
    "前": -2,
    "昨": -1,
    "今": 0,
    "当": 0,
    "當": 0,
    "明": 1,
    "后": 2,
    "後": 2,
    "大后": 3,
    "大後": 3,
}
_STEPS = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_YEARS_AWAY = {"前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2, "後": 2}
_UNITS = {
    "天": DAY,
    "日": DAY,
    "周": WEEK,
    "週": WEEK,
    "星期": WEEK,
    "礼拜": WEEK,
    "禮拜": WEEK,
    "月": MONTH,
    "年": YEAR,
}

_WEEK = r"(?:周|週|星期|礼拜|禮拜)"
_STEP = r"(?P<step>上上|下下|上|这|這|本|下)[个個]?"
_COUNT = r"(?P<count>\d{1,3}|[一二两兩三四五六七八九十百]{1,5}|[几数幾數])"
_UNIT = r"[个個]?(?P<unit>天|日|周|週|星期|礼拜|禮拜|月|年)"
_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号號]"
# What may not stand before a month that is named by its number: "三个月" is three months.
_NOT_COUNTED = r"(?<![\d年个個几幾一二三四五六七八九十])"


def _number(text: str) -> int:
    """Return the number that digits of either kind stand for; "几" is a few."""
    if text in _SOME:
        return FEW
    if text.isascii():
        return int(text)
    total, digit = 0, 0
    for char in text:
        if char in _TENS:
            total, digit = total + (digit or 1) * _TENS[char], 0
        else:
            digit = _DIGITS[char]
    return total + digit


def _date(match: re.Match[str], today: date) -> When:
    """Read a year, a month and a day, of which those at either end may be missing."""
    said = match.groupdict()
    month, day = (_number(said[name]) if said.get(name) else 0 for name in ("month", "day"))
    fixed, away = said.get("year"), said.get("away")
    near = today.year + _YEARS_AWAY[away] if away else latest_year(today, month, day or 1)
    year = int(fixed or near)
    certain = bool(fixed or away)
    if day:
        return on_day(date(year, month, day), relative=not fixed, certain=certain)
    return month_of(year, month, relative=not fixed, certain=certain) if month else year_of(year, relative=not fixed)


def _day(match: re.Match[str], today: date) -> When:
    return on_day(today + timedelta(days=_DAYS_AWAY[match["away"]]))


def _week(match: re.Match[str], today: date) -> When:
    week, weekday = stepped(today, _STEPS[match["step"]], WEEK), match["weekday"]
    if weekday == "末":
        return stretch(week.first + timedelta(days=SATURDAY), week.last)
    return on_day(week.first + timedelta(days=_WEEKDAYS[weekday])) if weekday else week


def _weekday(match: re.Match[str], today: date) -> When:
    return weekday_lately(today, _WEEKDAYS[match["weekday"]])


def _month(match: re.Match[str], today: date) -> When:
    first = add_months(today.replace(day=1), _STEPS[match["step"]])
    if match["day"]:
        return on_day(first.replace(day=_number(match["day"])))
    return month_of(first.year, first.month)


def _quarter(match: re.Match[str], today: date) -> When:
    return stepped(today, _STEPS[match["step"]], QUARTER)


def _count(match: re.Match[str], today: date) -> When:
    count = _number(match["count"]) * (-1 if match["side"].endswith("前") else 1)
    return counted(today, count, _UNITS[match["unit"]], certain=match["count"] not in _SOME)


def _span(match: re.Match[str], today: date) -> When:
    return span_of(today, -_number(match["count"]), _UNITS[match["unit"]], certain=match["count"] not in _SOME)


RULES: tuple[Rule, ...] = (
    (rf"(?<!\d)(?P<year>(?:19|20)\d\d)年(?:{_MONTH}(?:{_DAY}|份)?)?", _date),
    (rf"(?P<away>[前去今本明后後])年(?:{_MONTH}(?:{_DAY}|份)?)?", _date),
    (rf"{_NOT_COUNTED}{_MONTH}{_DAY}", _date),
    (rf"{_NOT_COUNTED}{_MONTH}(?:份|(?=[的里裡，。]|$))", _date),
    (r"(?P<away>大前|大后|大後|[前昨今当當明后後])[天日](?!气|氣)", _day),
    (r"(?P<away>[昨今明])[晚早晨夜]", _day),
    (rf"{_STEP}{_WEEK}(?P<weekday>[一二三四五六日天末])?", _week),
    (rf"(?<![每一二两兩三四五六七八九十\d上这這本下个個]){_WEEK}(?P<weekday>[一二三四五六日天])(?![次天])", _weekday),
    (rf"{_STEP}月(?:{_DAY})?", _month),
    (rf"{_STEP}季度", _quarter),
    (rf"{_COUNT}{_UNIT}(?P<side>[以之]?[前后後])", _count),
    (rf"(?:最近|过去|過去|近){_COUNT}{_UNIT}", _span),
)
