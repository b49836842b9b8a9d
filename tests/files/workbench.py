"""What the tests of the writer share: workspaces in memory, plans in few words, and plans that stop half way.

Everything is done through the real functions; an interrupted plan is one whose acts are called one by one, up to the
point at which the process is said to have died.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.files import Edit, Plan, journal, writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.files import Applied, Change, Entry

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - folders there are made with a name of their own

STAGED, WRITTEN, COMMITTED = "staged", "written", "committed"


@contextmanager
def new_root() -> Iterator[Path]:
    """Yield an empty folder, in memory where the system has such a place: its fsync costs nothing."""
    parent = MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mneme-test-", dir=parent) as name:
        yield Path(os.path.realpath(name))


def put(root: Path, path: str, content: bytes) -> Path:
    """Write a file by hand, as an editor would."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


def tree(root: Path) -> dict[str, bytes]:
    """Return every file of a workspace but the machine's own, by path."""
    found = {}
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != files.WORKPLACE]
        for name in names:
            place = Path(here) / name
            found[place.relative_to(root).as_posix()] = place.read_bytes()
    return found


def folders(root: Path) -> set[str]:
    """Return every folder of a workspace but the machine's own."""
    return {
        place.relative_to(root).as_posix()
        for place in root.rglob("*")
        if place.is_dir() and files.WORKPLACE not in place.relative_to(root).parts
    }


def holding(root: Path, text: bytes) -> list[str]:
    """Return every file under a folder, the machine's own included, in which some bytes stand."""
    return sorted(
        place.relative_to(root).as_posix()
        for place in root.rglob("*")
        if place.is_file() and not place.is_symlink() and text in place.read_bytes()
    )


def replacing(root: Path, path: str, old: bytes, new: bytes) -> Change:
    """Return the change that replaces the only occurrence of some bytes."""
    content = (root / path).read_bytes()
    assert content.count(old) == 1
    at = content.index(old)
    return files.plan_edit(path, content, [Edit(at, at + len(old), new)])


def adding(root: Path, path: str, new: bytes) -> Change:
    """Return the change that appends some bytes."""
    content = (root / path).read_bytes()
    return files.plan_edit(path, content, [Edit(len(content), len(content), new)])


def applied(root: Path, *changes: Change, verb: str = "edit", free: bool = False) -> Applied:
    """Apply some changes as one plan."""
    return files.apply(root, Plan(verb, changes, free=free), now=NOW)


def edit(root: Path, path: str, old: bytes, new: bytes) -> Applied:
    """Replace the only occurrence of some bytes by a plan."""
    return applied(root, replacing(root, path, old, new))


def undo(root: Path, n: int) -> Applied:
    """Take a plan back."""
    return files.apply(root, files.plan_undo(root, n), now=NOW)


def interrupt(root: Path, plan: Plan, at: str = COMMITTED, *, placed: int = 0, needles: tuple[str, ...] = ()) -> Entry:
    """Do a plan as far as `at`, then as many of its files as `placed` says, and stop."""
    files.workplace(root)
    prepared = writer._prepare_all(root, plan)
    entry = writer._entry(root, plan, prepared, NOW)
    if needles:
        entry = replace(entry, needles=needles, destroys=True)
    journal.stage(root, entry)
    if at == STAGED:
        return entry
    for index, item in enumerate(prepared):
        writer._write_temp(root, entry, index, item.content)
    if at == WRITTEN:
        return entry
    journal.commit(root, entry)
    for index in range(placed):
        writer._place(root, entry, index)
    return entry


def assert_settled(root: Path) -> None:
    """Check that nothing is left under way: no journal, no temporary file, numbers that ascend."""
    assert journal.pending(root) == []
    assert [path for path in tree(root) if path.rpartition("/")[2].startswith(".mneme-")] == []
    numbers = [entry.n for entry in files.entries(root)]
    assert numbers == sorted(set(numbers))
