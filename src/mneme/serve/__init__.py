"""The resident engine: one process per user that answers hooks from warm memory, and leaves when nobody asks any more.

It listens on a socket that only its owner may open. Each workspace is worked on by one thread of its own, so what comes
in is done in the order it came, and one that is slow keeps no other waiting. It ends when it has been idle for long,
has grown too large, or when its own files were replaced; the next hook starts a new one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import compiled
from mneme.engine.service import ADDRESS_NAME, find_holder, taken_seat, tell_address
from mneme.engine.service import find_address as find_told_address
from mneme.errors import MnemeError
from mneme.serve.line import Line
from mneme.serve.rooms import Rooms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

IDLE_MINUTES = 30.0
LARGEST_MEGABYTES = 1500
_LOOK_SECONDS = 1.0
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms the engine stays: where it listens, how long it waits for nothing, how large it may grow.

    With a port it also answers MCP clients over HTTP, and does not leave for want of hooks; with `needs_port` it does
    not stay without it. With `shared`, whoever asks over HTTP is told nothing private.
    """

    socket: Path
    idle_minutes: float = IDLE_MINUTES
    largest_megabytes: int = LARGEST_MEGABYTES
    http_port: int | None = None
    needs_port: bool = False
    shared: bool = False


def run(
    terms: Terms, warn: Callable[[str], None], *, detached: bool = False, say: Callable[[str], None] | None = None
) -> str:
    """Serve until it is time to go, and return why; the empty text where another engine is there already."""
    if detached:
        leave_parent()
    with taken_seat(terms.socket.parent, names=(terms.socket.name, "starting", ADDRESS_NAME)) as taken:
        if not taken:
            return ""
        with (
            contextlib.closing(Rooms(_now, warn)) as rooms,
            Line(terms.socket, rooms.answer, warn) as line,
            _http(terms, warn, say or (lambda _: None)),
        ):
            return _stay(terms, rooms, line)


@contextlib.contextmanager
def _http(terms: Terms, warn: Callable[[str], None], say: Callable[[str], None]) -> Iterator[None]:
    """Answer MCP clients over HTTP while the block runs, where that was asked for; hooks are answered without it, too."""
    with contextlib.ExitStack() as opened:
        if terms.http_port is not None:
            try:
                say(opened.enter_context(_listening(terms, warn)))
            except MnemeError as fault:
                if terms.needs_port:
                    raise
                warn(f"nobody is answered over HTTP: {fault.message}")
        yield


@contextlib.contextmanager
def _listening(terms: Terms, warn: Callable[[str], None]) -> Iterator[str]:
    """Listen, note where for whoever asks for the status, and give what to say about it."""
    from mneme.engine.access import access_token

    try:
        from mneme.serve.mcp.http import listening
    except ModuleNotFoundError as error:
        raise no_sdk() from error
    place, token = access_token()
    with listening(None, terms.http_port or 0, token, warn, now=_now, shared=terms.shared) as port:
        address = f"http://127.0.0.1:{port}/mcp"
        tell_address(terms.socket.parent, address)
        yield f"listening on {address} for whoever has the token in '{place}'"


def no_sdk() -> MnemeError:
    """Return what to tell where the official SDK is missing."""
    return MnemeError(
        "the MCP server needs the official SDK, which is not installed", "pip install 'mneme-engine[mcp]'"
    )


def find_address(socket: Path) -> str:
    """Return where the user's engine answers MCP clients, or the empty text where it does not."""
    return find_told_address(socket.parent) if find_engine(socket) else ""


def _now() -> datetime:
    return datetime.now().astimezone()


def find_engine(socket: Path) -> int | None:
    """Return the process of the user's engine, or None where none runs."""
    return find_holder(socket.parent)


def stop_engine(socket: Path) -> int | None:
    """Ask the user's engine to end and wait until it has; return its process, or None where none ran."""
    holder = find_engine(socket)
    if holder is None:
        return None
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder, signal.SIGTERM)
    ends = time.monotonic() + _STOP_SECONDS
    while find_engine(socket) == holder and time.monotonic() < ends:
        time.sleep(0.02)
    return holder


def leave_parent() -> None:
    """Hold nothing of whoever started us: no session, no folder, no open file."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    os.chdir("/")
    with contextlib.suppress(OSError):
        for name in os.listdir("/dev/fd"):
            if int(name) > 2:  # noqa: PLR2004 - the three standard streams
                with contextlib.suppress(OSError):
                    os.close(int(name))


def _stay(terms: Terms, rooms: Rooms, line: Line) -> str:
    """Serve until there is a reason to go."""
    asked = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    sources = _sources()
    while not asked.wait(_LOOK_SECONDS):
        if not line.is_named():
            return "its socket is gone"
        if rooms.is_busy():
            continue
        compiled.save()
        if terms.http_port is None and rooms.idle_seconds() > terms.idle_minutes * 60:
            return "nobody asked for long"
        if _megabytes() > terms.largest_megabytes:
            return "it had grown too large"
        if _sources() != sources:
            return "its own files were replaced"
    return "it was asked to"


def _sources() -> tuple[int, ...]:
    """Return what changes when the program on the disk is replaced by another."""
    try:
        return tuple(place.stat().st_mtime_ns for place in (Path(__file__), Path(__file__).parent))
    except OSError:
        return ()


def _megabytes() -> float:
    """Return how much of the machine's memory this process holds."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes, where there is no /proc
