"""Taking a plan back: a new plan that turns every hunk round, or a refusal that says what would be lost.

Where the file is as the plan left it, the bytes are simply put back. Where later plans changed other places of it,
the hunks are moved along. Where somebody edited it by hand, a hunk is turned only if its surroundings are found exactly
once; otherwise the undo is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, RefusedError
from mneme.files import displaced, journal
from mneme.files.disk import find_file, place_of
from mneme.files.plan import Change, Edit, Plan, digest, plan_create, plan_edit, plan_move, plan_remove

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.files.journal import Entry, Step
    from mneme.files.plan import Hunk


def undone_numbers(root: Path, *, after: int = 0) -> set[int]:
    """Return the plans that are taken back as things stand: an undo that was itself undone no longer counts.

    Only plans behind `after` are looked through, which is enough for what such a plan may have undone.
    """
    undone: set[int] = set()
    for entry in journal.entries(root, newest_first=True, after=after):
        if entry.undoes is not None and not entry.abandoned and entry.n not in undone:
            undone.add(entry.undoes)
    return undone


def last_to_undo(root: Path) -> int:
    """Return the newest plan that can be taken back and is not an undo itself."""
    undone = undone_numbers(root)
    for entry in journal.entries(root, newest_first=True):
        if entry.undoes is None and entry.n not in undone and not entry.lost and not entry.abandoned:
            return entry.n
    message = "there is nothing to undo"
    raise BadInputError(message, "mneme log")


def plan_undo(root: Path, n: int) -> Plan:
    """Return the plan that takes plan `n` back."""
    entry = journal.get_entry(root, n)
    _refuse_hopeless(root, entry)
    changes = tuple(_undo_step(root, entry, step) for step in reversed(entry.steps))
    return Plan("undo", changes, f"of plan {n}: {entry.verb}", free=True, undoes=n, prune=entry.made)


def _refuse_hopeless(root: Path, entry: Entry) -> None:
    if entry.lost:
        message = f"plan {entry.n} cannot be undone: its text was forgotten on purpose"
        raise RefusedError(message, "mneme log")
    if entry.abandoned:
        message = f"plan {entry.n} cannot be undone: it was given up and never happened"
        raise RefusedError(message, "mneme log")
    if entry.n in undone_numbers(root):
        message = f"plan {entry.n} has been undone already"
        raise RefusedError(message, "mneme log")


def _undo_step(root: Path, entry: Entry, step: Step) -> Change:
    if step.removes:
        return _bring_back(root, entry, step)
    content = find_file(place_of(root, step.target))
    if content is None:
        raise _would_lose(entry, step, "the file has gone since")
    if step.to is not None:
        return _move_back(root, entry, step, content)
    if step.before is None and digest(content) == step.after:
        return plan_remove(step.path, content, f"undo of plan {entry.n}")
    return plan_edit(step.path, content, _turned(root, entry, step, content), f"undo of plan {entry.n}")


def _bring_back(root: Path, entry: Entry, step: Step) -> Change:
    if place_of(root, step.path).exists():
        raise _would_lose(entry, step, "there is a file of that name again")
    content = find_file(displaced.trash_place(root, entry.n, step.path))
    if content is None or digest(content) != step.before:
        raise _would_lose(entry, step, "its content is no longer in the trash")
    change = plan_create(step.path, content, f"undo of plan {entry.n}")
    return replace(change, like=displaced.trash_place(root, entry.n, step.path))


def _move_back(root: Path, entry: Entry, step: Step, content: bytes) -> Change:
    if place_of(root, step.path).exists():
        raise _would_lose(entry, step, "there is a file of that name again")
    edits = _turned(root, entry, step, content)
    return plan_move(step.target, content, step.path, edits, f"undo of plan {entry.n}")


def _turned(root: Path, entry: Entry, step: Step, content: bytes) -> list[Edit]:
    turned = journal.after_edits(step.hunks)
    if digest(content) == step.after:
        return [hunk.as_edit() for hunk in turned]
    later = _later_steps(root, entry, step)
    if later is None or not later or later[-1][1].after != digest(content) or not _unbroken(step, later):
        return [_found_again(entry, step, hunk, content) for hunk in turned]
    return [_moved_along(entry, step, hunk, later, content).as_edit() for hunk in turned]


def _later_steps(root: Path, entry: Entry, step: Step) -> list[tuple[int, Step]] | None:
    """Return what later plans did to the file, or None where nobody can say any more."""
    steps = []
    for later in journal.entries(root, after=entry.n):
        for one in later.steps:
            if one.path == step.target and not later.abandoned:
                if later.lost:
                    return None
                steps.append((later.n, one))
    return steps


def _unbroken(step: Step, later: list[tuple[int, Step]]) -> bool:
    known = step.after
    for _, one in later:
        if one.before != known or one.to is not None or one.removes:
            return False
        known = one.after
    return True


def _moved_along(entry: Entry, step: Step, hunk: Hunk, later: list[tuple[int, Step]], content: bytes) -> Hunk:
    moved = hunk
    for n, one in later:
        drift = 0
        for other in one.hunks:
            if other.at + len(other.old) <= moved.at:
                drift += len(other.new) - len(other.old)
            elif other.at < moved.at + max(1, len(moved.old)):
                # Changed later, and perhaps changed back since: then it stands here once, as we left it.
                return _restored(entry, step, hunk, content, f"plan {n} changed the same lines later")
        moved = replace(moved, at=moved.at + drift)
    return moved


def _restored(entry: Entry, step: Step, hunk: Hunk, content: bytes, reason: str) -> Hunk:
    places = _places_of(hunk.pre + hunk.old + hunk.post, content)
    if len(places) != 1:
        raise _would_lose(entry, step, reason)
    return replace(hunk, at=places[0] + len(hunk.pre))


def _found_again(entry: Entry, step: Step, hunk: Hunk, content: bytes) -> Edit:
    """Return the hunk where its lines stand exactly once, with as much of its surroundings as is left."""
    for pre, post in ((hunk.pre, hunk.post), (hunk.pre, b""), (b"", hunk.post), (b"", b"")):
        pattern = pre + hunk.old + post
        places = _places_of(pattern, content) if pattern.strip() else []
        if len(places) == 1:
            start = places[0] + len(pre)
            return Edit(start, start + len(hunk.old), hunk.new)
    raise _would_lose(entry, step, "it was edited by hand since, in the same place")


def _places_of(pattern: bytes, content: bytes) -> list[int]:
    """Return where some whole lines stand, two places at most."""
    places: list[int] = []
    at = content.find(pattern)
    while at >= 0 and len(places) < 2:  # noqa: PLR2004 - a second one settles that it is not the only one
        end = at + len(pattern)
        if (at == 0 or content[at - 1 : at] == b"\n") and (end == len(content) or pattern.endswith(b"\n")):
            places.append(at)
        at = content.find(pattern, at + 1)
    return places


def _would_lose(entry: Entry, step: Step, reason: str) -> RefusedError:
    message = f"plan {entry.n} cannot be undone in '{step.target}': {reason}"
    return RefusedError(message, f"mneme diff {entry.n}")
