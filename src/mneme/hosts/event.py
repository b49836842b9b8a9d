"""One moment of a session, whichever host it happens in: what the rest of mneme knows of any host's JSON.

The names of events are Claude Code's; the module of a host says which of its own events each one is. What is missing
or of the wrong type reads as empty: a host that changes its JSON costs an answer, never an error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class Dialect(Protocol):
        """What the module of a host offers about its events."""

        EVENTS: Mapping[str, str]
        LONGEST_ANSWER_CHARS: int

        def read_event(self, name: str, payload: Mapping[str, Any], /) -> Event:
            """Return the event that the host's JSON tells of."""

        def print_answer(self, event: Event, context: str, /) -> str:
            """Return what the host is to read where there is something to say; `context` is for the model."""


SESSION_START, SESSION_END = "SessionStart", "SessionEnd"
PROMPT, STOP = "UserPromptSubmit", "Stop"
BEFORE_TOOL, AFTER_TOOL, TOOL_FAILED = "PreToolUse", "PostToolUse", "PostToolUseFailure"
BEFORE_COMPACTION = "PreCompact"
EVENTS = (SESSION_START, PROMPT, BEFORE_TOOL, AFTER_TOOL, TOOL_FAILED, BEFORE_COMPACTION, STOP, SESSION_END)

STARTUP, RESUME, CLEAR, COMPACT = "startup", "resume", "clear", "compact"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool; `error` is empty where it went well."""

    name: str
    id: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    came_back: object = None
    error: str = ""
    interrupted: bool = False

    @property
    def file(self) -> str:
        """The file that the tool was given, or the empty text."""
        return next((text for key in ("file_path", "path", "notebook_path") if (text := text_of(self.given, key))), "")


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: where, in which session, and what was said or done.

    `cause` is why a session started or ended, or what asked for compaction. `agent` names a subagent, where the event
    is one's. `shared` is set in a group chat, which never sees private memory.
    """

    name: str
    host: str
    session: str = ""
    turn: str = ""
    cwd: str = ""
    cause: str = ""
    prompt: str = ""
    said: str = ""
    tool: ToolUse | None = None
    agent: str = ""
    transcript: str = ""
    shared: bool = False


def parse_payload(raw: bytes) -> dict[str, Any] | None:
    """Return the object that a host sent, or None where it is none."""
    try:
        payload = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def text_of(payload: Mapping[str, Any], *keys: str) -> str:
    """Return the first of these values that is a text; half characters in it are replaced."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value.encode("utf-8", "replace").decode("utf-8")
    return ""


def map_of(payload: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a value that is an object, or an empty one; one that was sent as a text is read."""
    value = payload.get(key)
    if isinstance(value, str):
        value = parse_payload(value.encode("utf-8", "replace"))
    return value if isinstance(value, dict) else {}


def chars_of(text: str) -> int:
    """Return how long a text is as hosts count: in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def json_line(value: object) -> str:
    """Return a value as one line of JSON that any reader of UTF-8 takes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
