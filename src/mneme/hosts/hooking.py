"""Hooks in the settings of a host program: put beside whatever is there, found again, renewed, and taken out.

Every host keeps lists of hooks by event under the key `hooks`, as JSON of one kind or another. Ours are known by the
file that they run; nothing else is touched, wherever somebody has moved ours to.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme import git
from mneme.formats.jsonc import (
    ARRAY,
    OBJECT,
    Node,
    parse_settings,
    print_settings,
    with_item,
    with_value,
    without,
)
from mneme.hosts.event import BEFORE_TOOL, EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mneme.formats.jsonc import Step
    from mneme.hosts import Wish

CLIENT = Path(__file__).parents[1] / "hooks" / "client.py"
FILE_TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit"
_OURS = "mneme/hooks/client.py"


def find_shipped(name: str, sources: str, has: str) -> Path | None:
    """Return a folder that is shipped with the package, or lies beside its sources; it `has` a certain file."""
    here = Path(__file__).parent
    places = (here / name, here.parents[2] / sources)
    return next((place for place in places if (place / has).is_file()), None)


def hook_command(host: str, event: str) -> str:
    """Return the command line that answers an event: the quickest way there is to start this Python."""
    return shlex.join([sys.executable, "-S", "-E", str(CLIENT), host, event])


def wanted_entries(
    events: Mapping[str, str], form: Callable[[str], Any], wish: Wish, *, left_out: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return an entry for each event of a host, under the host's own name, in the form that it takes."""
    wanted = [name for name in EVENTS if name in events and name not in left_out]
    return {events[name]: form(name) for name in wanted if wish.files or name != BEFORE_TOOL}


def settings_place(wish: Wish, user: Path, folder: str, file: str) -> tuple[Path, str]:
    """Return a settings file and what to call it: the user's own, or the one of the project around where they stand."""
    if not wish.project:
        return user / file, str(user / file)
    return project_folder(wish) / folder / file, f"{folder}/{file}"


def project_folder(wish: Wish) -> Path:
    """Return the folder of the project around where they stand."""
    return git.find_repository(wish.here) or wish.here


def project_notes(wish: Wish) -> tuple[str, ...]:
    """Return what to tell who installs into a project whose settings git may take along."""
    return ("what is written names this machine's Python; keep it out of git",) if wish.project else ()


def begun(blank: str | None, value: object) -> str:
    """Return new settings; in a file that is there and blank they have no line end, so that it can be told later."""
    printed = print_settings(value)
    return printed if blank is None else blank + printed.removesuffix("\n")


def put_hooks(text: str | None, entries: Mapping[str, Any], beside: Mapping[str, Any]) -> str | None:
    """Return settings with our hooks in them."""
    if not entries:
        return text
    if text and text.strip():
        return _put(text, entries)
    return begun(text, {"hooks": {event: [entry] for event, entry in entries.items()}, **beside})


def _put(text: str, entries: Mapping[str, Any]) -> str:
    """Renew what is there of ours, take out what is too much, add what is missing."""
    for path in reversed([path for path in _ours(parse_settings(text)) if path[1] not in entries]):
        text = without(text, path) or ""
    for event, entry in entries.items():
        there = [path for path in _ours(parse_settings(text)) if path[1] == event]
        for path in reversed(there[1:]):
            text = without(text, path) or ""
        if not there:
            text = with_item(text, ("hooks", event), entry)
            continue
        # What somebody has put ours together with stays together with it: only our own part is renewed.
        inner = entry["hooks"][0] if len(there[0]) > 3 else entry  # noqa: PLR2004 - hooks, event, place, and further in
        node = parse_settings(text).find(there[0])
        if node is not None and node.plain() != inner:
            text = with_value(text, there[0], inner)
    return text


def take_hooks(text: str, beside: Mapping[str, Any]) -> str | None:
    """Return settings without our hooks; None for a file that we made and nobody added to."""
    root = parse_settings(text)
    ours = list(_ours(root))
    # A file that we made begins with the hooks, and has nothing but what we put beside them.
    made = bool(beside) and [child.key for child in root.children] == ["hooks", *beside]
    left: str | None = text
    for path in reversed(ours):
        left = without(left, path) if left is not None else None
    if made and left is not None and ours and parse_settings(left).plain() == beside:
        left = None
    return left


def _ours(root: Node) -> Iterator[tuple[Step, ...]]:
    """Yield the paths of our hooks, in order: a whole entry where nothing else is in it, else our part of it."""
    hooks = root.find(("hooks",))
    for event in hooks.children if hooks is not None and hooks.kind == OBJECT else ():
        for place, entry in enumerate(event.children if event.kind == ARRAY else ()):
            inner = entry.find(("hooks",))
            parts = inner.children if inner is not None and inner.kind == ARRAY else (entry,)
            own = [index for index, part in enumerate(parts) if _is_ours(part)]
            if own and len(own) == len(parts):
                yield ("hooks", event.key, place)
            else:
                yield from (("hooks", event.key, place, "hooks", index) for index in own)


def _is_ours(part: Node) -> bool:
    command = part.find(("command",))
    return command is not None and isinstance(command.value, str) and _OURS in command.value.replace("\\", "/")
