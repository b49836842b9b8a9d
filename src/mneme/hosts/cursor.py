"""Cursor: the same moments under its own names; it takes context at the start of a session alone.

A prompt can be stopped there but not added to, so what a prompt brings to mind reaches the model through the MCP server
and the rules file. Versions of Cursor that do not know an event pass over it.
"""

from __future__ import annotations

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
    text_of,
)
from mneme.hosts.hooking import hook_command, project_notes, settings_place, wanted_entries
from mneme.hosts.settings import Settings, plan_in, plan_out, server_entry
from mneme.workspace import program_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "cursor"
EVENTS = {
    SESSION_START: "sessionStart",
    PROMPT: "beforeSubmitPrompt",
    BEFORE_TOOL: "preToolUse",
    AFTER_TOOL: "postToolUse",
    TOOL_FAILED: "postToolUseFailure",
    BEFORE_COMPACTION: "preCompact",
    STOP: "stop",
    SESSION_END: "sessionEnd",
}
LONGEST_ANSWER_CHARS = 9_500


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that Cursor tells of."""
    event = claude_code.read_event(name, payload)
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    tool = event.tool
    if tool is not None:
        tool = replace(
            tool,
            came_back=payload.get("tool_output", tool.came_back),
            error=text_of(payload, "error_message") or tool.error,
        )
    return replace(
        event,
        host=NAME,
        session=text_of(payload, "conversation_id", "session_id"),
        turn=text_of(payload, "generation_id"),
        cwd=event.cwd or first,
        said=text_of(payload, "text"),
        tool=tool,
    )


def print_answer(event: Event, context: str) -> str:
    """Return the answer in Cursor's JSON, for the one event whose context it takes."""
    return json_line({"additional_context": context}) if event.name == SESSION_START else ""


_VERSION = {"version": 1}


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that Cursor asks at each event, and has the MCP server."""
    notes = (
        "Cursor takes context from hooks at the start of a session alone; what a prompt brings to mind comes by MCP",
        "where Cursor keeps memories of its own, no file says so: Cursor Settings, Rules turns that off",
    )
    return plan_in(_hooks(wish)) + plan_in(_servers(wish)) + said(*notes, *project_notes(wish))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that it no longer does."""
    return plan_out(_hooks(wish)) + plan_out(_servers(wish))


def _hooks(wish: Wish) -> Settings:
    place, name = settings_place(wish, program_folder("", ".cursor"), ".cursor", "hooks.json")
    return Settings(place, name, wanted_entries(EVENTS, _entry, wish, left_out=(BEFORE_TOOL,)), _VERSION)


def _servers(wish: Wish) -> Settings:
    place, name = settings_place(wish, program_folder("", ".cursor"), ".cursor", "mcp.json")
    return Settings(place, name, server=("mcpServers",), entry=server_entry())


def _entry(name: str) -> dict[str, Any]:
    return {"command": hook_command(NAME, name)}
