"""An event of a host -> what is kept of it, and what the model is told: one table of each, and the desk that goes by them.

Each part of an answer is asked for by itself: one that fails is told in the log and left out, and the others stay. The
answer is the host's own JSON, or nothing at all. The desk is the same in a hook's own process and in the resident
engine, which keeps its workspaces open between calls.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.answers import ASKS, OWN, print_answer
from mneme.engine.memory import HURRIED, Memory
from mneme.errors import MnemeError
from mneme.hosts.event import (
    AFTER_TOOL,
    BEFORE_COMPACTION,
    BEFORE_TOOL,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    TOOL_FAILED,
    chars_of,
    parse_payload,
)
from mneme.workspace import environment_of, find_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from mneme.engine.home import Home
    from mneme.hosts.event import Dialect, Event
    from mneme.settings import Settings
    from mneme.workspace import Workspace

# The hosts whose events we know, each with its module; "plain" is Claude Code answered in plain text.
DIALECTS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "cursor": "cursor",
    "gemini": "gemini",
    "openclaw": "openclaw",
    "plain": "plain",
}

# What is kept of an event, and what is said at one: functions of the modules beside this one, in order. What is kept
# comes first, so that it is on the disk before the model answers.
KEEPS: dict[str, tuple[str, ...]] = {
    SESSION_START: ("trace.keep_outcome", "trace.tell_left_over"),
    PROMPT: ("blocks.ask_ahead", "trace.keep_outcome", "trace.keep_prompt", "trace.keep_statements"),
    AFTER_TOOL: ("trace.keep_outcome", "trace.keep_tool"),
    TOOL_FAILED: ("trace.keep_outcome", "trace.keep_tool"),
    BEFORE_COMPACTION: ("trace.keep_turn",),
    STOP: ("trace.keep_outcome", "trace.keep_answer"),
    SESSION_END: ("trace.keep_outcome", "trace.tell_session"),
}
BLOCKS: dict[str, tuple[str, ...]] = {
    SESSION_START: ("blocks.boot_block",),
    PROMPT: ("blocks.alarm_block", "blocks.capability_block", "active.active_block"),
    BEFORE_TOOL: ("blocks.alarm_block", "blocks.file_block"),
}

# What the resident engine does for an open workspace while nobody asks.
TICKS: tuple[str, ...] = ("watching.watch", "schedule.start_due")
HOME_TICKS: tuple[str, ...] = ("watching.watch_home",)

# The same fault is told again after so long.
REPEATED_SECONDS = 60.0
MOST_TOLD = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One event as it came in: the host, its name for the event or ours, where and under which settings, its bytes."""

    host: str
    event: str
    folder: str
    env: Mapping[str, str]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Scene:
    """What a part of an answer may know: the event, the memory of the place, if there is any, and the home.

    With `lexical` nothing that takes long to load is asked: no embedder, no model.
    """

    event: Event
    memory: Memory | None
    now: Callable[[], datetime]
    find_home: Callable[[], Home]
    lexical: bool = False

    @property
    def home(self) -> Home:
        """The user's home, which need not exist."""
        return self.find_home()


# Whatever may change how a workspace is read opens it again: its settings, its trust, who asks.
_State = tuple["Settings", bool, "Mapping[str, str]"]


class Desk:
    """Where calls are answered: `now` is the clock, `warn` tells a fault."""

    def __init__(
        self, now: Callable[[], datetime], warn: Callable[[str], None], *, lexical: bool = False, keep: bool = False
    ) -> None:
        self.now = now
        self.warn = warn
        self.lexical = lexical
        self._open: dict[tuple[Path, bool], tuple[_State, Memory]] | None = {} if keep else None
        self._home: tuple[tuple[Path, Mapping[str, str], bytes | None], Home] | None = None
        self._told: dict[str, float] = {}

    def answer(self, call: Call) -> bytes:
        """Return what the host is to read; a call that nobody understands is answered by nothing."""
        if call.env.get("MNEME_HOOKS") == "off":  # a host that we started ourselves, to ask its model
            return b""
        with environment_of(call.env):
            return self._recall(call) if (call.host, call.event) == (OWN, ASKS) else self._answer(call)

    def _recall(self, call: Call) -> bytes:
        """Return the answer to a question; whoever asked finds it alone where this is nothing, and tells what is wrong."""
        memory = self._memory_at(Path(call.folder), call, shared=False)
        if memory is None or memory.root != Path(call.folder):
            return b""
        asked = json.loads(call.raw)
        try:
            return print_answer(memory.recall(asked["text"], **asked["options"]))
        except MnemeError:
            return b""

    def _answer(self, call: Call) -> bytes:
        dialect = find_dialect(call.host)
        payload = parse_payload(call.raw)
        if dialect is None or payload is None:
            self.warn(f"unknown host '{call.host}'" if dialect is None else "not a JSON object")
            return b""
        name = event_name(dialect, call.event)
        if name is None:
            self.warn(f"{call.host} has no such event")
            return b""
        event = dialect.read_event(name, payload)
        scene = Scene(event, self._memory(event, call), self.now, lambda: self._find_home(call), self.lexical)
        for keep in KEEPS.get(event.name, ()):
            self._part(keep, scene)
        context = "\n".join(self._fitting(scene, dialect.LONGEST_ANSWER_CHARS))
        self._tell_faults(scene.memory)
        return dialect.print_answer(event, context).encode("utf-8", "replace") if context else b""

    def _tell_faults(self, memory: Memory | None) -> None:
        """Tell what went wrong on the way."""
        home = None if self._home is None else self._home[1].memory
        for one in (memory, home):
            for fault in [] if one is None else one.take_faults():
                self._tell(fault)

    def _tell(self, fault: str, where: str = "") -> None:
        """Tell a fault, wherever it is met, once a minute."""
        now = time.monotonic()
        if now - self._told.get(fault, -REPEATED_SECONDS) >= REPEATED_SECONDS:
            self._told[fault] = now
            self.warn(f"{where}: {fault}" if where else fault)
        if len(self._told) > MOST_TOLD:
            self._told.clear()

    def tick(self) -> None:
        """Do what is due in the workspaces that are kept open, and in the home, while nobody asks for anything."""
        for (_, _, env), memory in list((self._open or {}).values()):
            with environment_of(env):
                for part in TICKS:
                    self._part(part, memory)
        if self._home is not None:
            (_, env, _), home = self._home
            with environment_of(env):
                for part in HOME_TICKS:
                    self._part(part, home)

    def catch_up(self, stop: Callable[[], bool]) -> bool:
        """Make some of the vectors that are missing, until it is time to stop; say whether any are left to make."""
        from mneme.engine.watching import catch_up

        left = False
        for (_, _, env), memory in list((self._open or {}).values()):
            try:
                with environment_of(env):
                    left = catch_up(memory, stop) or left
            except Exception as error:  # noqa: BLE001 - a workspace whose embedder fails keeps no other waiting
                self._tell(f"{type(error).__name__}: {error}", "watching.catch_up")
        return left

    def close(self) -> None:
        """Let go of the workspaces that are kept open."""
        for _, memory in (self._open or {}).values():
            memory.close()
        self._open = {} if self._open is not None else None
        if self._home is not None:
            self._home[1].close()
            self._home = None

    def _fitting(self, scene: Scene, room: int) -> Iterator[str]:
        """Yield the blocks that the host has room for, each whole: half a block would have no end mark."""
        for part in BLOCKS.get(scene.event.name, ()):
            block = self._part(part, scene)
            if not block:
                continue
            room -= chars_of(block) + 1
            if room < 0:
                self.warn(f"{part} says more than the host takes, so it is left out")
                return
            yield block

    def _part(self, part: str, about: Scene | Memory | Home) -> str:
        module, _, name = part.partition(".")
        try:
            return getattr(import_module(f"mneme.engine.{module}"), name)(about) or ""
        except Exception as error:  # noqa: BLE001 - a part that fails is left out
            self._tell(f"{type(error).__name__}: {error}", part)
            return ""

    def _find_home(self, call: Call) -> Home:
        """Return the caller's home; it stays open as long as nothing changes how it is read."""
        from mneme.engine.home import open_home
        from mneme.settings import FILE_NAME
        from mneme.workspace import home_folder

        root = home_folder()
        state = (root, dict(call.env), files.find_file(root / FILE_NAME))
        if self._home is None or self._home[0] != state:
            if self._home is not None:
                self._home[1].close()
            self._home = (state, open_home(now=self.now, root=root, lexical=self.lexical, keep=self._open is not None))
        return self._home[1]

    def _memory(self, event: Event, call: Call) -> Memory | None:
        """Return the memory of the place that the event is about, or None where there is none."""
        return self._memory_at(Path(event.cwd if event.cwd.startswith("/") else call.folder), call, shared=event.shared)

    def _memory_at(self, folder: Path, call: Call, *, shared: bool) -> Memory | None:
        try:
            workspace = find_workspace(None, here=folder)
            if not workspace.root.is_dir():
                return None
            if self._open is None:
                return Memory(workspace, self.now, shared=shared)
            known = self._open.get((workspace.root, shared))
            state = (workspace.settings, workspace.trusted, dict(call.env))
            if known is None or known[0] != state:
                if known is not None:
                    known[1].close()
                known = (state, Memory(workspace, self.now, shared=shared))
                known[1].kept[HURRIED] = True
                self._open[workspace.root, shared] = known
            return known[1]
        except (MnemeError, OSError) as error:
            self._tell(f"the workspace cannot be opened: {error}")
            return None


def workspace_of(call: Call) -> Workspace | None:
    """Return the workspace that a call comes from; None where it can't be told."""
    try:
        with environment_of(call.env):
            return find_workspace(None, here=Path(call.folder))
    except (MnemeError, OSError):
        return None


def find_dialect(host: str) -> Dialect | None:
    """Return how a host speaks, or None for one that is not known."""
    if host not in DIALECTS:
        return None
    dialect: Dialect = import_module(f"mneme.hosts.{DIALECTS[host]}")
    return dialect


def event_name(dialect: Dialect, name: str) -> str | None:
    """Return our name of a host's event, given that or the host's own; None where it has no such event."""
    if name in dialect.EVENTS:
        return name
    return next((ours for ours, theirs in dialect.EVENTS.items() if theirs == name), None)
