"""Codex: Claude Code's events and JSON, without PostToolUseFailure; a failure is read from what the tool gave back.

A hook is told what a command printed and not how it ended; that stands in the session's log, when the turn is over.

Answers are Claude Code's. Context beyond 2,500 tokens would be spilled to a file, so an answer stays below that.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.hosts import HostFile, Installation, Wish, claude_code, said
from mneme.hosts.event import (
    AFTER_TOOL,
    BEFORE_TOOL,
    SESSION_END,
    TOOL_FAILED,
    Event,
    json_line,
    map_of,
    parse_payload,
    text_of,
)
from mneme.hosts.hooking import FILE_TOOLS, hook_command, project_notes, settings_place, wanted_entries
from mneme.hosts.marked import with_block, without_block
from mneme.hosts.settings import SERVER, Settings, has_server, missing_server_note, plan_in, plan_out, server_command
from mneme.hosts.switches import Alone, Kept, Switch, toml_settings, turned
from mneme.workspace import program_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "codex"
EVENTS = {name: name for name in claude_code.EVENTS if name != TOOL_FAILED}
LONGEST_ANSWER_CHARS = 8_000
# The head that stands before a command's own output; what the command printed may speak of exit codes as it likes.
_EXIT_CODE = re.compile(
    r"(?:(?:Chunk ID|Wall time|Command|Duration): [^\n]*\n){0,4}(?:Process exited with|Exit) code:? *(-?\d+)\b",
    re.IGNORECASE,
)
_CAME_BACK = ("function_call_output", "custom_tool_call_output")

print_answer = claude_code.print_answer


def read_event(name: str, payload: Mapping[str, Any]) -> Event:
    """Return the event that Codex tells of; a tool that went wrong is a failure."""
    event = replace(claude_code.read_event(name, payload), host=NAME)
    if event.name != AFTER_TOOL or event.tool is None or event.tool.error:
        return event
    error = _failure(payload)
    return replace(event, name=TOOL_FAILED, tool=replace(event.tool, error=error)) if error else event


def _failure(payload: Mapping[str, Any]) -> str:
    """Return what a tool's answer says about its failure, or the empty text."""
    answer = payload.get("tool_response")
    said = answer if isinstance(answer, str) else json_line(answer or {})
    inner = map_of(payload, "tool_response")
    meta = inner.get("metadata")
    code = inner.get("exit_code", meta.get("exit_code") if isinstance(meta, dict) else None)
    if code is None and isinstance(answer, str) and (found := _EXIT_CODE.match(answer)):
        code = int(found[1])
    if isinstance(code, int) and code != 0:
        return f"Exit code {code}\n{said[:2000]}"
    return said[:2000] if inner.get("is_error") is True or inner.get("isError") is True else ""


def failures_in(log: str) -> dict[str, str]:
    """Return what a session's log says of the calls that failed, by the call's id; the log may begin in mid-line."""
    failed: dict[str, str] = {}
    for line in log.split("\n"):
        if not any(kind in line for kind in _CAME_BACK):
            continue
        told = map_of(parse_payload(line.encode("utf-8", "replace")) or {}, "payload")
        error = _failure({"tool_response": _came_back(told)}) if told.get("type") in _CAME_BACK else ""
        if error:
            failed[text_of(told, "call_id")] = error
    return failed


def _came_back(told: Mapping[str, Any]) -> object:
    """Return what a tool gave back; an older Codex put it, with its exit code, into JSON that is a text."""
    return map_of(told, "output") or told.get("output")


_PATIENCE_SECONDS = 10
_LAST_PATIENCE_SECONDS = 2
_OWN_SERVER = re.compile(rb"""^[ \t]*\[mcp_servers\.["']?mneme["']?[.\]]""", re.MULTILINE)


_SWITCHES = (
    Switch(("features", "memories"), "keeps memories of its own and tells them to the model", where_on=True),
    Switch(("features", "memory_tool"), "keeps memories of its own and tells them to the model", where_on=True),
)


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that Codex asks at each event, and has the MCP server."""
    note = "Codex runs no hook before you have looked at it: start codex and enter /hooks"
    made = plan_in(_hooks(wish)) + said(note, *project_notes(wish))
    file = _config(wish)
    if not has_server():
        made += said(missing_server_note())
    elif _OWN_SERVER.search((without_block(file.before) if file.before else None) or b""):
        made += said(f"'{file.name}' has an MCP server of the name '{SERVER}' already, so it stays as it is")
    else:
        file = replace(file, after=with_block(file.before, _server_table()))
    return made + _left_alone(file, wish)


def _left_alone(file: HostFile, wish: Wish) -> Installation:
    """Return the settings with what Codex remembers by itself switched off, where that is wished, or what to tell of it."""
    text = (file.after or b"").decode("utf-8", "surrogateescape")
    alone, kept, notes = Alone("Codex", NAME, _SWITCHES, wish.alone), Kept.load(), []
    for switch in alone.wanted(toml_settings(text)):
        switched = turned(text, switch.path, on=False)
        if switched is None:
            notes.append(f"'{file.name}' says it in a way of its own; set {'.'.join(switch.path)} = false by hand")
        else:
            text = switched
            kept.keep(file.place, switch.path, was=True)
    notes += alone.notes(toml_settings(text))
    after = None if file.after is None else text.encode("utf-8", "surrogateescape")
    return Installation((replace(file, after=after), *kept.files()), tuple(notes))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that it no longer does."""
    file, kept = _config(wish), Kept.load()
    after = None if file.before is None else without_block(file.before)
    for row in kept.take(file.place):
        text = (after or b"").decode("utf-8", "surrogateescape")
        back = turned(text, tuple(row["path"]), on=True) if tuple(row["path"]) in _off(text) else None
        after = after if back is None else back.encode("utf-8", "surrogateescape")
    return plan_out(_hooks(wish)) + Installation((replace(file, after=after), *kept.files()))


def _off(text: str) -> list[tuple[str, ...]]:
    """Return the paths of the switches that are said to be off; one that is gone is not ours to bring back."""
    said_off = (switch for switch in _SWITCHES if not replace(switch, by_default=True).is_on(toml_settings(text)))
    return [switch.path for switch in said_off]


def _hooks(wish: Wish) -> Settings:
    place, name = settings_place(wish, program_folder("CODEX_HOME", ".codex"), ".codex", "hooks.json")
    return Settings(place, name, wanted_entries(EVENTS, _entry, wish))


def _config(wish: Wish) -> HostFile:
    """Return Codex's own settings, which are TOML and hold its MCP servers, as they are."""
    place, name = settings_place(wish, program_folder("CODEX_HOME", ".codex"), ".codex", "config.toml")
    before = files.find_file(place)
    return HostFile(place, name, before, before)


def _server_table() -> bytes:
    """Return our server as a table; a TOML string of this kind is written as JSON writes it."""
    command, *words = server_command()
    lines = (f"[mcp_servers.{SERVER}]", f"command = {json_line(command)}", f"args = {json.dumps(words)}", "")
    return "\n".join(lines).encode("utf-8")


def _entry(name: str) -> dict[str, Any]:
    patience = _LAST_PATIENCE_SECONDS if name == SESSION_END else _PATIENCE_SECONDS
    hook = {"type": "command", "command": hook_command(NAME, name), "timeout": patience}
    return {**({"matcher": FILE_TOOLS} if name == BEFORE_TOOL else {}), "hooks": [hook]}
