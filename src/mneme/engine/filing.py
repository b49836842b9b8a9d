"""The verbs that move and replace whole files: the archive, and the atomic write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import RefusedError

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.errors import Problem

# What archiving itself cures does not stand in its way, nor does an old day that nobody closed.
_CURED = frozenset({"expired-day", "incomplete-closure"})


@dataclass(frozen=True, slots=True)
class Archived:
    """What went to the archive: each note with its new place, and what had to stay where it was."""

    done: Done
    moved: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that were changed, as far as they may be told."""
        return self.done.paths


def archive(memory: Memory, days: int | None = None, *, force: bool = False, dry_run: bool = False) -> Archived:
    """Move days' notes that are more than so many days old to the archive, by the date in their names."""
    from mneme.memory.notes.archive import plan_archive

    limit = memory.workspace.profile.budgets.day_ttl_days if days is None else days
    if not force:
        memory.check_first("archive", mends=_CURED)
    with memory.writing("archive", dry_run=dry_run):
        moves = plan_archive(memory.workspace, memory.today, limit)
        count = f"{len(moves.moved)} note{'' if len(moves.moved) == 1 else 's'}"
        done = memory.apply(files.Plan("archive", moves.changes, count), dry_run=dry_run)
    if memory.shared:  # days' notes are private, and so are their names
        return Archived(done, (), done.problems)
    return Archived(done, moves.moved, (*moves.problems, *done.problems))


def write(memory: Memory, path: str, content: bytes, *, force: bool = False, dry_run: bool = False) -> Done:
    """Put new content in place of a file of the workspace, whole or not at all, or make it."""
    with memory.writing("write", dry_run=dry_run):
        _refuse_private(memory, path)
        before = files.find_file(files.place_of(memory.root, path))
        if not force:
            _refuse_losses(path, before, content)
        change = files.plan_replace(path, before, content, "given on standard input")
        return memory.apply(files.Plan("write", (change,) if change else (), path), dry_run=dry_run)


def _refuse_private(memory: Memory, path: str) -> None:
    """Refuse to replace, in a shared context, what may not be told there."""
    if not memory.sees_file(path):
        raise RefusedError(f"'{path}' is private", f"mneme write {path} --context main")


def _refuse_losses(path: str, before: bytes | None, content: bytes) -> None:
    """Refuse what is more likely a broken pipe, or a secret, than what somebody meant to write."""
    from mneme.check.secret import find_secrets

    if before and not content.strip():
        message = f"there is nothing on standard input; '{path}' would lose all it holds"
        raise RefusedError(message, f"mneme write {path} --force < /dev/null")
    old, new = ((text or b"").decode("utf-8", "surrogateescape") for text in (before, content))
    known = {old[secret.start : secret.end] for secret in find_secrets(old)}
    for secret in find_secrets(new):
        if new[secret.start : secret.end] not in known:
            message = (
                f"line {secret.line} looks like a secret ({secret.kind}); memory is plain text that others may read"
            )
            raise RefusedError(message, f"mneme write {path} --force")
