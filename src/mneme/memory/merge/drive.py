"""The merge as git drives it: three files in, the result in the second, and an exit code.

Git keeps both versions in its own store, so what is replaced here is never the only copy. The file lies outside any
workspace (git hands over temporary ones) and is replaced whole, by one rename.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from mneme import files
from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, Problem
from mneme.files.plan import hunks_of, print_diff
from mneme.memory.merge.text import merge_cells


@dataclass(frozen=True, slots=True)
class MergedFile:
    """What came of a merge: what a person has to look at, the diff where nothing was written, and new ids by old."""

    problems: tuple[Problem, ...] = ()
    diff: str = ""
    conflicts: bool = False
    renumbered: dict[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """1 if a contradiction was left between markers, else 0: what git takes for its answer."""
        return EXIT_PROBLEMS if self.conflicts else EXIT_CLEAN


def merge_files(base: str, ours: str, theirs: str, *, dry_run: bool = False, name: str = "") -> MergedFile:
    """Merge three files and write the result to OURS, or only show what would change there.

    `name` is what the file is called in messages: git hands over temporary files and tells the real name aside.
    """
    shown = name or ours
    contents = [files.read_file(Path(one), name=one) for one in (base, ours, theirs)]
    merged = merge_cells(*(content.decode("utf-8", "surrogateescape") for content in contents))
    before, after = contents[1], merged.text.encode("utf-8", "surrogateescape")
    if after != before and not dry_run:
        files.write_whole(Path(ours), after)
    problems = tuple(replace(problem, path=shown) for problem in merged.problems)
    return MergedFile(problems, _diff(shown, before, after) if dry_run else "", merged.conflicts, merged.renumbered)


def _diff(name: str, before: bytes, after: bytes) -> str:
    change = files.plan_replace(name, before, after)
    return "" if change is None else print_diff(hunks_of(before, change.edits), f"a/{name}", f"b/{name}")
