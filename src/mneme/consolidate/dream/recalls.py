"""The recall log, read for what it says about worth: what was asked for, how often, and on how many days.

An asked recall counts, one that was injected counts once per session, upkeep never. Of an answer only what came near
its best hit counts: the tail of a list of results was found, not needed. A log that was cut, rotated or lost is read on
from the last time that is known, so that nothing counts twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mneme.consolidate.dream.entry import find_moment
from mneme.consolidate.dream.memo import LogMark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

LOG = "recall.jsonl"
ASKED, INJECTED, UPKEEP = "asked", "injected", "upkeep"
LEAST_SCORE, NEAR_BEST = 0.3, 0.6
MOST_HITS = 5
DIGEST_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a recall: the record's id, where it stood, and how likely it was what was wanted."""

    id: str
    path: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class Recall:
    """One line of the log."""

    at: datetime
    origin: str
    query: str
    session: str
    hits: tuple[Found, ...]

    @property
    def counted(self) -> tuple[Found, ...]:
        """Return the hits that say something about worth."""
        best = max((hit.score for hit in self.hits), default=0.0)
        return tuple(hit for hit in self.hits if hit.score >= max(LEAST_SCORE, NEAR_BEST * best))[:MOST_HITS]


def read_log(content: bytes, mark: LogMark) -> tuple[list[Recall], LogMark]:
    """Return the recalls after a mark, upkeep left out, and the mark after them; a torn last line is left for later."""
    start, after = _start(content, mark)
    end = content.rfind(b"\n") + 1
    recalls: list[Recall] = []
    latest = mark.at
    last_line = b""
    for row in content[start:end].splitlines():
        if not row.strip():
            continue
        last_line = row
        recall = parse_recall(row)
        if recall is None or (after and recall.at <= after):
            continue
        latest = max(latest, recall.at.isoformat(), key=_moment_or_first)
        if recall.origin != UPKEEP:
            recalls.append(recall)
    if end <= start:
        return [], mark if start == mark.offset else LogMark(end, "", mark.at)
    return recalls, LogMark(end, _digest(last_line) if last_line else mark.digest, latest)


def _start(content: bytes, mark: LogMark) -> tuple[int, datetime | None]:
    """Return from where to read: after the mark where the log is the one it was set in, else all that is later."""
    if not mark.offset and not mark.at:
        return 0, None
    if mark.offset <= len(content):
        rows = content[: mark.offset].rstrip(b"\n").rsplit(b"\n", 1)
        if _digest(rows[-1]) == mark.digest:
            return mark.offset, None
    return 0, find_moment(mark.at)


def _moment_or_first(text: str) -> float:
    moment = find_moment(text)
    return moment.timestamp() if moment else float("-inf")


def _digest(row: bytes) -> str:
    return sha256(row.strip()).hexdigest()[:DIGEST_DIGITS]


def parse_recall(row: bytes) -> Recall | None:
    """Return one line of the log, or None where it is none."""
    try:
        tree = json.loads(row)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    at = find_moment(str(tree.get("at") or ""))
    hits = tree.get("hits")
    if at is None or not isinstance(hits, list):
        return None
    return Recall(
        at,
        str(tree.get("origin") or ASKED),
        str(tree.get("query") or ""),
        str(tree.get("session") or ""),
        tuple(_hits(hits)),
    )


def _hits(hits: list[Any]) -> Iterator[Found]:
    for hit in hits:
        try:
            line = int(hit.get("line") or 0)
            yield Found(
                str(hit.get("id") or ""),
                str(hit["path"]),
                line,
                int(hit.get("end_line") or line),
                float(hit.get("score") or 0.0),
            )
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
