"""A settings file of a host, as JSON of one kind or another, with what mneme puts into it: hooks, an MCP server, switches.

Each part goes in beside whatever is there and comes out without a trace, in the opposite order.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import RefusedError
from mneme.formats.jsonc import (
    ARRAY,
    BrokenSettingsError,
    parse_settings,
    with_item,
    with_member,
    without,
)
from mneme.hosts import HostFile, Installation
from mneme.hosts.hooking import begun, put_hooks, take_hooks
from mneme.hosts.switches import Kept, settings_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mneme.formats.jsonc import Node
    from mneme.hosts.switches import Alone, Switch

SERVER = "mneme"
# Without the folder that it is started in on its path: what lies there is a stranger's.
_RUNS_SERVER = ["-P", "-m", "mneme", "mcp"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One settings file: what goes into it, and what a new file has beside that.

    `server` is where the host keeps its MCP servers, and `entry` is what is put there. `listed` goes into lists that
    somebody keeps, and makes none. `alone` is what the host does by itself.
    """

    place: Path
    name: str
    entries: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)
    members: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    listed: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    server: tuple[str, ...] = ()
    entry: Any = None
    alone: Alone | None = None


def server_command() -> list[str]:
    """Return the command that serves memory over stdin and stdout."""
    return [sys.executable, *_RUNS_SERVER]


def server_entry(**more: object) -> dict[str, Any]:
    """Return an MCP server as most hosts keep it."""
    command, *words = server_command()
    return {"command": command, "args": words, **more}


def has_server() -> bool:
    """Say whether the MCP server can run here: it needs the official SDK."""
    return find_spec("mcp") is not None


def missing_server_note() -> str:
    """Return what to tell where it can't."""
    return "no MCP server is set up, for want of the official SDK: pip install 'mneme-engine[mcp]', then install again"


def plan_in(settings: Settings) -> Installation:
    """Return what putting our parts into a settings file changes."""
    before, text = _read(settings)
    kept = Kept.load()
    try:
        after = put_hooks(text, settings.entries, settings.beside)
        for path, value in settings.members.items():
            after = _with(after, path, value)
        for path, item in settings.listed.items():
            after = _with_listed(after, path, item)
        if settings.server and has_server():
            after = _with_server(after, settings)
        for switch in settings.alone.wanted(settings_in(text)) if settings.alone else ():
            after = _switched(kept, settings.place, after, switch)
    except BrokenSettingsError as fault:
        raise _refused(settings, fault) from fault
    file = HostFile(settings.place, settings.name, before, before if after is None else after.encode("utf-8"))
    told = settings.alone.notes(settings_in(text)) if settings.alone else ()
    return Installation((file, *kept.files()), (*_notes(settings, text), *told))


def plan_out(settings: Settings) -> Installation:
    """Return what taking our parts out of a settings file changes."""
    before, text = _read(settings)
    kept = Kept.load()
    try:
        after = _switched_back(kept, settings.place, text)
        after = _taken_out(after, settings)
    except BrokenSettingsError as fault:
        raise _refused(settings, fault) from fault
    if text is not None and after is None and not text.endswith("\n"):
        after = text[: len(text) - len(text.lstrip())]  # it was there, and blank
    content = before if after == text else None if after is None else after.encode("utf-8")
    return Installation((HostFile(settings.place, settings.name, before, content), *kept.files()))


def _read(settings: Settings) -> tuple[bytes | None, str | None]:
    before = files.find_file(settings.place)
    try:
        return before, None if before is None else before.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"'{settings.name}' is not UTF-8"
        raise RefusedError(message, f"file {shlex.quote(str(settings.place))}") from error


def _server(text: str | None, settings: Settings) -> Node | None:
    return parse_settings(text).find((*settings.server, SERVER)) if text and text.strip() else None


def _with_server(text: str | None, settings: Settings) -> str | None:
    there = _server(text, settings)
    if there is not None and not _is_ours(there):
        return text
    return _with(text, (*settings.server, SERVER), settings.entry)


def _is_ours(node: Node | None) -> bool:
    """Say whether an MCP server is ours: known by what it runs, whichever Python it was that installed it."""
    entry = node.plain() if node is not None else None
    words = entry.get("args") if isinstance(entry, dict) else None
    return isinstance(words, list) and words[: len(_RUNS_SERVER)] == _RUNS_SERVER


def _taken_out(text: str | None, settings: Settings) -> str | None:
    """Return settings without all that we put in, but for switches; each part may leave nothing for the next."""

    def server(left: str) -> str | None:
        return without(left, (*settings.server, SERVER)) if _is_ours(_server(left, settings)) else left

    parts: list[Callable[[str], str | None]] = [server] if settings.server else []
    parts += [partial(_without_listed, path=path, item=item) for path, item in settings.listed.items()]
    parts += [partial(without, path=place) for place in settings.members]
    parts.append(partial(take_hooks, beside=settings.beside))
    for part in parts:
        text = part(text) if text and text.strip() else text
    return text


def _with_listed(text: str | None, path: tuple[str, ...], item: str) -> str | None:
    """Put an item into a list, where there is such a list and it is not in it."""
    there = parse_settings(text).find(path) if text and text.strip() else None
    return with_item(text, path, item) if text and there is not None and item not in there.plain() else text


def _without_listed(text: str, path: tuple[str, ...], item: str) -> str | None:
    there = parse_settings(text).find(path)
    if there is None or there.kind != ARRAY or item not in there.plain():
        return text
    return without(text, (*path, there.plain().index(item)))


def _with(text: str | None, path: tuple[str, ...], value: object) -> str:
    """Put a value at a path."""
    if text and text.strip():
        return with_member(text, path, value)
    for step in reversed(path):
        value = {step: value}
    return begun(text, value)


def _notes(settings: Settings, text: str | None) -> list[str]:
    if not settings.server:
        return []
    if not has_server():
        return [missing_server_note()]
    there = _server(text, settings)
    if there is not None and not _is_ours(there):
        return [f"'{settings.name}' has an MCP server of the name '{SERVER}' that is not ours, so it stays as it is"]
    return []


def _switched(kept: Kept, file: Path, text: str | None, switch: Switch) -> str | None:
    """Turn a switch off, and keep how it was; one that stands so already is not ours to take back."""
    node = parse_settings(text).find(switch.path) if text and text.strip() else None
    if node is not None and node.plain() is False:
        return text
    kept.keep(file, switch.path, **({} if node is None else {"was": node.plain()}))
    return _with(text, switch.path, False)  # noqa: FBT003 - a value of settings


def _switched_back(kept: Kept, file: Path, text: str | None) -> str | None:
    """Take back what we switched in a file, as far as it still stands as we set it."""
    left = text
    for row in kept.take(file):
        path = tuple(row["path"])
        node = parse_settings(left).find(path) if left and left.strip() else None
        if left is not None and node is not None and node.plain() == row["set"]:
            left = with_member(left, path, row["was"]) if "was" in row else without(left, path)
    return left


def _refused(settings: Settings, fault: BrokenSettingsError) -> RefusedError:
    message = f"'{settings.name}' cannot be merged into: line {fault.line}: {fault}"
    return RefusedError(message, f"edit {shlex.quote(str(settings.place))}")
