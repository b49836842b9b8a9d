"""What was said in sessions, as Light and REM read it: one line for each message, by day, with secrets cut short.

The checkpoint and the corpus are OpenClaw's: `session-ingestion.json` says how far each transcript was read and which
messages were seen, `session-corpus/DATE.txt` holds the lines. A transcript in which a dream was told is never read.
Nothing here opens a transcript: each is given as a name, its content and its time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha1, sha256
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from mneme.check.secret import find_secrets
from mneme.consolidate.dream.entry import SESSION_QUERY, find_moment, hash_query, parse_json, print_json
from mneme.consolidate.dream.ingest import is_within
from mneme.consolidate.dream.record import Seen
from mneme.consolidate.dream.taint import CORPUS_FOLDER, plain_snippet
from mneme.formats.transcript import parse_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mneme.consolidate.dream.rules import Rules

CHECKPOINT = "memory/.dreams/session-ingestion.json"
CHECKPOINT_VERSION = 3
SESSION_SCORE = 0.58
MOST_MESSAGES, MOST_OF_FILE, LEAST_OF_FILE = 240, 80, 12
SHORTEST_SNIPPET, LONGEST_SNIPPET, LONGEST_LINE = 12, 280, 344
MOST_SEEN, MOST_SCOPES = 4096, 2048
MS = 1000
KEPT_AHEAD, KEPT_BEHIND, SHORT_SECRET = 6, 4, 18

_UNTRUSTED = re.compile(r"^[^\n]*\(untrusted[^\n]*\):\s*\n```json\n.*?\n```\s*", re.DOTALL | re.MULTILINE)
_KEY_VALUE = re.compile(
    r"\b([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD))(\s*[=:]\s*[\"']?)([^\s\"'\\,;]{8,})", re.IGNORECASE
)
_NARRATIVE = "dreaming-narrative-"


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript: whose it is, the name of its file, what it holds, and when it was last written (milliseconds)."""

    agent: str
    name: str
    content: bytes
    mtime_ms: float

    @property
    def key(self) -> str:
        """Return the name that the checkpoint knows it by."""
        return f"{self.agent}:sessions/{self.name}"

    @property
    def scope(self) -> str:
        """Return the session it belongs to, shared by what a reset or a deletion left of it."""
        return f"{self.agent}:{self.name.split('.jsonl')[0]}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a line: who said what, on which line of the transcript, and when (milliseconds, 0: not known)."""

    line: int
    snippet: str
    at_ms: float


@dataclass(frozen=True, slots=True)
class Progress:
    """The checkpoint: how far each transcript was read, and the messages seen in each session."""

    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seen: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a sweep adds: lines by day, the places they will stand at, and the checkpoint after it."""

    lines: Mapping[str, Sequence[str]]
    seen: Mapping[str, Sequence[Seen]]
    progress: Progress


def parse_progress(content: bytes | None) -> Progress:
    """Read the checkpoint; a broken one is empty."""
    tree, _ = parse_json(content)
    raw_files, raw_seen = tree.get("files"), tree.get("seenMessages")
    known = (
        {key: value for key, value in raw_files.items() if isinstance(value, dict)}
        if isinstance(raw_files, dict)
        else {}
    )
    seen = {}
    if isinstance(raw_seen, dict):
        seen = {
            key: [one for one in value if isinstance(one, str)]
            for key, value in raw_seen.items()
            if isinstance(value, list)
        }
    return Progress(known, seen)


def print_progress(progress: Progress) -> bytes:
    """Return the checkpoint's file."""
    tree = {"version": CHECKPOINT_VERSION, "files": dict(progress.files), "seenMessages": dict(progress.seen)}
    return print_json(tree)


def sweep(
    transcripts: Sequence[Transcript],
    progress: Progress,
    corpus: Mapping[str, bytes],
    rules: Rules,
    *,
    now: datetime,
    lookback_days: int,
) -> Corpus:
    """Read on in the transcripts, as far as one night goes; `corpus` are the days' files as they are."""
    ordered = sorted(transcripts, key=lambda one: (one.agent, one.name))
    per_file = min(MOST_OF_FILE, max(LEAST_OF_FILE, ceil(MOST_MESSAGES / max(1, len(ordered)))))
    state: dict[str, Mapping[str, Any]] = {}
    seen = {scope: list(hashes) for scope, hashes in progress.seen.items()}
    found: dict[str, list[tuple[Transcript, Message]]] = {}
    left = MOST_MESSAGES
    for one in ordered:
        if left <= 0:
            break
        reader = _Reading(one, progress.files.get(one.key), seen.get(one.scope, []))
        for message in reader.read(min(per_file, left), rules, now, lookback_days):
            found.setdefault(_day(message, one, rules), []).append((one, message))
            left -= 1
        state[one.key] = reader.state
        seen[one.scope] = reader.seen[-MOST_SEEN:]
    kept = dict(sorted(seen.items())[-MOST_SCOPES:])
    lines = {day: [_rendered(*each) for each in found[day]] for day in sorted(found)}
    places = {day: list(_places(day, found[day], corpus.get(day, b""))) for day in lines}
    return Corpus(lines, places, Progress(state, kept))


def query_of(day: str) -> str:
    """Return the hash of the query under which a day of the corpus is counted."""
    return hash_query(f"{SESSION_QUERY}{day}")


def corpus_path(day: str) -> str:
    """Return the path of a day of the corpus."""
    return f"{CORPUS_FOLDER}{day}.txt"


class _Reading:
    """One transcript being read: where it was left, what was seen, and how it is left now."""

    __slots__ = ("messages", "seen", "start", "state", "transcript", "until")

    def __init__(self, transcript: Transcript, before: Mapping[str, Any] | None, seen: Sequence[str]) -> None:
        self.transcript = transcript
        self.seen = list(seen)
        self.messages = [] if tells_dream(transcript.content) else list(messages_of(transcript.content))
        self.state: dict[str, Any] = {
            "mtimeMs": floor(max(0.0, transcript.mtime_ms)),
            "size": len(transcript.content),
            "contentHash": sha256("\n".join(each.snippet for each in self.messages).encode()).hexdigest(),
            "lineCount": len(self.messages),
            "lastContentLine": len(self.messages),
        }
        same = before is not None and all(
            before.get(name) == self.state[name] for name in self.state if name != "lastContentLine"
        )
        done = before.get("lastContentLine") if before and same else 0
        self.start = min(max(0, done if isinstance(done, int) else 0), len(self.messages))

    def read(self, most: int, rules: Rules, now: datetime, lookback_days: int) -> Iterator[Message]:
        known = set(self.seen)
        taken, at = 0, self.start
        while at < len(self.messages) and taken < most:
            message = self.messages[at]
            at += 1
            day = _day(message, self.transcript, rules)
            name = _message_hash(self.transcript.scope, message)
            if len(message.snippet) >= SHORTEST_SNIPPET and name not in known and is_within(day, now, lookback_days):
                known.add(name)
                self.seen.append(name)
                taken += 1
                yield message
        self.state["lastContentLine"] = at


def _message_hash(scope: str, message: Message) -> str:
    when = f"ts:{floor(message.at_ms)}" if message.at_ms > 0 else f"line:{message.line}"
    return sha1(f"{scope}\n{when}\n{message.snippet}".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _day(message: Message, transcript: Transcript, rules: Rules) -> str:
    ms = message.at_ms if message.at_ms > 0 else transcript.mtime_ms
    try:
        return rules.day(datetime.fromtimestamp(ms / 1000, UTC))
    except (ValueError, OverflowError, OSError):
        return ""


def _rendered(transcript: Transcript, message: Message) -> str:
    return f"[{transcript.agent}/sessions/{transcript.name}#L{message.line}] {message.snippet}"[:LONGEST_LINE]


def _places(day: str, found: Sequence[tuple[Transcript, Message]], before: bytes) -> Iterator[Seen]:
    first = before.count(b"\n") + (0 if not before or before.endswith(b"\n") else 1) + 1
    for number, (_, message) in enumerate(found, first):
        yield Seen(corpus_path(day), number, number, message.snippet, SESSION_SCORE)


# One transcript


def tells_dream(content: bytes) -> bool:
    """Say whether a transcript is one in which a program told a dream: by the name of its run or session."""
    if _NARRATIVE.encode() not in content:
        return False
    for row in content.splitlines():
        tree, _ = parse_json(row)
        if any(_is_dream_name(value) for value in _names(tree)):
            return True
    return False


def _names(tree: Mapping[str, Any]) -> Iterator[object]:
    for name in ("runId", "sessionKey", "sessionId", "key"):
        yield tree.get(name)
    for inner in ("data", "message", "details"):
        value = tree.get(inner)
        if isinstance(value, dict):
            yield from (value.get(name) for name in ("runId", "sessionKey"))


def _is_dream_name(value: object) -> bool:
    return isinstance(value, str) and (value.startswith(_NARRATIVE) or f":{_NARRATIVE}" in value)


def messages_of(content: bytes) -> Iterator[Message]:
    """Yield what user and assistant said in words, each as one line without its secrets."""
    for turn in parse_transcript(content.decode("utf-8", "replace")).turns:
        words = plain_snippet(redacted(_UNTRUSTED.sub("", turn.text)))
        at = find_moment(turn.at) if turn.at else None
        if words:
            snippet = f"{turn.role.capitalize()}: {words}"[:LONGEST_SNIPPET].rstrip()
            yield Message(turn.line, snippet, at.timestamp() * MS if at else 0.0)


def redacted(text: str) -> str:
    """Return a text in which every secret is cut down to its ends."""
    text = _KEY_VALUE.sub(lambda found: found[1] + found[2] + _cut_short(found[3]), text)
    for secret in reversed(find_secrets(text)):
        text = text[: secret.start] + _cut_short(text[secret.start : secret.end]) + text[secret.end :]
    return text


def _cut_short(secret: str) -> str:
    return f"{secret[:KEPT_AHEAD]}…{secret[-KEPT_BEHIND:]}" if len(secret) >= SHORT_SECRET else "***"
