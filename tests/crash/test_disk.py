"""The model disk agrees with a real one about what calls do, and forgets what nobody made durable."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .disk import (
    ARBITRARY,
    ORDERED,
    Entry,
    Names,
    Node,
    Story,
    Sync,
    Write,
    find_states,
    load_tree,
    materialise,
    replay,
)
from .syscalls import run_traced

if TYPE_CHECKING:
    from pathlib import Path

EVERY_KIND_OF_CALL = """
import ctypes, os, shutil, sys
def put(name, body, flags=os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
    handle = os.open(name, flags, 0o640)
    os.write(handle, body)
    return handle
os.close(put("new", b"abc"))
os.close(put("new", b"def", os.O_WRONLY | os.O_APPEND))
os.close(put("there", b"shorter"))
handle = put("holes", b"0123456789")
os.pwrite(handle, b"far", 20)
os.lseek(handle, 2, 0)
os.write(handle, b"--")
os.ftruncate(handle, 22)
other = os.dup(handle)
os.write(other, b"++")
os.fchmod(handle, 0o600)
os.fsync(handle)
os.writev(handle, [b"one", b"two"])
os.close(handle)
os.mkdir("folder")
os.makedirs("deep/er")
os.rename("new", "folder/moved")
os.link("there", "folder/second name")
os.unlink("there")
os.symlink("folder/moved", "link")
os.truncate("link", 4)
os.chmod("link", 0o604)
shutil.copyfile("folder/moved", "copy")
shutil.copyfile(sys.executable, "binary")
os.rename("folder", "renamed")
os.rmdir("deep/er")
handle = os.open("deep", os.O_RDONLY)
os.mkdir("by handle", dir_fd=handle)
os.rename("copy", "copied", dst_dir_fd=handle)
hidden = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(hidden, b"no name yet")
libc = ctypes.CDLL(None)
assert not libc.linkat(-100, f"/proc/self/fd/{hidden}".encode(), -100, b"named at last", 0x400)
assert not libc.renameat2(-100, b"named at last", -100, b"holes", 2)
reader = os.open("renamed/moved", os.O_RDWR)
os.read(reader, 2)
os.write(reader, b"!")
"""


def test_the_model_follows_every_kind_of_call(tmp_path: Path) -> None:
    """After a run the model holds the very tree that is on the disk."""
    root = tmp_path / "ws"
    root.mkdir()
    (root / "there").write_bytes(b"a good deal longer than before")
    before = load_tree(root)
    argv = [sys.executable, "-I", "-c", EVERY_KIND_OF_CALL]
    ran, calls = run_traced(argv, root, os.environ, tmp_path / "trace", follow=True)
    assert ran.code == 0, ran.err
    _, modelled = replay(before, (calls, str(root)))
    assert modelled == load_tree(root)


def test_a_tree_laid_down_reads_back(tmp_path: Path) -> None:
    """Materialising a tree and reading it are inverse."""
    tree = {
        "a": Entry("folder", 0o750),
        "a/b": Entry("file", 0o640, b"bytes\0"),
        "c": Entry("link", 0o777, b"a/b"),
    }
    materialise(tree, tmp_path / "ws")
    assert load_tree(tmp_path / "ws") == tree


def _file(number: int, body: bytes) -> Story:
    """Return a story with one old file, 'f'."""
    story = Story()
    story.nodes[number] = Node("file", 0o644, body)
    story.entries[0] = {"f": number}
    return story


def _bodies(story: Story, name: str = "f", *, acknowledged: bool = False) -> set[bytes | None]:
    states = [state for state in find_states(story) if state.acknowledged or not acknowledged]
    return {state.tree[name].body if name in state.tree else None for state in states}


def test_bytes_not_synced_may_be_lost_torn_or_zero() -> None:
    """A write that nobody synced may be there, not at all, in part, or as a length without bytes."""
    story = _file(1, b"old")
    story.events = [Write(1, 3, b"more")]
    assert _bodies(story) == {b"old", b"oldmo", b"oldmore", b"old\0\0\0\0"}


def test_bytes_synced_are_safe() -> None:
    """After its sync a write is there for good, though before it anything may be."""
    story = _file(1, b"old")
    story.events = [Write(1, 0, b"new"), Sync(1)]
    assert _bodies(story) == {b"old", b"new", b"nld"}
    assert _bodies(story, acknowledged=True) == {b"new"}


def test_syncing_a_file_does_not_make_its_name_safe() -> None:
    """A new file that was synced may still be lost until its folder is synced."""
    story = Story()
    story.nodes[1] = Node("file", 0o644)
    story.events = [Names(((0, "f", 1),)), Write(1, 0, b"new"), Sync(1)]
    assert _bodies(story, acknowledged=True) == {None, b"new"}
    story.events.append(Sync(0))
    assert _bodies(story, acknowledged=True) == {b"new"}


def test_a_rename_is_all_or_nothing_and_needs_both_folders() -> None:
    """Moving between folders never leaves a file in both or in neither; it is safe once both are synced."""
    story = _file(1, b"x")
    story.nodes[2], story.entries[0]["d"], story.entries[2] = Node("folder", 0o755), 2, {}
    story.events = [Names(((0, "f", None), (2, "g", 1)))]
    for synced, places in (((), 2), ((0,), 2), ((2,), 2), ((0, 2), 1)):
        story.events[1:] = [Sync(number) for number in synced]
        trees = [state.tree for state in find_states(story) if state.acknowledged]
        assert len(trees) == places
        assert all(("f" in tree) != ("d/g" in tree) for tree in trees)


def test_names_may_be_kept_out_of_order_unless_the_disk_keeps_order() -> None:
    """Two new names in one folder: any of the four outcomes, or the three prefixes on a disk that keeps order."""
    story = Story()
    story.nodes |= {1: Node("file", 0o644), 2: Node("file", 0o644)}
    story.events = [Names(((0, "a", 1),)), Names(((0, "b", 2),))]
    seen = {model: {tuple(sorted(s.tree)) for s in find_states(story, model)} for model in (ARBITRARY, ORDERED)}
    assert seen[ARBITRARY] == {(), ("a",), ("b",), ("a", "b")}
    assert seen[ORDERED] == {(), ("a",), ("a", "b")}


def test_too_many_choices_are_bounded_and_said_so() -> None:
    """Beyond the bound the states are a sample that holds all prefixes, and are marked."""
    story = Story()
    for number in range(1, 15):
        story.nodes[number] = Node("file", 0o644)
        story.events.append(Names(((0, f"{number:02}", number),)))
    states = list(find_states(story))
    trees = {tuple(sorted(state.tree)) for state in states}
    assert all(state.capped for state in states)
    assert {tuple(f"{number:02}" for number in range(1, count)) for count in range(1, 16)} <= trees
