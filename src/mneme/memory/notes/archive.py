"""Moving old days' notes to the archive, and leading every link along.

A note moves by the date in its name, never by what the disk says of it, and never onto another file. What linked to it
links to its new place afterwards, and what it linked to is found from there: links are followed from the folder of the
note, else from the workspace's, and are written back the way they were written.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import quote

from mneme import files
from mneme.errors import WARN, Problem
from mneme.formats.link import ADDRESS, EMBED, WIKI
from mneme.formats.note import LARGE_NOTE_BYTES, parse_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mneme.files import Change
    from mneme.formats.link import Link
    from mneme.formats.note import Note
    from mneme.formats.span import Splice
    from mneme.memory.notes.drafts import Drafts
    from mneme.workspace import Workspace

_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Moves:
    """What goes to the archive: the changes, where each note goes, and what had to stay."""

    changes: tuple[Change, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()


def plan_archive(workspace: Workspace, today: date, days: int) -> Moves:
    """Return the moves of all days' notes that are more than so many days old, with the links that follow them."""
    notes = workspace.note_files()
    moves: dict[str, str] = {}
    problems = []
    for path, day in _old_notes(workspace, notes, today, days):
        target = workspace.profile.archive_path(path, day)
        if target in moves.values() or files.place_of(workspace.root, target).exists():
            message = f"'{target}' exists already, so this note was not moved"
            problems.append(Problem(path, 0, "archive-name-taken", WARN, message, f"diff {path} {target}"))
        else:
            moves[path] = target
    changes = tuple(_changes(workspace, notes, moves)) if moves else ()
    return Moves(changes, tuple(moves.items()), tuple(problems))


def count_expired(workspace: Workspace, today: date, days: int) -> int:
    """Return how many days' notes are old enough for the archive."""
    return sum(1 for _ in _old_notes(workspace, workspace.note_files(), today, days))


def _old_notes(workspace: Workspace, notes: Sequence[str], today: date, days: int) -> Iterator[tuple[str, str]]:
    """Yield the notes in the folder of days that are old enough, each with its day; a linked file is another's."""
    profile = workspace.profile
    folder = posixpath.dirname(profile.day_path(today))
    for path in notes:
        found = profile.find_day(path) if posixpath.dirname(path) == folder else None
        if found is None or (today - date.fromisoformat(found.date)).days <= days:
            continue
        if not (workspace.root / path).is_symlink():
            yield path, found.date


def _changes(workspace: Workspace, notes: Sequence[str], moves: Mapping[str, str]) -> Iterator[Change]:
    names = [posixpath.basename(path).removesuffix(_SUFFIX) for path in moves]
    for path in notes:
        content = files.find_file(files.place_of(workspace.root, path))
        if content is None:
            continue
        text = content.decode("utf-8", "surrogateescape")
        concerned = path in moves or any(name in text for name in names)
        note = parse_note(text if concerned and len(text) <= LARGE_NOTE_BYTES else "", path)
        edits = files.text_edits(text, dict.fromkeys(_retargeted(workspace, note, moves)))
        if path in moves:
            yield files.plan_move(path, content, moves[path], edits, "older than the days that a note is kept")
        elif edits:
            yield files.plan_edit(path, content, edits, "a link to a note that moved")


def follow_links(drafts: Drafts, workspace: Workspace, moves: Mapping[str, str]) -> None:
    """Lead every link to some notes, and the links of those notes, to where they lie after the moves."""
    names = [posixpath.basename(path).removesuffix(_SUFFIX) for path in moves]
    for path in workspace.note_files():
        text = drafts.find(path)
        if text is None or len(text) > LARGE_NOTE_BYTES or not (path in moves or any(name in text for name in names)):
            continue
        edits = dict.fromkeys(_retargeted(workspace, drafts.note(path), moves))
        if edits:
            drafts.edit(path, *sorted(edits))


def _retargeted(workspace: Workspace, note: Note, moves: Mapping[str, str]) -> Iterator[Splice]:
    """Yield an edit for each link of a note that leads elsewhere once the moves are made."""
    here, there = posixpath.dirname(note.path), posixpath.dirname(moves.get(note.path, note.path))
    for link in note.links:
        if link.kind == ADDRESS or link.external or not link.path:
            continue
        target, relative = _target_of(workspace, link, here)
        if not target or (relative and link.kind in (WIKI, EMBED) and "/" not in link.path):
            continue
        after = moves.get(target, target)
        path = posixpath.relpath(after, there or ".") if relative else after
        written = _as_written(note, link, path)
        if (after, there) != (target, here) and written != link.target:
            yield link.target_start, link.target_end, written


def _target_of(workspace: Workspace, link: Link, here: str) -> tuple[str, bool]:
    """Return the file that a link leads to, and whether it is found from the folder of the note; empty without one."""
    for base, relative in ((here, True), ("", False)):
        path = posixpath.normpath(posixpath.join(base, link.path))
        for one in (path, path + _SUFFIX):
            if not one.startswith(("../", "/")) and (workspace.root / one).exists():
                return one, relative
    return "", False


def _as_written(note: Note, link: Link, path: str) -> str:
    """Return a path the way the link had it: without its suffix, escaped, with its anchor."""
    head, hash_sign, anchor = link.target.partition("#")
    if not link.path.endswith(_SUFFIX):
        path = path.removesuffix(_SUFFIX)
    bare = note.text[link.target_start - 1 : link.target_start] != "<" and link.kind not in (WIKI, EMBED)
    if "%" in head or (bare and not _is_plain(path)):
        path = quote(path, safe="/~!$&'*+,;=:@", errors="surrogateescape")
    return path + hash_sign + anchor


def _is_plain(path: str) -> bool:
    """Say whether a path can stand between round brackets as it is."""
    return not any(char.isspace() or char in "()<>\\" for char in path)
