"""Taking in the notes of the last days, so that Light and REM have something to look at.

In trusted scoring each entry of a note is staged once and earns nothing by it, each phase keeps its own checkpoint by
content, and what holds a secret is not taken in. In OpenClaw's scoring chunks are counted as the reference counts them,
with its caps and its one checkpoint by time and size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.check.secret import find_secrets
from mneme.consolidate.dream.chunk import daily_chunks, note_chunks
from mneme.consolidate.dream.entry import DAILY_QUERY, SCHEMA_VERSION, hash_query, parse_json, print_json
from mneme.consolidate.dream.match import find_live
from mneme.consolidate.dream.record import DAILY, Seen, count_seen, keys_by_words, stage_chunk
from mneme.consolidate.dream.score import INGESTED_SCORE
from mneme.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mneme.consolidate.dream.chunk import Chunk
    from mneme.consolidate.dream.entry import Entry
    from mneme.consolidate.dream.rules import Rules
    from mneme.workspace import Workspace

CHECKPOINT = "memory/.dreams/daily-ingestion.json"
LEAST_TOTAL, PER_LIMIT, LEAST_PER_FILE = 20, 4, 6
MOST_STAGED = 400  # pieces taken in by one night; what is left is taken in by the next
DIGEST_DIGITS = 16
MS = 1000


class Notes:
    """The files of a workspace as one night sees them: each is read once, and stays as it was read."""

    __slots__ = ("_chunks", "_contents", "_days", "root", "workspace")

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.root: Path = workspace.root
        self._contents: dict[str, bytes | None] = {}
        self._chunks: dict[str, tuple[Chunk, ...]] = {}
        self._days: dict[str, str] | None = None

    def content(self, path: str) -> bytes | None:
        """Return what a file held when the night first looked at it."""
        if path not in self._contents:
            self._contents[path] = files.find_file(files.place_of(self.root, path))
        return self._contents[path]

    def text(self, path: str) -> str | None:
        """Return a file as text; a path that a state file gives and that leaves the workspace has none."""
        try:
            content = self.content(path)
        except RefusedError:
            return None
        return None if content is None else content.decode("utf-8", "replace")

    def chunks(self, path: str) -> tuple[Chunk, ...]:
        """Return the pieces of a note."""
        if path not in self._chunks:
            self._chunks[path] = note_chunks(self.text(path) or "", path)
        return self._chunks[path]

    def find_live(self, entry: Entry) -> Chunk | None:
        """Return the piece of its note that says what an entry says, or None."""
        text = self.text(entry.path)
        return None if text is None else find_live(entry, text, self.chunks(entry.path))

    def digest(self, path: str) -> str:
        """Return the digest of a file's content, or the empty string where there is none."""
        content = self.content(path)
        return "" if content is None else digest_of(content)

    def stamp(self, path: str) -> dict[str, int] | None:
        """Return a file's time and size as the reference's checkpoint has them."""
        try:
            found = files.place_of(self.root, path).stat()
        except OSError:
            return None
        return {"mtimeMs": floor(max(0.0, found.st_mtime_ns / 1_000_000)), "size": found.st_size}

    def days(self) -> dict[str, str]:
        """Return the paths of all days' notes that are not in the archive, each with its day."""
        if self._days is None:
            profile = self.workspace.profile
            days = ((path, profile.find_day(path)) for path in self.workspace.note_files())
            self._days = {path: day.date for path, day in days if day is not None and not profile.is_archived(path)}
        return self._days


def digest_of(content: bytes) -> str:
    """Return the digest by which a content is known again."""
    return sha256(content).hexdigest()[:DIGEST_DIGITS]


@lru_cache(maxsize=1024)
def is_within(day: str, now: datetime, lookback_days: int) -> bool:
    """Say whether a day ended no longer ago than so many days."""
    try:
        end = datetime.fromisoformat(f"{day}T23:59:59.999+00:00")
    except ValueError:
        return False
    return end >= now.astimezone(UTC) - timedelta(days=lookback_days)


# Trusted


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What a night has taken in: the notes that are new or changed, the checkpoint after them, and keys by chunk."""

    paths: tuple[str, ...] = ()
    read: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    left_over: tuple[str, ...] = ()


def fresh_notes(notes: Notes, read: Mapping[str, str], now: datetime, lookback_days: int) -> list[str]:
    """Return the notes of the last days that a phase has not seen as they are, newest first."""
    recent = [(day, path) for path, day in notes.days().items() if is_within(day, now, lookback_days)]
    return [path for _, path in sorted(recent, reverse=True) if notes.digest(path) != read.get(path)]


def take_in(
    entries: dict[str, Entry], notes: Notes, read: Mapping[str, str], now: datetime, lookback_days: int
) -> TakenIn:
    """Stage what is new in the notes of the last days, newest first, until the night has had enough."""
    days = notes.days()
    kept = {path: digest for path, digest in read.items() if is_within(days.get(path, ""), now, lookback_days)}
    keys: dict[str, str] = {}
    done: list[str] = []
    waiting = fresh_notes(notes, read, now, lookback_days)
    said = keys_by_words(entries) if waiting else {}
    while waiting and len(keys) < MOST_STAGED:
        path = waiting.pop(0)
        for chunk in notes.chunks(path):
            if not find_secrets(chunk.snippet):
                seen = Seen(path, chunk.line, chunk.end_line, chunk.snippet, INGESTED_SCORE)
                keys[stage_chunk(entries, seen, said, now=now)] = path
        kept[path] = notes.digest(path)
        done.append(path)
    return TakenIn(tuple(done), kept, keys, tuple(waiting))


# As the reference does


def parse_checkpoint(content: bytes | None) -> dict[str, dict[str, int]]:
    """Read the reference's checkpoint of daily notes."""
    raw = parse_json(content)[0].get("files")
    found = {}
    for path, stamp in raw.items() if isinstance(raw, dict) else ():
        if isinstance(stamp, dict) and all(isinstance(stamp.get(name), int | float) for name in ("mtimeMs", "size")):
            found[path] = {name: floor(max(0, stamp[name])) for name in ("mtimeMs", "size")}
    return found


def print_checkpoint(stamps: Mapping[str, Mapping[str, int]]) -> bytes:
    """Return the checkpoint's file."""
    tree: dict[str, Any] = {path: dict(stamp) for path, stamp in stamps.items()}
    return print_json({"version": SCHEMA_VERSION, "files": tree})


def take_in_as_openclaw(
    entries: dict[str, Entry],
    notes: Notes,
    stamps: Mapping[str, Mapping[str, int]],
    rules: Rules,
    *,
    now: datetime,
    lookback_days: int,
    limit: int,
) -> dict[str, dict[str, int]]:
    """Count the chunks of the notes that changed since the checkpoint, and return the next one."""
    recent = _recent_days(notes, now, lookback_days)
    total = max(LEAST_TOTAL, PER_LIMIT * limit)
    per_file = max(LEAST_PER_FILE, ceil(total / max(1, len(recent))))
    counted = 0
    following: dict[str, dict[str, int]] = {}
    for path, day in recent:
        stamp = notes.stamp(path)
        if stamp is None:
            continue
        following[path] = stamp
        if stamps.get(path) == stamp:
            continue
        chunks = daily_chunks(notes.text(path) or "", per_file)[: max(1, min(per_file, total - counted))]
        seen = [Seen(path, one.line, one.end_line, one.snippet, INGESTED_SCORE) for one in chunks]
        query = hash_query(f"{DAILY_QUERY}{day}")
        count_seen(entries, query, seen, now=now, day=rules.day(now), kind=DAILY, once_a_day=True)
        counted += len(seen)
        if counted >= total:
            break
    return following


def fresh_as_openclaw(
    notes: Notes, stamps: Mapping[str, Mapping[str, int]], now: datetime, lookback_days: int
) -> list[str]:
    """Return the notes of the last days that are not as the checkpoint has them."""
    return [path for path, _ in _recent_days(notes, now, lookback_days) if notes.stamp(path) != stamps.get(path)]


def _recent_days(notes: Notes, now: datetime, lookback_days: int) -> Sequence[tuple[str, str]]:
    """Return the notes named by their day alone, directly in `memory/`, newest first."""
    own = ((path, path.removeprefix("memory/")[:-3]) for path in notes.days() if _is_plain(path))
    return sorted((one for one in own if is_within(one[1], now, lookback_days)), key=lambda one: one[1], reverse=True)


def _is_plain(path: str) -> bool:
    name = path.removeprefix("memory/")
    return path.startswith("memory/") and "/" not in name and len(name) == len("YYYY-MM-DD.md") and name.endswith(".md")
