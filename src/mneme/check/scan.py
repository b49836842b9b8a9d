"""One walk over a workspace: every file that may be memory with its stamp, and what stands in the way of reading it.

The walk passes what `Workspace.walk` passes. A stamp is what the file system says of a file without opening it; two
walks that give the same text have seen the same files.
"""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mneme.profiles.profile import MEMORY_FOLDERS
from mneme.profiles.select import SUFFIXES
from mneme.workspace import SKIPPED_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Folders at any depth in which a leftover of a program is a leftover of memory.
_KEPT_IN = MEMORY_FOLDERS | {"brain", "knowledge"}
_MACHINE_FOLDER = ".dreams"
_LEFTOVERS = (".lock", ".pending", ".tmp")
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_READABLE = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


# What the file system says of a file: inode, size, when it was modified and changed (ns), mode.
Stamp = tuple[int, int, int, int, int]


def is_read_only(stamp: Stamp) -> bool:
    """Say whether a file may be read and nobody may write it."""
    return stamp[4] & _WRITABLE == 0 and stamp[4] & _READABLE != 0


def is_provable(stamp: Stamp, before_ns: int) -> bool:
    """Say whether the same stamp later means the same content: the file was last touched before a moment."""
    return stamp[2] < before_ns and stamp[3] < before_ns


class Tree(NamedTuple):
    """Everything that a walk saw: files of memory, other programs' leftovers, and by path what is not read and why."""

    files: dict[str, Stamp]
    leftovers: dict[str, Stamp]
    aliases: frozenset[str]
    unfollowed: dict[str, str]
    unlisted: dict[str, str]
    unopened: dict[str, str]

    def as_bytes(self, unproven: Iterable[str] = ()) -> bytes:
        """Return the walk as one value; `unproven` are files whose stamp proves nothing and never equals another."""
        lines = [f"{path}\0{stamp}\0" for path, stamp in (*self.files.items(), *self.leftovers.items())]
        passed = (*self.unfollowed.items(), *self.unlisted.items(), *self.unopened.items())
        lines += [f"{path}\0{what}\0" for path, what in passed]
        lines += [f"{path}\0?\0" for path in unproven]
        return "".join(lines).encode("utf-8", "surrogateescape")


def scan_tree(root: Path, ignore: Sequence[str]) -> Tree:
    """Walk a workspace once."""
    tree = Tree({}, {}, frozenset(), {}, {}, {})
    aliases: set[str] = set()
    stack = [("", False)]
    while stack:
        prefix, in_memory = stack.pop()
        try:
            with os.scandir(f"{root}/{prefix}") as entries:
                _scan_folder(root, prefix, list(entries), tree, aliases, stack, ignore, in_memory=in_memory)
        except OSError as error:
            tree.unlisted[prefix or "./"] = (error.strerror or str(error)).lower()
    return tree._replace(aliases=frozenset(aliases))


def _scan_folder(
    root: Path,
    prefix: str,
    entries: list[os.DirEntry[str]],
    tree: Tree,
    aliases: set[str],
    stack: list[tuple[str, bool]],
    ignore: Sequence[str],
    *,
    in_memory: bool,
) -> None:
    for entry in entries:
        name = entry.name
        path = prefix + name
        if ignore and any(fnmatchcase(path, glob) for glob in ignore):
            continue
        if entry.is_dir(follow_symlinks=False):
            if (name[0] != "." and name not in SKIPPED_FOLDERS) or (in_memory and name == _MACHINE_FOLDER):
                stack.append((path + "/", in_memory or name.lower() in _KEPT_IN))
        elif entry.is_symlink():
            if name[0] != ".":
                _scan_link(root, path, entry, tree, aliases, in_memory=in_memory)
        elif name.endswith(SUFFIXES):
            if name[0] != ".":
                _scan_file(path, entry, tree)
        elif (in_memory or name.startswith("MEMORY.md.")) and (name.endswith(_LEFTOVERS) or ".tmp." in name):
            tree.leftovers[path] = _stamp(entry.stat(follow_symlinks=False))


def _scan_file(path: str, entry: os.DirEntry[str], tree: Tree) -> None:
    """Take down a file; a pipe, a socket or a device with a file's name is never opened, it may never end."""
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # gone since it was listed
        return
    if stat.S_ISREG(found.st_mode):
        tree.files[path] = _stamp(found)
    else:
        tree.unopened[path] = "a pipe" if stat.S_ISFIFO(found.st_mode) else "no regular file"


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


def _scan_link(
    root: Path, path: str, entry: os.DirEntry[str], tree: Tree, aliases: set[str], *, in_memory: bool
) -> None:
    """Take a symbolic link to a file in the workspace for that file; say of any other why it is not followed."""
    named = entry.name.endswith(SUFFIXES)
    if not named and not in_memory and entry.name.lower() not in _KEPT_IN:
        return
    try:
        found = entry.stat()
    except OSError as error:
        circle = isinstance(error, OSError) and error.errno not in (None, 2)
        tree.unfollowed[path] = "goes round in a circle" if circle else "leads nowhere"
        return
    real, inside = Path(os.path.realpath(entry.path)), Path(os.path.realpath(root))
    if real != inside and inside not in real.parents:
        tree.unfollowed[path] = f"leads out of the workspace, to '{real}'"
    elif named and stat.S_ISREG(found.st_mode):
        tree.files[path] = _stamp(found)
        aliases.add(path)
