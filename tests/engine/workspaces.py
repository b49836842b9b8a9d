"""Workspaces of each profile for tests of verbs: laid out as `mneme init` does, with a clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mneme.engine import Memory, open_memory
from mneme.files import WORKPLACE
from mneme.profiles import templates_of

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 31, 14, 5, tzinfo=UTC)


def now() -> datetime:
    """Return the moment at which tests happen."""
    return NOW


def make(root: Path, profile: str = "default", **texts: str) -> Memory:
    """Lay out a workspace and open it; in the name of a file of `texts` two underscores stand for a slash."""
    for template in templates_of(profile):
        put(root, template.path, template.content(NOW).decode())
    for name, text in texts.items():
        put(root, name.replace("__", "/"), text)
    return open_memory(str(root), now=now)


def shared(memory: Memory) -> Memory:
    """Open the same workspace as somebody in a shared context does."""
    return open_memory(str(memory.root), now=now, shared=True)


def put(root: Path, path: str, text: str) -> None:
    """Write a file of the workspace."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def read(memory: Memory, path: str) -> str:
    """Return a file of the workspace as text."""
    return (memory.root / path).read_text(encoding="utf-8")


def tree(memory: Memory) -> dict[str, bytes]:
    """Return every file of the workspace but the machine's own, with its bytes."""
    places = (place for place in memory.root.rglob("*") if place.is_file())
    found = {place.relative_to(memory.root).as_posix(): place.read_bytes() for place in places}
    return {path: content for path, content in found.items() if not path.startswith(WORKPLACE)}
