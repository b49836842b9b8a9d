"""What a check keeps for the next one: the walk it saw, what it found, and what it looked at outside the walk.

All of it is derived and lies with the machine's own state. A kept report counts only where the walk is the same to the
byte, everything outside it is as it was, and the day, the settings and the check itself are the same.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# These names begin with `check-`: what forgets a text takes them away.
TREE, REPORT, NOTES = "check-tree", "check-report.json", "check-notes.json"

Outside = dict[str, Any]


def code_stamp() -> str:
    """Return a text that changes when the check itself does."""
    with os.scandir(Path(__file__).parent) as entries:
        parts = sorted(
            f"{entry.name}:{found.st_size}:{found.st_mtime_ns}"
            for entry in entries
            if entry.name.endswith(".py") and (found := entry.stat())
        )
    return " ".join(parts)


def stamp_of(root: str, path: str) -> list[int] | None:
    """Return what tells one state of a file or folder from another, or None where there is none."""
    try:
        found = os.stat(os.path.join(root, path))  # noqa: PTH116, PTH118 - ten thousand times
    except (OSError, ValueError):
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def outside_of(root: Path, asked: Mapping[str, bool], read: Iterable[str], repository: str) -> Outside:
    """Return all that a report depends on besides the walk: what was asked of the disk, what was read, what git has."""
    stamps = {path: stamp_of(str(root), path) for path in read}
    return {"asked": dict(asked), "read": stamps, "git": repository}


def is_same(root: Path, outside: Outside, repository: str) -> bool:
    """Say whether everything outside the walk is as it was."""
    base = str(root)
    return (
        outside["git"] == repository
        and all(stamp_of(base, path) == stamp for path, stamp in outside["read"].items())
        and all(os.path.exists(os.path.join(base, path)) == was for path, was in outside["asked"].items())  # noqa: PTH110, PTH118
    )


def load_report(root: Path, tree: bytes) -> dict[str, Any] | None:
    """Return the kept report of a walk, or None where there is none or the walk differs."""
    folder = root / files.WORKPLACE
    try:
        with (folder / TREE).open("rb") as kept:
            if kept.read() != tree:
                return None
        with (folder / REPORT).open("rb") as kept:
            report = json.loads(kept.read())
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def load_notes(root: Path) -> dict[str, Any]:
    """Return what was found in each note, or nothing."""
    try:
        with (root / files.WORKPLACE / NOTES).open("rb") as kept:
            notes = json.loads(kept.read())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def save(root: Path, tree: bytes | None, report: dict[str, Any], notes: dict[str, Any] | None) -> None:
    """Keep what a check found; a disk that may not be written keeps nothing, and the next check looks again.

    Without a walk the report is not kept: the next check looks again at what it can't be sure of.
    """
    with suppress(OSError, MnemeError):
        folder = files.workplace(root)
        (files.write_derived(folder / TREE, b""))
        if notes is not None:
            files.write_derived(folder / NOTES, json.dumps(notes, separators=(",", ":")).encode())
        files.write_derived(folder / REPORT, json.dumps(report, separators=(",", ":")).encode())
        if tree is not None:
            files.write_derived(folder / TREE, tree)
