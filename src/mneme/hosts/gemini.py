"""Gemini CLI: the same moments under its own names, and an answer that is JSON or nothing.

It has one event after a tool, which tells of a failure inside the tool's answer. What its SessionEnd says is not waited
for.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mneme.hosts import Installation, Wish, claude_code, said
from mneme.hosts.event import (
    AFTER_TOOL,
    BEFORE_COMPACTION,
    BEFORE_TOOL,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    TOOL_FAILED,
    Event,
    json_line,
    map_of,
    text_of,
)
from mneme.hosts.hooking import hook_command, project_notes, settings_place, wanted_entries
from mneme.hosts.settings import Settings, plan_in, plan_out, server_entry
from mneme.hosts.switches import Alone, Switch
from mneme.workspace import program_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "gemini"
EVENTS = {
    SESSION_START: "SessionStart",
    PROMPT: "BeforeAgent",
    BEFORE_TOOL: "BeforeTool",
    AFTER_TOOL: "AfterTool",
    BEFORE_COMPACTION: "PreCompress",
    STOP: "AfterAgent",
    SESSION_END: "SessionEnd",
}
LONGEST_ANSWER_CHARS = 9_500
_LONGEST_ERROR_CHARS = 2000
_EXIT = re.compile(r"^Exit Code: (-?[1-9]\d*)$", re.MULTILINE)
_TOLD = re.compile(r"\A\s*<hook_context>.*?</hook_context>\s*", re.DOTALL)


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that Gemini CLI tells of; a tool whose answer has an error is a failure."""
    event = claude_code.read_event(name, payload)
    # What the session's start was told stands before its first prompt, as if somebody had said it.
    prompt = _TOLD.sub("", event.prompt, count=1)
    event = replace(event, host=NAME, prompt=prompt, said=text_of(payload, "prompt_response"))
    if event.name != AFTER_TOOL or event.tool is None:
        return event
    answer = map_of(payload, "tool_response")
    error = text_of(answer, "error") or text_of(map_of(answer, "error"), "message") or _exit_of(answer)
    return replace(event, name=TOOL_FAILED, tool=replace(event.tool, error=error)) if error else event


def _exit_of(answer: Mapping[str, Any]) -> str:
    """Return how a command ended that ended badly; the shell's tool tells so in what it shows the model."""
    told = text_of(answer, "llmContent")
    found = _EXIT.search(told)
    return f"Exit code {found[1]}\n{told[:_LONGEST_ERROR_CHARS]}" if found else ""


def print_answer(event: Event, context: str) -> str:
    """Return the answer in Gemini CLI's JSON; a session's own event names what it answers."""
    if event.name not in (SESSION_START, PROMPT):
        return ""
    return json_line({"hookSpecificOutput": {"hookEventName": EVENTS[event.name], "additionalContext": context}})


_PATIENCE_MS = 10_000
_SWITCHES = (Switch(("experimental", "autoMemory"), "drafts memories from past sessions by itself", where_on=True),)


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that Gemini CLI asks at each event, and has the MCP server."""
    return plan_in(_settings(wish)) + said(*project_notes(wish))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that it no longer does."""
    return plan_out(_settings(wish))


def _settings(wish: Wish) -> Settings:
    user = program_folder("GEMINI_CLI_HOME", "") / ".gemini"
    place, name = settings_place(wish, user, ".gemini", "settings.json")
    # It takes no context before a tool, so there is nothing to ask for then.
    entries = wanted_entries(EVENTS, _entry, wish, left_out=(BEFORE_TOOL,))
    alone = Alone("Gemini CLI", NAME, _SWITCHES, wish.alone)
    return Settings(place, name, entries, server=("mcpServers",), entry=server_entry(), alone=alone)


def _entry(name: str) -> dict[str, Any]:
    command = hook_command(NAME, name)
    return {"hooks": [{"type": "command", "name": "mneme", "command": command, "timeout": _PATIENCE_MS}]}
