"""What a folder holds: files by kind and tier, days, cells, facts, entities, and what is wrong with them.

What is wrong is what a check of the folder would say; nothing is kept and nothing is written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.profiles import entity_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mneme.engine.memory import Memory
    from mneme.errors import Problem
    from mneme.profiles import MemoryFiles


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
    """Look at everything that is memory in an open workspace, as `check` does; nothing is written."""
    from mneme.check.run import look_over

    profile = memory.workspace.profile
    report = look_over(memory.workspace, memory.now())
    kinds = [profile.kind_of(path) for path in found.notes]
    kinds += ["cells"] * len(found.cells) + ["facts"] * len(found.facts)
    return Survey(
        kinds=_counted(kinds),
        tiers=_counted(profile.tier_of(path) for path in (*found.notes, *found.cells, *found.facts)),
        days=tuple(sorted({day.date for path in found.notes if (day := profile.find_day(path))})),
        cells=report.cells,
        facts=report.facts,
        entities=tuple(sorted({entity_of(path) for path in found.facts})),
        files=found,
        left_out=_counted(path.partition("/")[0] + "/" if "/" in path else "./" for path in found.left_out),
        problems=report.problems,
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))
