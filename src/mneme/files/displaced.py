"""What our writes pushed aside: the trash, and the old contents that an editor may still be writing into.

An exchange hands us the old file. An editor that opened it before may save into it after, so it is kept for a moment
and compared before it goes; a version that turned up late is moved into history and reported.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from mneme.errors import WARN, NotFoundError, Problem, StorageError
from mneme.files.disk import TICK_NS, WORKPLACE, find_file, make_folder
from mneme.files.journal import get_entry, history_folder
from mneme.files.plan import digest

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.files.journal import Entry

KEEP_SECONDS = 2.0


def displaced_folder(root: Path) -> Path:
    """Return where old contents wait until nobody can be writing into them."""
    return root / WORKPLACE / "displaced"


def trash_place(root: Path, n: int, path: str) -> Path:
    """Return where plan `n` put a file that it took away."""
    return root / WORKPLACE / "trash" / str(n) / path


def keep(root: Path, entry: Entry, index: int, temp: Path, *, checked: bool = False) -> list[Problem]:
    """Put what a placed step left under its temporary name aside, or drop it where it is our own text.

    `checked` says that it was just compared with the old content. A third content is somebody's: kept and reported.
    """
    if not temp.exists():
        return []
    step = entry.steps[index]
    found = step.before if checked and step.to is None else digest(find_file(temp) or b"")
    if found == step.after or step.before is None or (entry.destroys and found == step.before):
        temp.unlink()
        return []
    if found == step.before:
        _put_aside(root, entry, index, temp)
        return []
    return [_overwritten(root, entry, index, temp)]


def _put_aside(root: Path, entry: Entry, index: int, temp: Path) -> None:
    folder = displaced_folder(root)
    try:
        make_folder(folder)
        temp.rename(folder / f"{entry.n}-{index}")
    except OSError:
        # Another file system, or a full one: there is no cheap way to keep it.
        temp.unlink(missing_ok=True)


def keep_version(root: Path, entry: Entry, index: int, place: Path) -> Path:
    """Keep a version of somebody else's that would be overwritten, in history under its hash."""
    folder = history_folder(root) / "versions"
    make_folder(folder)
    target = folder / f"{entry.n}-{index}-{digest(find_file(place) or b'')[:12]}"
    place.rename(target)
    return target


def settle(root: Path, *, at_once: bool = False) -> list[Problem]:
    """Drop old contents that nobody touched for a while; keep and report those that changed after we put them aside."""
    problems = []
    try:
        for name in sorted(os.listdir(displaced_folder(root))):
            place = displaced_folder(root) / name
            if at_once or time.time() - place.stat().st_ctime >= KEEP_SECONDS:
                problems += _settle_one(root, place)
    except FileNotFoundError:
        pass
    except OSError as fault:
        message = f"what was put aside in '{displaced_folder(root)}' cannot be looked at: {fault.strerror}"
        raise StorageError(message, f"ls -l {displaced_folder(root)}") from fault
    return problems


def _untouched(place: Path) -> bool:
    """Say whether nobody wrote into a file since it was put aside: its content is older than its last rename."""
    found = place.stat()
    return found.st_mtime_ns < found.st_ctime_ns - TICK_NS


def _settle_one(root: Path, place: Path) -> list[Problem]:
    n, _, index = place.name.partition("-")
    try:
        entry = get_entry(root, int(n))
        step = entry.steps[int(index)]
    except (ValueError, IndexError, NotFoundError):
        place.unlink(missing_ok=True)
        return []
    if _untouched(place) or digest(find_file(place) or b"") in (step.before, step.after):
        place.unlink(missing_ok=True)
        return []
    return [_overwritten(root, entry, int(index), place)]


def _overwritten(root: Path, entry: Entry, index: int, place: Path) -> Problem:
    path = entry.steps[index].path
    kept = keep_version(root, entry, index, place)
    message = f"somebody saved into '{path}' while plan {entry.n} replaced it; their version is kept"
    return Problem(path, 0, "overwritten-version", WARN, message, f"diff {kept.relative_to(root)} {path}")
