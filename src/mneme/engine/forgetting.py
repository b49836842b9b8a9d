"""What forgetting means for a memory of each form: a fact, a part of a note, a memory with a file of its own.

What was drawn from a memory goes with it: its line in the index, the regions of USER.md and of an entity's summary,
the pointer in a day's note. Cells, whole files and plain texts are for `mneme.forget`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, NotFoundError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.engine.memory import Memory
    from mneme.engine.naming import Named
    from mneme.files import Plan
    from mneme.formats.note import Note
    from mneme.formats.record import Record
    from mneme.memory.notes.drafts import Drafts


def plan_forgetting(memory: Memory, what: str) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan that destroys what was named, and the texts that must be nowhere afterwards.

    In a shared context what is private is told as if it were not there, in the files and in history.
    """
    from mneme.forget import plan_forget, reading_all

    with reading_all(memory.workspace):
        plan, needles = _planned(memory, what) or plan_forget(memory.workspace, what, memory.today)
    if memory.shared and not (plan.changes and all(memory.sees_file(change.path) for change in plan.changes)):
        message = f"nothing in the workspace says '{what}'"
        raise NotFoundError(message, "mneme list")
    return plan, needles


def _planned(memory: Memory, what: str) -> tuple[Plan, tuple[str, ...]] | None:
    """Return the plan for a fact or something in a note; None for all else."""
    from mneme.engine import naming
    from mneme.formats.cell import is_id

    named = None if is_id(what) else naming.find_named(memory, what)
    if named is None:
        return None
    if named.form == naming.LINES:
        message = f"'{what}' is a place, not a memory"
        raise BadInputError(message, f"mneme show {named.record.path}")
    makers = {
        naming.FACT: _forget_fact,
        naming.ENTRY: _forget_part,
        naming.SECTION: _forget_part,
        naming.NOTE: _forget_file,
    }
    found = makers[named.form](memory, named) if named.form in makers else None
    if found is None:
        return None
    drafts, needles = found
    return files.Plan("forget", drafts.changes("forgotten"), "", free=True), needles


def _forget_fact(memory: Memory, named: Named) -> tuple[Drafts, tuple[str, ...]]:
    """Blank what a fact says; its id stays, so that it is never given again and every chain stays whole."""
    from mneme.engine.facts import draw_summary, entity_of_fact
    from mneme.forget import TELLING_CHARS
    from mneme.formats.fact import FORGOTTEN, blank_fact
    from mneme.memory.notes.drafts import Drafts

    entity = entity_of_fact(memory, named.record.id)
    fact = entity.file.get(named.record.id)
    if fact.fact == FORGOTTEN:
        raise NotFoundError(f"'{fact.id}' was forgotten already", f"mneme show {entity.slug}")
    drafts = Drafts(memory.root)
    drafts.edit(entity.items_path, *blank_fact(entity.file, fact.id))
    draw_summary(memory, drafts, entity, entity.title)
    said = fact.fact
    return drafts, (said,) if len(said) >= TELLING_CHARS else (f'"{said}"', f"- {said} (")


def _forget_part(memory: Memory, named: Named) -> tuple[Drafts, tuple[str, ...]]:
    """Take an entry or a section out of its note."""
    from mneme.forget import telling_lines
    from mneme.memory.notes.drafts import Drafts

    path, _, anchor = named.record.id.partition("#")
    drafts = Drafts(memory.root)
    note = drafts.note(path)
    start, end = _span(note, named.record, anchor)
    drafts.edit(path, (start, end, ""))
    kept = drafts.note(path).text
    return drafts, tuple(telling_lines(memory.workspace, note.text[start:end], {path: kept}))


def _span(note: Note, record: Record, anchor: str) -> tuple[int, int]:
    """Return the whole lines of an entry, or of what is shown of a section, with its heading where that is all."""
    section = next((one for one in note.sections if one.slug == anchor), None)
    if section is not None:
        start, end = note.lines.starts[record.line - 1], note.lines.after(record.end_line - 1)
        rest = note.text[section.body_start : max(start, section.body_start)] + note.text[end : section.own_end]
        return (start, end) if rest.strip() else (section.start, section.own_end)
    name, _, number = anchor.partition("-")
    same = [entry for entry in note.entries if entry.hash == name]
    place = int(number) if number.isdigit() else 0
    if place >= len(same):
        raise RefusedError(f"'{note.path}#{anchor}' is not an entry of its own", f"mneme show {note.path}")
    return note.lines.starts[same[place].line - 1], note.lines.after(same[place].end_line - 1)


def _forget_file(memory: Memory, named: Named) -> tuple[Drafts, tuple[str, ...]] | None:
    """Remove a classified memory with all that leads to it; None for a file of another sort."""
    from mneme.engine.days import drop_pointers
    from mneme.engine.notes import renew_user
    from mneme.forget import telling_lines
    from mneme.memory.notes import index
    from mneme.memory.notes.drafts import Drafts

    path, profile = named.record.path, memory.workspace.profile
    if not profile.is_classified(path):
        return None
    drafts = Drafts(memory.root)
    text = drafts.find(path) or ""
    drafts.remove(path)
    index.drop_line(drafts, profile, path)
    renew_user(memory, drafts, path)
    drop_pointers(memory, drafts, path)
    changed = {change.path: drafts.find(change.path) or "" for change in drafts.changes()}
    return drafts, tuple(_unique(telling_lines(memory.workspace, text, changed)))


def _unique(needles: Iterator[str]) -> Iterator[str]:
    """Yield the texts that only this memory had: what every file of its form says is no secret of it."""
    common = ("---", "## ", "type: ", "created: ", "conf: ")
    yield from (needle for needle in needles if not needle.startswith(common))
