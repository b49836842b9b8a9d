"""The only way memory files change: `apply` does a whole plan or none of it, and `recover` ends what a crash cut short.

The order is what makes it hold: the plan is written down, new contents are written beside their targets and made
durable, the plan is committed by one rename, the contents are moved into place, the folders are made durable, and the
plan retires into history. Before the commit a crash means nothing happened; after it, that everything will. A file
that somebody else changed meanwhile is never overwritten: the plan gives way.
"""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.errors import ERROR, WARN, ConflictError, MnemeError, Problem, RefusedError
from mneme.files import displaced, journal
from mneme.files.disk import (
    WORKPLACE,
    Stamp,
    find_file,
    find_stamped,
    make_folder,
    place_of,
    remove_tree,
    stamp_of,
    storage_errors,
    swap,
    sync_folder,
    write_new,
)
from mneme.files.guard import check_immutable
from mneme.files.lock import is_locked, locked
from mneme.files.plan import Change, Plan, digest, edited, hunks_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from mneme.files.forget import Forgotten
    from mneme.files.journal import Entry, Step

OLD, NEW, OTHER = "old", "new", "other"
_ASIDE = ".old"


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a plan: its number in history, the paths it touched, and what else was noticed on the way."""

    n: int
    paths: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class _Prepared:
    step: Step
    content: bytes | None
    stamp: Stamp | None = None
    like: Path | None = None


Stamps = tuple["Stamp | None", ...]


def apply(root: Path, plan: Plan, *, now: datetime, held: bool = False) -> Applied:
    """Make every change of the plan, or none; `held` says that the caller has the lock already."""
    with contextlib.nullcontext() if held else locked(root, plan.verb):
        problems = [*_recover_held(root), *displaced.settle(root)]
        prepared = _prepare_all(root, plan)
        if not prepared:
            return Applied(0, (), tuple(problems))
        entry = _entry(root, plan, prepared, now)
        with _whole_or_nothing(root, entry, prepared):
            problems += _enact(root, entry, tuple(item.stamp for item in prepared))
        return Applied(entry.n, entry.paths, tuple(problems), entry.steps)


def destroy(root: Path, plan: Plan, needles: tuple[str, ...], *, now: datetime, held: bool = False) -> Forgotten:
    """Apply a plan that forgets: afterwards no `needle` is left in anything the workspace keeps for itself."""
    from mneme.files.forget import finish_forgetting

    with contextlib.nullcontext() if held else locked(root, plan.verb):
        problems = [*_recover_held(root), *displaced.settle(root, at_once=True)]
        prepared = _prepare_all(root, plan)
        entry = replace(_entry(root, plan, prepared, now), needles=needles, destroys=True)
        with _whole_or_nothing(root, entry, prepared):
            _place_all(root, entry, tuple(item.stamp for item in prepared))
            problems += _settle_folders(root, entry, checked=True)
        return replace(finish_forgetting(root, entry), problems=tuple(problems))


def show_plan(root: Path, plan: Plan) -> list[Step]:
    """Return what the plan would do, checked against the files as they are; writes nothing."""
    return [item.step for item in _prepare_all(root, plan)]


def recover(root: Path) -> list[Problem]:
    """Finish or abandon what a crash left behind; cheap when there is nothing, and never waits for a live writer."""
    if not journal.pending(root) or is_locked(root):
        return []
    with locked(root, "recover"):
        return _recover_held(root)


# Preparing: everything that can refuse does so here, before a byte is written.


def _prepare_all(root: Path, plan: Plan) -> list[_Prepared]:
    _refuse_strange_paths(root, [path for change in plan.changes for path in (change.path, change.to) if path])
    prepared = [_prepare(root, change, free=plan.free) for change in plan.changes]
    return [item for item in prepared if item.step.before != item.step.after or item.step.to is not None]


def _refuse_strange_paths(root: Path, paths: list[str]) -> None:
    """Refuse a plan that means one file twice, or that reaches into the machine's own folder."""
    own = Path(os.path.realpath(root / WORKPLACE))
    seen: set[Path] = set()
    for path in paths:
        place = place_of(root, path)
        if place == own or own in place.parents:
            message = f"'{path}' lies in the machine's own folder, which is no memory"
            raise RefusedError(message, f"ls {root}")
        if place in seen:
            message = f"one plan changes '{path}' twice"
            raise RefusedError(message, "run the command again")
        seen.add(place)


def _prepare(root: Path, change: Change, *, free: bool) -> _Prepared:
    before, stamp = find_stamped(place_of(root, change.path))
    same = before is not None and before == change.content
    if not same and (None if before is None else digest(before)) != change.base:
        raise _moved_on(change, before)
    if change.to is not None and place_of(root, change.to).exists():
        message = f"'{change.to}' exists already; '{change.path}' was not moved"
        raise RefusedError(message, f"ls -l {change.to}")
    content = before or b""
    after = None if change.remove else edited(content, change.edits)
    if after is not None and not free:
        check_immutable(change.path, content, change.edits, after)
    hunks = () if after is None else hunks_of(content, change.edits)
    after_hash = None if after is None else change.after if same and change.after else digest(after)
    step = journal.Step(change.path, change.base, after_hash, hunks, change.reason, change.to)
    return _Prepared(step, after, stamp, change.like)


def _moved_on(change: Change, found: bytes | None) -> ConflictError:
    if change.base is None:
        message = f"'{change.path}' exists already"
    elif found is None:
        message = f"'{change.path}' has gone since it was read"
    else:
        message = f"'{change.path}' was changed since it was read"
    return ConflictError(message, "run the command again")


def _entry(root: Path, plan: Plan, prepared: list[_Prepared], now: datetime) -> Entry:
    targets = [root / item.step.target for item in prepared if item.content is not None]
    made = dict.fromkeys(folder for target in targets for folder in _missing_parents(root, target))
    return journal.Entry(
        n=journal.next_number(root),
        verb=plan.verb,
        at=now.isoformat(timespec="seconds"),
        steps=tuple(item.step for item in prepared),
        note=plan.note,
        undoes=plan.undoes,
        made=tuple(made),
        prune=tuple(folder for folder in plan.prune if (root / folder).is_dir()),
    )


def _missing_parents(root: Path, target: Path) -> list[str]:
    missing = []
    for folder in target.parents:
        if folder == root or folder.exists():
            break
        missing.append(folder.relative_to(root).as_posix())
    return missing[::-1]


# The three acts of a plan, and what is done when one of them fails.


@contextlib.contextmanager
def _whole_or_nothing(root: Path, entry: Entry, prepared: list[_Prepared]) -> Iterator[None]:
    with storage_errors(root):
        try:
            journal.stage(root, entry)
            for index, item in enumerate(prepared):
                _write_temp(root, entry, index, item.content, item.like)
            journal.commit(root, entry)
        except BaseException:
            with contextlib.suppress(OSError):
                journal.uncommit(root, entry)
            _sweep_staged(root, entry)
            raise
        try:
            yield
        except (MnemeError, OSError):
            _take_back(root, entry)
            raise
        except BaseException:
            # Interrupted from outside: the plan is committed, so it is finished rather than left to the next run.
            with contextlib.suppress(MnemeError, OSError):
                _finish_destroying(root, entry) if entry.destroys else _enact(root, entry)
            raise


def _write_temp(root: Path, entry: Entry, index: int, content: bytes | None, like: Path | None = None) -> None:
    if content is None:
        return
    step = entry.steps[index]
    target = place_of(root, step.target)
    make_folder(target.parent)
    temp = _temp(root, entry, index)
    # A name of ours that a lost journal left behind.
    temp.unlink(missing_ok=True)
    write_new(temp, content, like=like or place_of(root, step.path))


def _temp(root: Path, entry: Entry, index: int) -> Path:
    step = entry.steps[index]
    return place_of(root, step.target).parent / Path(entry.temp_of(index)).name


def _enact(root: Path, entry: Entry, stamps: Stamps = ()) -> list[Problem]:
    _place_all(root, entry, stamps)
    problems = _settle_folders(root, entry, checked=bool(stamps))
    _retire(root, entry)
    return problems


def _place_all(root: Path, entry: Entry, stamps: Stamps = ()) -> None:
    """Move every new content into place; with `stamps` the plan is fresh, else it may be done in part already."""
    for index, step in enumerate(entry.steps):
        if stamps or _status(root, step) == OLD:
            _place(root, entry, index, stamps[index] if stamps else None)


def _settle_folders(root: Path, entry: Entry, *, checked: bool = False) -> list[Problem]:
    """Put aside what was pushed out of place and make every name durable; `checked`: it is known to be the old text."""
    problems = _keep_displaced(root, entry, checked=checked)
    _sync_folders(root, entry)
    _prune(root, entry.prune)
    return problems


def _keep_displaced(root: Path, entry: Entry, *, checked: bool = False) -> list[Problem]:
    problems: list[Problem] = []
    for index in range(len(entry.steps)):
        temp = _temp(root, entry, index)
        problems += displaced.keep(root, entry, index, temp, checked=checked)
        problems += displaced.keep(root, entry, index, temp.with_suffix(_ASIDE), checked=checked)
    return problems


def _sync_folders(root: Path, entry: Entry) -> None:
    """Make every name durable: where the files lie, and where what they displaced was put."""
    folders = [*(place_of(root, path).parent for path in entry.paths), displaced.displaced_folder(root)]
    for folder in dict.fromkeys(folders):
        if folder.is_dir():
            sync_folder(folder)


def _retire(root: Path, entry: Entry) -> None:
    # The files are in place and durable. Should the disk refuse this last rename, the next opening repeats it.
    with contextlib.suppress(OSError):
        journal.retire(root, entry)


def _place(root: Path, entry: Entry, index: int, stamp: Stamp | None = None) -> None:
    step, temp = entry.steps[index], _temp(root, entry, index)
    place, target = place_of(root, step.path), place_of(root, step.target)
    if step.removes:
        _to_trash(root, entry, step, place)
    elif step.before is None or step.to is not None:
        _place_new(temp, target, step.target)
        if step.to is not None:
            # The new name is durable before the old one goes: whatever a power cut keeps, one of them is there.
            sync_folder(target.parent)
            _to_trash(root, entry, step, place)
    else:
        _exchange(root, entry, index, temp, stamp)


def _place_new(temp: Path, target: Path, name: str) -> None:
    try:
        os.link(temp, target)
    except FileExistsError as error:
        if _hash(target) != _hash(temp):
            message = f"'{name}' was made by somebody else meanwhile"
            raise ConflictError(message, "run the command again") from error
    except OSError:
        # No hard links on this file system: a rename does, at the price of not noticing a file made just now.
        temp.rename(target)


def _exchange(root: Path, entry: Entry, index: int, temp: Path, stamp: Stamp | None = None) -> None:
    step = entry.steps[index]
    target = place_of(root, step.target)
    if not swap(temp, target):
        _rename_over(temp, target)
    if (stamp is not None and stamp_of(temp) == stamp) or _hash(temp) == step.before:
        return
    # Somebody saved the file between our reading and our exchange: their version goes back, ours is given up.
    if not swap(temp, target):
        _rename_over(temp, target)
    if _hash(temp) != step.after:
        # They saved once more while we did that: the newest stays in place, the other one is kept in history.
        if not swap(temp, target):
            _rename_over(temp, target)
        displaced.keep_version(root, entry, index, temp)
    message = f"'{step.path}' was saved by somebody else meanwhile; their version stays"
    raise ConflictError(message, "run the command again")


def _rename_over(temp: Path, target: Path) -> None:
    """Do what an exchange does, in three steps, where the system cannot do it in one."""
    aside = temp.with_suffix(_ASIDE)
    aside.unlink(missing_ok=True)
    os.link(target, aside)
    temp.replace(target)
    aside.rename(temp)


def _to_trash(root: Path, entry: Entry, step: Step, place: Path) -> None:
    trash = displaced.trash_place(root, entry.n, step.path)
    make_folder(trash.parent)
    try:
        place.rename(trash)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The file lies on another file system than the workspace: it is copied, then let go.
        write_new(trash, find_file(place) or b"", like=place)
        place.unlink()
    sync_folder(trash.parent)
    if _hash(trash) != step.before:
        trash.rename(place)
        message = f"'{step.path}' was saved by somebody else meanwhile; it stays"
        raise ConflictError(message, "run the command again")


def _hash(place: Path) -> str | None:
    """Return the hash of a file, None where there is none; what is no file has a hash that no content has."""
    if place.is_dir():
        return "folder"
    content = find_file(place)
    return None if content is None else digest(content)


def _prune(root: Path, folders: tuple[str, ...]) -> None:
    for folder in sorted(folders, key=len, reverse=True):
        place = place_of(root, folder)
        try:
            place.rmdir()
        except OSError:
            # Gone already, or not empty: then it stays.
            continue
        sync_folder(place.parent)


def _sweep_staged(root: Path, entry: Entry) -> None:
    """Leave no trace of a plan that was not committed."""
    with contextlib.suppress(MnemeError, OSError):
        for index in range(len(entry.steps)):
            _temp(root, entry, index).unlink(missing_ok=True)
        # The journal is all that knows of them: it goes when they are gone for good.
        _sync_folders(root, entry)
        _prune(root, entry.made)
        journal.discard(root, entry)


def _take_back(root: Path, entry: Entry) -> None:
    """Bring every file of a failed plan back; what cannot be done now is left committed, for `recover`."""
    with contextlib.suppress(MnemeError, OSError):
        _revert_all(root, entry)
        journal.uncommit(root, entry)
        _sweep_staged(root, entry)


def _revert_all(root: Path, entry: Entry) -> None:
    for folder in entry.prune:
        make_folder(place_of(root, folder))
    for index, step in reversed(list(enumerate(entry.steps))):
        if step.to is not None:
            _revert_move(root, entry, step)
        elif _status(root, step) == NEW:
            _revert(root, entry, index)
    _sync_folders(root, entry)


def _revert(root: Path, entry: Entry, index: int) -> None:
    step, temp = entry.steps[index], _temp(root, entry, index)
    place = place_of(root, step.path)
    if step.removes:
        _bring_back(root, entry, step)
    elif step.before is None:
        place.unlink(missing_ok=True)
    elif _hash(temp) not in (None, step.after):
        # What we pushed aside: the old content, or a version of somebody's that slipped in.
        if not swap(temp, place):
            temp.replace(place)
    else:
        _write_over(place, _content_before(root, step), temp)


def _revert_move(root: Path, entry: Entry, step: Step) -> None:
    """Undo a move that is done, or half done: the file lies under its old name again, and only there."""
    target = place_of(root, step.target)
    moved = _hash(target) == step.after
    if _bring_back(root, entry, step) and moved:
        target.unlink()


def _bring_back(root: Path, entry: Entry, step: Step) -> bool:
    """Bring a file back from the trash unless one lies in its place; say whether one does afterwards."""
    place, trash = place_of(root, step.path), displaced.trash_place(root, entry.n, step.path)
    if not place.exists() and trash.exists():
        trash.rename(place)
    return place.exists()


def _content_before(root: Path, step: Step) -> bytes:
    content = find_file(place_of(root, step.target)) or b""
    return edited(content, [hunk.as_edit() for hunk in journal.after_edits(step.hunks)])


def _write_over(target: Path, content: bytes, temp: Path) -> None:
    temp.unlink(missing_ok=True)
    write_new(temp, content, like=target)
    temp.replace(target)


# Recovery: the same acts, told by hashes how far the plan had come.


def _recover_held(root: Path) -> list[Problem]:
    problems: list[Problem] = []
    names = journal.pending(root)
    if names:
        with storage_errors(root / WORKPLACE, "recover"):
            # Who was killed may have named a plan committed and not made the name last: nothing is built on it before.
            sync_folder(journal.journal_folder(root))
    for name in names:
        with storage_errors(root / WORKPLACE, "recover"):
            problems += _recover_one(root, name)
    return problems


def _recover_one(root: Path, name: str) -> list[Problem]:
    folder = journal.journal_folder(root) / name
    try:
        entry = journal.load_entry(folder)
    except (OSError, ValueError):
        if name.startswith(journal.STAGED_PREFIX) or not name.isdigit():
            # Torn while it was being written down: nothing of the plan happened.
            remove_tree(folder)
            return []
        return [_give_up_unreadable(root, int(name))]
    if name.startswith(journal.STAGED_PREFIX):
        _sweep_staged(root, entry)
        return []
    if not entry.destroys and any(_status(root, step) == OTHER for step in entry.steps):
        return _abandon(root, entry)
    _restore_temps(root, entry)
    problems = _finish_destroying(root, entry) if entry.destroys else _enact(root, entry)
    message = f"plan {entry.n} ('{entry.verb}') had been interrupted and was finished"
    place = entry.paths[0] if entry.paths else WORKPLACE
    return [Problem(place, 0, "interrupted-plan", WARN, message, f"mneme diff {entry.n}"), *problems]


def _finish_destroying(root: Path, entry: Entry) -> list[Problem]:
    from mneme.files.forget import finish_forgetting

    theirs = [step.path for step in entry.steps if _status(root, step) == OTHER]
    message = "it was edited while it was to be forgotten, and stays as it is"
    problems = [Problem(path, 0, "edited-meanwhile", WARN, message, f"mneme forget {path}") for path in theirs]
    _place_all(root, entry)
    problems += _settle_folders(root, entry)
    finish_forgetting(root, entry)
    return problems


def _restore_temps(root: Path, entry: Entry) -> None:
    """Write again the new contents that a crash has eaten or torn."""
    for index, step in enumerate(entry.steps):
        temp = _temp(root, entry, index)
        if step.removes or _status(root, step) != OLD or _hash(temp) == step.after:
            continue
        temp.unlink(missing_ok=True)
        before = b"" if step.before is None else find_file(place_of(root, step.path)) or b""
        make_folder(temp.parent)
        write_new(temp, edited(before, [hunk.as_edit() for hunk in step.hunks]), like=place_of(root, step.path))


def _status(root: Path, step: Step) -> str:
    """Say how far one file has come: still old, already new, or changed by somebody else."""
    found = _hash(place_of(root, step.path))
    if step.removes:
        return NEW if found is None else OLD if found == step.before else OTHER
    if step.to is not None:
        return _status_of_move(root, step, found)
    if found == step.after:
        return NEW
    return OLD if found == step.before else OTHER


def _status_of_move(root: Path, step: Step, found: str | None) -> str:
    there = _hash(place_of(root, step.target))
    if there not in (None, step.after) or found not in (None, step.before):
        return OTHER
    if found is None:
        return NEW if there == step.after else OTHER
    return OLD


def _give_up_unreadable(root: Path, n: int) -> Problem:
    """Put a committed plan whose record was damaged into history as it is: nobody can say what it wanted."""
    journal.retire_number(root, n)
    message = f"plan {n} had been interrupted and its record cannot be read; some of its files may be changed"
    return Problem(f"{WORKPLACE}/history/{n}", 0, "unreadable-plan", ERROR, message, "mneme check")


def _abandon(root: Path, entry: Entry) -> list[Problem]:
    """Give way to a hand edit made after the crash: the plan's other files go back, the edit stays."""
    theirs = next(step.path for step in entry.steps if _status(root, step) == OTHER)
    _revert_all(root, entry)
    problems = _keep_displaced(root, entry)
    _prune(root, entry.made)
    folder = journal.journal_folder(root) / str(entry.n)
    journal.rewrite(folder, replace(entry, abandoned=True))
    journal.retire(root, entry)
    message = f"plan {entry.n} ('{entry.verb}') had been interrupted and this file edited since, so it was given up"
    return [Problem(theirs, 0, "abandoned-plan", WARN, message, f"mneme diff {entry.n}"), *problems]
