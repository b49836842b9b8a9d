"""Planning what happens to a cell: written, superseded, affirmed, marked, left to decay.

Planning takes the files as they were read and returns changes; it writes nothing and asks no clock. What a cell says
is never edited: only its status line, the links and dated comments under it, and new cells at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, RefusedError
from mneme.formats import cell as shape
from mneme.formats import cell_edit
from mneme.formats.record import LIVE, MED, PROPOSED, RETIRED, STALE, SUPERSEDED, Link
from mneme.memory.cells.load import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.files import Change
    from mneme.formats.cell import Cell, CellFile
    from mneme.memory.cells.load import CellSet


@dataclass(frozen=True, slots=True)
class Draft:
    """A cell about to be written: everything but its id and its dates."""

    prefix: str
    gist: str
    topic: str = "general"
    cue: str = ""
    why: str = ""
    state: str = LIVE
    conf: str = MED
    links: tuple[Link, ...] = ()
    since: str = ""

    def block(self, number_id: str, today: date) -> str:
        """Return the cell as text, ready to be appended."""
        day = today.isoformat()
        cell = shape.Cell(
            id=number_id,
            topic=self.topic,
            gist=self.gist,
            state=self.state,
            conf=self.conf,
            since=self.since or day,
            seen=day,
            cue=self.cue,
            body=(self.why,) if self.why else (),
            links=self.links,
        )
        return cell_edit.print_cell(cell)


def check_draft(draft: Draft) -> Draft:
    """Return the draft with its spaces trimmed; refuses what no cell can hold."""
    gist, topic, cue = (" ".join(text.split(" ")).strip() for text in (draft.gist, draft.topic, draft.cue))
    if not gist:
        message = "there is nothing to remember: the text is empty"
        raise BadInputError(message, "mneme remember 'one self-contained sentence' --kind fact")
    for name, text in (("text", gist), ("cue", cue), ("topic", topic)):
        if len(text.splitlines()) > 1:
            message = f"the {name} has several lines; a cell keeps it in one"
            raise BadInputError(message, "mneme remember ... --why 'the rest'")
    if not topic or not all(topic.split("/")) or len(topic.split()) != 1:
        message = f"'{draft.topic}' is no topic: it is words joined by '/', without spaces"
        raise BadInputError(message, "mneme remember ... --topic storage/cache")
    for link in draft.links:
        if link.relation not in shape.RELATIONS:
            message = f"there is no relation '{link.relation}'; there are " + ", ".join(shape.RELATIONS)
            raise BadInputError(message, f"mneme remember ... --link 'relates {link.target}'")
    return Draft(
        draft.prefix, gist, topic, cue, draft.why.strip("\r\n"), draft.state, draft.conf, draft.links, draft.since
    )


def parse_link(text: str) -> Link:
    """Read a link as it is given on a command line: `RELATION ID`."""
    words = text.split()
    if len(words) != 2:  # noqa: PLR2004 - relation and id
        message = f"'{text}' is no link: it is a relation and an id"
        raise BadInputError(message, "mneme remember ... --link 'depends-on DEC-0003'")
    return Link(words[0], words[1])


def plan_append(path: str, content: bytes | None, block: str, reason: str) -> Change:
    """Return the change that appends a cell; the rest of the file is not even read as cells."""
    if content is None:
        return files.plan_create(path, block.encode("utf-8", "surrogateescape"), reason)
    tail = decoded(content[-4096:])
    addition = cell_edit.appended(tail, block).encode("utf-8", "surrogateescape")
    return files.plan_edit(path, content, [files.Edit(len(content), len(content), addition)], reason)


def plan_status(cells: CellSet, file: CellFile, edits: Sequence[tuple[int, int, str]], reason: str) -> Change:
    """Return the change that makes text edits in one file."""
    return files.plan_edit(file.path, cells.contents[file.path], files.text_edits(file.text, edits), reason)


def plan_supersede(cells: CellSet, wanted: str, draft: Draft, new_id: str, path: str, today: date) -> list[Change]:
    """Return the changes that put a new cell in place of an old one and link both."""
    file, old = cells.get(wanted)
    check_transition(old, SUPERSEDED)
    block = draft.block(new_id, today)
    edits = [*cell_edit.edit_status(file, old, state=SUPERSEDED)]
    edits += cell_edit.edit_add_line(file, old, cell_edit.link_line("superseded-by", new_id))
    reason = f"{old.id} is superseded by {new_id}"
    if path != file.path:
        content = cells.contents.get(path)
        return [plan_append(path, content, block, reason), plan_status(cells, file, edits, reason)]
    end = len(file.text)
    return [plan_status(cells, file, [*edits, (end, end, cell_edit.appended(file.text[-4096:], block))], reason)]


def check_transition(cell: Cell, state: str) -> None:
    """Refuse a change of state that the format does not know."""
    if state == cell.state:
        return
    allowed = shape.ALLOWED_TRANSITIONS.get(cell.state, ())
    if state in allowed:
        return
    successor = next((link.target for link in cell.links if link.relation == "superseded-by"), "")
    message = f"'{cell.id}' is {cell.state or 'without a state'} and cannot become {state}"
    if cell.state == SUPERSEDED and successor:
        raise RefusedError(message + f"; '{successor}' replaced it", f"mneme show {successor}")
    if cell.state == PROPOSED and state != LIVE:
        raise RefusedError(message, f"mneme mark {cell.id} live")
    raise RefusedError(message, f"mneme show {cell.id}")


def plan_affirm(cells: CellSet, wanted: str, today: date, conf: str | None) -> Change:
    """Return the change that says a cell was seen to hold today; a stale one is live again."""
    file, cell = cells.get(wanted)
    if cell.state not in (LIVE, STALE):
        message = f"'{cell.id}' is {cell.state or 'without a state'}; only what is live or stale can be affirmed"
        raise RefusedError(message, f"mneme mark {cell.id} live" if cell.state == PROPOSED else f"mneme show {cell.id}")
    edits = list(cell_edit.edit_status(file, cell, state=LIVE, conf=conf, seen=today.isoformat()))
    if _is_suspect(cells, cell) and cell.affirmed < today.isoformat():
        edits += cell_edit.edit_add_line(file, cell, cell_edit.affirmed_line(today.isoformat()))
    return plan_status(cells, file, edits, f"{cell.id} still holds")


def _is_suspect(cells: CellSet, cell: Cell) -> bool:
    """Say whether a cell rests, directly or by way of others, on one that fell."""
    known = {one.id: one for _, one in cells.all()}
    asked, seen = [cell], {cell.id}
    while asked:
        for link in asked.pop().links:
            target = known.get(link.target) if link.relation == "depends-on" else None
            if target is not None and target.state in (SUPERSEDED, RETIRED):
                return True
            if target is not None and target.id not in seen:
                seen.add(target.id)
                asked.append(target)
    return False


def plan_mark(cells: CellSet, wanted: str, state: str | None, conf: str | None, today: date) -> Change:
    """Return the change that sets a cell's state or confidence, and dates a retirement."""
    file, cell = cells.get(wanted)
    if state:
        check_transition(cell, state)
    edits = list(cell_edit.edit_status(file, cell, state=state, conf=conf))
    if state == RETIRED and cell.state != RETIRED:
        edits += cell_edit.edit_add_line(file, cell, cell_edit.retired_line(today.isoformat()))
    return plan_status(cells, file, edits, f"{cell.id} is {state or 'of confidence ' + str(conf)}")


def plan_decay(cells: CellSet, today: date, days: int) -> tuple[list[Change], list[Cell]]:
    """Return the changes that mark live cells stale which nobody saw to hold for so many days, and those cells."""
    limit = (today - timedelta(days=days)).isoformat()
    changes, decayed = [], []
    for file in cells.files:
        old = [cell for cell in file.cells if cell.state == LIVE and shape.is_date(cell.seen) and cell.seen < limit]
        edits = [edit for cell in old for edit in cell_edit.edit_status(file, cell, state=STALE)]
        if edits:
            changes.append(plan_status(cells, file, edits, f"not seen for {days} days"))
            decayed += old
    return changes, decayed
