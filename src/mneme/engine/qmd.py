"""QMD kept in step with what entities hold: after each write there, at `mneme index`, and asked about by `mneme check`.

It is in use where the program is on the path and the settings or the profile say so. It is never run for a workspace that
is not trusted. A refresh that failed, or that never came, is the problem `qmd-behind`; no write fails because of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mneme.engine.memory import Memory
    from mneme.errors import Problem

RULE = "qmd-behind"
# After so long a write is answered, and the refresh goes on by itself: making vectors of much takes minutes.
WAIT_SECONDS = 3.0
_KEPT = "qmd"


def refresh_after(memory: Memory, paths: Iterable[str]) -> Iterator[Problem]:
    """Have QMD look at what was just written, if any of it is about entities; yield why it could not."""
    folder = memory.workspace.profile.places.entities
    changed = next((path for path in paths if folder and path.startswith(folder)), "")
    if changed and _is_wanted(memory):
        yield from _told(memory, changed, _refreshed(memory, WAIT_SECONDS))


def refresh_now(memory: Memory) -> Iterator[Problem]:
    """Have QMD look at everything that it has not seen, and wait until it has; yield why it could not."""
    if not _is_wanted(memory):
        return
    from mneme.hosts.qmd import is_behind

    if is_behind(_entities(memory), _kept(memory)):
        yield from _told(memory, memory.workspace.profile.places.entities, _refreshed(memory, None))


def check_qmd(memory: Memory) -> Iterator[Problem]:
    """Yield that QMD has not seen what entities hold, where it has not and nobody is showing it."""
    if not _is_wanted(memory):
        return
    from mneme.hosts.qmd import find_fault, find_qmd, is_behind, is_running
    from mneme.workspace import search_path

    if is_behind(_entities(memory), _kept(memory)) and not is_running(_kept(memory)):
        reason = _hindrance(memory, find_qmd(search_path())) or find_fault(_kept(memory))
        reason = reason or "it was not refreshed since the last change"
        yield from _told(memory, memory.workspace.profile.places.entities, reason)


def _is_wanted(memory: Memory) -> bool:
    """Say whether QMD is in use: by default only where it is there, and said in the settings in any case."""
    profile = memory.workspace.profile
    if not (profile.qmd and profile.places.entities):
        return False
    from mneme.hosts.qmd import find_qmd
    from mneme.workspace import search_path

    return bool(memory.workspace.settings.find("qmd") or find_qmd(search_path()))


def _hindrance(memory: Memory, program: str) -> str:
    if not program:
        return "there is no program 'qmd' on the path"
    return "" if memory.workspace.trusted else "the workspace is not trusted, so it is not run"


def _refreshed(memory: Memory, seconds: float | None) -> str:
    """Refresh, and return what went wrong."""
    from mneme.hosts.qmd import find_qmd, qmd_environment, refresh_qmd
    from mneme.workspace import quiet_environment, search_path, user_folder

    program = find_qmd(search_path())
    if hindrance := _hindrance(memory, program):
        return hindrance
    environment = qmd_environment(quiet_environment(), user_folder())
    return refresh_qmd(program, _entities(memory), _kept(memory), environment, seconds)


def _told(memory: Memory, path: str, reason: str) -> Iterator[Problem]:
    from mneme.check.found import find, worded
    from mneme.check.rule import with_severities

    if reason:
        problem = worded(path, find(RULE, 0, value=reason))
        yield from with_severities([problem], memory.workspace.profile.severities)


def _entities(memory: Memory) -> Path:
    return files.place_of(memory.root, memory.workspace.profile.places.entities.rstrip("/"))


def _kept(memory: Memory) -> Path:
    return memory.root / files.WORKPLACE / _KEPT
