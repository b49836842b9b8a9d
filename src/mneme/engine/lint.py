"""The check of cells, and what of it mends itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done, Report
    from mneme.formats.cell import CellFile
    from mneme.memory.cells.load import CellSet


def lint(memory: Memory, paths: Sequence[str] = ()) -> Report:
    """Check the cells of the workspace, or of the files named, against each other, the day, and their past."""
    from mneme.check.cell import check_cells
    from mneme.check.past import check_past
    from mneme.check.rules import check_severities, in_report_order
    from mneme.engine import results
    from mneme.engine.check import tellable

    severities = check_severities(memory.workspace.settings.table("rules"))
    known = memory.cells()
    named = _named(memory, known, paths)
    settings = memory.workspace.settings
    everything = (*known.files, *(file for file in named if file not in known.files))
    problems = check_cells(
        everything,
        today=memory.today,
        severities=severities,
        decay_days=settings["cells.stale_after_days"],
        gist_width=settings["cells.gist_columns"],
        body_characters=settings["cells.body_chars"],
    )
    problems += check_past(memory.root, [file for file in named if file in known.files], known.files, severities)
    problems += dict.fromkeys(memory.problems) if not paths else ()
    wanted = {file.path for file in named}
    told = [problem for problem in problems if problem.path in wanted or not paths]
    told = tellable(memory, told)
    return results.Report(tuple(in_report_order(told)), sum(len(file.columns) for file in named))


def fix_cells(memory: Memory, paths: Sequence[str] = (), *, dry_run: bool = False) -> Done:
    """Mend what is mechanical in the cells of the workspace, or of some of its files."""
    from mneme.check.mend import plan_mend

    with memory.writing("lint --fix", dry_run=dry_run):
        known = memory.cells()
        named = _named(memory, known, paths)
        if outside := [file.path for file in named if file not in known.files]:
            message = f"'{outside[0]}' is not in the workspace '{memory.root}', so it is not changed"
            raise BadInputError(message, f"mneme lint --fix --workspace {Path(outside[0]).parent}")
        return memory.apply(files.Plan("lint --fix", tuple(plan_mend(known, named))), dry_run=dry_run)


def _named(memory: Memory, known: CellSet, paths: Sequence[str]) -> Sequence[CellFile]:
    """Return the files that a person named: those of the workspace as they were read, others read now."""
    if not paths:
        return known.files
    inside = {os.path.realpath(memory.root / file.path): file for file in known.files}
    return [inside.get(os.path.realpath(path)) or memory.cells([path]).files[0] for path in paths]
