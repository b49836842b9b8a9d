"""OpenClaw: what our plugin in it passes on, in a shape of our own, and what the plugin hands back to OpenClaw.

OpenClaw runs no hook commands. The plugin listens inside it and calls the same client that other hosts call; what
comes back is put before the prompt.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import RefusedError
from mneme.formats.jsonc import BrokenSettingsError, parse_settings
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
from mneme.hosts.hooking import CLIENT, find_shipped
from mneme.hosts.settings import Settings, plan_in, plan_out, server_entry
from mneme.hosts.switches import Alone, Switch
from mneme.workspace import program_folder, search_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
_SKILL_FILES = ("SKILL.md", "scripts/mneme_tool.py")
_ENTRY = ("plugins", "entries", "mneme")
_ALLOWED = ("plugins", "allow")
_MAIN_KEY = ("session", "mainKey")
_ENTRIES = ("plugins", "entries")
_SWITCHES = (
    Switch((*_ENTRIES, "memory-core", "config", "dreaming", "enabled"), "dreams over MEMORY.md by itself"),
    Switch((*_ENTRIES, "active-memory", "enabled"), "recalls before each reply as well"),
    Switch(
        ("agents", "defaults", "compaction", "memoryFlush", "enabled"),
        "has the model write the day's note before it shortens a conversation",
        by_default=True,
    ),
    Switch((*_ENTRIES, "memory-lancedb", "config", "autoRecall"), "recalls from a store of its own", where_on=True),
    Switch((*_ENTRIES, "memory-lancedb", "config", "autoCapture"), "keeps what was said in its store", where_on=True),
)
_ASKS_SINCE = (2026, 4, 24)
_VERSION_SECONDS = 15
_LONGEST_ERROR_CHARS = 2000
MAIN = "main"
# Kinds of conversation as a session's key names them: with one person, and with many.
_WITH_ONE, _WITH_MANY = frozenset({"direct", "dm"}), frozenset({"group", "channel"})


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that the plugin passed on; a conversation that is not known to be private is shared."""
    event = claude_code.read_event(name, payload)
    key = text_of(payload, "session_key")
    parts = key.split(":")
    agent = parts[parts.index("subagent") + 1] if "subagent" in parts[:-1] else event.agent
    event = replace(event, host=NAME, agent=agent, shared=not _is_private(key))
    code = payload.get("exit_code")
    if event.name != AFTER_TOOL or event.tool is None or not isinstance(code, int) or code == 0:
        return event
    # A command that ends badly is no error to OpenClaw, which hands its output on.
    error = f"Exit code {code}\n{text_of(payload, 'tool_response')[:_LONGEST_ERROR_CHARS]}"
    return replace(event, name=TOOL_FAILED, tool=replace(event.tool, error=error))


def _is_private(key: str) -> bool:
    """Say whether a conversation is with one person alone: an agent's main session, or one that its key calls so.

    The id of a group may be any word, `main` and `direct` as well.
    """
    within = key.split(":")[2:]
    if not within or _WITH_MANY.intersection(within):
        return False
    return within[0] in (MAIN, main_key_for(key)) or bool(_WITH_ONE.intersection(within))


def main_key_for(key: str) -> str:
    """Return what an agent's main session is called here, as far as it bears on a session's key: `session.mainKey`."""
    if len(key.split(":")) != 3 or key.endswith(f":{MAIN}"):  # noqa: PLR2004 - agent, its id, and the session's own name
        return MAIN
    try:
        node = parse_settings((files.find_file(_settings_place()) or b"{}").decode("utf-8", "replace")).find(_MAIN_KEY)
    except BrokenSettingsError:
        return MAIN
    named = node.value if node is not None else None
    return (named.strip().lower() if isinstance(named, str) else "") or MAIN


def print_answer(_event: Event, context: str) -> str:
    """Return what the plugin puts before the prompt."""
    return json_line({"prependContext": context})


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that OpenClaw loads our plugin and our skill, and has the MCP server."""
    _refuse_project(wish)
    _refuse_bundle()
    note = "the plugin is loaded when the gateway starts next: openclaw gateway restart"
    return plan_in(_settings(wish)) + Installation(tuple(_shipped())) + said(note)


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that OpenClaw knows nothing of us any more; what somebody edited stays."""
    _refuse_project(wish)
    kept = [replace(file, after=None if file.before == file.after else file.before) for file in _shipped()]
    return plan_out(_settings(wish)) + Installation(tuple(kept))


def _refuse_bundle() -> None:
    """Refuse to mix our plugin with the bundle, which OpenClaw puts into the same folder and under the same name."""
    if (_state_folder() / "extensions" / "mneme" / ".claude-plugin").exists():
        message = "OpenClaw has mneme as a bundle, with the skill and the server but no hooks; take that out first"
        raise RefusedError(message, "openclaw plugins uninstall mneme")


def _settings(wish: Wish) -> Settings:
    place = _settings_place()
    command = [sys.executable, "-S", "-E", str(CLIENT), NAME]
    access = {"hooks": {"allowConversationAccess": True}} if _takes_access(place) else {}
    entry = {"enabled": True, **access, "config": {"command": command}}
    return Settings(
        place,
        str(place),
        members={_ENTRY: entry},
        listed={_ALLOWED: "mneme"},
        server=("mcp", "servers"),
        entry=server_entry(),
        alone=Alone("OpenClaw", NAME, _SWITCHES, wish.alone),
    )


def _settings_place() -> Path:
    return program_folder("OPENCLAW_CONFIG_PATH", str(_state_folder() / "openclaw.json"))


def _takes_access(place: Path) -> bool:
    """Say whether this OpenClaw asks who may hear the end of a turn; an older one refuses settings that say so."""
    found = re.search(rb'"?lastTouchedVersion"?\s*:\s*["\']([\d.]+)', files.find_file(place) or b"")
    version = found[1].decode() if found else _version_of_program()
    numbers = tuple(int(one) for one in version.split(".") if one.isdigit())
    return not numbers or numbers >= _ASKS_SINCE


def _version_of_program() -> str:
    """Return the version that the command `openclaw` tells, or nothing where there is none."""
    program = shutil.which("openclaw", path=search_path())
    if program is None:
        return ""
    try:
        told = subprocess.run([program, "--version"], capture_output=True, check=False, timeout=_VERSION_SECONDS).stdout  # noqa: S603 - the user's own program
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(rb"\d+(?:\.\d+)+", told)
    return found[0].decode() if found else ""


def _state_folder() -> Path:
    return program_folder("OPENCLAW_STATE_DIR", ".openclaw")


def _shipped() -> list[HostFile]:
    """Return the files of the plugin and the skill, as they lie there and as they are shipped."""
    shipped = []
    for below, found, names in (
        ("extensions", find_shipped("openclaw_plugin", "plugins/openclaw", _PLUGIN_FILES[0]), _PLUGIN_FILES),
        ("skills", find_shipped("skill", "skills/mneme", _SKILL_FILES[0]), _SKILL_FILES),
    ):
        folder = _state_folder() / below / "mneme"
        shipped += [_shipped_file(folder, found, name) for name in names if found is not None]
    return shipped


def _shipped_file(folder: Path, found: Path, name: str) -> HostFile:
    place = folder / name
    content = files.read_file(found / name)
    return HostFile(place, str(place), files.find_file(place), content, runs=place.suffix == ".py", within=folder)


def _refuse_project(wish: Wish) -> None:
    if wish.project:
        message = "OpenClaw has one set of settings for all projects"
        raise RefusedError(message, "mneme install openclaw")
