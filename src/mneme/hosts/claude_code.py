"""Claude Code: its events, what it sends with each, and what it reads back.

An answer is one JSON object with `hookSpecificOutput`; its `additionalContext` reaches the model. Texts over 10,000
characters would be spilled to a file, so an answer stays below that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mneme.hosts import Installation, Wish, said
from mneme.hosts.event import BEFORE_TOOL, Event, ToolUse, json_line, map_of, text_of
from mneme.hosts.event import EVENTS as ALL_EVENTS
from mneme.hosts.hooking import FILE_TOOLS, hook_command, project_folder, settings_place, wanted_entries
from mneme.hosts.settings import Settings, plan_in, plan_out, server_entry
from mneme.hosts.switches import Alone, Switch
from mneme.workspace import program_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "claude-code"
EVENTS = {name: name for name in ALL_EVENTS}
LONGEST_ANSWER_CHARS = 9_500


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that Claude Code tells of."""
    return Event(
        name=name,
        host=NAME,
        session=text_of(payload, "session_id"),
        turn=text_of(payload, "prompt_id", "turn_id"),
        cwd=text_of(payload, "cwd"),
        cause=text_of(payload, "source", "reason", "trigger"),
        prompt=text_of(payload, "prompt"),
        said=text_of(payload, "last_assistant_message"),
        tool=read_tool(payload),
        agent=text_of(payload, "agent_id"),
        transcript=text_of(payload, "transcript_path"),
    )


def read_tool(payload: Mapping[str, Any]) -> ToolUse | None:
    """Return the use of a tool that an event is about, if it is about one."""
    name = text_of(payload, "tool_name")
    if not name:
        return None
    return ToolUse(
        name=name,
        id=text_of(payload, "tool_use_id"),
        given=map_of(payload, "tool_input"),
        came_back=payload.get("tool_response"),
        error=text_of(payload, "error"),
        interrupted=payload.get("is_interrupt") is True,
    )


def print_answer(event: Event, context: str) -> str:
    """Return the answer in Claude Code's JSON."""
    return json_line({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}})


_PATIENCE_SECONDS = 10
_SWITCHES = (
    Switch(("autoMemoryEnabled",), "keeps a memory of its own, in a folder that mneme does not read", by_default=True),
    Switch(("autoDreamEnabled",), "goes over its own memory by itself"),
)


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that Claude Code asks at each event, and has the MCP server."""
    made = plan_in(_settings(wish)) + plan_in(_servers(wish))
    if wish.project:
        made += said("what is written names this machine's Python, so it is put where git does not take it along")
    return made


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that it no longer does."""
    return plan_out(_settings(wish)) + plan_out(_servers(wish))


def _settings(wish: Wish) -> Settings:
    user = program_folder("CLAUDE_CONFIG_DIR", ".claude")
    place, name = settings_place(wish, user, ".claude", "settings.local.json" if wish.project else "settings.json")
    alone = Alone("Claude Code", NAME, _SWITCHES, wish.alone)
    return Settings(place, name, wanted_entries(EVENTS, _entry, wish), alone=alone)


def _servers(wish: Wish) -> Settings:
    """Return where Claude Code keeps MCP servers: the user's, and those that they have in one project."""
    place = program_folder("CLAUDE_CONFIG_DIR", "") / ".claude.json"
    project = ("projects", str(project_folder(wish))) if wish.project else ()
    # The few tools of memory are worth their place: behind a search for tools a model would not think of them.
    entry = server_entry(type="stdio", alwaysLoad=True)
    return Settings(place, str(place), server=(*project, "mcpServers"), entry=entry)


def _entry(name: str) -> dict[str, Any]:
    hook = {"type": "command", "command": hook_command(NAME, name), "timeout": _PATIENCE_SECONDS}
    return {**({"matcher": FILE_TOOLS} if name == BEFORE_TOOL else {}), "hooks": [hook]}
