"""The writer: a plan happens whole or not at all, and nobody's work is overwritten."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from mneme import files
from mneme.errors import ConflictError, MnemeError, NotFoundError, RefusedError, StorageError
from mneme.files import (
    Change,
    Edit,
    Plan,
    disk,
    displaced,
    plan_create,
    plan_edit,
    plan_move,
    plan_remove,
    plan_replace,
    writer,
)

from .workbench import (
    NOW,
    adding,
    applied,
    assert_settled,
    edit,
    folders,
    holding,
    interrupt,
    new_root,
    put,
    replacing,
    tree,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_created_with_its_folders(root: Path) -> None:
    """A new file appears with its missing folders, and history knows that they were made."""
    done = applied(root, plan_create("a/b/new.md", b"hello\n", "why"), verb="remember")
    assert (done.n, done.paths, done.problems) == (1, ("a/b/new.md",), ())
    assert tree(root) == {"a/b/new.md": b"hello\n"}
    entry = files.get_entry(root, 1)
    assert (entry.verb, entry.made, entry.at) == ("remember", ("a", "a/b"), "2026-03-04T05:06:07+00:00")
    assert entry.steps[0].reason == "why"
    assert_settled(root)


def test_an_empty_file_is_created(root: Path) -> None:
    """Nothing is a content, too."""
    applied(root, plan_create("empty", b""))
    assert tree(root) == {"empty": b""}
    assert_settled(root)


def test_several_files_change_together(root: Path) -> None:
    """One plan creates, edits, moves and takes away."""
    for path in ("edited", "moved", "gone"):
        put(root, path, path.encode() + b"\n")
    applied(
        root,
        plan_create("made", b"made\n"),
        replacing(root, "edited", b"edited", b"other"),
        plan_move("moved", b"moved\n", "sub/moved", [Edit(0, 5, b"carried")]),
        plan_remove("gone", b"gone\n"),
    )
    assert tree(root) == {"made": b"made\n", "edited": b"other\n", "sub/moved": b"carried\n"}
    assert displaced.trash_place(root, 1, "gone").read_bytes() == b"gone\n"
    assert displaced.trash_place(root, 1, "moved").read_bytes() == b"moved\n"
    assert_settled(root)


def test_a_plan_that_changes_nothing_leaves_no_trace(root: Path) -> None:
    """An edit that puts the same text in place is no plan: number 0, nothing in history."""
    put(root, "a", b"same\n")
    assert applied(root, plan_edit("a", b"same\n", [Edit(0, 4, b"same")])).n == 0
    assert list(files.entries(root)) == []


def test_numbers_go_on(root: Path) -> None:
    """Each plan has the next number, and history lists them in both directions."""
    for text in (b"1", b"2", b"3"):
        applied(root, plan_create(f"f{text.decode()}", text))
    assert [entry.n for entry in files.entries(root)] == [1, 2, 3]
    assert [entry.n for entry in files.entries(root, newest_first=True)] == [3, 2, 1]
    with pytest.raises(NotFoundError, match="no plan 4"):
        files.get_entry(root, 4)


# Somebody else's work


@pytest.mark.parametrize("last", ["edit", "create", "move", "remove"])
def test_a_file_that_moved_on_stops_the_whole_plan(root: Path, last: str) -> None:
    """Where one file is not what the plan was made from, none of its files is touched."""
    put(root, "a", b"a\n")
    put(root, "b", b"theirs\n")
    changes = {
        "edit": plan_edit("b", b"b\n", [Edit(0, 1, b"B")]),
        "create": plan_create("b", b"b\n"),
        "move": plan_move("b", b"b\n", "c"),
        "remove": plan_remove("b", b"b\n"),
    }
    with pytest.raises(ConflictError, match="'b'"):
        applied(root, replacing(root, "a", b"a", b"A"), changes[last])
    assert tree(root) == {"a": b"a\n", "b": b"theirs\n"}
    assert list(files.entries(root)) == []
    assert_settled(root)


def test_a_file_that_has_gone_stops_the_plan(root: Path) -> None:
    """The message says that it has gone, not that it changed."""
    with pytest.raises(ConflictError, match="'a' has gone since"):
        applied(root, plan_edit("a", b"a\n", [Edit(0, 1, b"A")]))
    assert tree(root) == {}


def test_a_move_onto_a_file_is_refused(root: Path) -> None:
    """Nothing is moved over something else."""
    put(root, "a", b"a\n")
    put(root, "b", b"b\n")
    with pytest.raises(RefusedError, match="'b' exists already"):
        applied(root, plan_move("a", b"a\n", "b"))
    assert tree(root) == {"a": b"a\n", "b": b"b\n"}


def test_a_file_made_meanwhile_is_not_overwritten(root: Path) -> None:
    """A file that appears after the plan was checked stays, and the plan's other files go back."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"), plan_create("new", b"ours\n"))), placed=1)
    put(root, "new", b"theirs\n")
    with pytest.raises(ConflictError, match="'new' was made by somebody else"):
        writer._place(root, entry, 1)
    writer._take_back(root, entry)
    assert tree(root) == {"a": b"a\n", "new": b"theirs\n"}
    assert_settled(root)


def test_a_move_gives_way_to_a_file_made_meanwhile(root: Path) -> None:
    """The target of a move that appears meanwhile stays, and so does the file that was to be moved."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("move", (plan_move("a", b"a\n", "b"),)))
    put(root, "b", b"theirs\n")
    with pytest.raises(ConflictError, match="'b' was made by somebody else"):
        writer._place(root, entry, 0)
    writer._take_back(root, entry)
    assert tree(root) == {"a": b"a\n", "b": b"theirs\n"}
    assert_settled(root)


def test_a_save_between_check_and_exchange_wins(root: Path) -> None:
    """An editor that saves after the check and before the exchange keeps its version; the plan is given up."""
    put(root, "a", b"a\n")
    put(root, "b", b"b\n")
    plan = Plan("edit", (replacing(root, "a", b"a", b"A"), replacing(root, "b", b"b", b"B")))
    entry = interrupt(root, plan, placed=1)
    put(root, "b", b"theirs\n")
    with pytest.raises(ConflictError, match="'b' was saved by somebody else"):
        writer._place(root, entry, 1)
    writer._take_back(root, entry)
    assert tree(root) == {"a": b"a\n", "b": b"theirs\n"}
    assert_settled(root)


@pytest.mark.parametrize("theirs", [b"theirs\n", b"b\n"])
def test_a_save_is_seen_by_the_file_s_stamp(root: Path, theirs: bytes) -> None:
    """A file that was old when it was read is known by its stamp alone; a save changes that, of the same length too."""
    place = put(root, "a", b"a\n")
    os.utime(place, (1_000_000_000, 1_000_000_000))
    plan = Plan("edit", (replacing(root, "a", b"a", b"A"),))
    stamps = tuple(item.stamp for item in writer._prepare_all(root, plan))
    assert stamps[0] is not None
    entry = interrupt(root, plan)
    put(root, "a", theirs)
    with pytest.raises(ConflictError, match="'a' was saved by somebody else"):
        writer._place_all(root, entry, stamps)
    writer._take_back(root, entry)
    assert tree(root) == {"a": theirs}


def test_a_save_before_a_removal_wins(root: Path) -> None:
    """A file saved after the check is not thrown away with the version that was looked at."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("forget", (plan_remove("a", b"a\n"),)))
    put(root, "a", b"theirs\n")
    with pytest.raises(ConflictError, match="'a' was saved by somebody else"):
        writer._place(root, entry, 0)
    writer._take_back(root, entry)
    assert tree(root) == {"a": b"theirs\n"}
    assert_settled(root)


def test_an_exchange_that_cannot_be_turned_round_loses_nothing(root: Path) -> None:
    """If the way back fails after somebody's version was pushed aside, that version is still kept."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    put(root, "a", b"theirs\n")
    assert disk.swap(writer._temp(root, entry, 0), root / "a")
    writer._take_back(root, entry)
    assert holding(root, b"theirs")
    assert_settled(root)


def test_a_failing_step_takes_the_others_back(root: Path) -> None:
    """A disk that refuses the second file has the first one brought back, bytes, mode and folders."""
    put(root, "a", b"a\n").chmod(0o640)
    put(root, "gone", b"gone\n")
    put(root, ".mneme.d/trash", b"a file where a folder is needed")
    before = tree(root)
    with pytest.raises(StorageError):
        applied(root, plan_create("new/f", b"x"), replacing(root, "a", b"a", b"A"), plan_remove("gone", b"gone\n"))
    assert tree(root) == before
    assert folders(root) == set()
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o640
    assert list(files.entries(root)) == []
    assert_settled(root)


def test_a_move_that_fails_half_way_leaves_one_file(root: Path) -> None:
    """A move whose second half fails does not leave the file under both names."""
    put(root, "a", b"a\n")
    put(root, ".mneme.d/trash", b"a file where a folder is needed")
    with pytest.raises(StorageError):
        applied(root, plan_move("a", b"a\n", "sub/b"))
    assert tree(root) == {"a": b"a\n"}
    assert folders(root) == set()
    assert_settled(root)


@pytest.mark.parametrize("operation", ["fsync", "rename", "link", "open"])
def test_a_disk_that_refuses_once(monkeypatch: pytest.MonkeyPatch, operation: str) -> None:
    """Whichever call the disk refuses, the plan has happened whole or not at all, and what was reported stays true."""
    refused, at = True, 0
    while refused:
        with new_root() as root, monkeypatch.context() as system:
            for path in ("a", "b", "gone"):
                put(root, path, path.encode() + b"\n")
            old = tree(root)
            plan = Plan(
                "edit",
                (
                    replacing(root, "a", b"a", b"A"),
                    plan_create("x/new", b"n"),
                    plan_move("b", b"b\n", "c"),
                    plan_remove("gone", b"gone\n"),
                ),
            )
            calls = refuse_once(system, operation, at)
            try:
                done: bool | None = bool(files.apply(root, plan, now=NOW))
            except StorageError:
                done = False
            refused, at = len(calls) > at, at + 1
            new = {"a": b"A\n", "x/new": b"n", "c": b"b\n"}
            assert tree(root) == (new if done else old), (operation, at)
            files.recover(root)
            assert tree(root) == (new if done else old), (operation, at)
            assert_settled(root)
            assert [entry.n for entry in files.entries(root)] == ([1] if done else [])
    assert at > 2


def refuse_once(system: pytest.MonkeyPatch, operation: str, at: int) -> list[object]:
    """Make one call of the system fail; returns the calls seen."""
    real, calls = getattr(os, operation), []

    def call(*args: object, **named: object) -> object:
        writes = operation != "open" or args[1] & os.O_WRONLY  # type: ignore[operator]
        if writes:
            calls.append(args)
            if len(calls) == at + 1:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*args, **named)

    system.setattr(os, operation, call)
    return calls


def interrupted_after_one(root: Path, entry: files.Entry) -> None:
    """Place one file of a plan, then be interrupted from the keyboard."""
    writer._place(root, entry, 0)
    raise KeyboardInterrupt


def test_ctrl_c_after_the_commit_finishes_the_plan(root: Path) -> None:
    """Who interrupts a committed plan finds it done, not half done."""
    put(root, "a", b"a\n")
    put(root, "b", b"b\n")
    plan = Plan("edit", (replacing(root, "a", b"a", b"A"), replacing(root, "b", b"b", b"B")))
    prepared = writer._prepare_all(root, plan)
    files.workplace(root)
    entry = writer._entry(root, plan, prepared, NOW)
    with pytest.raises(KeyboardInterrupt), writer._whole_or_nothing(root, entry, prepared):
        interrupted_after_one(root, entry)
    assert tree(root) == {"a": b"A\n", "b": b"B\n"}
    assert [one.n for one in files.entries(root)] == [1]
    assert_settled(root)


# Modes, owners, links


def test_mode_and_owner_are_kept(root: Path) -> None:
    """An edited file keeps its permissions, and its owner where we may give it away; so does a moved one."""
    place = put(root, "a", b"a\n")
    place.chmod(0o604)
    put(root, "b", b"b\n").chmod(0o750)
    owner = (4321, 4322) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(place, *owner)
    applied(root, replacing(root, "a", b"a", b"A"), plan_move("b", b"b\n", "c"))
    assert (place.stat().st_uid, place.stat().st_gid) == owner
    assert stat.S_IMODE(place.stat().st_mode) == 0o604
    assert stat.S_IMODE((root / "c").stat().st_mode) == 0o750


def test_a_link_inside_stays_a_link(root: Path) -> None:
    """An edit through a symbolic link reaches the file it stands for; the link stays a link."""
    put(root, "real/a", b"a\n")
    (root / "link").symlink_to("real/a")
    (root / "folder").symlink_to("real")
    edit(root, "link", b"a", b"b")
    edit(root, "folder/a", b"b", b"c")
    assert (root / "link").is_symlink()
    assert (root / "folder").is_symlink()
    assert (root / "real/a").read_bytes() == b"c\n"
    assert_settled(root)


def test_a_workspace_behind_a_link(root: Path) -> None:
    """A workspace that is itself reached through a link is written like any other."""
    put(root, "real/a", b"a\n")
    (root / "door").symlink_to("real")
    edit(root / "door", "a", b"a", b"b")
    applied(root / "door", plan_create("sub/new", b"x"))
    assert tree(root / "real") == {"a": b"b\n", "sub/new": b"x"}


@pytest.mark.parametrize("path", ["", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a\0b"])
def test_a_path_that_is_none_is_refused(root: Path, path: str) -> None:
    """A path that is empty, absolute, climbs or cannot be a name is not one inside the workspace."""
    with pytest.raises(RefusedError, match="not a path inside"):
        applied(root, plan_create(path, b"x"))
    assert tree(root) == {}


@pytest.mark.parametrize("through", ["file", "folder/new", "folder/deep/new", "twice/new"])
def test_a_link_that_leaves_the_workspace_is_refused(root: Path, through: str) -> None:
    """Neither a linked file nor a linked folder, nor a link to one, leads the writer out."""
    home, outside = root / "home", root / "outside"
    home.mkdir()
    put(outside, "file", b"out\n")
    (home / "file").symlink_to(outside / "file")
    (home / "folder").symlink_to(outside)
    (home / "twice").symlink_to("folder")
    put(home, "in", b"in\n")
    for change in (
        plan_create(through, b"x"),
        plan_edit(through, b"out\n", [Edit(0, 0, b"x")]),
        plan_remove(through, b"out\n"),
    ):
        with pytest.raises(RefusedError, match="leads out of the workspace"):
            applied(home, change)
    with pytest.raises(RefusedError, match="leads out of the workspace"):
        applied(home, plan_move("in", b"in\n", through))
    assert tree(outside) == {"file": b"out\n"}
    assert (home / "in").read_bytes() == b"in\n"


def test_a_link_in_a_circle_is_one_clear_error(root: Path) -> None:
    """A link that leads to itself is told as what it is."""
    (root / "a").symlink_to("a")
    with pytest.raises(StorageError, match="circle"):
        applied(root, plan_create("a", b"x"))


def test_one_file_twice_is_refused(root: Path) -> None:
    """A plan that reaches one file by two names is refused before anything happens, and says so."""
    put(root, "a", b"a\n")
    (root / "link").symlink_to("a")
    for other in ("a", "./a", "link"):
        with pytest.raises(RefusedError, match="twice"):
            applied(root, replacing(root, "a", b"a", b"A"), plan_edit(other, b"a\n", [Edit(1, 1, b"b")]))
    assert tree(root)["a"] == b"a\n"
    assert_settled(root)


@pytest.mark.parametrize("path", [".mneme.d/history/7/plan.json", ".mneme.d/lock", ".mneme.d", "door/x"])
def test_the_machine_s_own_folder_is_no_memory(root: Path, path: str) -> None:
    """No plan reaches into history or journal, not even through a link."""
    files.workplace(root)
    (root / "door").symlink_to(".mneme.d")
    with pytest.raises(MnemeError):
        applied(root, plan_create(path, b"{}"))
    assert not (root / ".mneme.d/history/7").exists()
    assert not (root / ".mneme.d/x").exists()


# Folders, names, leftovers


def test_folders_are_pruned_when_asked(root: Path) -> None:
    """Folders that a plan names go if they are empty afterwards, innermost first; others stay."""
    put(root, "a/b/f", b"f\n")
    put(root, "c/f", b"f\n")
    put(root, "c/g", b"g\n")
    plan = Plan("archive", (plan_remove("a/b/f", b"f\n"), plan_remove("c/f", b"f\n")), prune=("a", "a/b", "c"))
    files.apply(root, plan, now=NOW)
    assert folders(root) == {"c"}
    assert tree(root) == {"c/g": b"g\n"}


@pytest.mark.parametrize("name", ["with space.md", "newline\nin name", "字.md", "\udcff\udcfe", "-rf", "a:b*?[c]"])
def test_odd_names_are_names(root: Path, name: str) -> None:
    """Any name the system allows can be created, edited, moved and taken away."""
    applied(root, plan_create(name, b"a\n"))
    edit(root, name, b"a", b"b")
    applied(root, plan_move(name, b"b\n", f"sub/{name}"))
    applied(root, plan_remove(f"sub/{name}", b"b\n"))
    assert tree(root) == {}
    assert [entry.steps[0].path for entry in files.entries(root)] == [name, name, name, f"sub/{name}"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (plan_create("f/x", b"x"), "not a folder"),
        (plan_create("d", b"x"), "folder"),
        (plan_create("n" * 300, b"x"), "too long"),
    ],
)
def test_places_where_no_file_can_be(root: Path, change: Change, words: str) -> None:
    """A file where a folder is needed, a folder where a file is, a name too long: one clear error, nothing changed."""
    put(root, "f", b"f\n")
    put(root, "d/g", b"g\n")
    with pytest.raises(StorageError, match=words):
        applied(root, change)
    assert tree(root) == {"f": b"f\n", "d/g": b"g\n"}
    assert_settled(root)


def test_a_temporary_file_left_by_a_lost_journal_is_no_obstacle(root: Path) -> None:
    """Somebody deletes the machine's folder after a crash: the next plan writes all the same."""
    put(root, "a", b"a\n")
    interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    shutil.rmtree(root / ".mneme.d")
    edit(root, "a", b"a", b"B")
    assert tree(root) == {"a": b"B\n"}
    assert_settled(root)


def test_a_dry_run_shows_and_writes_nothing(root: Path) -> None:
    """`show_plan` gives the steps, refuses what `apply` would refuse, and leaves no trace, not even its own folder."""
    put(root, "a", b"a\n")
    (step,) = files.show_plan(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    assert files.step_diff(step) == "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\n+A\n"
    with pytest.raises(ConflictError):
        files.show_plan(root, Plan("edit", (plan_edit("a", b"other", [Edit(0, 1, b"A")]),)))
    assert sorted(os.listdir(root)) == ["a"]


def test_the_diff_of_a_new_file_names_no_old_one(root: Path) -> None:
    """A creation is shown against nothing."""
    (step,) = files.show_plan(root, Plan("edit", (plan_create("n", b"x\n"),)))
    assert files.step_diff(step) == "--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+x\n"


def test_the_caller_may_hold_the_lock(root: Path) -> None:
    """A verb that reads, decides and writes under one lock says so."""
    with files.locked(root, "remember", wait=0):
        done = files.apply(root, Plan("remember", (plan_create("a", b"a"),)), now=NOW, held=True)
    assert done.n == 1


# What an editor still writes into


def test_a_late_save_is_kept_and_reported(root: Path) -> None:
    """An editor that had the file open and saves into it after our exchange loses nothing: it is kept, and told once."""
    put(root, "a", b"first version\n")
    with (root / "a").open("r+b") as editor:
        edit(root, "a", b"first", b"second")
        editor.write(b"LATE")
        editor.flush()
    (problem,) = displaced.settle(root, at_once=True)
    assert (problem.rule, problem.path, problem.severity) == ("overwritten-version", "a", "warn")
    (kept,) = (root / ".mneme.d/history/versions").iterdir()
    assert kept.read_bytes() == b"LATEt version\n"
    assert kept.relative_to(root).as_posix() in problem.hint
    assert displaced.settle(root, at_once=True) == []
    assert (root / "a").read_bytes() == b"second version\n"


def test_a_late_save_is_reported_by_the_next_plan(root: Path) -> None:
    """Whoever writes next, once nobody can be saving any more, hears of it."""
    put(root, "a", b"first\n")
    with (root / "a").open("r+b") as editor:
        edit(root, "a", b"first", b"second")
        editor.write(b"LATE")
    (waiting,) = displaced.displaced_folder(root).iterdir()
    assert edit(root, "a", b"second", b"third").problems == ()
    assert waiting.exists()
    displaced.KEEP_SECONDS, was = 0.0, displaced.KEEP_SECONDS
    try:
        problems = edit(root, "a", b"third", b"fourth").problems
    finally:
        displaced.KEEP_SECONDS = was
    assert [problem.rule for problem in problems] == ["overwritten-version"]


def test_what_nobody_touched_is_dropped(root: Path) -> None:
    """Old contents that stayed as they were go without a word."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    assert len(list(displaced.displaced_folder(root).iterdir())) == 1
    assert displaced.settle(root) == []
    assert len(list(displaced.displaced_folder(root).iterdir())) == 1
    assert displaced.settle(root, at_once=True) == []
    assert list(displaced.displaced_folder(root).iterdir()) == []


def test_a_save_between_exchange_and_putting_aside_is_reported_at_once(root: Path) -> None:
    """A version found under the temporary name that is neither old nor new is somebody's: kept, and told."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)), placed=1)
    put(root, entry.temp_of(0), b"theirs\n")
    problems = writer._enact(root, entry)
    assert [problem.rule for problem in problems] == ["overwritten-version"]
    assert holding(root / ".mneme.d/history/versions", b"theirs")
    assert_settled(root)


@pytest.mark.parametrize("age", [0, 1, 60])
def test_a_save_is_not_taken_for_ours_because_it_is_old(root: Path, age: int) -> None:
    """A save that slipped in a while before the old content was put aside is kept, however old its date is by then."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)), placed=1)
    place = put(root, entry.temp_of(0), b"B\n")
    os.utime(place, (place.stat().st_mtime - age, place.stat().st_mtime - age))
    rules = [problem.rule for problem in [*files.recover(root), *displaced.settle(root, at_once=True)]]
    assert sorted(rules) == ["interrupted-plan", "overwritten-version"]
    assert holding(root / ".mneme.d/history/versions", b"B\n")


# Where the system cannot exchange two files in one step


@pytest.fixture
def _without_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand on a system that has no such call."""
    monkeypatch.setattr(disk, "_exchange", lambda: None)


@pytest.mark.usefixtures("_without_exchange")
def test_edits_without_exchange(root: Path) -> None:
    """Three renames do the same: the file is edited, and a save in between wins."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    assert tree(root) == {"a": b"b\n"}
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"b", b"c"),)))
    put(root, "a", b"theirs\n")
    with pytest.raises(ConflictError):
        writer._place(root, entry, 0)
    writer._take_back(root, entry)
    assert tree(root) == {"a": b"theirs\n"}
    assert_settled(root)


@pytest.mark.usefixtures("_without_exchange")
@pytest.mark.parametrize("reached", [1, 2])
def test_a_crash_inside_the_three_renames(root: Path, reached: int) -> None:
    """Killed after the first or the second of them, recovery finishes and leaves nothing lying about."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    temp = writer._temp(root, entry, 0)
    os.link(root / "a", temp.with_suffix(".old"))
    if reached == 2:
        temp.replace(root / "a")
    files.recover(root)
    assert tree(root) == {"a": b"A\n"}
    assert_settled(root)


def test_an_edit_of_a_file_with_two_names(root: Path) -> None:
    """A hard link elsewhere keeps what it had: an edit replaces the file, it does not write into it."""
    put(root, "a", b"a\n")
    os.link(root / "a", root / "b")
    edit(root, "a", b"a", b"A")
    assert tree(root) == {"a": b"A\n", "b": b"a\n"}


def test_a_long_file_and_its_end(root: Path) -> None:
    """Appending to a long file writes its own lines to history, not the file's."""
    long = b"a line of text\n" * 20_000
    put(root, "a", long)
    applied(root, adding(root, "a", b"the last\n"))
    assert (root / "a").read_bytes() == long + b"the last\n"
    record = (root / ".mneme.d/history/1/plan.json").read_bytes()
    assert len(record) < 1000
    assert sum(1 for _ in (root / ".mneme.d/history/1").iterdir()) == 1


def test_a_large_text_lies_beside_the_record(root: Path) -> None:
    """More than 16 KiB go to a file named by its hash, and come back from it."""
    big = os.urandom(20_000)
    applied(root, plan_create("a", big))
    names = {place.name for place in (root / ".mneme.d/history/1").iterdir()}
    assert names == {"plan.json", files.digest(big)}
    assert files.get_entry(root, 1).steps[0].hunks[0].new == big


def test_a_replacement_that_is_none(root: Path) -> None:
    """`plan_replace` of the same text is no change at all."""
    put(root, "a", b"a")
    assert plan_replace("a", b"a", b"a") is None
