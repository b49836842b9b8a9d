"""The whole check of a workspace: every file once, then all of them against each other, the day, git and history.

What was found in a note is kept with the hash of the note, and a whole report with the walk it came from, so that a
check after nothing changed costs a walk. What ties files together is looked at again whenever any of them changed.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from mneme import files, git
from mneme.check import store
from mneme.check.scan import scan_tree
from mneme.errors import Problem
from mneme.settings import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from mneme.workspace import Workspace


class Outcome(NamedTuple):
    """What a check found, and how much it looked at."""

    problems: tuple[Problem, ...]
    cells: int
    notes: int
    facts: int


def check_workspace(
    workspace: Workspace,
    now: datetime,
    *,
    extra: Sequence[str] = (),
    behind: Callable[[Sequence[str]], int] = lambda _: 0,
) -> Outcome:
    """Check everything that is memory in a workspace, and the files named besides.

    `behind` says how many of some files the index does not know as they are.
    """
    if not workspace.root.is_dir():
        return Outcome((), 0, 0, 0)
    with _collector_off():
        began_ns = files.settled_before_ns()
        tree = scan_tree(workspace.root, workspace.settings.find("files.ignore") or ())
        repository = git.find_repository(workspace.root)
        tips = git.tips(repository) if repository else ""
        if not extra and (kept := store.load_report(workspace.root, tree.as_bytes())) is not None:
            key = _key(now)
            same = kept.get("key") == key and store.is_same(workspace.root, kept["outside"], tips)
            if same and (not kept["until"] or now.isoformat() <= kept["until"]):
                return _outcome(kept)
        from mneme.check.whole import Whole

        whole = Whole(workspace, now, tree, store.load_notes(workspace.root), _key(now), extra)
        problems = whole.check(behind)
        report: dict[str, Any] = {
            "key": _key(now),
            "until": whole.until.isoformat() if whole.until else "",
            "outside": store.outside_of(workspace.root, whole.places.asked, [*_OUTSIDE, *whole.read_outside], tips),
            "problems": [[one.path, one.line, one.rule, one.severity, one.message, one.hint] for one in problems],
            "counts": whole.counts,
        }
        if not extra:
            unproven = whole.unproven(began_ns)
            proven = None if whole.volatile else tree.as_bytes(unproven)
            store.save(workspace.root, proven, report, whole.kept(unproven) if whole.renewed else None)
        return _outcome(report)


def look_over(workspace: Workspace, now: datetime) -> Outcome:
    """Check everything once, keep nothing and leave nothing behind: for a folder that is not yet a workspace."""
    from mneme.check.whole import Whole

    with _collector_off():
        tree = scan_tree(workspace.root, workspace.settings.find("files.ignore") or ())
        whole = Whole(workspace, now, tree, {}, _key(now))
        return Outcome(tuple(whole.check()), *whole.counts)


# Files and folders that no walk sees and every report depends on.
_OUTSIDE = (
    FILE_NAME,
    f"{files.WORKPLACE}/history",
    f"{files.WORKPLACE}/index.sqlite",
    f"{files.WORKPLACE}/index.sqlite-wal",
)


def _key(now: datetime) -> list[str]:
    return [now.date().isoformat(), store.code_stamp()]


def _outcome(report: Mapping[str, Any]) -> Outcome:
    return Outcome(tuple(Problem(*one) for one in report["problems"]), *report["counts"])


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the garbage collector from counting what is made in bulk and let go of together."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
