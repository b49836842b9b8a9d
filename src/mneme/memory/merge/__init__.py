"""Merging two versions of a cell file that have a common ancestor, and mending links to what was renumbered."""

from mneme.memory.merge.drive import MergedFile, merge_files
from mneme.memory.merge.links import fix_links
from mneme.memory.merge.text import Merged, merge_cells

__all__ = ["Merged", "MergedFile", "fix_links", "merge_cells", "merge_files"]
