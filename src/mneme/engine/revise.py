"""The verbs that revise a memory of any kind: superseded, affirmed, marked, done."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, NotFoundError, RefusedError, UnsureError
from mneme.formats.record import RETIRED, SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.engine.memory import Memory
    from mneme.engine.naming import Named
    from mneme.engine.results import Done
    from mneme.formats.record import Record

# What a memory of each form can be given anew, beside its text.
_CELL_OPTIONS = ("topic", "cue", "why", "conf", "links", "file")
_FACT_OPTIONS = ("category", "source")
_NOTE_OPTIONS = ("title", "why", "how", "conf")


def supersede(  # noqa: PLR0913 - the verb's own options
    memory: Memory,
    wanted: str,
    text: str,
    *,
    topic: str | None = None,
    cue: str | None = None,
    why: str | None = None,
    conf: str | None = None,
    links: Iterable[str] = (),
    file: str | None = None,
    title: str | None = None,
    how: str | None = None,
    category: str | None = None,
    source: str | None = None,
    redact: bool = False,
    dry_run: bool = False,
) -> Done:
    """Put a new memory in the place of an old one, which stays and is linked to it."""
    from mneme.engine import cells, facts, naming, notes
    from mneme.engine.remember import Wish
    from mneme.engine.wording import word

    named = _revisable(memory, wanted)
    _refuse_ended(named.record)
    form = named.form
    taken = {naming.CELL: _CELL_OPTIONS, naming.FACT: _FACT_OPTIONS}.get(form, _NOTE_OPTIONS)
    given = {
        "topic": topic, "cue": cue, "why": why, "conf": conf, "links": tuple(links), "file": file,
        "title": title, "how": how, "category": category, "source": source,
    }  # fmt: skip
    strange = next((name for name, value in given.items() if value not in (None, (), "") and name not in taken), None)
    if strange:
        message = f"'{wanted}' is a {form}, which takes no --{strange.removesuffix('s')}; it takes {', '.join(f'--{one}' for one in taken)}"
        raise BadInputError(message, "mneme supersede --help")
    texts = {name: value for name in ("cue", "why", "title", "how") if (value := given[name])}
    worded = word(memory, {"text": text, **texts}, redact=redact, verb=f"supersede {wanted} ...")  # type: ignore[dict-item] # texts are texts
    wish = Wish(kind=named.record.kind, **{**given, **worded.texts})  # type: ignore[arg-type] # the options by name
    if form == naming.CELL:
        done = cells.supersede_cell(memory, wanted, wish, dry_run=dry_run)
    elif form == naming.FACT:
        done = facts.supersede_fact(memory, named.record.id, wish, dry_run=dry_run)
    else:
        done = notes.supersede_note(memory, named, wish, dry_run=dry_run)
    return dataclasses.replace(done, problems=(*worded.problems, *done.problems))


def affirm(memory: Memory, wanted: str, *, conf: str | None = None, dry_run: bool = False) -> Done:
    """Say that a record was seen to hold today."""
    from mneme.engine import cells, facts, naming, notes

    named = _revisable(memory, wanted)
    if named.form == naming.CELL:
        return cells.affirm_cell(memory, wanted, conf=conf, dry_run=dry_run)
    if named.form == naming.FACT:
        if conf:
            raise BadInputError("a fact has no confidence", f"mneme affirm {wanted}")
        return facts.affirm_fact(memory, named.record.id, dry_run=dry_run)
    return notes.affirm_note(memory, named, conf=conf, dry_run=dry_run)


def mark(
    memory: Memory, wanted: str, state: str | None = None, *, conf: str | None = None, dry_run: bool = False
) -> Done:
    """Set a record's state, its confidence, or both."""
    from mneme.engine import cells, naming, notes

    if state is None and conf is None:
        message = f"nothing to mark on '{wanted}'"
        raise BadInputError(message, f"mneme mark {wanted} stale")
    named = _revisable(memory, wanted)
    if named.form == naming.CELL:
        return cells.mark_cell(memory, wanted, state, conf=conf, dry_run=dry_run)
    if named.form == naming.FACT:
        message = f"'{wanted}' is a fact, and a fact holds until another takes its place"
        raise RefusedError(message, f"mneme supersede {wanted} 'what holds now'")
    return notes.mark_note(memory, named, state, conf=conf, dry_run=dry_run)


def done(memory: Memory, wanted: str, *, dry_run: bool = False) -> Done:
    """Tick a task, by its id or by words that only it has; a cell that is a todo is retired."""
    from mneme.engine import naming, notes
    from mneme.formats.cell import is_id

    if is_id(wanted):
        return mark(memory, wanted, "retired", dry_run=dry_run)
    named = naming.find_named(memory, wanted) or _open_task(memory, wanted)
    return notes.tick_task(memory, named, dry_run=dry_run)


def _open_task(memory: Memory, words: str) -> Named:
    """Return the open task that has these words."""
    from mneme.engine.listing import list_records
    from mneme.engine.naming import ENTRY, Named

    wanted = words.casefold().split()
    tasks = list_records(memory, kind="task", state="live")
    fits = [one for one in tasks if all(word in one.text.casefold() for word in wanted)]
    if not fits:
        raise NotFoundError(f"there is no open task with the words '{words}'", "mneme list --kind task --state live")
    if len(fits) > 1:
        message = f"'{words}' may be any of {len(fits)} tasks: " + ", ".join(one.id for one in fits)
        raise UnsureError(message, f"mneme done {fits[0].id}", choices=tuple(one.id for one in fits))
    return Named(ENTRY, fits[0], fits[0].text)


def _refuse_ended(record: Record) -> None:
    """Refuse to supersede what has ended: a chain goes on from its end."""
    if record.state not in (SUPERSEDED, RETIRED):
        return
    successor = next((link.target for link in record.links if link.relation == "superseded-by"), "")
    message = f"'{record.id}' is {record.state} already"
    if successor:
        raise RefusedError(f"{message}; '{successor}' replaced it", f"mneme supersede {successor} '...'")
    raise RefusedError(message, "mneme remember '...'")


def _revisable(memory: Memory, wanted: str) -> Named:
    """Return what is to be revised; lines of a file are a place, not a memory."""
    from mneme.engine import naming

    named = naming.get_named(memory, wanted)
    if named.form == naming.LINES:
        message = f"'{wanted}' is a place, not a memory"
        raise BadInputError(message, f"mneme show {wanted.partition('#')[0]}")
    if named.form == naming.NOTE and not named.record.path.endswith((".md", ".MD", ".markdown")):
        raise BadInputError(f"'{wanted}' holds many memories", "mneme list --json")
    return named
