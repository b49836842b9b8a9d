"""Ask the resident engine a question, where one runs: it has warm what a command would first have to load.

Nothing is started, and nothing depends on it: where no engine answers at once, or in words that are not understood, the
command finds the answer itself, and it is the same.
"""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING, Any

from mneme.engine.answers import ASKS, OWN, Answer, parse_answer
from mneme.hooks.call import ACKNOWLEDGED, COMPLETE, ENGINE_MS, is_own_folder, print_call, socket_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mneme.engine import Memory

# An embedder that lies elsewhere is asked in its own time, which the engine gives to nobody.
_LOCAL = (None, "default", "none")
PATIENCE_SECONDS = 10.0


def ask_recall(memory: Memory, text: str, options: Mapping[str, Any]) -> Answer | None:
    """Return the engine's answer to a question, or None where the command is better off alone."""
    place = socket_path()
    if memory.shared or memory.workspace.settings.find("embedder.kind") not in _LOCAL:
        return None
    # Asked twice in a moment it is two questions, so each has a mark of its own.
    asked = {"text": text, "options": dict(options), "mark": os.urandom(8).hex()}
    message = print_call(OWN, ASKS, str(memory.root)) + json.dumps(asked).encode()
    answer = _carried(place, message) if is_own_folder(os.path.dirname(place)) else b""
    return parse_answer(answer) if answer else None


def _carried(place: str, message: bytes) -> bytes:
    """Return what the engine says, whole, or nothing."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ENGINE_MS / 1000)
            line.connect(place)
            line.sendall(message)
            line.shutdown(socket.SHUT_WR)
            if line.recv(1) != ACKNOWLEDGED:
                return b""
            line.settimeout(PATIENCE_SECONDS)
            parts = []
            while part := line.recv(1 << 16):
                parts.append(part)
    except OSError:
        return b""
    answer = b"".join(parts)
    return answer.removesuffix(COMPLETE) if answer.endswith(COMPLETE) else b""
