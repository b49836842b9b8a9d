"""What a folder holds: files by kind and tier, days, cells, facts, entities, and what is wrong with them.

Reads every file of memory once and keeps none; a file that cannot be read, or is longer than a note can be, is one
problem, and the rest goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.check.rule import in_report_order
from mneme.errors import ERROR, UNREADABLE, WARN, Problem
from mneme.formats.fact import parse_facts
from mneme.formats.note import LARGE_NOTE_BYTES, LARGE_NOTE_HEAD_BYTES, parse_note
from mneme.profiles import MemoryFiles, entity_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mneme.engine.memory import Memory


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a folder; counts by name are in order of their size."""

    kinds: Mapping[str, int]
    tiers: Mapping[str, int]
    days: tuple[str, ...]
    cells: int
    facts: int
    entities: tuple[str, ...]
    files: MemoryFiles
    left_out: Mapping[str, int]
    problems: tuple[Problem, ...]

    def as_json(self) -> dict[str, object]:
        """Return the survey's JSON form, problems excepted."""
        return {
            "kinds": dict(self.kinds),
            "tiers": dict(self.tiers),
            "days": {"count": len(self.days), "first": min(self.days, default=""), "last": max(self.days, default="")},
            "cells": self.cells,
            "facts": self.facts,
            "entities": list(self.entities),
            "files": {
                "notes": list(self.files.notes),
                "cells": list(self.files.cells),
                "facts": list(self.files.facts),
                "left_out": list(self.files.left_out),
            },
            "left_out": dict(self.left_out),
        }


def survey_memory(memory: Memory, found: MemoryFiles) -> Survey:
    """Look at everything that is memory in an open workspace."""
    profile, root = memory.workspace.profile, memory.root
    problems = list(memory.problems)
    for path in found.notes:
        problems += _note_problems(root, path)
    facts = 0
    for path in found.facts:
        number, faults = _facts(root, path)
        facts += number
        problems += faults
    report = memory.lint() if found.cells else None
    kinds = [profile.kind_of(path) for path in found.notes]
    kinds += ["cells"] * len(found.cells) + ["facts"] * len(found.facts)
    return Survey(
        kinds=_counted(kinds),
        tiers=_counted(profile.tier_of(path) for path in (*found.notes, *found.cells, *found.facts)),
        days=tuple(sorted({day.date for path in found.notes if (day := profile.find_day(path))})),
        cells=report.cells if report else 0,
        facts=facts,
        entities=tuple(sorted({entity_of(path) for path in found.facts})),
        files=found,
        left_out=_counted(path.partition("/")[0] + "/" if "/" in path else "./" for path in found.left_out),
        problems=tuple(in_report_order(dict.fromkeys([*problems, *(report.problems if report else ())]))),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _note_problems(root: Path, path: str) -> list[Problem]:
    content, problems = _read(root, path)
    return [*problems, *parse_note(content.decode("utf-8", "surrogateescape"), path).problems] if content else problems


def _facts(root: Path, path: str) -> tuple[int, list[Problem]]:
    content, problems = _read(root, path)
    if problems:
        return 0, problems
    file = parse_facts(content.decode("utf-8", "surrogateescape"), path)
    return len(file.facts), list(file.problems)


def _read(root: Path, path: str) -> tuple[bytes, list[Problem]]:
    """Return a file's content; of one that is too long its head. One that has gone meanwhile is empty."""
    try:
        with (root / path).open("rb") as file:
            content = file.read(LARGE_NOTE_BYTES + 1)
    except FileNotFoundError:
        return b"", []
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return b"", [Problem(path, 0, UNREADABLE, ERROR, f"cannot read it: {reason}", "ls -l FILE")]
    if len(content) <= LARGE_NOTE_BYTES:
        return content, []
    message = f"longer than {LARGE_NOTE_BYTES // 1024 // 1024} MB; only its head is read"
    return content[:LARGE_NOTE_HEAD_BYTES], [
        Problem(path, 0, "large-file", WARN, message, "split it into several files")
    ]
