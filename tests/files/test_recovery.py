"""Recovery: from every state a crash can leave, all of the plan or none of it, and a hand edit always stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mneme import files
from mneme.errors import ConflictError, RefusedError
from mneme.files import Plan, displaced, journal, plan_create, plan_move, plan_remove, writer

from .workbench import (
    COMMITTED,
    STAGED,
    WRITTEN,
    applied,
    assert_settled,
    edit,
    folders,
    holding,
    interrupt,
    put,
    replacing,
    tree,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.errors import Problem

OLD = {"a": b"a\n", "b": b"b\n", "gone": b"gone\n", "raw": b"\xff\r\nx"}
NEW = {"a": b"A\n", "new/f": b"n\n", "sub/c": b"B\n", "raw": b"\xff\r\ny\xfe"}
STEPS = 5


def whole_plan(root: Path) -> Plan:
    """Write the old files and return a plan of every sort of change."""
    for path, content in OLD.items():
        put(root, path, content)
    move = plan_move("b", b"b\n", "sub/c", replacing(root, "b", b"b", b"B").edits)
    changes = (
        replacing(root, "a", b"a", b"A"),
        plan_create("new/f", b"n\n"),
        move,
        plan_remove("gone", b"gone\n"),
        replacing(root, "raw", b"x", b"y\xfe"),
    )
    return Plan("edit", changes)


def recover_twice(root: Path) -> list[Problem]:
    """Recover, and check that doing it again does nothing."""
    problems = files.recover(root)
    after = tree(root)
    assert_settled(root)
    assert files.recover(root) == []
    assert tree(root) == after
    return problems


@pytest.mark.parametrize("at", [STAGED, WRITTEN])
def test_an_uncommitted_plan_never_was(root: Path, at: str) -> None:
    """Killed before the commit: the old files, no new folders, no history, no temporary files, and nothing to report."""
    plan = whole_plan(root)
    interrupt(root, plan, at)
    assert recover_twice(root) == []
    assert tree(root) == OLD
    assert folders(root) == set()
    assert list(files.entries(root)) == []


@pytest.mark.parametrize("placed", range(STEPS + 1))
def test_a_committed_plan_is_finished(root: Path, placed: int) -> None:
    """Killed after the commit, with any number of its files in place: all of it happens, and it is told."""
    plan = whole_plan(root)
    interrupt(root, plan, placed=placed)
    (problem,) = recover_twice(root)
    assert (problem.rule, problem.severity) == ("interrupted-plan", "warn")
    assert tree(root) == NEW
    assert [entry.n for entry in files.entries(root)] == [1]
    assert files.recover(root) == []


@pytest.mark.parametrize("placed", range(STEPS + 1))
def test_the_next_plan_recovers_first(root: Path, placed: int) -> None:
    """Whoever writes next finishes what was cut short, and gets the next number."""
    interrupt(root, whole_plan(root), placed=placed)
    done = applied(root, plan_create("z", b"z"))
    assert (done.n, [problem.rule for problem in done.problems]) == (2, ["interrupted-plan"])
    assert tree(root) == NEW | {"z": b"z"}


def test_the_next_plan_sees_what_recovery_did(root: Path) -> None:
    """A plan made from the state before recovery is refused: the file has moved on."""
    put(root, "a", b"a\n")
    stale = replacing(root, "a", b"a", b"X")
    interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    with pytest.raises(ConflictError):
        applied(root, stale)
    assert tree(root) == {"a": b"A\n"}


@pytest.mark.parametrize("placed", range(STEPS + 1))
@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_lost_temporary_files_are_written_again(root: Path, placed: int, damage: str) -> None:
    """The journal alone is enough: temporary files that are missing or torn are made anew from it."""
    entry = interrupt(root, whole_plan(root), placed=placed)
    for index in range(placed, STEPS):
        temp = writer._temp(root, entry, index)
        if damage == "missing":
            temp.unlink(missing_ok=True)
        elif temp.exists():
            temp.write_bytes(b"to")
    recover_twice(root)
    assert tree(root) == NEW


def test_temporary_files_written_again_keep_the_mode(root: Path) -> None:
    """A file that only its owner may read stays so when recovery writes it."""
    put(root, "a", b"a\n").chmod(0o600)
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    writer._temp(root, entry, 0).unlink()
    recover_twice(root)
    assert (root / "a").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("placed", range(STEPS + 1))
def test_folders_settled_but_not_retired(root: Path, placed: int) -> None:
    """Killed after every file is in place, with the old contents partly put aside: only the retiring is left."""
    entry = interrupt(root, whole_plan(root), placed=STEPS)
    for index in range(placed):
        displaced.keep(root, entry, index, writer._temp(root, entry, index))
    recover_twice(root)
    assert tree(root) == NEW


def test_a_move_cut_in_the_middle_is_finished(root: Path) -> None:
    """The file under both names: recovery takes the old name away."""
    plan = whole_plan(root)
    entry = interrupt(root, plan, placed=2)
    writer._place_new(writer._temp(root, entry, 2), root / "sub/c", "sub/c")
    assert (root / "b").exists()
    recover_twice(root)
    assert tree(root) == NEW


def test_a_torn_record_of_a_staged_plan(root: Path) -> None:
    """Killed while the plan was being written down: whatever is there goes, and the files are untouched."""
    plan = whole_plan(root)
    interrupt(root, plan, STAGED)
    record = root / ".mneme.d/journal/new-1/plan.json"
    whole = record.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        record.parent.mkdir(exist_ok=True)
        record.write_bytes(whole[:length])
        assert recover_twice(root) == []
        assert tree(root) == OLD
    (root / ".mneme.d/journal/new-1").mkdir()
    assert recover_twice(root) == []


@pytest.mark.parametrize(
    "record", [b"", b"null", b"[]", b'{"n": 1}', b"\xff", b'{"n": 1, "verb": "x", "at": "", "steps": [3]}']
)
def test_a_committed_record_that_cannot_be_read_is_told(root: Path, record: bytes) -> None:
    """Damage to a committed plan is not passed over in silence, and does not stop the next plan."""
    entry = interrupt(root, Plan("edit", (replacing_in(root, "a"), replacing_in(root, "b"))), placed=1)
    put(root, f".mneme.d/journal/{entry.n}/plan.json", record)
    (problem,) = files.recover(root)
    assert (problem.rule, problem.severity) == ("unreadable-plan", "error")
    assert files.recover(root) == []
    assert applied(root, plan_create("c", b"c")).problems == ()


def replacing_in(root: Path, path: str) -> files.Change:
    """Write a small file and return a change to it."""
    put(root, path, path.encode())
    return replacing(root, path, path.encode(), path.upper().encode())


@pytest.mark.parametrize("name", ["garbage", "new-", "new-x9", "12a"])
def test_foreign_things_in_the_journal(root: Path, name: str) -> None:
    """A folder that is no plan of ours does not stop anybody."""
    put(root, f".mneme.d/journal/{name}/x", b"?")
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    files.recover(root)
    assert tree(root) == {"a": b"b\n"}


# A hand edit after the crash


@pytest.mark.parametrize("placed", range(STEPS + 1))
@pytest.mark.parametrize("path", ["a", "new/f", "raw"])
def test_a_hand_edit_after_the_crash_stays(root: Path, placed: int, path: str) -> None:
    """A third content: it stays, the plan's other files go back, the plan is given up, and it is told where."""
    interrupt(root, whole_plan(root), placed=placed)
    put(root, path, b"by hand\n")
    problems = recover_twice(root)
    assert [(problem.rule, problem.path) for problem in problems] == [("abandoned-plan", path)]
    assert tree(root) == OLD | {path: b"by hand\n"}
    assert folders(root) == ({"new"} if path == "new/f" else set())
    assert files.get_entry(root, 1).abandoned


@pytest.mark.parametrize("placed", [0, 1, 2])
def test_a_hand_edit_of_a_file_to_be_moved(root: Path, placed: int) -> None:
    """The file that was to be moved is edited under its old name: it stays there, alone."""
    interrupt(root, whole_plan(root), placed=placed)
    put(root, "b", b"by hand\n")
    recover_twice(root)
    assert tree(root) == OLD | {"b": b"by hand\n"}


def test_a_hand_edit_of_a_file_half_moved(root: Path) -> None:
    """Under both names, the old one edited since: the copy we made goes, the edit stays."""
    entry = interrupt(root, whole_plan(root), placed=2)
    writer._place_new(writer._temp(root, entry, 2), root / "sub/c", "sub/c")
    put(root, "b", b"by hand\n")
    recover_twice(root)
    assert tree(root) == OLD | {"b": b"by hand\n"}


def test_a_hand_edit_of_a_file_moved(root: Path) -> None:
    """Already moved and then edited under its new name: the edit stays there, and nothing is lost."""
    interrupt(root, whole_plan(root), placed=3)
    put(root, "sub/c", b"by hand\n")
    recover_twice(root)
    found = tree(root)
    assert found.pop("sub/c") == b"by hand\n"
    assert found.items() <= OLD.items()
    assert found.keys() >= {"a", "gone", "raw"}


def test_a_file_deleted_by_hand_after_the_crash(root: Path) -> None:
    """A file that somebody took away is not made again."""
    interrupt(root, whole_plan(root), placed=1)
    (root / "a").unlink()
    (problem,) = recover_twice(root)
    assert problem.path == "a"
    assert tree(root) == {path: content for path, content in OLD.items() if path != "a"}


def test_a_folder_in_a_file_s_place(root: Path) -> None:
    """A folder stands where the plan's file was: the plan is given up, and the workspace works on."""
    plan = whole_plan(root)
    interrupt(root, plan, placed=1)
    (root / "raw").unlink()
    (root / "raw").mkdir()
    (problem,) = recover_twice(root)
    assert (problem.rule, problem.path) == ("abandoned-plan", "raw")
    assert tree(root) == {path: content for path, content in OLD.items() if path != "raw"}
    assert edit(root, "a", b"a", b"z").n == 2


def test_an_abandoned_plan_can_be_seen_but_not_undone(root: Path) -> None:
    """It keeps its number and its diff; nothing of it is there to be taken back."""
    interrupt(root, Plan("edit", (replacing_in(root, "a"),)))
    put(root, "a", b"by hand")
    files.recover(root)
    assert files.step_diff(files.get_entry(root, 1).steps[0]).endswith("\\ No newline at end of file\n")
    with pytest.raises(RefusedError, match="given up"):
        files.plan_undo(root, 1)
    assert applied(root, plan_create("z", b"")).n == 2


def test_killed_between_exchange_and_comparison(root: Path) -> None:
    """A save that slipped in just before the exchange, and a crash just after: their version is kept, and told."""
    put(root, "a", b"a\n")
    entry = interrupt(root, Plan("edit", (replacing(root, "a", b"a", b"A"),)))
    put(root, "a", b"theirs\n")
    assert writer.swap(writer._temp(root, entry, 0), root / "a")
    problems = recover_twice(root)
    assert sorted(problem.rule for problem in problems) == ["interrupted-plan", "overwritten-version"]
    assert tree(root) == {"a": b"A\n"}
    assert holding(root / ".mneme.d/history/versions", b"theirs")


# Recovery that is cut short itself, and readers


@pytest.mark.parametrize("placed", range(STEPS + 1))
def test_a_second_crash_during_recovery(root: Path, placed: int) -> None:
    """Recovery stopped after each of its own steps is taken up again."""
    interrupt(root, whole_plan(root))
    entry = journal.load_entry(root / ".mneme.d/journal/1")
    writer._restore_temps(root, entry)
    for index in range(placed):
        writer._place(root, entry, index)
    recover_twice(root)
    assert tree(root) == NEW


@pytest.mark.parametrize("turned", range(STEPS + 1))
def test_a_second_crash_while_giving_up(root: Path, turned: int) -> None:
    """Stopped while files were being brought back: the rest follows next time."""
    plan = whole_plan(root)
    put(root, "hand", b"hand\n")
    plan = Plan("edit", (*plan.changes, replacing(root, "hand", b"hand", b"HAND")))
    interrupt(root, plan, placed=STEPS)
    put(root, "hand", b"by hand\n")
    entry = journal.load_entry(root / ".mneme.d/journal/1")
    for index in list(reversed(range(STEPS)))[:turned]:
        writer._revert(root, entry, index)
    recover_twice(root)
    assert tree(root) == OLD | {"hand": b"by hand\n"}


def test_retired_but_the_journal_s_name_came_back(root: Path) -> None:
    """Both names of a finished plan after a power loss: one of them goes."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"A")
    journal.journal_folder(root).mkdir(exist_ok=True)
    source = journal.history_folder(root) / "1"
    target = journal.journal_folder(root) / "1"
    target.mkdir()
    for place in source.iterdir():
        (target / place.name).write_bytes(place.read_bytes())
    recover_twice(root)
    assert tree(root) == {"a": b"A\n"}
    assert [entry.n for entry in files.entries(root)] == [1]


def test_recovery_does_not_wait_for_a_live_writer(root: Path) -> None:
    """A reader that meets a plan under way passes on: the writer is at work."""
    interrupt(root, Plan("edit", (replacing_in(root, "a"),)), COMMITTED)
    with files.locked(root, "other", wait=0):
        assert files.recover(root) == []
        assert journal.pending(root) == ["1"]
    assert [problem.rule for problem in files.recover(root)] == ["interrupted-plan"]


def test_recovery_of_nothing_makes_nothing(root: Path) -> None:
    """A reader leaves no folder behind in a workspace that was never written."""
    assert files.recover(root) == []
    assert os.listdir(root) == []
