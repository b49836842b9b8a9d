"""Looking at many notes in two processes: what one note has wrong with it by itself depends on no other.

Only a process that does nothing else is doubled: one with threads, or with a library that has threads of its own, does
all the work itself, and so does one whose second process came to nothing.
"""

from __future__ import annotations

import marshal
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Below this many notes a second process costs more than it saves.
LEAST_NOTES = 1500
_THREADED = frozenset({"numpy", "onnxruntime", "mcp", "asyncio"})

Answers = dict[str, Any]


def may_double() -> bool:
    """Say whether this process may be doubled, and whether there is a processor for the second one."""
    alone = threading.active_count() == 1 and _THREADED.isdisjoint(sys.modules)
    return alone and hasattr(os, "fork") and (os.cpu_count() or 1) > 1


def look_beside(paths: Sequence[str], look: Callable[[str], Any]) -> Callable[[], Answers]:
    """Begin to look at some notes in a second process; what is returned waits for its answers, by path.

    An answer is plain values. Of a note that has none the caller knows nothing, and looks itself.
    """
    if len(paths) < LEAST_NOTES or not may_double():
        return dict
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writing, paths, look)
    os.close(writing)

    def wait() -> Answers:
        with os.fdopen(reading, "rb") as pipe:
            content = pipe.read()
        _, status = os.waitpid(child, 0)
        return marshal.loads(content) if status == 0 else {}  # noqa: S302 - our own child wrote it

    return wait


def _answer(writing: int, paths: Sequence[str], look: Callable[[str], Any]) -> None:
    """Look, tell, and end, whatever happens: nothing of the caller may go on in the second process."""
    status = 1
    try:
        content = marshal.dumps({path: look(path) for path in paths})
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(content)
        status = 0
    finally:
        os._exit(status)
