"""What is there: the files of a walk, and what else was asked of the disk, so that the answers can be asked again."""

from __future__ import annotations

import os
import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Places:
    """Says what exists in a workspace and around it; `asked` is every path that the walk itself did not answer."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = str(root)
        self.paths = frozenset(paths)
        self.asked: dict[str, bool] = {}

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder that a file of the walk lies in."""
        folders: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(folders)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Return the files of the walk by their name without its ending, in lower case."""
        names: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            stem = posixpath.splitext(posixpath.basename(path))[0].lower()
            names.setdefault(stem, []).append(path)
        return names

    def exists(self, path: str) -> bool:
        """Say whether something lies at a workspace path, which may lead out of it."""
        if path in self.paths or path.rstrip("/") in self.folders:
            return True
        known = self.asked.get(path)
        if known is None:
            try:
                known = os.path.exists(posixpath.join(self.root, path))  # noqa: PTH110 - ten thousand times
            except ValueError:  # a name that no file can have
                known = False
            self.asked[path] = known
        return known
