"""The verbs that show records: one in full, or those that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.formats.record import Record


def show(memory: Memory, wanted: str) -> tuple[Record, str]:
    """Return a record and the text it stands for, as it is written."""
    from mneme.formats.cell import cell_record

    file, cell = memory.cells().get(wanted)
    return cell_record(cell, file.path), file.text[cell.start : cell.tail]


def list_records(
    memory: Memory, *, state: str | None = None, topic: str | None = None, prefix: str | None = None
) -> Sequence[Record]:
    """Return the records that fit, in order of file and line."""
    from mneme.formats.cell import cell_record

    return [
        cell_record(cell, file.path)
        for file, cell in memory.cells().all()
        if state in (None, cell.state)
        and prefix in (None, cell.id.rpartition("-")[0])
        and (topic is None or cell.topic == topic or cell.topic.startswith(topic.rstrip("/") + "/"))
    ]
