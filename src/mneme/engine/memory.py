"""One open workspace and everything that can be done with it.

The engine wires the parts together and is the only place that names concrete ones. A verb is a function of a module
beside this one, with the open memory as its first argument, and a row in `VERBS`; it is imported when it is first
called. Every writing verb plans, checks and applies under the workspace's lock, or only shows the diff when `dry_run`
is set. Nothing here reads a clock: `now` is given.
"""

from __future__ import annotations

import contextlib
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from mneme import files
from mneme.errors import ERROR, UNREADABLE, WARN, MnemeError, NotFoundError, Problem, StorageError
from mneme.formats.record import SHARED
from mneme.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date, datetime
    from pathlib import Path
    from types import TracebackType

    from mneme.engine import accept as in_accept
    from mneme.engine import active as in_active
    from mneme.engine import boot as in_boot
    from mneme.engine import buffer as in_buffer
    from mneme.engine import capture as in_capture
    from mneme.engine import cells as in_cells
    from mneme.engine import check as in_check
    from mneme.engine import days as in_days
    from mneme.engine import dream as in_dream
    from mneme.engine import filing as in_filing
    from mneme.engine import history as in_history
    from mneme.engine import importing as in_importing
    from mneme.engine import indexing as in_indexing
    from mneme.engine import lint as in_lint
    from mneme.engine import listing as in_listing
    from mneme.engine import palace as in_palace
    from mneme.engine import proposals as in_proposals
    from mneme.engine import reading as in_reading
    from mneme.engine import recalling as in_recalling
    from mneme.engine import refine as in_refine
    from mneme.engine import remember as in_remember
    from mneme.engine import review as in_review
    from mneme.engine import revise as in_revise
    from mneme.engine import schedule as in_schedule
    from mneme.engine import sessions as in_sessions
    from mneme.engine import spine as in_spine
    from mneme.engine import sublimate as in_sublimate
    from mneme.engine import synthesize as in_synthesize
    from mneme.engine.results import Done
    from mneme.files import Plan
    from mneme.formats.record import Record

Problems = list[Problem]
Faults = list[str]

# Kept by a memory whose callers cannot wait for an embedder that hangs.
HURRIED = "hurried"
FAULTS = "faults"
ALARM = "alarm"  # the file in the state folder that a failed check leaves behind, with its line

# Which module has the function of a verb; `tests/engine/test_memory.py` holds it to the class below.
VERBS = {
    "accept": "accept",
    "active": "active",
    "active_state": "active",
    "affirm": "revise",
    "archive": "filing",
    "boot": "boot",
    "buffer_add": "buffer",
    "buffer_clear": "buffer",
    "buffer_rotate": "buffer",
    "buffer_show": "buffer",
    "capture": "capture",
    "cells": "spine",
    "check": "check",
    "check_first": "check",
    "close_day": "days",
    "decay": "cells",
    "diff": "history",
    "done": "revise",
    "dream": "dream",
    "dream_explain": "dream",
    "dream_status": "dream",
    "dream_switch": "dream",
    "entities": "listing",
    "fix_cells": "lint",
    "forget": "history",
    "import_transcripts": "importing",
    "index": "indexing",
    "lint": "lint",
    "list": "listing",
    "log": "history",
    "mark": "revise",
    "new_id": "spine",
    "note": "days",
    "palace": "palace",
    "proposals": "proposals",
    "propose": "proposals",
    "read_lines": "reading",
    "recall": "recalling",
    "refine": "refine",
    "refine_prompt": "refine",
    "reject": "proposals",
    "related": "recalling",
    "remember": "remember",
    "review": "review",
    "run_due": "schedule",
    "schedule": "schedule",
    "show": "listing",
    "spine": "spine",
    "spine_records": "spine",
    "sublimate": "sublimate",
    "supersede": "revise",
    "switch_active": "active",
    "synthesize": "synthesize",
    "tags": "listing",
    "trust": "history",
    "undo": "history",
    "wrap_up": "sessions",
    "write": "filing",
}


def open_memory(
    asked: str | None = None,
    *,
    now: Callable[[], datetime],
    here: Path | None = None,
    make: bool = False,
    shared: bool = False,
) -> Memory:
    """Find the workspace that is meant and open it, finishing first whatever a crash left undone."""
    workspace = find_workspace(asked, here=here)
    if not make and not workspace.root.is_dir() and workspace.found_by != "personal":
        message = f"there is no workspace at '{workspace.root}'"
        raise NotFoundError(message, "mneme init")
    return Memory(workspace, now, shared=shared)


class Memory:
    """An open workspace. With `shared`, whoever asks is in a shared context, and no private record reaches them."""

    if TYPE_CHECKING:
        accept = in_accept.accept
        active = in_active.active
        active_state = in_active.active_state
        affirm = in_revise.affirm
        archive = in_filing.archive
        boot = in_boot.boot
        buffer_add = in_buffer.buffer_add
        buffer_clear = in_buffer.buffer_clear
        buffer_rotate = in_buffer.buffer_rotate
        buffer_show = in_buffer.buffer_show
        capture = in_capture.capture
        cells = in_spine.cells
        check = in_check.check
        check_first = in_check.check_first
        close_day = in_days.close_day
        decay = in_cells.decay
        diff = in_history.diff
        done = in_revise.done
        dream = in_dream.dream
        dream_explain = in_dream.dream_explain
        dream_status = in_dream.dream_status
        dream_switch = in_dream.dream_switch
        entities = in_listing.entities
        fix_cells = in_lint.fix_cells
        forget = in_history.forget
        import_transcripts = in_importing.import_transcripts
        index = in_indexing.index
        lint = in_lint.lint
        list = in_listing.list_records
        log = in_history.log
        mark = in_revise.mark
        new_id = in_spine.new_id
        note = in_days.note
        palace = in_palace.palace
        proposals = in_proposals.proposals
        propose = in_proposals.propose
        read_lines = in_reading.read_lines
        recall = in_recalling.recall
        refine = in_refine.refine
        refine_prompt = in_refine.refine_prompt
        reject = in_proposals.reject
        related = in_recalling.related
        remember = in_remember.remember
        review = in_review.review
        run_due = in_schedule.run_due
        schedule = in_schedule.schedule
        show = in_listing.show
        spine = in_spine.spine
        spine_records = in_spine.spine_records
        sublimate = in_sublimate.sublimate
        supersede = in_revise.supersede
        switch_active = in_active.switch_active
        synthesize = in_synthesize.synthesize
        tags = in_listing.tags
        trust = in_history.trust
        undo = in_history.undo
        wrap_up = in_sessions.wrap_up
        write = in_filing.write
    else:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            """Return a verb, bound to this memory."""
            if name not in VERBS:
                message = f"'{type(self).__name__}' object has no attribute '{name}'"
                raise AttributeError(message)
            module = import_module(f"mneme.engine.{VERBS[name]}")
            return partial(getattr(module, f"{name}_records" if name == "list" else name), self)

    def __init__(self, workspace: Workspace, now: Callable[[], datetime], *, shared: bool = False) -> None:
        self.workspace = workspace
        self.now = now
        self.shared = shared
        self._problems: Problems = []
        self.kept: dict[str, Any] = {}  # what verbs keep open between calls, by name
        self.staged = False  # whether this is a stage, whose plans are made once more for the workspace itself
        self.joined: Callable[[Plan], Plan] | None = None  # what a verb adds to the plan of one that it calls
        # A reader on a read-only disk may still read; what is unfinished stays for somebody who can write.
        if files.is_interrupted(workspace.root):
            with contextlib.suppress(StorageError):
                self._problems += files.recover(workspace.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what verbs kept open; using the memory again opens it again."""
        for name in list(self.kept):
            one = self.kept.pop(name)
            if hasattr(one, "close"):
                one.close()

    def note_fault(self, fault: str) -> None:
        """Take down what went wrong on the way to an answer without keeping it from being given."""
        faults: Faults = self.kept.setdefault(FAULTS, [])
        if fault and fault not in faults:
            faults.append(fault)

    def take_faults(self) -> Faults:
        """Return what went wrong on the way, once."""
        faults: Faults = self.kept.pop(FAULTS, [])
        return faults

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self.workspace.root

    @property
    def problems(self) -> Problems:
        """What was noticed on the way, folders that could not be listed among it; verbs add to it."""
        known = {problem.path for problem in self._problems}
        for folder in self.workspace.closed:
            if (path := folder or "./") not in known:
                hint = f"ls -ld {self.root / folder}"
                message = "the folder cannot be listed"
                self._problems.append(Problem(path, 0, UNREADABLE, ERROR, message, hint))
        return self._problems

    @problems.setter
    def problems(self, problems: Problems) -> None:
        self._problems = problems

    @property
    def today(self) -> date:
        """The day that counts as today."""
        return self.now().date()

    @property
    def alarm(self) -> str:
        """The one line that every surface carries while the last integrity check has failed; empty where it has not.

        As long as there is one, no record is authoritative.
        """
        return (files.find_file(self.root / files.WORKPLACE / ALARM) or b"").decode("utf-8", "replace").strip()

    @property
    def authoritative(self) -> bool:
        """Say whether records may be taken at their word: the workspace is trusted, and no check of it has failed."""
        return self.workspace.trusted and not self.alarm

    def sees(self, record: Record) -> bool:
        """Say whether a record may be told to whoever asks: in a shared context only what is shared."""
        return not self.shared or record.audience == SHARED

    def sees_file(self, path: str) -> bool:
        """Say whether a whole file may be told to whoever asks: in a shared context, if all that is in it is shared."""
        from mneme.memory import load_pieces

        if not self.shared:
            return True
        shared = self.workspace.audience_of(path) == SHARED
        return shared and all(self.sees(piece.record) for piece in load_pieces(self.workspace, [path]))

    def writing(self, verb: str, *, dry_run: bool) -> contextlib.AbstractContextManager[object]:
        """Hold the workspace's lock while a verb plans and applies; a dry run needs none."""
        return contextlib.nullcontext() if dry_run else files.locked(self.root, verb)

    def apply(self, plan: Plan, *, dry_run: bool) -> Done:
        """Apply a plan under the lock that is held, or show its diff."""
        from mneme.engine import results

        plan = self.joined(plan) if self.joined else plan
        if dry_run:
            steps = files.show_plan(self.root, plan)
            diff = results.diff_of(step for step in steps if self.sees_file(step.path) and self.sees_file(step.target))
            return results.Done(diff=diff, status=results.DRY_RUN, steps=tuple(steps))
        if not plan:
            return results.Done(status=results.UNCHANGED)
        applied = files.apply(self.root, plan, now=self.now(), held=True)
        status = results.WRITTEN if applied.n else results.UNCHANGED
        problems = (*applied.problems, *self.committed(plan, applied.paths), *self._refresh_qmd(applied.paths))
        told = tuple(path for path in applied.paths if self.sees_file(path))
        return results.Done((), applied.n, told, status, problems=problems, steps=applied.steps)

    def _refresh_qmd(self, paths: tuple[str, ...]) -> Iterator[Problem]:
        """Have QMD look at what was written about entities, where it is in use."""
        settings = self.workspace.settings
        if paths and not self.staged and (settings.find("qmd") or settings.find("profile")):
            from mneme.engine import qmd

            yield from qmd.refresh_after(self, paths)

    def committed(self, plan: Plan, paths: tuple[str, ...]) -> Iterator[Problem]:
        """Make one commit of what a plan wrote, where the settings ask for it and there is a repository."""
        settings = self.workspace.settings
        if (
            self.staged
            or not paths
            or not (settings.find("commit") or settings.find("profile"))
            or not self.workspace.profile.commit
        ):
            return
        from mneme import git

        if git.find_repository(self.root) is None:
            return
        try:
            git.commit_paths(self.root, paths, f"mneme: {plan.verb} {plan.note}".rstrip())
        except MnemeError as error:
            message = f"the change is written, but not committed: {error.message}"
            yield Problem(paths[0], 0, "uncommitted-plan", WARN, message, error.hint)
