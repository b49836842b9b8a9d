"""The socket that hooks call on: whoever calls is heard out, told at once whether there is an engine, and answered.

A call is acknowledged before any work is done for it, and refused when its answer would come too late: the hook then
answers by itself, at once.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from mneme.engine.answers import ASKS
from mneme.engine.hooks import Call
from mneme.hooks.call import ACKNOWLEDGED, ANSWERED, COMPLETE, LONGEST_EVENT_BYTES, THINKING, parse_call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_AT_ONCE = 64
LISTEN_SECONDS = 2.0
ANSWER_SECONDS = 10.0
# The same event twice within so long: two installations of the same hook, of which one is answered.
TWICE_SECONDS = 2.0
# Hosts that build a prompt more than once and mean the same answer each time; they have one installation.
BUILDS_AGAIN = frozenset({"openclaw"})
_MOST_RECENT = 256
_OWNER_ALONE = 0o177


class Line:
    """A socket with the callers on it.

    `answer` takes a call, which it acknowledges by the function that it is given, saying whether a model will be asked,
    or refuses it by returning None.
    """

    def __init__(
        self,
        place: Path,
        answer: Callable[[Call, Callable[[bool], None]], Future[bytes] | None],
        warn: Callable[[str], None],
    ) -> None:
        self._place = place
        self._answer = answer
        self._warn = warn
        self._callers = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._recent: OrderedDict[bytes, tuple[float, Future[bytes]]] = OrderedDict()
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(_OWNER_ALONE)
        try:
            self._listening.bind(str(place))
        finally:
            os.umask(before)
        self._listening.listen(MOST_AT_ONCE)
        self._inode = place.stat().st_ino

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, name="line", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def is_named(self) -> bool:
        """Say whether callers still find this socket under its name."""
        try:
            return self._place.stat().st_ino == self._inode
        except OSError:
            return False

    def _listen(self) -> None:
        while True:
            try:
                caller, _ = self._listening.accept()
            except OSError:
                return
            if self._callers.acquire(blocking=False):
                threading.Thread(target=self._attend, args=(caller,), daemon=True).start()
            else:
                caller.close()

    def _attend(self, caller: socket.socket) -> None:
        try:
            with caller:
                self._serve(caller)
        except (OSError, ValueError):
            return  # a caller that left, or that is none of ours
        except Exception as error:  # noqa: BLE001 - one caller must not end the line
            self._warn(f"{type(error).__name__}: {error}")
        finally:
            self._callers.release()

    def _serve(self, caller: socket.socket) -> None:
        caller.settimeout(LISTEN_SECONDS)
        call = Call(*parse_call(_heard(caller)))
        about = f"{call.event}\0{call.folder}\0".encode("utf-8", "surrogateescape")
        key = sha256(about + call.raw).digest()
        if (before := self._twice(key)) is not None:
            again = before.result(timeout=ANSWER_SECONDS) if call.host in BUILDS_AGAIN else b""
            caller.sendall(ACKNOWLEDGED + again + COMPLETE)
            return
        promised: Future[bytes] = Future()

        def acknowledge(thinks: bool) -> None:  # noqa: FBT001 - the one thing to tell
            """Tell the caller; one that has left meanwhile gets nothing done, because it has done it by itself."""
            caller.sendall(ACKNOWLEDGED + (THINKING if thinks and call.event in ANSWERED else b""))
            self._note(key, promised)

        coming = self._answer(call, acknowledge)
        if coming is None:
            return
        coming.add_done_callback(lambda done: promised.set_result(done.result()))
        if call.event in ANSWERED or call.event == ASKS:
            caller.settimeout(None)
            caller.sendall(coming.result(timeout=ANSWER_SECONDS) + COMPLETE)

    def _twice(self, key: bytes) -> Future[bytes] | None:
        """Return the answer to this very event where it came in a moment ago."""
        at, answer = self._recent.get(key, (0.0, None))
        return answer if time.monotonic() - at < TWICE_SECONDS else None

    def _note(self, key: bytes, answer: Future[bytes]) -> None:
        self._recent[key] = time.monotonic(), answer
        while len(self._recent) > _MOST_RECENT:
            self._recent.popitem(last=False)


def _heard(caller: socket.socket) -> bytes:
    parts, size = [], 0
    while part := caller.recv(1 << 18):
        size += len(part)
        if size > LONGEST_EVENT_BYTES + (1 << 20):
            message = "the call is too long"
            raise ValueError(message)
        parts.append(part)
    return b"".join(parts)
