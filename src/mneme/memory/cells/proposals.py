"""The queue of proposals: a cell file like any other, from which nothing ever leaves, so that a rejection is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import NotFoundError, RefusedError
from mneme.formats import cell as shape
from mneme.formats import cell_edit
from mneme.formats.proposal import PREFIX, parse_proposal
from mneme.formats.record import RETIRED
from mneme.memory.cells.ids import nearest_ids
from mneme.memory.cells.load import decoded
from mneme.memory.cells.plan import plan_append
from mneme.workspace import PROPOSALS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.files import Change
    from mneme.formats.cell import CellFile
    from mneme.formats.proposal import Proposal
    from mneme.workspace import Workspace

PATH = PROPOSALS_FILE


@dataclass(frozen=True, slots=True)
class Queue:
    """All proposals that were ever made, with the file that they were read from."""

    file: CellFile
    content: bytes | None
    proposals: tuple[Proposal, ...] = ()

    @property
    def waiting(self) -> tuple[Proposal, ...]:
        """Return the proposals that nobody has accepted or rejected, in order."""
        return tuple(one for one in self.proposals if not one.fate)

    def get_waiting(self, wanted: str) -> Proposal:
        """Return a proposal that still waits; an unknown one is told with the nearest, a settled one with its fate."""
        found = next((one for one in self.proposals if one.id == wanted), None)
        if found is None:
            near = nearest_ids(wanted, (one.id for one in self.waiting))
            message = f"there is no proposal '{wanted}'" + (f"; the nearest: {', '.join(near)}" if near else "")
            raise NotFoundError(message, "mneme proposals")
        if found.fate:
            message = f"'{wanted}' was {found.fate} already" + (f": {found.outcome}" if found.outcome else "")
            raise RefusedError(message, f"mneme show {wanted}")
        return found


def load_queue(workspace: Workspace) -> Queue:
    """Read the queue; a cell in it that was retired by hand counts as rejected."""
    content = files.find_file(files.place_of(workspace.root, PATH))
    file = shape.parse_cells(decoded(content or b""), PATH)
    cells = [cell for cell in file.cells if cell.id.startswith(f"{PREFIX}-")]
    return Queue(file, content, tuple(parse_proposal(cell, file.text) for cell in cells))


def plan_propose(queue: Queue, blocks: Sequence[str], reason: str) -> Change:
    """Return the change that appends proposals, already printed, to the queue."""
    return plan_append(PATH, queue.content, "\n".join(blocks), reason)


def plan_settle(queue: Queue, fates: Iterable[tuple[str, str]], day: str) -> Change:
    """Return the change that retires proposals; each fate is an id and the comment that says what became of it."""
    cells = {cell.id: cell for cell in queue.file.cells}
    edits: list[shape.TextEdit] = []
    for wanted, comment in fates:
        cell = cells[wanted]
        edits += cell_edit.edit_status(queue.file, cell, state=RETIRED)
        edits += cell_edit.edit_add_line(queue.file, cell, cell_edit.retired_line(day), comment)
    return files.plan_edit(PATH, queue.content or b"", files.text_edits(queue.file.text, edits), "settled")
