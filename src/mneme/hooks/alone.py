"""Answer an event in the hook's own process, by words alone: what happens while no resident engine answers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from mneme.engine.hooks import Call, Desk
from mneme.hooks.call import log

if TYPE_CHECKING:
    from collections.abc import Mapping


def answer(host: str, event: str, cwd: str, env: Mapping[str, str], raw: bytes) -> bytes:
    """Return what the host is to read."""

    def warn(fault: str) -> None:
        log(host, event, fault, env)

    return Desk(_now, warn, lexical=True).answer(Call(host, event, cwd, env, raw))


def _now() -> datetime:
    return datetime.now().astimezone()
