"""The JSON-lines files of the home: read whole, appended to a line at a time.

They are logs: a row that was written stays. What repeats is folded when it is read, and once more on disk by upkeep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.formats import outcome as shape
from mneme.memory import skills

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mneme.errors import Problem
    from mneme.formats.outcome import Correction, Failure, Reflection, Workflow


@dataclass(frozen=True, slots=True)
class Rows:
    """What came of using tools, as the files tell it: repetitions folded, and what could not be read beside it."""

    workflows: tuple[Workflow, ...] = ()
    failures: tuple[Failure, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    corrections: tuple[Correction, ...] = ()
    problems: tuple[Problem, ...] = ()


def load_rows(root: Path) -> Rows:
    """Read all of it; a file that is not there is empty."""
    workflows, odd_workflows = shape.parse_workflows(load_text(root, skills.WORKFLOWS), skills.WORKFLOWS)
    failures, odd_failures = shape.parse_failures(load_text(root, skills.FAILURES), skills.FAILURES)
    reflections, odd_reflections = shape.parse_reflections(load_text(root, skills.REFLECTIONS), skills.REFLECTIONS)
    corrections, odd_corrections = shape.parse_corrections(load_text(root, skills.CORRECTIONS), skills.CORRECTIONS)
    return Rows(
        tuple(shape.merge_workflows(workflows)),
        tuple(failures),
        tuple(reflections),
        tuple(corrections),
        (*odd_workflows, *odd_failures, *odd_reflections, *odd_corrections),
    )


def load_text(root: Path, path: str) -> str:
    """Return a file of the home as text, empty where there is none."""
    return (files.find_file(files.place_of(root, path)) or b"").decode("utf-8", "replace")


def append_rows(root: Path, rows: Iterable[Workflow | Failure | Reflection | Correction]) -> None:
    """Append rows, each to the file of its kind."""
    names = {"Workflow": skills.WORKFLOWS, "Failure": skills.FAILURES, "Reflection": skills.REFLECTIONS}
    for row in rows:
        path = names.get(type(row).__name__, skills.CORRECTIONS)
        files.append_line(files.place_of(root, path), shape.print_row(row))
