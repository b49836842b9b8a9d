"""The check of everything, what of it mends itself, and the alarm that a failed one leaves behind."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import ERROR, MnemeError, NotFoundError, RefusedError

INDEX_FILE = "index.sqlite"

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Checked, Done
    from mneme.errors import Problem


def check(
    memory: Memory, paths: Sequence[str] = (), *, fix: bool = False, online: bool = False, dry_run: bool = False
) -> Checked:
    """Check cells, notes, facts and what is derived from them; tell only of `paths` where some are named.

    A check of everything that finds an error leaves the alarm behind, which every surface shows until a check finds
    none. With `fix`, what is mechanical is mended first, as one plan; with `online`, addresses are asked too.
    """
    named = [_named(memory, path) for path in paths]
    done = mend(memory, named, dry_run=dry_run) if fix else None
    report = _checked(memory, named, online=online)
    if not dry_run:
        _set_alarm(memory, report, everything=not named)
    return replace(report, done=done)


def refuse_shared(memory: Memory, verb: str) -> None:
    """Refuse an operation that looks through private memory to whoever asks in a shared context."""
    if memory.shared:
        message = f"'{verb}' looks through private memory, and is not for a shared context"
        raise RefusedError(message, f"mneme {verb}")


def check_first(memory: Memory, verb: str, *, force: bool = False, mends: Collection[str] = ()) -> Checked:
    """Check before an important operation, and refuse to begin it on errors unless it is forced.

    `mends` are the rules whose faults the operation is there to mend: they do not stand in its way.
    """
    report = memory.check()
    errors = [one for one in report.problems if one.severity == ERROR and one.rule not in mends]
    if errors and not force:
        first = errors[0]
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        message = f"Memory integrity check failed: {first.path} has the fault '{first.rule}'{more}"
        raise RefusedError(message, f"mneme check, or mneme {verb} --force")
    return report


def _checked(memory: Memory, named: Sequence[str], *, online: bool) -> Checked:
    from mneme.check.run import check_workspace
    from mneme.engine.overwritten import find_overwritten
    from mneme.engine.qmd import check_qmd
    from mneme.engine.results import Checked

    extra = [path for path in named if path.endswith((".md", ".markdown", ".MD"))]
    outcome = check_workspace(memory.workspace, memory.now(), extra=extra, behind=lambda paths: _behind(memory, paths))
    problems = [*outcome.problems, *check_qmd(memory), *find_overwritten(memory), *(_online(memory) if online else ())]
    told = [one for one in problems if not named or any(_lies_in(one.path, path) for path in named)]
    told = tellable(memory, told)
    return Checked(tuple(told), outcome.cells, outcome.notes, outcome.facts)


def tellable(memory: Memory, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that may be told: in a shared context, those of files all of which is shared."""
    seen = {path: memory.sees_file(path) for path in {problem.path for problem in problems}} if memory.shared else {}
    return [problem for problem in problems if seen.get(problem.path, True)]


def _behind(memory: Memory, paths: Sequence[str]) -> int:
    """Return how many files the index does not know as they are; none where nothing was indexed yet."""
    place = memory.root / files.WORKPLACE / INDEX_FILE
    if not place.exists():
        return 0
    from mneme.index.build import count_behind
    from mneme.index.sqlite import SqliteBackend

    backend = SqliteBackend(place)
    try:
        return count_behind(backend, memory.workspace, paths)
    finally:
        backend.close()


def _online(memory: Memory) -> Sequence[Problem]:
    from mneme.check.online import check_online
    from mneme.memory import all_paths

    def read(path: str) -> str | None:
        content = files.find_file(files.place_of(memory.root, path))
        return None if content is None else content.decode("utf-8", "surrogateescape")

    return check_online(all_paths(memory.workspace), read, memory.workspace.profile.severities)


def mend(memory: Memory, named: Sequence[str] = (), *, dry_run: bool = False) -> Done:
    """Mend what is mechanical, in the files named or in all, as one plan."""
    from mneme.check.mend_all import plan_mends

    with memory.writing("check --fix", dry_run=dry_run):
        changes = plan_mends(memory.workspace, memory.now())
        chosen = [one for one in changes if not named or any(_lies_in(one.path, path) for path in named)]
        return memory.apply(files.Plan("check --fix", tuple(chosen)), dry_run=dry_run)


def _named(memory: Memory, path: str) -> str:
    """Return what a person named, as a workspace path."""
    place = memory.workspace.relative(path)
    if not os.path.lexists(memory.root / place):
        message = f"no such file: '{path}'"
        raise NotFoundError(message, "mneme check")
    return "" if place == "." else place


def _lies_in(path: str, named: str) -> bool:
    return not named or path == named or path.startswith(named.rstrip("/") + "/")


def _set_alarm(memory: Memory, report: Checked, *, everything: bool) -> None:
    """Leave the alarm behind, or take it away; only a check of everything can say that all is well."""
    from mneme.engine.memory import ALARM

    errors = sum(problem.severity == ERROR for problem in report.problems)
    place = memory.root / files.WORKPLACE / ALARM
    with suppress(OSError, MnemeError):
        if errors:
            count = f"{errors} error{'' if errors == 1 else 's'}"
            line = f"Memory integrity check failed: {count}; no record is authoritative until 'mneme check' is clean\n"
            if memory.alarm != line.strip():
                files.write_derived(files.workplace(memory.root) / ALARM, line.encode())
        elif everything and memory.alarm:
            files.take_derived(place)
