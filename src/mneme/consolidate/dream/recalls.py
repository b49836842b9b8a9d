"""The recall log, read for what it says about worth: what was asked for, how often, and on how many days.

An asked recall counts, one that was injected counts once per session, upkeep never. Of an answer only what came near
its best hit counts: the tail of a list of results was found, not needed. A log that was cut, rotated or lost is read on
from the last time that is known, so that nothing counts twice.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mneme.check.secret import find_secrets
from mneme.consolidate.dream.entry import HASH_DIGITS, find_moment, hash_query
from mneme.consolidate.dream.memo import LogMark
from mneme.formats.asked import Asked
from mneme.formats.recalled import ASKED, UPKEEP, Seen, parse_recalled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

LEAST_SCORE, NEAR_BEST = 0.2, 0.6  # one chance in five: a record has to be meant by several questions anyway
MOST_HITS = 5
DIGEST_DIGITS = 16
_NAME = re.compile(rf"[0-9a-f]{{{HASH_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class Recall:
    """One line of the log."""

    at: datetime
    origin: str
    query: str
    """The hash of the question."""
    session: str
    hits: tuple[Seen, ...]
    words: str = ""

    @property
    def counted(self) -> tuple[Seen, ...]:
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
    if 0 < mark.offset <= len(content):
        row = content[content.rfind(b"\n", 0, mark.offset - 1) + 1 : mark.offset]
        if _digest(row) == mark.digest:
            return mark.offset, None
    return 0, find_moment(mark.at)


def _moment_or_first(text: str) -> float:
    moment = find_moment(text)
    return moment.timestamp() if moment else float("-inf")


def _digest(row: bytes) -> str:
    return sha256(row.strip()).hexdigest()[:DIGEST_DIGITS]


def parse_recall(row: bytes) -> Recall | None:
    """Return one line of the log, or None where it is none."""
    for one in parse_recalled(row.decode("utf-8", "replace")):
        if (at := find_moment(one.at)) is not None:
            return Recall(at, one.origin, query_name(one.query), one.session, one.hits)
    return None


def query_name(query: str) -> str:
    """Return the name that a query is counted under; the log has it already, the other program's events have words."""
    return query if _NAME.fullmatch(query) else hash_query(query) if query.strip() else ""


def read_events(content: bytes, after: str) -> tuple[list[Recall], str]:
    """Return the recalls that the other program has recorded in its event log after a time, and the time of the last.

    Its hits are stretches of a note, wider than one memory; which memory was meant is for the reader to find out.
    """
    since = find_moment(after)
    found: list[Recall] = []
    latest = after
    for row in content.splitlines():
        if b"memory.recall.recorded" not in row:
            continue
        event = _object(row)
        at = find_moment(str(event.get("timestamp") or ""))
        results = event.get("results")
        if at is None or not isinstance(results, list) or (since is not None and at <= since):
            continue
        latest = max(latest, str(event["timestamp"]), key=_moment_or_first)
        query = str(event.get("query") or "")
        found.append(Recall(at, ASKED, query_name(query), "", tuple(_hits(results)), query))
    return found, latest


def asked_elsewhere(content: bytes) -> list[Asked]:
    """Return the questions, in words, that the other program has recorded in its event log."""
    events = (_object(row) for row in content.splitlines() if b"memory.recall.recorded" in row)
    return [
        Asked(str(event.get("timestamp") or ""), event["query"])
        for event in events
        if isinstance(event.get("query"), str) and not find_secrets(event["query"])
    ]


def _object(row: bytes) -> dict[str, Any]:
    try:
        tree = json.loads(row)
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _hits(hits: list[Any]) -> Iterator[Seen]:
    for hit in hits:
        try:
            place = (str(hit["path"]), int(hit["startLine"]), int(hit["endLine"]))
            yield Seen("", *place, float(hit.get("score") or 0.0))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
