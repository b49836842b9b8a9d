"""One remembered snippet of a day, and the file that keeps them: `memory/.dreams/short-term-recall.json`.

The schema is OpenClaw's, field by field and in its order, so that either program reads what the other wrote. Reading
never fails: what is broken is left out and counted. `print_entries` gives back, byte for byte, a file that was in
normal form.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from mneme.consolidate.dream.tags import MOST_TAGS, concept_tags
from mneme.consolidate.dream.taint import is_tainted, plain_path, plain_snippet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA_VERSION = 1
SOURCE = "memory"
MOST_QUERIES, MOST_DAYS, MOST_HITS = 32, 16, 9999
HASH_DIGITS = 12
DAILY_QUERY, SESSION_QUERY = "__dreaming_daily__:", "__dreaming_sessions__:"

_DAY = re.compile(r"\s*(\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True)
class Entry:
    """A snippet with everything that was counted about it; `key` says where it stood when it was first seen."""

    key: str
    path: str
    line: int
    end_line: int
    snippet: str
    recalls: int = 0
    dailies: int = 0
    grounded: int = 0
    total_score: float = 0.0
    max_score: float = 0.0
    first_at: str = ""
    last_at: str = ""
    queries: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    claim: str = ""
    promoted_at: str = ""

    @property
    def signals(self) -> int:
        """Return how often anything pointed to the snippet: recalls, ingestions, and what a backfill staged."""
        return self.recalls + self.dailies + self.grounded

    @property
    def average(self) -> float:
        """Return the mean score of all signals."""
        return clamp(self.total_score / max(1, self.signals))

    @property
    def place(self) -> str:
        """Return where the snippet stands, as it is cited."""
        return f"{self.path}:{self.line}-{self.end_line}"

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the hashes of queries that somebody asked: those of ingestion left out."""
        own = _BACKFILL_QUERIES.union(*map(_ingestion_queries, _days_around(self)))
        return tuple(one for one in self.queries if one not in own)

    def as_json(self) -> dict[str, object]:
        """Return the entry as its file has it."""
        known: dict[str, object] = {
            "key": self.key,
            "path": self.path,
            "startLine": self.line,
            "endLine": self.end_line,
            "source": SOURCE,
            "snippet": self.snippet,
            "recallCount": self.recalls,
            "dailyCount": self.dailies,
            "groundedCount": self.grounded,
            "totalScore": _number(self.total_score),
            "maxScore": _number(self.max_score),
            "firstRecalledAt": self.first_at,
            "lastRecalledAt": self.last_at,
            "queryHashes": list(self.queries),
            "recallDays": list(self.days),
            "conceptTags": list(self.tags),
        }
        optional = {"claimHash": self.claim, "promotedAt": self.promoted_at}
        return known | {name: value for name, value in optional.items() if value}


@dataclass(frozen=True, slots=True)
class Entries:
    """All entries by key, in the order of their file; `broken` says why nothing could be read, `dropped` how many.

    `printed` is how entries stand in a file of our own, each with the entry that stands so.
    """

    by_key: Mapping[str, Entry] = field(default_factory=dict)
    updated_at: str = ""
    dropped: int = 0
    broken: str = ""
    printed: Mapping[str, tuple[Entry, str]] = field(default_factory=dict)


def entry_key(path: str, line: int, end_line: int, claim: str = "") -> str:
    """Return the name of an entry."""
    return f"{SOURCE}:{path}:{line}:{end_line}" + (f":{claim}" if claim else "")


def hash_query(query: str) -> str:
    """Return the name under which a query is counted."""
    return sha1(query.strip().lower().encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:HASH_DIGITS]


def hash_claim(snippet: str) -> str:
    """Return the name of what a snippet says, wherever it stands."""
    text = plain_snippet(snippet).encode("utf-8", "surrogatepass")
    return sha1(text, usedforsecurity=False).hexdigest()[:HASH_DIGITS]


_BACKFILL_QUERIES = frozenset(
    hash_query(f"__dreaming_grounded_backfill__{what}") for what in ("", ":lasting-update", ":candidate")
)


@lru_cache(maxsize=1024)
def _ingestion_queries(day: str) -> frozenset[str]:
    """Return the names of the queries under which phases count what they look at on a day."""
    return frozenset(hash_query(f"{query}{day}") for query in (DAILY_QUERY, SESSION_QUERY))


def _days_around(entry: Entry) -> Iterable[str]:
    from mneme.consolidate.dream.taint import day_of

    return {day_of(entry.path), *entry.days}


def clamp(value: float) -> float:
    """Return a number within 0 and 1; what is no number is 0."""
    return max(0.0, min(1.0, value)) if math.isfinite(value) else 0.0


def iso(moment: datetime) -> str:
    """Return a moment as the stores write it: in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def find_moment(text: str) -> datetime | None:
    """Return the moment that a store wrote, or None."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def iso_day(text: str) -> str:
    """Return the day at the beginning of an ISO time, or the empty string."""
    found = _DAY.match(text)
    return found[1] if found else ""


# Reading


def parse_json(content: bytes | None) -> tuple[dict[str, Any], str]:
    """Return the object that a state file holds, and what is wrong with it."""
    if content is None or not content.strip():
        return {}, ""
    try:
        tree = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return {}, f"{type(error).__name__}: {error}"
    return (tree, "") if isinstance(tree, dict) else ({}, "it holds no object")


def print_json(tree: Mapping[str, object]) -> bytes:
    """Return a state file: two spaces of indent and a line end, as the other program writes it."""
    return f"{_laid_out(tree, '')}\n".encode("utf-8", "backslashreplace")


def _laid_out(value: object, indent: str) -> str:
    """Return JSON on lines of their own; what `json` itself does with an indent, in a tenth of the time."""
    if isinstance(value, str):
        return _quoted(value)
    inner = f"{indent}  "
    if isinstance(value, dict) and value:
        rows = [f"{inner}{_quoted(str(key))}: {_laid_out(one, inner)}" for key, one in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and value:
        return "[\n" + ",\n".join(f"{inner}{_laid_out(one, inner)}" for one in value) + f"\n{indent}]"
    return json.dumps(value) if not value or isinstance(value, bool) else repr(value)


_quoted = json.encoder.encode_basestring


def parse_entries(content: bytes | None, now: datetime) -> Entries:
    """Read the store; entries without a path or whole lines, of another source, or written by dreaming are dropped."""
    tree, broken = parse_json(content)
    raw = tree.get("entries")
    found = {}
    for key, value in raw.items() if isinstance(raw, dict) else ():
        if isinstance(value, dict) and (entry := _parse_entry(key, value, iso(now))) is not None:
            found[entry.key] = entry
    count = len(raw) if isinstance(raw, dict) else 0
    return Entries(found, _text(tree.get("updatedAt")) or iso(now), count - len(found), broken)


def print_entries(entries: Entries) -> bytes:
    """Return the store's file."""
    tree = {key: entry.as_json() for key, entry in entries.by_key.items()}
    return print_json({"version": SCHEMA_VERSION, "updatedAt": entries.updated_at, "entries": tree})


def print_head(updated_at: str, *, empty: bool) -> str:
    """Return what stands in the store's file before its first entry."""
    tree = {"version": SCHEMA_VERSION, "updatedAt": updated_at, "entries": {}}
    return _laid_out(tree, "").removesuffix("}\n}") + ("" if empty else "\n")


def print_one(key: str, entry: Entry) -> str:
    """Return an entry as it stands in the store's file, without its last bracket."""
    return f"    {_quoted(key)}: {_laid_out(entry.as_json(), '    ')}".removesuffix("\n    }")


def _parse_entry(key: str, value: Mapping[str, Any], now: str) -> Entry | None:
    path = plain_path(_text(value.get("path")))
    line, end_line = _whole(value.get("startLine")), _whole(value.get("endLine"))
    snippet = plain_snippet(_text(value.get("snippet")))
    if not path or line is None or end_line is None or value.get("source") != SOURCE or is_tainted(snippet):
        return None
    claim = _text(value.get("claimHash")).strip()
    tags = value.get("conceptTags")
    return Entry(
        key or entry_key(path, line, end_line, claim),
        path,
        line,
        end_line,
        snippet,
        recalls=_count(value.get("recallCount")),
        dailies=_count(value.get("dailyCount")),
        grounded=_count(value.get("groundedCount")),
        total_score=max(0.0, _float(value.get("totalScore"))),
        max_score=clamp(_float(value.get("maxScore"))),
        first_at=_text(value.get("firstRecalledAt")) or now,
        last_at=_text(value.get("lastRecalledAt")) or now,
        queries=distinct(_texts(value.get("queryHashes")))[:MOST_QUERIES],
        days=tuple(day for one in _texts(value.get("recallDays")) if (day := iso_day(one)))[-MOST_DAYS:],
        tags=_tags(tags) if isinstance(tags, list) else concept_tags(path, snippet),
        claim=claim,
        promoted_at=_text(value.get("promotedAt")),
    )


def _tags(tags: list[object]) -> tuple[str, ...]:
    return distinct(tag.lower() for tag in tags if isinstance(tag, str))[:MOST_TAGS]


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts without empty ones and repetitions."""
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def newest(texts: Iterable[str], more: str, most: int) -> tuple[str, ...]:
    """Return distinct texts with one more at the end, the oldest left out."""
    return tuple(dict.fromkeys((*(text for text in texts if text), *((more,) if more else ()))))[-most:]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _float(value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _count(value: object) -> int:
    return max(0, math.floor(_float(value)))


def _whole(value: object) -> int | None:
    number = _float(value)
    return int(number) if isinstance(value, int | float | str) and number.is_integer() and number >= 1 else None


def _number(value: float) -> int | float:
    """Return a number as JavaScript prints it: whole ones without a point."""
    return int(value) if value.is_integer() else value


# Phase signals


@dataclass(frozen=True, slots=True)
class Signal:
    """How often a phase has chosen an entry, and when last."""

    key: str
    light: int = 0
    rem: int = 0
    light_at: str = ""
    rem_at: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the signal as its file has it."""
        known: dict[str, object] = {"key": self.key, "lightHits": self.light, "remHits": self.rem}
        optional = {"lastLightAt": self.light_at, "lastRemAt": self.rem_at}
        return known | {name: value for name, value in optional.items() if value}

    def hit(self, phase: str, now: str) -> Signal:
        """Return the signal with one more hit of a phase."""
        if phase == "light":
            return replace(self, light=min(MOST_HITS, self.light + 1), light_at=now)
        return replace(self, rem=min(MOST_HITS, self.rem + 1), rem_at=now)


def parse_signals(content: bytes | None) -> dict[str, Signal]:
    """Read `phase-signals.json`; a broken file holds none."""
    raw = parse_json(content)[0].get("entries")
    found = {}
    for name, value in raw.items() if isinstance(raw, dict) else ():
        if not isinstance(value, dict):
            continue
        signal = Signal(
            _text(value.get("key")) or name,
            _count(value.get("lightHits")),
            _count(value.get("remHits")),
            _text(value.get("lastLightAt")),
            _text(value.get("lastRemAt")),
        )
        if signal.light or signal.rem:
            found[signal.key] = signal
    return found


def print_signals(signals: Mapping[str, Signal], now: str) -> bytes:
    """Return the file of phase signals."""
    tree = {key: signal.as_json() for key, signal in signals.items()}
    return print_json({"version": SCHEMA_VERSION, "updatedAt": now, "entries": tree})
