"""Ids that are never given twice: the highest number ever seen under a prefix, by file, history, git, or this clone.

What was seen is kept in `.mneme.d/ids.json`, so that a call costs a look at the stamps; that file is derived, and when
it is lost the rest still remembers. Call with the workspace's lock held: then the number is yours.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mneme import files, git
from mneme.errors import NotFoundError, StorageError
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mneme.workspace import Workspace

LEDGER_VERSION = 1
# A file written just now may be written again within the same tick of the clock: its stamp proves nothing yet.
_TICK_NS = 50_000_000
_ID_CHARS = 80

Highest = dict[str, int]


@dataclass(slots=True)
class Ledger:
    """The highest numbers by prefix: per file, in history up to a plan, in git at some tips, and ever given out."""

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    history: int = 0
    tips: str = ""
    given: Highest = field(default_factory=dict)


def next_number(
    workspace: Workspace, prefix: str, *, take: bool, least: int = 0, contents: Mapping[str, bytes] | None = None
) -> int:
    """Return the number after the highest that anything remembers under a prefix; `take` makes it yours for good.

    `contents` are files that the caller has read already.
    """
    ledger = load_ledger(workspace.root)
    _look_at_files(workspace, ledger, prefix, contents or {})
    _look_at_history(workspace.root, ledger)
    _look_at_git(workspace.root, ledger)
    number = max(least, ledger.given.get(prefix, 0)) + 1
    if take:
        ledger.given[prefix] = number
        _save_ledger(workspace.root, ledger)
    return number


def hand_on_numbers(root: Path, copy: Path) -> None:
    """Have a copy of a workspace know every number that was ever given in it, by file, history or git."""
    ledger = load_ledger(root)
    _look_at_history(root, ledger)
    _look_at_git(root, ledger)
    _save_ledger(copy, Ledger(given=ledger.given))


def highest_in(content: bytes, prefix: str | None = None) -> Highest:
    """Return the highest number by prefix, or of one, among headers, link targets and tombstones of a file's bytes."""
    if b"\r" in content:
        content = content.replace(b"\r", b"\n")
    prefixes = {found.decode() for found in _ANY_ID.findall(content)} if prefix is None else {prefix}
    found = ((name, _highest_of(content, name.encode())) for name in prefixes)
    return {name: number for name, number in found if number}


def _highest_of(content: bytes, prefix: bytes) -> int:
    """Return the highest number under a prefix that stands where an id may, trying the largest first."""
    pattern = re.escape(prefix) + rb"-([0-9]{1,18})(?!\S)"
    words = re.findall(pattern, content)
    numbers = list(map(int, words))
    largest = max(numbers, default=0)
    last = content.rfind(prefix + b"-" + words[numbers.index(largest)]) if words else -1
    if largest and re.compile(pattern).match(content, last) and _opens_at(content, last):
        return largest
    places = ((int(found[1]), found.start()) for found in re.finditer(pattern, content))
    return next((number for number, at in sorted(places, reverse=True) if _opens_at(content, at)), 0)


def _opens_at(content: bytes, at: int) -> bool:
    """Say whether what stands here is an id: it comes after `@`, `link RELATION`, `# was` or `# forgotten`."""
    return _OPENING.fullmatch(content[max(0, at - _ID_CHARS) : at].rpartition(b"\n")[2]) is not None


_ANY_ID = re.compile(rb"(?<![A-Za-z0-9_])([A-Z][A-Z0-9]*)-[0-9]")
_OPENING = re.compile(rb"\s*(?:\xef\xbb\xbf)?(?:@[ \t]*|link[ \t]+\S+[ \t]+|#[ \t]*(?:was|forgotten)[ \t]+)")


def _look_at_files(workspace: Workspace, ledger: Ledger, prefix: str, contents: Mapping[str, bytes]) -> None:
    known, ledger.files = ledger.files, {}
    for path in workspace.cell_files():
        place = workspace.root / path
        started = time.time_ns()
        try:
            stat = place.stat()
            stamp = [stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
            old = known.get(path, {})
            settled = old.get("stamp") == stamp and max(stamp[2:]) + _TICK_NS < old["at"]
            prefixes = old["prefixes"] if settled else []
            if prefix not in prefixes:
                content = contents[path] if path in contents else place.read_bytes()
                _raise(ledger.given, highest_in(content, prefix))
                prefixes = [*prefixes, prefix]
        except (FileNotFoundError, PermissionError):
            continue
        except OSError as fault:
            raise _unsure(workspace.root, path) from fault
        ledger.files[path] = {"stamp": stamp, "at": old["at"] if settled else started, "prefixes": prefixes}
    for folder in workspace.closed:
        # What a person may not look into was never looked into; what they may, and cannot now, may hold any id.
        if os.access(workspace.root / folder, os.R_OK | os.X_OK):
            raise _unsure(workspace.root, folder)


def _unsure(root: Path, path: str) -> StorageError:
    message = f"'{path or '.'}' cannot be read now, and it may hold any id, so none can be given"
    return StorageError(message, f"ls -ld {root / path}")


def _look_at_history(root: Path, ledger: Ledger) -> None:
    for entry in files.entries(root, after=ledger.history):
        for step in entry.steps:
            for hunk in step.hunks:
                _raise(ledger.given, highest_in(hunk.old))
                _raise(ledger.given, highest_in(hunk.new))
        ledger.history = max(ledger.history, entry.n)


def _look_at_git(root: Path, ledger: Ledger) -> None:
    repository = git.find_repository(root)
    tips = git.tips(repository) if repository else ""
    if tips == ledger.tips:
        return
    _raise(ledger.given, highest_in(git.lines_ever(root, tuple(f"*{suffix}" for suffix in CELL_SUFFIXES))))
    ledger.tips = tips


def _raise(highest: Highest, found: Highest) -> None:
    for prefix, number in found.items():
        if number > highest.get(prefix, 0):
            highest[prefix] = number


def load_ledger(root: Path) -> Ledger:
    """Read what was seen before; anything unreadable counts as nothing seen."""
    try:
        record = json.loads((root / files.WORKPLACE / "ids.json").read_bytes())
        if record["version"] == LEDGER_VERSION:
            return Ledger(record["files"], record["history"], record["tips"], record["given"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Ledger()


def _save_ledger(root: Path, ledger: Ledger) -> None:
    record = {
        "version": LEDGER_VERSION,
        "files": ledger.files,
        "history": ledger.history,
        "tips": ledger.tips,
        "given": ledger.given,
    }
    files.write_derived(root / files.WORKPLACE / "ids.json", json.dumps(record).encode())


def check_targets(targets: Iterable[str], contents: Mapping[str, bytes]) -> None:
    """Refuse a link to an id that no cell file has."""
    for target in targets:
        wanted = target.encode("utf-8", "surrogateescape")
        if any(_has_header(content, wanted) for content in contents.values()):
            continue
        known = [match.decode() for content in contents.values() for match in _HEADER_ID.findall(content)]
        near = nearest_ids(target, known)
        message = f"there is no record '{target}' to link to" + (f"; the nearest: {', '.join(near)}" if near else "")
        raise NotFoundError(message, f"mneme show {near[0]}" if near else "mneme list")


_HEADER_ID = re.compile(rb"(?m)^@[ \t]*(\w+-\d+)")


def _has_header(content: bytes, wanted: bytes) -> bool:
    pattern = rb"(?:^|[\r\n])[ \t]*(?:\xef\xbb\xbf)?@[ \t]*" + re.escape(wanted) + rb"(?!\S)"
    return wanted in content and re.search(pattern, content) is not None


def nearest_ids(wanted: str, known: Iterable[str]) -> list[str]:
    """Return the known ids that look most like the one that was asked for."""
    import difflib

    pool = list(known)
    folded = {one.upper(): one for one in pool}
    near = difflib.get_close_matches(wanted.upper(), folded, n=3, cutoff=0.6)
    return [folded[one] for one in near]
