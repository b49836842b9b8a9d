"""The verbs of what was done: list it, show it, take it back, or destroy a memory for good."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.results import diff_of
from mneme.errors import RefusedError
from mneme.workspace import set_trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done, Gone, LogRow
    from mneme.files import Entry


def log(memory: Memory, limit: int = 0) -> Sequence[LogRow]:
    """Return the applied plans, newest first."""
    from mneme.engine import results

    undone = files.undone_numbers(memory.root)
    seen = (entry for entry in files.entries(memory.root, newest_first=True) if _sees(memory, entry))
    rows = (results.log_row(entry, undone) for entry in seen)
    return tuple(islice(rows, limit or None))


def diff(memory: Memory, n: int | None = None) -> tuple[int, str]:
    """Return what a plan of history did, as a unified diff; the newest plan unless one is named."""
    number = next((row.n for row in memory.log(1)), 0) if n is None else n
    _refuse_private(memory, number, "diff")
    return number, diff_of(files.get_entry(memory.root, number).steps)


def _refuse_private(memory: Memory, number: int, verb: str) -> None:
    """Refuse to tell or to take back, in a shared context, a plan that touched what is private."""
    if memory.shared and not _sees(memory, files.get_entry(memory.root, number)):
        message = f"plan {number} is private"
        raise RefusedError(message, f"mneme {verb} {number} --context main")


def _sees(memory: Memory, entry: Entry) -> bool:
    """Say whether a plan may be told: in a shared context, if all that it touched is shared."""
    return all(memory.sees_file(path) for path in entry.paths)


def undo(memory: Memory, n: int | None = None, *, dry_run: bool = False) -> Done:
    """Take a plan back, the last one unless another is named; refuses where a later edit would be lost."""
    with memory.writing("undo", dry_run=dry_run):
        number = files.last_to_undo(memory.root) if n is None else n
        _refuse_private(memory, number, "undo")
        plan = files.plan_undo(memory.root, number)
        return replace(memory.apply(plan, dry_run=dry_run), status=f"plan {number} is undone")


def forget(memory: Memory, what: str, *, dry_run: bool = False) -> Gone:
    """Destroy a memory for good, by id, file or text, and report where copies may remain."""
    from mneme.engine import qmd, results
    from mneme.engine.forgetting import plan_forgetting

    with memory.writing("forget", dry_run=dry_run):
        plan, needles = plan_forgetting(memory, what)
        if dry_run:
            return results.Gone(diff=diff_of(files.show_plan(memory.root, plan)))
        report = files.destroy(memory.root, plan, needles, now=memory.now(), held=True)
        memory.problems += memory.committed(plan, report.paths)
        memory.problems += qmd.refresh_after(memory, report.paths)
        return results.Gone(report)


def trust(memory: Memory, trusted: bool) -> None:  # noqa: FBT001 - the verb's one argument
    """Write down whether the word of this workspace may be taken."""
    set_trust(memory.root, trusted=trusted)
