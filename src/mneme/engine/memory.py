"""One open workspace and everything that can be done with it: a short method per verb.

The engine wires the parts together and is the only place that names concrete ones. Every writing method plans, checks
and applies under the workspace's lock, or only shows the diff when `dry_run` is set. It reads no clock: `now` is given.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mneme import files
from mneme.errors import WARN, BadInputError, MnemeError, NotFoundError, Problem, RefusedError, StorageError
from mneme.workspace import CELL_SUFFIXES, Workspace, find_workspace, set_trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime
    from types import TracebackType

    from mneme.engine.results import Done, Gone, LogRow, Report
    from mneme.files import Change, Plan, Step
    from mneme.formats.cell import Cell, CellFile
    from mneme.formats.record import Record
    from mneme.memory.cells.load import CellSet
    from mneme.memory.cells.plan import Draft


def open_memory(
    asked: str | None = None, *, now: Callable[[], datetime], here: Path | None = None, make: bool = False
) -> Memory:
    """Find the workspace that is meant and open it, finishing first whatever a crash left undone."""
    workspace = find_workspace(asked, here=here)
    if not make and not workspace.root.is_dir() and workspace.found_by != "personal":
        message = f"there is no workspace at '{workspace.root}'"
        raise NotFoundError(message, "mneme init")
    return Memory(workspace, now)


class Memory:
    """An open workspace."""

    def __init__(self, workspace: Workspace, now: Callable[[], datetime]) -> None:
        self.workspace = workspace
        self.now = now
        self.problems: list[Problem] = []
        # A reader on a read-only disk may still read; what is unfinished stays for somebody who can write.
        if files.is_interrupted(workspace.root):
            with contextlib.suppress(StorageError):
                self.problems += files.recover(workspace.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return None

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self.workspace.root

    @property
    def today(self) -> date:
        """The day that counts as today."""
        return self.now().date()

    # Writing cells

    def remember(  # noqa: PLR0913 - the verb's own options
        self,
        text: str,
        *,
        kind: str | None = None,
        prefix: str | None = None,
        topic: str = "general",
        cue: str = "",
        why: str = "",
        conf: str = "med",
        state: str = "live",
        links: Iterable[str] = (),
        file: str | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> Done:
        """Append a cell, unless one that means the same is there already."""
        from mneme.engine import results
        from mneme.memory.cells import plan

        name, problems = self._prefix(kind, prefix)
        draft = plan.check_draft(
            plan.Draft(name, text, topic, cue, why, state, conf, tuple(plan.parse_link(link) for link in links))
        )
        path = self._cell_path(file)
        with self.writing("remember", dry_run=dry_run):
            contents = self._cell_contents(path)
            self._check_targets(draft, contents)
            if not force and (twin := self._find_twin(draft, contents)) is not None:
                return replace(twin, problems=tuple(problems))
            self._refuse_secrets(draft, force=force)
            new_id = self._new_id(name, take=not dry_run, contents=contents)
            change = plan.plan_append(path, contents.get(path), draft.block(new_id, self.today), f"new {new_id}")
            done = self.apply(files.Plan("remember", (change,), new_id), dry_run=dry_run)
        record = self._record_of_block(draft, new_id, path, done.steps)
        return replace(done, records=(record,), status=results.NEW, problems=(*problems, *done.problems))

    def supersede(  # noqa: PLR0913 - the verb's own options
        self,
        wanted: str,
        text: str,
        *,
        topic: str | None = None,
        cue: str | None = None,
        why: str = "",
        conf: str | None = None,
        links: Iterable[str] = (),
        file: str | None = None,
        dry_run: bool = False,
        force: bool = False,
    ) -> Done:
        """Put a new cell in place of an old one, in one plan: the new cell, the old one's state, both links."""
        from mneme.formats.record import Link
        from mneme.memory.cells import plan

        with self.writing("supersede", dry_run=dry_run):
            known = self.cells()
            old_file, old = known.get(wanted)
            name = old.id.partition("-")[0]
            own = Link("supersedes", old.id)
            draft = plan.check_draft(
                plan.Draft(
                    name,
                    text,
                    topic=old.topic or "general" if topic is None else topic,
                    cue=old.cue if cue is None else cue,
                    why=why,
                    conf=conf or old.conf,
                    links=(own, *(plan.parse_link(link) for link in links)),
                )
            )
            self._check_targets(draft, known.contents)
            self._refuse_secrets(draft, force=force)
            path = self._cell_path(file) if file else old_file.path
            new_id = self._new_id(name, take=not dry_run, contents=known.contents)
            changes = plan.plan_supersede(known, wanted, draft, new_id, path, self.today)
            done = self.apply(files.Plan("supersede", tuple(changes), f"{old.id} -> {new_id}"), dry_run=dry_run)
        return self._with_records(done, (new_id, old.id), dry_run=dry_run)

    def affirm(self, wanted: str, *, conf: str | None = None, dry_run: bool = False) -> Done:
        """Say that a record was seen to hold today."""
        from mneme.memory.cells import plan

        return self._change_one(
            "affirm", wanted, lambda known: plan.plan_affirm(known, wanted, self.today, conf), dry_run
        )

    def mark(self, wanted: str, state: str | None = None, *, conf: str | None = None, dry_run: bool = False) -> Done:
        """Set a record's state, its confidence, or both."""
        from mneme.memory.cells import plan

        if state is None and conf is None:
            message = f"nothing to mark on '{wanted}'"
            raise BadInputError(message, f"mneme mark {wanted} stale")
        return self._change_one(
            "mark", wanted, lambda known: plan.plan_mark(known, wanted, state, conf, self.today), dry_run
        )

    def decay(self, days: int | None = None, *, dry_run: bool = False) -> Done:
        """Mark live cells stale that nobody has seen to hold for so many days."""
        from mneme.memory.cells import plan

        limit = int(self.workspace.settings["cells.stale_after_days"]) if days is None else days
        with self.writing("decay", dry_run=dry_run):
            known = self.cells()
            changes, old = plan.plan_decay(known, self.today, limit)
            done = self.apply(files.Plan("decay", tuple(changes), f"{len(old)} cells"), dry_run=dry_run)
        return self._with_records(done, tuple(cell.id for cell in old), dry_run=dry_run)

    # Reading cells

    def cells(self, paths: Sequence[str] = ()) -> CellSet:
        """Return the cells of the workspace, or of the files that a person named."""
        from mneme.memory.cells.load import load_cells

        found = load_cells(self.workspace, paths)
        self.problems += found.problems
        return found

    def show(self, wanted: str) -> tuple[Record, str]:
        """Return a record and the text it stands for, as it is written."""
        from mneme.formats.cell import cell_record

        file, cell = self.cells().get(wanted)
        return cell_record(cell, file.path), file.text[cell.start : cell.tail]

    def list(
        self, *, state: str | None = None, topic: str | None = None, prefix: str | None = None
    ) -> Sequence[Record]:
        """Return the records that fit, in order of file and line."""
        from mneme.formats.cell import cell_record

        return [
            cell_record(cell, file.path)
            for file, cell in self.cells().all()
            if state in (None, cell.state)
            and prefix in (None, cell.id.rpartition("-")[0])
            and (topic is None or cell.topic == topic or cell.topic.startswith(topic.rstrip("/") + "/"))
        ]

    def spine(self, paths: Sequence[str] = (), *, as_of: str | None = None) -> Sequence[str]:
        """Return the spine, a line for each cell that holds, or that held on a day."""
        from mneme.formats.cell import spine_line, spine_lines

        if as_of is None:
            return [line for file in self.cells(paths).files for line in spine_lines(file)]
        return [spine_line(cell) for _, cell in self._held(paths, as_of)]

    def spine_records(self, paths: Sequence[str] = (), *, as_of: str | None = None) -> Sequence[Record]:
        """Return the cells of the spine as records."""
        from mneme.formats.cell import cell_record

        return [cell_record(cell, path) for path, cell in self._held(paths, as_of)]

    def _held(self, paths: Sequence[str], as_of: str | None) -> Sequence[tuple[str, Cell]]:
        from mneme.formats.cell import is_date, spine_as_of
        from mneme.formats.record import WORKING_STATES

        known = self.cells(paths)
        if as_of is None:
            return [(file.path, cell) for file, cell in known.all() if cell.state in WORKING_STATES]
        if not is_date(as_of):
            message = f"'{as_of}' is not a date"
            raise BadInputError(message, "mneme spine --as-of 2026-01-31")
        places = {(cell.id, cell.line): file.path for file, cell in known.all()}
        held = spine_as_of([cell for _, cell in known.all()], as_of)
        return [(places[cell.id, cell.line], cell) for cell in held]

    def new_id(self, prefix: str, paths: Sequence[str] = ()) -> str:
        """Return the next free id of a prefix, without taking it; files outside the workspace may be named too."""
        from mneme.memory.cells.ids import highest_in

        name, _ = self._prefix(None, prefix)
        named = [highest_in(content).get(name, 0) for content in self.cells(paths).contents.values()] if paths else []
        return self._new_id(name, take=False, least=max(named, default=0))

    # Checking cells

    def lint(self, paths: Sequence[str] = ()) -> Report:
        """Check the cells of the workspace, or of the files named, against each other, the day, and their past."""
        from mneme.check.cell import check_cells
        from mneme.check.past import check_past
        from mneme.check.rules import check_severities, in_report_order
        from mneme.engine import results

        severities = check_severities(self.workspace.settings.table("rules"))
        known = self.cells()
        named = self._named(known, paths)
        settings = self.workspace.settings
        everything = (*known.files, *(file for file in named if file not in known.files))
        problems = check_cells(
            everything,
            today=self.today,
            severities=severities,
            decay_days=settings["cells.stale_after_days"],
            gist_width=settings["cells.gist_columns"],
            body_characters=settings["cells.body_chars"],
        )
        problems += check_past(self.root, [file for file in named if file in known.files], known.files, severities)
        problems += known.problems if not paths else ()
        wanted = {file.path for file in named}
        told = [problem for problem in problems if problem.path in wanted or not paths]
        return results.Report(tuple(in_report_order(told)), sum(len(file.columns) for file in named))

    def fix_cells(self, paths: Sequence[str] = (), *, dry_run: bool = False) -> Done:
        """Mend what is mechanical in the cells of the workspace, or of some of its files."""
        from mneme.check.mend import plan_mend

        with self.writing("lint --fix", dry_run=dry_run):
            known = self.cells()
            named = self._named(known, paths)
            if outside := [file.path for file in named if file not in known.files]:
                message = f"'{outside[0]}' is not in the workspace '{self.root}', so it is not changed"
                raise BadInputError(message, f"mneme lint --fix --workspace {Path(outside[0]).parent}")
            return self.apply(files.Plan("lint --fix", tuple(plan_mend(known, named))), dry_run=dry_run)

    def _named(self, known: CellSet, paths: Sequence[str]) -> Sequence[CellFile]:
        """Return the files that a person named: those of the workspace as they were read, others read now."""
        if not paths:
            return known.files
        inside = {os.path.realpath(self.root / file.path): file for file in known.files}
        return [inside.get(os.path.realpath(path)) or self.cells([path]).files[0] for path in paths]

    # History

    def log(self, limit: int = 0) -> Sequence[LogRow]:
        """Return the applied plans, newest first."""
        from mneme.engine import results

        undone = files.undone_numbers(self.root)
        rows = (results.log_row(entry, undone) for entry in files.entries(self.root, newest_first=True))
        return tuple(islice(rows, limit or None))

    def diff(self, n: int | None = None) -> tuple[int, str]:
        """Return what a plan of history did, as a unified diff; the newest plan unless one is named."""
        number = next((row.n for row in self.log(1)), 0) if n is None else n
        return number, _diff(files.get_entry(self.root, number).steps)

    def undo(self, n: int | None = None, *, dry_run: bool = False) -> Done:
        """Take a plan back, the last one unless another is named; refuses where a later edit would be lost."""
        with self.writing("undo", dry_run=dry_run):
            number = files.last_to_undo(self.root) if n is None else n
            plan = files.plan_undo(self.root, number)
            return replace(self.apply(plan, dry_run=dry_run), status=f"plan {number} is undone")

    def forget(self, what: str, *, dry_run: bool = False) -> Gone:
        """Destroy a memory for good, by id, file or text, and report where copies may remain."""
        from mneme.engine import results
        from mneme.forget import plan_forget

        with self.writing("forget", dry_run=dry_run):
            plan, needles = plan_forget(self.workspace, what, self.today)
            if dry_run:
                return results.Gone(diff=_diff(files.show_plan(self.root, plan)))
            return results.Gone(files.destroy(self.root, plan, needles, now=self.now(), held=True))

    def trust(self, trusted: bool) -> None:  # noqa: FBT001 - the verb's one argument
        """Write down whether the word of this workspace may be taken."""
        set_trust(self.root, trusted=trusted)

    # What the verbs share

    def writing(self, verb: str, *, dry_run: bool) -> contextlib.AbstractContextManager[object]:
        """Hold the workspace's lock while a verb plans and applies; a dry run needs none."""
        return contextlib.nullcontext() if dry_run else files.locked(self.root, verb)

    def _find_twin(self, draft: Draft, contents: Mapping[str, bytes]) -> Done | None:
        """Return what to answer where a cell that means the same exists already."""
        from mneme.check.known import EXISTS, NEW, duplicate_in_text
        from mneme.engine import results
        from mneme.formats.cell import cell_record
        from mneme.memory.cells.load import decoded

        found = ((path, *duplicate_in_text(draft.gist, draft.topic, decoded(text))) for path, text in contents.items())
        twins = sorted((one for one in found if one[1] != NEW), key=lambda one: one[1] != EXISTS)
        for path, verdict, cell in twins[:1]:
            if cell is not None:
                return results.Done((cell_record(cell, path),), status=verdict, paths=(path,))
        return None

    def _refuse_secrets(self, draft: Draft, *, force: bool) -> None:
        from mneme.check.secret import find_secrets

        found = find_secrets(f"{draft.gist}\n{draft.cue}\n{draft.why}")
        if found and not force:
            message = f"this looks like a secret ({found[0].kind}); memory is plain text that others may read"
            raise RefusedError(message, "mneme remember ... --force")

    def _record_of_block(self, draft: Draft, new_id: str, path: str, steps: Sequence[Step]) -> Record:
        """Return the record of a cell just appended, without reading the rest of its file again."""
        from mneme.formats.cell import cell_record, parse_cells

        cell = parse_cells(draft.block(new_id, self.today)).cells[0]
        hunk = steps[0].hunks[0]
        above = hunk.line - 1 + hunk.new[: hunk.new.rfind(f"@ {new_id}".encode())].count(b"\n")
        return replace(cell_record(cell, path), line=above + 1, end_line=above + cell.end_line)

    def apply(self, plan: Plan, *, dry_run: bool) -> Done:
        """Apply a plan under the lock that is held, or show its diff."""
        from mneme.engine import results

        if dry_run:
            steps = files.show_plan(self.root, plan)
            return results.Done(diff=_diff(steps), status=results.DRY_RUN, steps=tuple(steps))
        if not plan:
            return results.Done(status=results.UNCHANGED)
        applied = files.apply(self.root, plan, now=self.now(), held=True)
        status = results.WRITTEN if applied.n else results.UNCHANGED
        problems = (*applied.problems, *self._commit(plan, applied.paths))
        return results.Done((), applied.n, applied.paths, status, problems=problems, steps=applied.steps)

    def _commit(self, plan: Plan, paths: tuple[str, ...]) -> Iterator[Problem]:
        """Make one commit of what a plan wrote, where the settings ask for it and there is a repository."""
        settings = self.workspace.settings
        if not paths or not (settings.find("commit") or settings.find("profile")) or not self.workspace.profile.commit:
            return
        from mneme import git

        if git.find_repository(self.root) is None:
            return
        try:
            git.commit_paths(self.root, paths, f"mneme: {plan.verb} {plan.note}".rstrip())
        except MnemeError as error:
            message = f"the change is written, but not committed: {error.message}"
            yield Problem(paths[0], 0, "uncommitted-plan", WARN, message, error.hint)

    def _change_one(self, verb: str, wanted: str, make: Callable[[CellSet], Change], dry_run: bool) -> Done:  # noqa: FBT001
        with self.writing(verb, dry_run=dry_run):
            known = self.cells()
            done = self.apply(files.Plan(verb, (make(known),), wanted), dry_run=dry_run)
        return self._with_records(done, (wanted,), dry_run=dry_run)

    def _with_records(self, done: Done, ids: Sequence[str], *, dry_run: bool) -> Done:
        from mneme.formats.cell import cell_record

        if dry_run or not ids:
            return done
        known = {cell.id: cell_record(cell, file.path) for file, cell in self.cells().all()}
        return replace(done, records=tuple(known[one] for one in ids if one in known))

    def _prefix(self, kind: str | None, prefix: str | None) -> tuple[str, Sequence[Problem]]:
        from mneme.memory.cells.prefixes import prefix_of

        return prefix_of(kind, prefix, self._prefixes_in_use)

    def _prefixes_in_use(self) -> set[str]:
        from mneme.memory.cells.ids import load_ledger

        return set(load_ledger(self.root).given)

    def _new_id(self, prefix: str, *, take: bool, least: int = 0, contents: Mapping[str, bytes] | None = None) -> str:
        from mneme.formats.cell import numbered_id
        from mneme.memory.cells.ids import next_number

        number = next_number(self.workspace, prefix, take=take, least=least, contents=contents)
        return numbered_id(prefix, number)

    def _cell_path(self, file: str | None) -> str:
        path = self.workspace.relative(file) if file else self.workspace.default_cell_file()
        if not path.endswith(CELL_SUFFIXES):
            message = f"'{path}' is not a cell file: its name ends in neither .mneme nor .mn"
            raise BadInputError(message, f"mneme remember ... --file {path.rpartition('.')[0] or path}.mneme")
        return path

    def _cell_contents(self, path: str) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for one in dict.fromkeys((path, *self.workspace.cell_files())):
            content = files.find_file(files.place_of(self.root, one))
            if content is not None:
                found[one] = content
        return found

    def _check_targets(self, draft: Draft, contents: dict[str, bytes]) -> None:
        from mneme.memory.cells.ids import check_targets

        check_targets([link.target for link in draft.links], contents)


def _diff(steps: Iterable[Step]) -> str:
    return "".join(files.step_diff(step) for step in steps)
