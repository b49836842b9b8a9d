"""A thread for each workspace that is asked about, with the workspace open in it; what comes in is done in order."""

from __future__ import annotations

import gc
import queue
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING

from mneme.engine.hooks import Desk, workspace_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from mneme.engine.hooks import Call

MOST_ROOMS = 8
LONGEST_QUEUE = 128
# A room that has been at one thing for longer would answer too late; whoever asks is better off alone.
SLOW_SECONDS = 1.0
TICK_SECONDS, NEXT_TICK_SECONDS = 5.0, 60.0
# Between two stretches of work that nobody waits for, so that it never takes more than half of a core.
REST_SECONDS = 0.25
EMPTY_ROOM_SECONDS = 900.0
END_SECONDS = 3.0
# What an answer leaves behind is looked through while nobody waits for one; before that, only where it is very much.
MOST_LEFT = 20_000

_Job = tuple["Call", "Future[bytes]"]


class _Room:
    """One workspace at work."""

    def __init__(self, name: str, now: Callable[[], datetime], warn: Callable[[str], None]) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._desk = Desk(now, warn, keep=True)
        self._warn = warn
        self._since: float | None = None
        self._answering = False
        self.used = time.monotonic()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def take(self, call: Call, acknowledge: Callable[[], None]) -> Future[bytes] | None:
        """Take a call, unless it would have to wait too long."""
        since = self._since
        slow = since is not None and time.monotonic() - since > SLOW_SECONDS
        if slow or self._jobs.qsize() >= LONGEST_QUEUE:
            return None
        acknowledge()
        self.used = time.monotonic()
        coming: Future[bytes] = Future()
        self._jobs.put((call, coming))
        return coming

    def is_busy(self) -> bool:
        """Say whether anything is being done, or waits."""
        return self._answering or not self._jobs.empty()

    def end(self) -> threading.Thread:
        """Finish what waits, then let the workspace go; return the thread that does."""
        self._jobs.put(None)
        return self._thread

    def _work(self) -> None:
        patience, behind = TICK_SECONDS, False
        while True:
            try:
                job = self._jobs.get(timeout=patience)
            except queue.Empty:
                behind = self._tick(behind=behind)
                if not behind:
                    _tidy()
                patience = REST_SECONDS if behind else NEXT_TICK_SECONDS
                continue
            if job is None:
                self._desk.close()
                return
            patience, behind = TICK_SECONDS, False
            self._do(*job)

    def _do(self, call: Call, coming: Future[bytes]) -> None:
        self._answering, self._since = True, time.monotonic()
        try:
            coming.set_result(self._desk.answer(call))
        except Exception as error:  # noqa: BLE001 - one call must not end the room
            coming.set_result(b"")
            self._warn(f"{call.event}: {type(error).__name__}: {error}")
        finally:
            self._answering, self._since = False, None

    def _tick(self, *, behind: bool) -> bool:
        """Do what is due, but while vectors are missing those alone; say whether any still are."""
        try:
            if not behind:
                self._since = time.monotonic()
                self._desk.tick()
            self._since = time.monotonic()
            return self._desk.catch_up(lambda: not self._jobs.empty())
        finally:
            self._since = None


def _tidy() -> None:
    """Look for what nothing holds any more, and take the rest for what stays: it is not gone through again until then."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Rooms:
    """The rooms that are open: a few, the ones that were asked for last."""

    def __init__(self, now: Callable[[], datetime], warn: Callable[[str], None]) -> None:
        self._now = now
        self._warn = warn
        self._rooms: dict[Path, _Room] = {}
        self._changing = threading.Lock()
        self._asked = time.monotonic()
        gc.set_threshold(MOST_LEFT)

    def answer(self, call: Call, acknowledge: Callable[[bool], None]) -> Future[bytes] | None:
        """Take a call to the room of its workspace; None where its answer would come too late."""
        workspace = workspace_of(call)
        if workspace is None:
            return None
        root, thinks = workspace.root, workspace.trusted and workspace.settings["model.kind"] != "none"
        with self._changing:
            self._asked = time.monotonic()
            room = self._rooms.pop(root, None) or _Room(str(root), self._now, self._warn)
            self._rooms[root] = room
            self._leave_some()
            return room.take(call, lambda: acknowledge(bool(thinks)))

    def idle_seconds(self) -> float:
        """Return how long nobody has asked for anything."""
        return time.monotonic() - self._asked

    def is_busy(self) -> bool:
        """Say whether anything is being done, or waits."""
        with self._changing:
            return any(room.is_busy() for room in self._rooms.values())

    def close(self) -> None:
        """Finish what waits in every room."""
        with self._changing:
            ending = [room.end() for room in self._rooms.values()]
            self._rooms.clear()
        ends = time.monotonic() + END_SECONDS
        for thread in ending:
            thread.join(max(ends - time.monotonic(), 0.0))

    def _leave_some(self) -> None:
        """Close the rooms that nobody has used for long, and the oldest ones where there are too many."""
        now = time.monotonic()
        for root, room in list(self._rooms.items())[:-1]:
            if not room.is_busy() and (now - room.used > EMPTY_ROOM_SECONDS or len(self._rooms) > MOST_ROOMS):
                del self._rooms[root]
                room.end()
