"""The verbs that write cells: each plans under the lock and applies, or only shows the diff."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError
from mneme.formats.cell import PREFIXES
from mneme.formats.record import LIVE, MED
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.remember import Wish
    from mneme.engine.results import Done
    from mneme.errors import Problem
    from mneme.files import Change, Step
    from mneme.formats.record import Record
    from mneme.memory.cells.load import CellSet
    from mneme.memory.cells.plan import Draft


def remember_cell(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Append a cell, unless a memory that means the same is there already."""
    from mneme.engine import results, twins
    from mneme.engine.days import pointer_drafts
    from mneme.memory.cells import plan

    kind, prefix = (None, wish.kind.upper()) if wish.kind and wish.kind not in PREFIXES else (wish.kind, wish.prefix)
    name, problems = named_prefix(memory, kind, prefix)
    draft = plan.check_draft(
        plan.Draft(
            name,
            wish.text,
            wish.topic or "general",
            wish.cue or "",
            wish.why or "",
            wish.state or LIVE,
            wish.conf or MED,
            tuple(plan.parse_link(link) for link in wish.links),
            wish.since or "",
        )
    )
    path = _cell_path(memory, wish.file, wish.kind)
    with memory.writing("remember", dry_run=dry_run):
        contents = _cell_contents(memory, path)
        _check_targets(draft, contents)
        if not wish.force and (twin := twins.find_twin(memory, draft.gist, draft.topic, contents)) is not None:
            return dataclasses.replace(twin, problems=tuple(problems))
        new_id = free_id(memory, name, take=not dry_run, contents=contents)
        change = plan.plan_append(path, contents.get(path), draft.block(new_id, memory.today), f"new {new_id}")
        pointer = pointer_drafts(memory, draft.gist, path)
        changes = (change, *pointer.changes(f"a pointer to {new_id}"))
        done = memory.apply(files.Plan("remember", changes, new_id), dry_run=dry_run)
    record = _record_of_block(memory, draft, new_id, path, done.steps)
    status = done.status if dry_run else results.NEW
    records = (record,) if memory.sees(record) else ()
    return dataclasses.replace(done, records=records, status=status, problems=(*problems, *done.problems))


def supersede_cell(memory: Memory, wanted: str, wish: Wish, *, dry_run: bool) -> Done:
    """Put a new cell in place of an old one, in one plan: the new cell, the old one's state, both links."""
    from mneme.formats.record import Link
    from mneme.memory.cells import plan

    with memory.writing("supersede", dry_run=dry_run):
        known = memory.cells()
        old_file, old = known.get(wanted)
        name = old.id.partition("-")[0]
        own = Link("supersedes", old.id)
        draft = plan.check_draft(
            plan.Draft(
                name,
                wish.text,
                topic=old.topic or "general" if wish.topic is None else wish.topic,
                cue=old.cue if wish.cue is None else wish.cue,
                why=wish.why or "",
                conf=wish.conf or old.conf,
                links=(own, *(plan.parse_link(link) for link in wish.links)),
            )
        )
        _check_targets(draft, known.contents)
        path = _cell_path(memory, wish.file, None) if wish.file else old_file.path
        new_id = free_id(memory, name, take=not dry_run, contents=known.contents)
        changes = plan.plan_supersede(known, wanted, draft, new_id, path, memory.today)
        done = memory.apply(files.Plan("supersede", tuple(changes), f"{old.id} -> {new_id}"), dry_run=dry_run)
    return _with_records(memory, done, (new_id, old.id), dry_run=dry_run)


def affirm_cell(memory: Memory, wanted: str, *, conf: str | None, dry_run: bool) -> Done:
    """Say that a cell was seen to hold today."""
    from mneme.memory.cells import plan

    return _change_one(
        memory, "affirm", wanted, lambda known: plan.plan_affirm(known, wanted, memory.today, conf), dry_run
    )


def mark_cell(memory: Memory, wanted: str, state: str | None, *, conf: str | None, dry_run: bool) -> Done:
    """Set a cell's state, its confidence, or both."""
    from mneme.memory.cells import plan

    return _change_one(
        memory, "mark", wanted, lambda known: plan.plan_mark(known, wanted, state, conf, memory.today), dry_run
    )


def decay(memory: Memory, days: int | None = None, *, dry_run: bool = False) -> Done:
    """Mark live cells stale that nobody has seen to hold for so many days."""
    from mneme.memory.cells import plan

    limit = int(memory.workspace.settings["cells.stale_after_days"]) if days is None else days
    with memory.writing("decay", dry_run=dry_run):
        known = memory.cells()
        changes, old = plan.plan_decay(known, memory.today, limit)
        done = memory.apply(files.Plan("decay", tuple(changes), f"{len(old)} cells"), dry_run=dry_run)
    return _with_records(memory, done, tuple(cell.id for cell in old), dry_run=dry_run)


def _record_of_block(memory: Memory, draft: Draft, new_id: str, path: str, steps: Sequence[Step]) -> Record:
    """Return the record of a cell just appended, without reading the rest of its file again."""
    from mneme.formats.cell import parse_cells
    from mneme.formats.spine import cell_record

    cell = parse_cells(draft.block(new_id, memory.today)).cells[0]
    hunk = steps[0].hunks[0]
    above = hunk.line - 1 + hunk.new[: hunk.new.rfind(f"@ {new_id}".encode())].count(b"\n")
    return dataclasses.replace(cell_record(cell, path), line=above + 1, end_line=above + cell.end_line)


def _change_one(memory: Memory, verb: str, wanted: str, make: Callable[[CellSet], Change], dry_run: bool) -> Done:  # noqa: FBT001
    with memory.writing(verb, dry_run=dry_run):
        known = memory.cells()
        done = memory.apply(files.Plan(verb, (make(known),), wanted), dry_run=dry_run)
    return _with_records(memory, done, (wanted,), dry_run=dry_run)


def _with_records(memory: Memory, done: Done, ids: Sequence[str], *, dry_run: bool) -> Done:
    from mneme.formats.spine import cell_record

    if dry_run or not ids:
        return done
    known = {cell.id: cell_record(cell, file.path) for file, cell in memory.cells().all()}
    records = (known[one] for one in ids if one in known)
    return dataclasses.replace(done, records=tuple(record for record in records if memory.sees(record)))


def named_prefix(
    memory: Memory, kind: str | None, prefix: str | None, verb: str = "remember ... --prefix"
) -> tuple[str, Sequence[Problem]]:
    """Return the prefix that a kind or a person names, and what is odd about it."""
    from mneme.memory.cells.prefixes import prefix_of

    return prefix_of(kind, prefix, lambda: _prefixes_in_use(memory), verb)


def _prefixes_in_use(memory: Memory) -> set[str]:
    from mneme.memory.cells.ids import load_ledger

    return set(load_ledger(memory.root).given)


def free_id(
    memory: Memory, prefix: str, *, take: bool, least: int = 0, contents: Mapping[str, bytes] | None = None
) -> str:
    """Return the next free id of a prefix, and take it where it is about to be used."""
    from mneme.formats.cell_edit import numbered_id
    from mneme.memory.cells.ids import next_number

    number = next_number(memory.workspace, prefix, take=take, least=least, contents=contents)
    return numbered_id(prefix, number)


def _cell_path(memory: Memory, file: str | None, kind: str | None) -> str:
    home = memory.workspace.profile.find_home(kind) if kind and not file else None
    own = home.place() if home and home.form == "cells" else ""
    path = memory.workspace.relative(file) if file else own or memory.workspace.default_cell_file()
    if not path.endswith(CELL_SUFFIXES):
        message = f"'{path}' is not a cell file: its name ends in neither .mneme nor .mn"
        raise BadInputError(message, f"mneme remember ... --file {path.rpartition('.')[0] or path}.mneme")
    return path


def _cell_contents(memory: Memory, path: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for one in dict.fromkeys((path, *memory.workspace.cell_files())):
        content = files.find_file(files.place_of(memory.root, one))
        if content is not None:
            found[one] = content
    return found


def _check_targets(draft: Draft, contents: dict[str, bytes]) -> None:
    from mneme.memory.cells.ids import check_targets

    check_targets([link.target for link in draft.links], contents)
