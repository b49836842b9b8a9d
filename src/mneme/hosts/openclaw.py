"""OpenClaw: what our plugin in it passes on, in a shape of our own, and what the plugin hands back to OpenClaw.

OpenClaw runs no hook commands. The plugin listens inside it and calls the same client that other hosts call; what
comes back is put before the prompt.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mneme.hosts import claude_code
from mneme.hosts.event import (
    AFTER_TOOL,
    BEFORE_COMPACTION,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    TOOL_FAILED,
    Event,
    json_line,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "openclaw"
EVENTS = {
    SESSION_START: "session_start",
    PROMPT: "before_prompt_build",
    AFTER_TOOL: "after_tool_call",
    TOOL_FAILED: "after_tool_call",
    BEFORE_COMPACTION: "before_compaction",
    STOP: "agent_end",
    SESSION_END: "session_end",
}
LONGEST_ANSWER_CHARS = 9_500
_PRIVATE_CHATS = ("", "direct", "main")


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that the plugin passed on; any chat but a direct one is shared."""
    event = claude_code.read_event(name, payload)
    return replace(event, host=NAME, shared=text_of(payload, "chat_type") not in _PRIVATE_CHATS)


def print_answer(_event: Event, context: str) -> str:
    """Return what the plugin puts before the prompt."""
    return json_line({"prependContext": context})
