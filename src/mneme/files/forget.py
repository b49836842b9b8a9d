"""The one destructive act: text leaves the file, the history, the trash and everything derived, for good.

It runs behind the same journal as any plan, so a crash in the middle is finished when the workspace is next opened.
What it cannot reach (git, other programs' transcripts, backups) it reports instead.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.files import displaced, journal
from mneme.files.disk import WORKPLACE, remove_tree, sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mneme.errors import Problem
    from mneme.files.journal import Entry

GAP = b"[forgotten]"
_SQLITE = b"SQLite format 3\0"
# What a check keeps quotes parts of lines, which no search for a whole line finds.
_QUOTES = "check-"
_KEPT = frozenset({"lock", ".gitignore", "history", "journal", "trash", "displaced"})


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting did: the plan's number, the paths, the plans that lost their text, and where copies may remain."""

    n: int
    paths: tuple[str, ...]
    plans: tuple[int, ...]
    dropped: tuple[str, ...]
    remains: tuple[str, ...]
    problems: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the report's JSON form."""
        return {
            "plan": self.n,
            "paths": list(self.paths),
            "scrubbed_plans": list(self.plans),
            "dropped": list(self.dropped),
            "remains": list(self.remains),
        }

    def __str__(self) -> str:
        lines = [f"forgotten in {', '.join(self.paths) or 'the history'}"]
        if self.plans:
            listed = ", ".join(str(n) for n in self.plans)
            lines.append(f"plans that lost their text and cannot be undone any more: {listed}")
        if self.dropped:
            lines.append(f"dropped, to be made again when needed: {', '.join(self.dropped)}")
        lines += [f"a copy may remain in {place}" for place in self.remains]
        return "\n".join(lines)


def finish_forgetting(root: Path, entry: Entry) -> Forgotten:
    """Scrub everything the workspace keeps for itself, then let the plan retire without its text. Idempotent."""
    forms = tuple(form for needle in entry.needles for form in _forms(needle))
    remove_tree(displaced.trash_place(root, entry.n, "."))
    _sync_if_there(root / WORKPLACE / "trash")
    plans = tuple(_scrub_history(root, forms))
    _scrub_copies(root, forms)
    dropped = tuple(_scrub_derived(root, forms))
    remains = tuple(copies_outside(root, forms))
    folder = journal.journal_folder(root) / str(entry.n)
    journal.rewrite(folder, journal.stripped(entry, lost=True))
    journal.retire(root, entry)
    return Forgotten(entry.n, entry.paths, plans, dropped, remains)


def is_remembered(root: Path, needle: str) -> bool:
    """Say whether a text lies in anything the workspace keeps for itself: history, trash, index, logs."""
    forms = _forms(needle)
    return any(_holds(place.read_bytes(), forms) for place in _files_below(root / WORKPLACE))


def _forms(needle: str) -> tuple[bytes, ...]:
    """Return the ways in which a text may be spelled in a file: as it is, and as JSON escapes it."""
    plain = needle.encode("utf-8", "surrogateescape")
    escaped = json.dumps(needle)[1:-1].encode()
    half = json.dumps(needle, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape")
    return tuple(dict.fromkeys(form for form in (plain, escaped, half) if form))


def _holds(content: bytes, forms: tuple[bytes, ...]) -> bool:
    return any(form in content for form in forms)


def _scrub_history(root: Path, forms: tuple[bytes, ...]) -> Iterator[int]:
    for n in journal.numbers(root):
        folder = journal.history_folder(root) / str(n)
        entry = _load(folder)
        if entry is None and _folder_holds(folder, forms):
            remove_tree(folder)
            yield n
        elif entry is not None and (_folder_holds(folder, forms) or _entry_holds(entry, forms)):
            journal.rewrite(folder, journal.stripped(entry, lost=True))
            yield n


def _load(folder: Path) -> Entry | None:
    try:
        return journal.load_entry(folder)
    except (FileNotFoundError, ValueError):
        return None


def _folder_holds(folder: Path, forms: tuple[bytes, ...]) -> bool:
    return any(_holds(place.read_bytes(), forms) for place in folder.iterdir() if place.is_file())


def _entry_holds(entry: Entry, forms: tuple[bytes, ...]) -> bool:
    """Say whether a text stands in a plan's record across the seams between its pieces."""
    hunks = [hunk for step in entry.steps for hunk in step.hunks]
    return any(_holds(hunk.pre + middle + hunk.post, forms) for hunk in hunks for middle in (hunk.old, hunk.new))


def _scrub_copies(root: Path, forms: tuple[bytes, ...]) -> None:
    """Blank the text in files that were put aside whole: trash, displaced contents, somebody's kept versions."""
    for folder in (
        root / WORKPLACE / "trash",
        displaced.displaced_folder(root),
        journal.history_folder(root) / "versions",
    ):
        for place in _files_below(folder):
            content = place.read_bytes()
            if _holds(content, forms):
                for form in forms:
                    content = content.replace(form, GAP)
                write_whole(place, content)


def _scrub_derived(root: Path, forms: tuple[bytes, ...]) -> Iterator[str]:
    """Drop what can be made again; a log loses only the lines that hold the text."""
    for place in list(_files_below(root / WORKPLACE)):
        if place.relative_to(root / WORKPLACE).parts[0] in _KEPT or not place.exists():
            continue
        content = place.read_bytes()
        if content.startswith(_SQLITE):
            # A database keeps deleted rows in its free pages, and newer ones in files beside it.
            for one in place.parent.glob(f"{place.name}*"):
                one.unlink()
            sync_folder(place.parent)
        elif not place.name.startswith(_QUOTES) and not _holds(content, forms):
            continue
        elif place.suffix == ".jsonl":
            kept = [line for line in content.splitlines(keepends=True) if not _holds(line, forms)]
            write_whole(place, b"".join(kept))
        else:
            place.unlink()
            sync_folder(place.parent)
        yield place.relative_to(root).as_posix()


def copies_outside(root: Path, forms: tuple[bytes, ...]) -> Iterator[str]:
    """Yield every file of the workspace that still holds the text, what cannot be looked into, and the repository."""
    unseen: list[OSError] = []
    for place in _files_below(root, skip=(WORKPLACE, ".git"), closed=unseen.append):
        with contextlib.suppress(OSError):
            if _holds(place.read_bytes(), forms):
                yield place.relative_to(root).as_posix()
    yield from (f"{os.path.relpath(one.filename, root)} (cannot be listed)" for one in unseen)
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        yield ".git (earlier commits; 'git filter-repo' removes them)"


def _sync_if_there(folder: Path) -> None:
    if folder.is_dir():
        sync_folder(folder)


def _refuse(fault: OSError) -> None:
    if not isinstance(fault, FileNotFoundError):
        raise fault


def _files_below(
    folder: Path, skip: tuple[str, ...] = (), closed: Callable[[OSError], None] = _refuse
) -> Iterator[Path]:
    """Yield the files below a folder; one that cannot be listed is a fault unless `closed` takes it."""
    for here, folders, names in os.walk(folder, onerror=closed):
        folders[:] = sorted(name for name in folders if name not in skip)
        for name in sorted(names):
            place = Path(here) / name
            if place.is_file() and not place.is_symlink():
                yield place
