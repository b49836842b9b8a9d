"""OpenClaw: what our plugin in it passes on, in a shape of our own, and what the plugin hands back to OpenClaw.

OpenClaw runs no hook commands. The plugin listens inside it and calls the same client that other hosts call; what
comes back is put before the prompt.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import RefusedError
from mneme.formats.jsonc import parse_settings
from mneme.hosts import HostFile, Installation, Wish, claude_code, said
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
from mneme.hosts.hooking import CLIENT, find_skill
from mneme.hosts.settings import Settings, Switch, plan_in, plan_out, server_entry
from mneme.workspace import program_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_PLUGIN_FILES = ("openclaw.plugin.json", "package.json", "index.ts")
_PLUGIN = Path(__file__).parent / "openclaw_plugin"
_ENTRY = ("plugins", "entries", "mneme")
_ALLOWED = ("plugins", "allow")
_SWITCHES = (
    Switch(
        ("plugins", "entries", "memory-core", "config", "dreaming", "enabled"),
        value=False,
        what="dreams over MEMORY.md by itself",
    ),
    Switch(("plugins", "entries", "active-memory", "enabled"), value=False, what="recalls before each reply as well"),
)
# Kinds of conversation as a session's key names them: these are with the owner alone.
_PRIVATE = frozenset({"main", "direct", "dm"})


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that the plugin passed on; a conversation that is not known to be private is shared."""
    event = claude_code.read_event(name, payload)
    parts = text_of(payload, "session_key").split(":")
    agent = parts[parts.index("subagent") + 1] if "subagent" in parts[:-1] else event.agent
    return replace(event, host=NAME, agent=agent, shared=not _PRIVATE.intersection(parts[2:]))


def print_answer(_event: Event, context: str) -> str:
    """Return what the plugin puts before the prompt."""
    return json_line({"prependContext": context})


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that OpenClaw loads our plugin and our skill, and has the MCP server."""
    _refuse_project(wish)
    settings = _settings(wish)
    made = plan_in(settings) + Installation(tuple(_shipped()))
    return made + said(*_notes((made.files[0].after or b"").decode("utf-8"), wish))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that OpenClaw knows nothing of us any more; what somebody edited stays."""
    _refuse_project(wish)
    kept = [replace(file, after=None if file.before == file.after else file.before) for file in _shipped()]
    return plan_out(_settings(wish)) + Installation(tuple(kept))


def _settings(wish: Wish) -> Settings:
    place = program_folder("OPENCLAW_CONFIG_PATH", str(_state_folder() / "openclaw.json"))
    command = [sys.executable, "-S", "-E", str(CLIENT), NAME]
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": command}}
    return Settings(
        place,
        str(place),
        members={_ENTRY: entry},
        listed={_ALLOWED: "mneme"},
        server=("mcp", "servers"),
        entry=server_entry(),
        switches=_SWITCHES if wish.alone else (),
    )


def _state_folder() -> Path:
    return program_folder("OPENCLAW_STATE_DIR", ".openclaw")


def _shipped() -> list[HostFile]:
    """Return the files of the plugin and the skill, as they lie there and as they are shipped."""
    sources = {_state_folder() / "extensions" / "mneme" / name: _PLUGIN / name for name in _PLUGIN_FILES}
    skill = find_skill()
    if skill is not None:
        names = ("SKILL.md", "scripts/mneme_tool.py")
        sources |= {_state_folder() / "skills" / "mneme" / name: skill / name for name in names}
    return [
        HostFile(place, str(place), files.find_file(place), files.read_file(source), runs=place.suffix == ".py")
        for place, source in sources.items()
    ]


def _refuse_project(wish: Wish) -> None:
    if wish.project:
        message = "OpenClaw has one set of settings for all projects"
        raise RefusedError(message, "mneme install openclaw")


def _notes(text: str, wish: Wish) -> Iterator[str]:
    """Tell what OpenClaw does itself that we do as well; two must not write the same memory."""
    yield "the plugin is loaded when the gateway starts next: openclaw gateway restart"
    if wish.alone:
        return
    settings = parse_settings(text)
    for switch in _SWITCHES:
        node = settings.find(switch.path)
        if node is not None and node.value is True:
            yield f"OpenClaw {switch.what}; let one of the two do it: mneme install openclaw --alone"
