"""A model disk: from a recorded run, every state that a power cut can leave behind.

The model keeps what is promised apart from what merely usually happens. A file's bytes are safe from the moment its
own fsync returned, a name from the moment every folder that the operation touched was fsynced after it; fsync of a
file says nothing about its name. Whatever is not safe yet may be there or not, in any combination (`ARBITRARY`), or
as a prefix of the order in which it was done (`ORDERED`, what a journalling file system such as ext4 gives, where
any fsync also settles all names before it). One operation on names is atomic, a rename that replaces or exchanges
included: POSIX asks for it and no file system in use breaks it. Unsynced bytes of one file may be: none, any prefix
of its writes, the last of them torn in the middle, any single one missing, or a length without the bytes (zeros).

Bounds, so that it ends: up to `FREE_NAMES` pending name operations are taken in every combination, beyond that every
prefix, every single loss, every single survivor and `SAMPLE` random ones; likewise for files above `FREE_FILES`
combinations. A state counts as `capped` when such a bound was reached, and the matrix prints it.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from .syscalls import OPENS, SYNCS, WRITES, Call, parse_descriptor, parse_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ARBITRARY, ORDERED = "arbitrary", "ordered"
FREE_NAMES = 10
FREE_FILES = 4096
SAMPLE = 512

Kind = Literal["file", "folder", "link"]


class Entry(NamedTuple):
    """One thing in a tree: bytes of a file, target of a link, nothing for a folder."""

    kind: Kind
    mode: int
    body: bytes = b""


Tree = dict[str, Entry]


def load_tree(root: Path) -> Tree:
    """Read everything under a folder, without following links."""
    tree: Tree = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            status = path.lstat()
            key = path.relative_to(root).as_posix()
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISLNK(status.st_mode):
                tree[key] = Entry("link", 0o777, os.fsencode(path.readlink()))
            elif stat.S_ISDIR(status.st_mode):
                tree[key] = Entry("folder", mode)
            else:
                tree[key] = Entry("file", mode, path.read_bytes())
    return tree


def materialise(tree: Tree, root: Path) -> None:
    """Make a folder that holds exactly this tree."""
    root.mkdir(parents=True)
    for key in sorted(tree):
        entry, path = tree[key], root / key
        if entry.kind == "folder":
            path.mkdir()
        elif entry.kind == "link":
            path.symlink_to(os.fsdecode(entry.body))
        else:
            path.write_bytes(entry.body)
            path.chmod(entry.mode)
    for key in sorted(tree, reverse=True):
        if tree[key].kind == "folder":
            (root / key).chmod(tree[key].mode)


def digest(tree: Tree) -> str:
    """Name a tree by its content."""
    whole = hashlib.sha256()
    for key in sorted(tree):
        entry = tree[key]
        whole.update(f"{key}\0{entry.kind}\0{entry.mode}\0{len(entry.body)}\0".encode(errors="surrogateescape"))
        whole.update(entry.body)
    return whole.hexdigest()


# --- what happened, in terms of inodes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes put at an offset."""

    inode: int
    offset: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A file cut or stretched to a length."""

    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Chmod:
    """Permissions changed."""

    inode: int
    mode: int


@dataclass(frozen=True, slots=True)
class Names:
    """One atomic change of directory entries: (folder, name, inode or None for 'gone')."""

    edits: tuple[tuple[int, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """An inode made durable; None is the whole disk."""

    inode: int | None


Event = Write | Resize | Chmod | Names | Sync
FileEvent = Write | Resize | Chmod


@dataclass(frozen=True, slots=True)
class Node:
    """An inode as it was born: what it is, its permissions, its content before the first event."""

    kind: Kind
    mode: int
    body: bytes = b""


@dataclass(slots=True)
class Story:
    """The tree before, and every event since; inode 0 is the root folder."""

    nodes: dict[int, Node] = field(default_factory=lambda: {0: Node("folder", 0o755)})
    entries: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    events: list[Event] = field(default_factory=list)


def apply_edits(node: Node, edits: Sequence[FileEvent]) -> Node:
    """Return the file after these edits."""
    body, mode = bytearray(node.body), node.mode
    for edit in edits:
        if isinstance(edit, Write):
            if len(body) < edit.offset:
                body.extend(bytes(edit.offset - len(body)))
            body[edit.offset : edit.offset + len(edit.body)] = edit.body
        elif isinstance(edit, Resize):
            del body[edit.size :]
            body.extend(bytes(edit.size - len(body)))
        else:
            mode = edit.mode
    return Node(node.kind, mode, bytes(body))


@dataclass(slots=True)
class _Open:
    """An open file description."""

    inode: int | None  # None: outside the workspace
    offset: int = 0
    append: bool = False
    outside: str = ""


class _Reader:
    """Follows a recording call by call and turns it into a Story."""

    def __init__(self, tree: Tree) -> None:
        self.root = ""
        self.story = Story()
        self.live: dict[int, Node] = {}
        self.folders: dict[int, dict[str, int]] = {0: {}}
        self.open: dict[int, _Open] = {}
        for key in sorted(tree):
            entry = tree[key]
            parent, _, name = key.rpartition("/")
            number = self._born(Node(entry.kind, entry.mode, entry.body))
            self.folders[self._find(parent)][name] = number
        self.story.entries = {number: dict(names) for number, names in self.folders.items()}

    def _born(self, node: Node) -> int:
        number = len(self.story.nodes)
        self.story.nodes[number] = self.live[number] = node
        if node.kind == "folder":
            self.folders[number] = {}
        return number

    # -- paths

    def _find(self, key: str) -> int:
        number = 0
        for part in filter(None, key.split("/")):
            number = self.folders[number][part]
        return number

    def _place(self, path: str) -> tuple[int, str] | None:
        """Return the folder and the name behind a path under the root, or None when it lies outside."""
        if path != self.root and not path.startswith(self.root + "/"):
            return None
        parts = [part for part in path[len(self.root) :].split("/") if part]
        number = 0
        for part in parts[:-1]:
            number = self.folders[number][part]
        return number, parts[-1] if parts else ""

    def _inode(self, path: str) -> int | None:
        place = self._place(path)
        if place is None:
            return None
        number = self.folders[place[0]].get(place[1]) if place[1] else 0
        if number is not None and self.story.nodes[number].kind == "link":
            target = os.path.join(os.path.dirname(path), os.fsdecode(self.story.nodes[number].body))  # noqa: PTH118
            return self._inode(os.path.normpath(target))
        return number

    # -- effects

    def _edit(self, edit: FileEvent) -> None:
        self.story.events.append(edit)
        self.live[edit.inode] = apply_edits(self.live[edit.inode], [edit])

    def _rename(self, *edits: tuple[int, str, int | None]) -> None:
        self.story.events.append(Names(edits))
        for folder, name, inode in edits:
            if inode is None:
                self.folders[folder].pop(name, None)
            else:
                self.folders[folder][name] = inode

    def read_all(self, calls: Sequence[Call], root: str) -> None:
        """Take one process's recording in; its descriptors die with it, what it did stays."""
        self.root = root
        self.open.clear()
        for call in calls:
            self._read(call)

    def _read(self, call: Call) -> None:
        if not call.worked:
            return
        if call.name in OPENS:
            self._take_open(call)
        elif call.name in WRITES:
            self._take_write(call)
        elif call.name in SYNCS:
            self._take_sync(call)
        elif call.name in {"ftruncate", "truncate", "fallocate", "chmod", "fchmod", "fchmodat", "fchmodat2"}:
            self._take_edit(call)
        elif call.name in {"close", "dup", "dup2", "dup3", "fcntl", "lseek", "read", "readv"}:
            self._take_descriptor(call)
        else:
            self._take_names(call)

    def _take_open(self, call: Call) -> None:
        path, assert_result = call.paths()[0], call.result
        flags = " ".join(call.args)
        place = self._place(path)
        inode = self._inode(path)
        if place is not None and inode is None and "O_CREAT" in flags + ("O_CREAT" if call.name == "creat" else ""):
            inode = self._born(Node("file", self._mode(call.args[-1])))
            self._rename((place[0], place[1], inode))
        elif place is not None and "O_TMPFILE" in flags:
            inode = self._born(Node("file", self._mode(call.args[-1])))
        elif inode is not None and ("O_TRUNC" in flags or call.name == "creat") and self.live[inode].body:
            self._edit(Resize(inode, 0))
        self.open[int(assert_result or 0)] = _Open(inode, append="O_APPEND" in flags, outside=path)

    @staticmethod
    def _mode(argument: str) -> int:
        found = re.search(r"(?:mode=)?0([0-7]+)", argument)
        return (int(found[1], 8) if found else 0o644) & ~UMASK

    def _take_write(self, call: Call) -> None:
        position = {"copy_file_range": 2, "sendfile": 0, "splice": 2}.get(call.name, 0)
        target = self.open.get(parse_descriptor(call.args[position])[0])
        if target is None or target.inode is None or call.result is None:
            return
        body = self._written(call)[: call.result]
        explicit = call.name.startswith("pwrite")
        offset = len(self.live[target.inode].body) if target.append else target.offset
        if explicit:
            offset = int(call.args[3])
        if body:
            self._edit(Write(target.inode, offset, body))
        if not explicit:
            target.offset = offset + len(body)

    def _written(self, call: Call) -> bytes:
        if call.name in {"write", "pwrite64"}:
            return parse_text(call.args[1])
        if call.name in {"writev", "pwritev", "pwritev2"}:
            return b"".join(parse_text(found) for found in re.findall(r'iov_base=("[^"]*"(?:\.\.\.)?)', call.args[1]))
        source = self.open[parse_descriptor(call.args[1 if call.name == "sendfile" else 0])[0]]
        whole = self.live[source.inode].body if source.inode is not None else Path(source.outside).read_bytes()
        where = call.args[2] if call.name == "sendfile" else call.args[1]
        offset = int(where.strip("[]").split("]")[0]) if where != "NULL" else source.offset
        if where == "NULL":
            source.offset += call.result or 0
        return whole[offset : offset + (call.result or 0)]

    def _take_sync(self, call: Call) -> None:
        if call.name in {"sync", "syncfs"}:
            self.story.events.append(Sync(None))
        elif call.name in {"fsync", "fdatasync"}:
            target = self.open.get(parse_descriptor(call.args[0])[0])
            if target is not None and target.inode is not None:
                self.story.events.append(Sync(target.inode))

    def _take_edit(self, call: Call) -> None:
        if call.name in {"ftruncate", "fchmod", "fallocate"}:
            target = self.open.get(parse_descriptor(call.args[0])[0])
            inode = target.inode if target else None
        else:
            inode = self._inode(call.paths()[0])
        if inode is None:
            return
        if call.name in {"ftruncate", "truncate"}:
            self._edit(Resize(inode, int(call.args[1])))
        elif call.name == "fallocate":
            if call.args[1] == "0":
                size = max(len(self.live[inode].body), int(call.args[2]) + int(call.args[3]))
                self._edit(Resize(inode, size))
        else:
            self._edit(Chmod(inode, int(call.args[2 if "at" in call.name else 1], 8)))

    def _take_descriptor(self, call: Call) -> None:
        number = parse_descriptor(call.args[0])[0]
        held = self.open.get(number)
        if call.name == "close":
            self.open.pop(number, None)
        elif held is None or call.result is None:
            return
        elif call.name in {"dup", "dup2", "dup3"} or (call.name == "fcntl" and call.args[1].startswith("F_DUPFD")):
            self.open[int(call.result)] = held
        elif call.name == "lseek":
            held.offset = call.result
        elif call.name in {"read", "readv"}:
            held.offset += call.result

    def _take_names(self, call: Call) -> None:
        places = [self._place(path) for path in call.paths()]
        if call.name in {"link", "linkat"}:
            self._take_link(call, places)
            return
        if any(place is None for place in places):
            if all(place is None for place in places):
                return
            message = f"a name moved across the workspace's edge: {call.summary(self.root)}"
            raise ValueError(message)
        found = [place for place in places if place is not None]
        if not found:
            return
        folder, name = found[0]
        if call.name in {"mkdir", "mkdirat"}:
            inode = self._born(Node("folder", self._mode(call.args[-1])))
            self.story.entries[inode] = {}
            self._rename((folder, name, inode))
        elif call.name in {"symlink", "symlinkat"}:
            self._rename((folder, name, self._born(Node("link", 0o777, parse_text(call.args[0])))))
        elif call.name in {"unlink", "unlinkat", "rmdir"}:
            self._rename((folder, name, None))
        else:
            (other, new) = found[1]
            moved = self.folders[folder][name]
            exchanged = self.folders[other][new] if "RENAME_EXCHANGE" in " ".join(call.args) else None
            self._rename((folder, name, exchanged), (other, new, moved))

    def _take_link(self, call: Call, places: list[tuple[int, str] | None]) -> None:
        target = places[1]
        if target is None:
            return
        source = call.paths()[0]
        held = re.fullmatch(r"/proc/self/fd/(\d+)", source)
        inode = self.open[int(held[1])].inode if held else self._inode(source)
        if inode is None:
            message = f"a link from outside the workspace: {call.summary(self.root)}"
            raise ValueError(message)
        self._rename((target[0], target[1], inode))

    def tree(self) -> Tree:
        """Return what a reader sees now."""
        return _walk(self.folders, self.live)


UMASK = os.umask(0o022)
os.umask(UMASK)


def _walk(folders: dict[int, dict[str, int]], nodes: dict[int, Node]) -> Tree:
    tree: Tree = {}
    todo = [("", 0)]
    while todo:
        prefix, number = todo.pop()
        for name, child in folders.get(number, {}).items():
            node, key = nodes[child], prefix + name
            tree[key] = Entry(node.kind, node.mode, b"" if node.kind == "folder" else node.body)
            if node.kind == "folder":
                todo.append((key + "/", child))
    return tree


def replay(tree: Tree, *runs: tuple[Sequence[Call], str]) -> tuple[Story, Tree]:
    """Turn recordings into one story: each is the calls of a run and the folder it ran in, one after the other.

    The second answer is the tree that the calls must have left: a recording that the model misreads shows there.
    """
    reader = _Reader(tree)
    for calls, root in runs:
        reader.read_all(calls, root)
    return reader.story, reader.tree()


# --- what a power cut can leave --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class State:
    """One reachable tree; `acknowledged` when it can still appear after the command has said that it is done."""

    tree: Tree
    acknowledged: bool
    losses: int  # how many operations this state lost: the tamest come first in a report
    capped: bool = False


@dataclass(slots=True)
class _Pending:
    """What is safe, and what is not yet, at one moment."""

    folders: dict[int, dict[str, int]]
    safe: dict[int, Node]
    names: list[tuple[Names, set[int]]] = field(default_factory=list)
    edits: dict[int, list[FileEvent]] = field(default_factory=dict)

    def settle(self, inode: int | None, model: str) -> None:
        """Make an inode durable: the bytes of a file, the entries of a folder."""
        for number in list(self.edits) if inode is None else [inode]:
            self.safe[number] = apply_edits(self.safe[number], self.edits.pop(number, []))
        for _, waiting in self.names:
            waiting.clear() if inode is None or model == ORDERED else waiting.discard(inode)
        while self.names and not self.names[0][1]:
            _perform(self.folders, self.names.pop(0)[0])


def _perform(folders: dict[int, dict[str, int]], change: Names) -> None:
    for folder, name, inode in change.edits:
        if inode is None:
            folders.setdefault(folder, {}).pop(name, None)
        else:
            folders.setdefault(folder, {})[name] = inode


def find_states(story: Story, model: str = ARBITRARY) -> Iterator[State]:
    """Yield every distinct tree that a power cut during the story, or after it, can leave."""
    seen: dict[str, bool] = {}
    pending = _Pending({number: dict(names) for number, names in story.entries.items()}, dict(story.nodes))
    for event in [*story.events, None]:
        if event is None or isinstance(event, Sync):
            for state in _states_now(pending, model, acknowledged=event is None):
                name = digest(state.tree)
                if not seen.get(name, False) and (name not in seen or state.acknowledged):
                    seen[name] = state.acknowledged
                    yield state
        if isinstance(event, Sync):
            pending.settle(event.inode, model)
        elif isinstance(event, Names):
            pending.names.append((event, {folder for folder, _, _ in event.edits}))
        elif event is not None:
            pending.edits.setdefault(event.inode, []).append(event)


def _states_now(pending: _Pending, model: str, *, acknowledged: bool) -> Iterator[State]:
    """Yield the states of one moment: name operations kept or lost, then bytes kept or lost in files still reachable."""
    free = [place for place, (_, waiting) in enumerate(pending.names) if waiting]
    choices, capped = _name_choices(len(free), model)
    for kept in choices:
        lost = {free[place] for place in range(len(free)) if place not in kept}
        folders = {number: dict(names) for number, names in pending.folders.items()}
        for place, (change, _) in enumerate(pending.names):
            if place not in lost:
                _perform(folders, change)
        yield from _file_states(folders, pending, len(lost), acknowledged=acknowledged, capped=capped)


def _name_choices(count: int, model: str) -> tuple[list[frozenset[int]], bool]:
    """Return the sets of pending operations that survive, and whether a bound was reached."""
    everything = range(count)
    prefixes = [frozenset(range(size)) for size in range(count, -1, -1)]
    if model == ORDERED:
        return prefixes, False
    if count <= FREE_NAMES:
        sizes = range(count, -1, -1)
        return [frozenset(kept) for size in sizes for kept in itertools.combinations(everything, size)], False
    singles = [frozenset(everything) - {one} for one in everything] + [frozenset({one}) for one in everything]
    dice = random.Random(count)  # noqa: S311
    chance = [frozenset(place for place in everything if dice.random() < 0.5) for _ in range(SAMPLE)]
    return list(dict.fromkeys([*prefixes, *singles, *chance])), True


def _file_states(
    folders: dict[int, dict[str, int]], pending: _Pending, lost: int, *, acknowledged: bool, capped: bool
) -> Iterator[State]:
    reachable = _reachable(folders)
    moving = [number for number in pending.edits if number in reachable]
    variants = [_variants(pending.safe[number], pending.edits[number]) for number in moving]
    picks, bounded = _file_choices([len(found) for found in variants])
    for pick in picks:
        nodes = dict(pending.safe)
        for number, found, place in zip(moving, variants, pick, strict=True):
            nodes[number] = found[place]
        yield State(_walk(folders, nodes), acknowledged, lost + sum(map(bool, pick)), capped or bounded)


def _reachable(folders: dict[int, dict[str, int]]) -> set[int]:
    found, todo = set(), [0]
    while todo:
        for child in folders.get(todo.pop(), {}).values():
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def _file_choices(sizes: list[int]) -> tuple[Iterator[tuple[int, ...]], bool]:
    """Return which variant of each file to take: all combinations, or a bounded spread of them."""
    total = 1
    for size in sizes:
        total *= size
    if total <= FREE_FILES:
        return itertools.product(*map(range, sizes)), False
    dice = random.Random(total)  # noqa: S311
    whole = tuple(0 for _ in sizes)
    single = [(*whole[:at], place, *whole[at + 1 :]) for at, size in enumerate(sizes) for place in range(size)]
    chance = [tuple(dice.randrange(size) for size in sizes) for _ in range(SAMPLE)]
    return iter(dict.fromkeys([whole, *single, *chance])), True


def _variants(node: Node, edits: Sequence[FileEvent]) -> list[Node]:
    """Return what a file with unsynced edits may hold after a power cut; the first has them all."""
    found = [apply_edits(node, edits[:count]) for count in range(len(edits), -1, -1)]
    for place, edit in enumerate(edits):
        found.append(apply_edits(node, [*edits[:place], *edits[place + 1 :]]))
        if isinstance(edit, Write):
            torn = Write(edit.inode, edit.offset, edit.body[: len(edit.body) // 2])
            found.append(apply_edits(node, [*edits[:place], torn]))
    whole = found[0]
    if len(whole.body) > len(node.body):
        found.append(Node(node.kind, whole.mode, node.body + bytes(len(whole.body) - len(node.body))))
    return list(dict.fromkeys(found))
