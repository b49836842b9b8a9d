"""OpenClaw: what our plugin in it passes on, in a shape of our own, and what the plugin hands back to OpenClaw.

OpenClaw runs no hook commands. The plugin listens inside it and calls the same client that other hosts call; what
comes back is put before the prompt.
"""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import RefusedError
from mneme.formats.jsonc import (
    BrokenSettingsError,
    parse_settings,
    print_settings,
    with_item,
    with_member,
    without,
)
from mneme.hosts import HostFile, Installation, Wish, claude_code
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
    """Return what has to change so that OpenClaw loads our plugin and our skill."""
    _refuse_project(wish)
    command = [sys.executable, "-S", "-E", str(CLIENT), NAME]
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": command}}
    place, before, text = _config()
    with _mergeable(place):
        after = with_member(text, _ENTRY, entry) if text.strip() else print_settings(_nested(entry))
        allowed = parse_settings(after).find(_ALLOWED)
        if allowed is not None and "mneme" not in allowed.plain():
            after = with_item(after, _ALLOWED, "mneme")
    changes = [HostFile(place, str(place), before, after.encode("utf-8")), *_shipped()]
    return Installation(tuple(changes), tuple(_notes(after)))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that OpenClaw knows nothing of us any more; what somebody edited stays."""
    _refuse_project(wish)
    place, before, text = _config()
    after: str | None = text
    with _mergeable(place):
        allowed = parse_settings(text).find(_ALLOWED) if text.strip() else None
        if allowed is not None and "mneme" in allowed.plain():
            after = without(text, (*_ALLOWED, allowed.plain().index("mneme")))
        if after and after.strip():
            after = without(after, _ENTRY)
    kept = before if after == text else None if after is None else after.encode("utf-8")
    changes = [HostFile(place, str(place), before, kept)]
    changes += [replace(file, after=None if file.before == file.after else file.before) for file in _shipped()]
    return Installation(tuple(changes))


def _config() -> tuple[Path, bytes | None, str]:
    """Return the place of OpenClaw's settings and what they say."""
    place = program_folder("OPENCLAW_CONFIG_PATH", str(_state_folder() / "openclaw.json"))
    before = files.find_file(place)
    return place, before, (before or b"").decode("utf-8", "surrogateescape")


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


def _nested(entry: object) -> dict[str, object]:
    return {"plugins": {"entries": {"mneme": entry}}}


def _refuse_project(wish: Wish) -> None:
    if wish.project:
        message = "OpenClaw has one set of settings for all projects"
        raise RefusedError(message, "mneme install openclaw")


@contextmanager
def _mergeable(place: Path) -> Iterator[None]:
    try:
        yield
    except BrokenSettingsError as fault:
        message = f"'{place}' cannot be merged into: line {fault.line}: {fault}"
        raise RefusedError(message, f"edit {shlex.quote(str(place))}") from fault


def _notes(text: str) -> Iterator[str]:
    """Tell what OpenClaw does itself that we do as well; two must not write the same memory."""
    yield "the plugin is loaded when the gateway starts next: openclaw gateway restart"
    settings = parse_settings(text)
    slot = settings.find(("plugins", "slots", "memory"))
    if slot is None or slot.value != "none":
        yield (
            "OpenClaw dreams over MEMORY.md by itself where that is switched on; let one of the two do it: openclaw config"
            " set plugins.entries.memory-core.config.dreaming.enabled false"
        )
    active = settings.find(("plugins", "entries", "active-memory", "enabled"))
    if active is not None and active.value is True:
        yield "OpenClaw recalls before each reply as well: openclaw config set plugins.entries.active-memory.enabled false"
