"""What dreaming remembers of itself from night to night: `memory/.dreams/mneme.json`.

OpenClaw's own files in that folder keep OpenClaw's schema; what they have no room for is kept here: how far the recall
log was read, which notes each phase has seen, which days were dreamt over, on which days anything happened at all, and
how the files looked when the last night was over. Losing it costs a second look at a week of notes, never a memory.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from mneme.consolidate.dream.entry import SCHEMA_VERSION, parse_json, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATH = "memory/.dreams/mneme.json"
MOST_ACTIVE_DAYS, MOST_SESSIONS = 730, 512


@dataclass(frozen=True, slots=True)
class LogMark:
    """How far the recall log was read: the offset after the last line, that line's digest, and its time."""

    offset: int = 0
    digest: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Memo:
    """The state of one workspace's dreaming."""

    enabled: bool | None = None
    since: str = ""
    last: Mapping[str, str] = field(default_factory=dict)
    log: LogMark = field(default_factory=LogMark)
    events_at: str = ""
    read: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    dreamt: tuple[tuple[str, str], ...] = ()
    active: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    store: str = ""  # the digest of the store as we left it
    owed: str = ""  # the day since which a promotion waits to leave

    def has_dreamt(self, day: str) -> bool:
        """Say whether some night has looked at a day."""
        return any(first <= day <= last for first, last in self.dreamt)

    def idle_days(self, since: str) -> int:
        """Return on how many later days anything happened; a workspace that sleeps does not grow old."""
        return len(self.active) - bisect_right(self.active, since)

    def with_active(self, days: Iterable[str]) -> Memo:
        """Return the memo with days on which something happened."""
        return replace(self, active=tuple(sorted({*self.active, *days})[-MOST_ACTIVE_DAYS:]))

    def with_dreamt(self, days: Iterable[str]) -> Memo:
        """Return the memo with days that were dreamt over, runs of days put together."""
        return replace(self, dreamt=_runs({*_each_day(self.dreamt), *days}))

    def as_json(self) -> dict[str, object]:
        """Return the memo as its file has it."""
        return {
            "version": SCHEMA_VERSION,
            "enabled": self.enabled,
            "since": self.since,
            "last": dict(self.last),
            "log": {"offset": self.log.offset, "digest": self.log.digest, "at": self.log.at},
            "eventsAt": self.events_at,
            "read": {phase: dict(sorted(files.items())) for phase, files in sorted(self.read.items())},
            "dreamt": [f"{first}/{last}" for first, last in self.dreamt],
            "active": list(self.active),
            "injected": list(self.injected),
            "seen": dict(sorted(self.seen.items())),
            "left": dict(sorted(self.left.items())),
            "store": self.store,
            "owed": self.owed,
        }


def parse_memo(content: bytes | None) -> Memo:
    """Read the memo; a broken one is an empty one."""
    tree, _ = parse_json(content)
    log = tree.get("log")
    log = log if isinstance(log, dict) else {}
    enabled = tree.get("enabled")
    offset = log.get("offset")
    read = tree.get("read")
    runs = (run.split("/") for run in _texts(tree.get("dreamt")))
    return Memo(
        enabled=enabled if isinstance(enabled, bool) else None,
        since=str(tree.get("since") or ""),
        last=_text_map(tree.get("last")),
        log=LogMark(
            max(0, offset) if isinstance(offset, int) else 0, str(log.get("digest") or ""), str(log.get("at") or "")
        ),
        events_at=str(tree.get("eventsAt") or ""),
        read={str(phase): _text_map(files) for phase, files in read.items()} if isinstance(read, dict) else {},
        dreamt=_runs(_each_day([(run[0], run[-1]) for run in runs if _date(run[0]) and _date(run[-1])])),
        active=tuple(sorted(day for day in _texts(tree.get("active")) if _date(day))[-MOST_ACTIVE_DAYS:]),
        injected=tuple(_texts(tree.get("injected"))[-MOST_SESSIONS:]),
        seen=_text_map(tree.get("seen")),
        left=_text_map(tree.get("left")),
        store=str(tree.get("store") or ""),
        owed=str(tree.get("owed") or ""),
    )


def print_memo(memo: Memo) -> bytes:
    """Return the memo's file."""
    return print_json(memo.as_json())


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _text_map(value: Any) -> dict[str, str]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(value, dict):
        return {}
    return {str(key): one for key, one in value.items() if isinstance(one, str)}


def _date(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def _each_day(runs: Iterable[tuple[str, str]]) -> Iterable[str]:
    for first, last in runs:
        begin, end = _date(first), _date(last)
        if begin and end:
            yield from ((begin + timedelta(days=after)).isoformat() for after in range((end - begin).days + 1))


def _runs(days: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Put days into runs without gaps."""
    runs: list[tuple[str, str]] = []
    for day in sorted(set(days)):
        at = _date(day)
        if at is None:
            continue
        if runs and runs[-1][1] == (at - timedelta(days=1)).isoformat():
            runs[-1] = runs[-1][0], day
        else:
            runs.append((day, day))
    return tuple(runs)
