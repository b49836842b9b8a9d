"""Forgetting: afterwards the text is nowhere under the workspace, and what cannot be reached is reported."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mneme import files
from mneme.errors import ConflictError, RefusedError
from mneme.files import Edit, Plan, displaced, forget, journal, plan_create, plan_edit, plan_move, plan_remove, writer

from .workbench import (
    COMMITTED,
    NOW,
    STAGED,
    WRITTEN,
    applied,
    assert_settled,
    edit,
    holding,
    interrupt,
    put,
    replacing,
    tree,
    undo,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.files import Forgotten

NEEDLE = 'the Schlüssel is "hunter2"\\ 🔑 \udcff'
RAW = NEEDLE.encode("utf-8", "surrogateescape")
FORMS = [
    RAW,
    json.dumps(NEEDLE)[1:-1].encode(),
    json.dumps(NEEDLE, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape"),
]
TRACES = [*FORMS, b"hunter2", b"hunter\\u0032"]


def cutting(root: Path, path: str, text: bytes = RAW) -> files.Change:
    """Return the change that cuts the text out of a file."""
    return replacing(root, path, text, b"")


def forgotten(
    root: Path, *changes: files.Change, needles: tuple[str, ...] = (NEEDLE,), prune: tuple[str, ...] = ()
) -> Forgotten:
    """Forget the text."""
    return files.destroy(root, Plan("forget", changes, note="forget a key", free=True, prune=prune), needles, now=NOW)


def assert_gone(root: Path) -> None:
    """Check that no spelling of the text is in any file."""
    assert {form: holding(root, form) for form in TRACES if holding(root, form)} == {}
    assert_settled(root)


def fill(root: Path) -> None:
    """Bring the text into every corner that the machine keeps."""
    put(root, "note.md", b"above\n" + RAW + b"\nbelow\n")
    applied(root, plan_create("made.md", RAW + b"\n", reason=f"remember {NEEDLE}"))
    edit(root, "made.md", RAW, b"something else")
    applied(root, plan_create("big.md", b"x" * 20_000 + RAW + b"y" * 20_000))
    applied(root, plan_remove("big.md", (root / "big.md").read_bytes()))
    put(root, "moved.md", RAW)
    applied(root, plan_move("moved.md", RAW, "moved-again.md", [Edit(0, len(RAW), b"clean")]))
    files.apply(root, Plan("remember", (plan_create("x.md", b"x"),), note=f"said {NEEDLE}"), now=NOW)
    with (root / "x.md").open("r+b") as editor:
        edit(root, "x.md", b"x", b"y")
        editor.write(RAW)
    put(root, ".mneme.d/history/versions/9-0-abc", b"kept: " + RAW)
    put(root, ".mneme.d/cache/names.json", json.dumps({"a": NEEDLE}).encode())
    put(root, ".mneme.d/cache/clean.json", b"{}")
    for path in (".mneme.d/recall.jsonl", ".mneme.d/logs/outcomes.jsonl"):
        lines = [{"q": "harmless"}, {"q": NEEDLE}, {"q": f"and {NEEDLE} again"}, {"q": "harmless, too"}]
        put(root, path, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    for path in ("index.sqlite", "index/main.sqlite", "index/other.db"):
        _fill_database(root / ".mneme.d" / path)


def _fill_database(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    base = sqlite3.connect(place)
    base.execute("create table t (x)")
    base.execute("insert into t values (?)", ("z" * 4050 + "hunter2" + "z" * 4050,))
    base.commit()
    base.execute("delete from t")
    base.commit()
    base.close()


def test_the_text_is_nowhere_afterwards(root: Path) -> None:
    """Not in the file, history, its large texts, trash, late saves, versions, logs, caches or a database's free pages."""
    fill(root)
    report = forgotten(root, cutting(root, "note.md"))
    assert_gone(root)
    assert tree(root)["note.md"] == b"above\n\nbelow\n"
    assert report.paths == ("note.md",)
    assert report.remains == ()
    assert set(report.plans) >= {1, 2, 3, 5, 6}
    assert ".mneme.d/cache/names.json" in report.dropped
    assert (root / ".mneme.d/cache/clean.json").exists()
    for path in (".mneme.d/recall.jsonl", ".mneme.d/logs/outcomes.jsonl"):
        assert (root / path).read_bytes() == b'{"q": "harmless"}\n{"q": "harmless, too"}\n'
    assert not list((root / ".mneme.d").rglob("*.sqlite"))


def test_the_log_keeps_that_it_happened(root: Path) -> None:
    """Numbers, verbs, times and paths stay; texts, notes and reasons go; nothing can be undone from them."""
    fill(root)
    before = [(entry.n, entry.verb, entry.at, entry.paths) for entry in files.entries(root)]
    report = forgotten(root, cutting(root, "note.md"))
    after = list(files.entries(root))
    assert [(entry.n, entry.verb, entry.at, entry.paths) for entry in after[:-1]] == before
    assert (after[-1].n, after[-1].verb, after[-1].lost, after[-1].needles) == (report.n, "forget", True, ())
    for n in (*report.plans, report.n):
        with pytest.raises(RefusedError, match="forgotten on purpose"):
            files.plan_undo(root, n)
    assert files.last_to_undo(root) not in {*report.plans, report.n}


def test_plans_without_the_text_can_still_be_undone(root: Path) -> None:
    """Forgetting reaches no further than the text."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    put(root, "note.md", RAW)
    forgotten(root, cutting(root, "note.md"))
    undo(root, 1)
    assert tree(root) == {"a": b"a\n", "note.md": b""}


def test_a_whole_file_is_forgotten(root: Path) -> None:
    """A file that goes leaves nothing in the trash, and its folder goes where that was asked."""
    put(root, "deep/note.md", RAW)
    report = forgotten(root, plan_remove("deep/note.md", RAW), prune=("deep",))
    assert tree(root) == {}
    assert not (root / "deep").exists()
    assert_gone(root)
    assert report.n == 1


def test_what_stands_only_in_history_is_forgotten(root: Path) -> None:
    """No file holds the text any more: the plan has no steps, and still does its work."""
    applied(root, plan_create("a", RAW))
    edit(root, "a", RAW, b"clean")
    report = forgotten(root)
    assert_gone(root)
    assert (report.n, report.paths, report.plans) == (3, (), (1, 2))


def test_a_text_spread_over_a_hunk_and_its_surroundings(root: Path) -> None:
    """A text of several lines, of which a plan changed only one, is in no single piece of the record, and goes all the same."""
    needle = "first line of it\nsecond line of it\nthird line of it"
    put(root, "a", b"top\n" + needle.encode() + b"\nend\n")
    edit(root, "a", b"second line of it\n", b"another second line\n")
    put(root, "b", b"x\n")
    edit(root, "b", b"x\n", needle.encode()[:20] + b"\n")
    report = forgotten(root, needles=(needle,))
    assert report.plans == (1,)
    for line in (b"second line of it", b"third line of it"):
        assert [path for path in holding(root, line) if path.startswith(".mneme.d")] == []


def test_a_text_at_the_edge_of_a_large_one(root: Path) -> None:
    """Half in a text kept beside the record, half in the record itself."""
    big = b"".join(b"%05d\n" % n for n in range(4000))
    put(root, "a", b"the secret\n")
    applied(root, plan_edit("a", b"the secret\n", [Edit(11, 11, big)]))
    forgotten(root, needles=("secret\n00000",))
    assert [path for path in holding(root / ".mneme.d", b"secret") if path.startswith("history")] == []


def test_copies_elsewhere_are_reported(root: Path) -> None:
    """Other files of the workspace that hold the text are named, not touched; so is a repository."""
    put(root, "note.md", RAW)
    put(root, "other/copy.md", b"> " + RAW)
    put(root, "other/data.json", json.dumps(NEEDLE).encode())
    put(root, ".git/config", b"")
    (root / "other/link.md").symlink_to("copy.md")
    report = forgotten(root, cutting(root, "note.md"))
    assert [place for place in report.remains if not place.startswith(".git")] == ["other/copy.md", "other/data.json"]
    assert any(place.startswith(".git") for place in report.remains)
    assert tree(root)["other/copy.md"] == b"> " + RAW


def test_a_file_that_moved_on_stops_forgetting(root: Path) -> None:
    """As with any plan, nothing happens then."""
    put(root, "note.md", b"other")
    applied(root, plan_create("a", RAW))
    with pytest.raises(ConflictError):
        forgotten(root, plan_edit("note.md", RAW, [Edit(0, 1, b"")]))
    assert holding(root, RAW)
    assert files.plan_undo(root, 1)
    assert_settled(root)


def test_a_late_save_is_told_by_forgetting_too(root: Path) -> None:
    """Forgetting settles what waits at once; a version of somebody's that it finds there is reported."""
    put(root, "a", b"a version\n")
    with (root / "a").open("r+b") as editor:
        edit(root, "a", b"a version", b"b version")
        editor.write(b"LATE")
    report = forgotten(root, needles=("something",))
    assert [problem.rule for problem in report.problems] == ["overwritten-version"]
    assert holding(root / ".mneme.d", b"LATE")


# Cut short


def forgetting(root: Path) -> Plan:
    """Bring the text into two files and history, and return the plan that forgets it."""
    put(root, "a", b"1 " + RAW + b"\n")
    put(root, "b", b"2 " + RAW + b"\n")
    applied(root, plan_create("c", RAW))
    edit(root, "c", RAW, b"clean")
    put(root, "gone", RAW)
    return Plan("forget", (cutting(root, "a"), cutting(root, "b"), plan_remove("gone", RAW)), free=True)


@pytest.mark.parametrize("at", [STAGED, WRITTEN])
def test_cut_short_before_the_commit(root: Path, at: str) -> None:
    """Nothing is forgotten, and the journal that names the text is gone."""
    interrupt(root, forgetting(root), at, needles=(NEEDLE,))
    assert files.recover(root) == []
    assert len(tree(root)) == 4
    assert files.plan_undo(root, 2)
    assert_settled(root)


@pytest.mark.parametrize("placed", range(4))
@pytest.mark.parametrize("temps", ["whole", "lost"])
def test_cut_short_after_the_commit(root: Path, placed: int, temps: str) -> None:
    """The next opening finishes it, with nothing but what the journal says; and once more does nothing."""
    entry = interrupt(root, forgetting(root), COMMITTED, placed=placed, needles=(NEEDLE,))
    for index in range(placed, 3):
        if temps == "lost":
            writer._temp(root, entry, index).unlink(missing_ok=True)
    (problem,) = files.recover(root)
    assert problem.rule == "interrupted-plan"
    assert tree(root) == {"a": b"1 \n", "b": b"2 \n", "c": b"clean"}
    assert_gone(root)
    assert files.recover(root) == []


@pytest.mark.parametrize("scrubbed", range(1, 5))
def test_cut_short_while_scrubbing(root: Path, scrubbed: int) -> None:
    """Killed anywhere between the files and the end: the rest is scrubbed next time."""
    interrupt(root, forgetting(root), placed=3, needles=(NEEDLE,))
    entry = journal.load_entry(root / ".mneme.d/journal/3")
    writer._settle_folders(root, entry)
    forms = forget._forms(NEEDLE)
    acts = [
        lambda: list(forget._scrub_history(root, forms)),
        lambda: forget._scrub_copies(root, forms),
        lambda: list(forget._scrub_derived(root, forms)),
        lambda: journal.rewrite(root / ".mneme.d/journal/3", journal.stripped(entry, lost=True)),
    ]
    for act in acts[:scrubbed]:
        act()
    files.recover(root)
    assert_gone(root)
    assert tree(root) == {"a": b"1 \n", "b": b"2 \n", "c": b"clean"}
    assert [one.n for one in files.entries(root)] == [1, 2, 3]


def test_cut_short_with_no_file_to_change(root: Path) -> None:
    """A plan without steps is finished like any other."""
    applied(root, plan_create("a", RAW))
    edit(root, "a", RAW, b"clean")
    interrupt(root, Plan("forget", free=True), needles=(NEEDLE,))
    assert [problem.rule for problem in files.recover(root)] == ["interrupted-plan"]
    assert_gone(root)


@pytest.mark.parametrize("placed", range(4))
@pytest.mark.parametrize("settled", [False, True])
def test_a_hand_edit_after_the_crash(root: Path, placed: int, settled: bool) -> None:  # noqa: FBT001
    """The edited file stays as it is and is named; everything else is forgotten; no file is damaged by a way back."""
    interrupt(root, forgetting(root), placed=placed, needles=(NEEDLE,))
    if settled and placed == 3:
        writer._settle_folders(root, journal.load_entry(root / ".mneme.d/journal/3"))
    put(root, "b", b"by hand\n")
    problems = files.recover(root)
    assert "b" in {problem.path for problem in problems}
    assert tree(root) == {"a": b"1 \n", "b": b"by hand\n", "c": b"clean"}
    assert_gone(root)


@pytest.mark.parametrize("placed", range(4))
def test_ctrl_c_while_forgetting(root: Path, placed: int) -> None:
    """Interrupted after the commit: what is left is done at the next opening, and the text is in no journal."""
    plan = forgetting(root)
    prepared = writer._prepare_all(root, plan)
    entry = replace(writer._entry(root, plan, prepared, NOW), needles=(NEEDLE,), destroys=True)
    with pytest.raises(KeyboardInterrupt), writer._whole_or_nothing(root, entry, prepared):
        interrupted(root, entry, placed)
    files.recover(root)
    assert tree(root) == {"a": b"1 \n", "b": b"2 \n", "c": b"clean"}
    assert_gone(root)


def interrupted(root: Path, entry: files.Entry, placed: int) -> None:
    """Place some files of a plan, then be interrupted from the keyboard."""
    for index in range(placed):
        writer._place(root, entry, index)
    raise KeyboardInterrupt


def test_the_journal_of_a_forgetting_plan_holds_no_old_text(root: Path) -> None:
    """What is cut is known by its length alone; only the needle itself stands there until the end."""
    put(root, "a", b"private: " + RAW + b" and more\n")
    change = plan_edit("a", (root / "a").read_bytes(), [Edit(0, len((root / "a").read_bytes()), b"")])
    interrupt(root, Plan("forget", (change,), free=True), needles=("hunter2",))
    assert not holding(root / ".mneme.d/journal", b"private")
    files.recover(root)
    assert_gone(root)


def test_what_an_editor_saved_meanwhile_is_kept_without_the_text(root: Path) -> None:
    """A version found under the temporary name that is neither old nor new is somebody's: it stays, scrubbed."""
    put(root, "a", RAW)
    entry = interrupt(root, Plan("forget", (cutting(root, "a"),), free=True), placed=1, needles=(NEEDLE,))
    put(root, entry.temp_of(0), b"their work, and " + RAW)
    files.recover(root)
    assert_gone(root)
    assert holding(root / ".mneme.d/history/versions", b"their work, and " + forget.GAP)


def test_copies_put_aside_are_blanked_not_dropped(root: Path) -> None:
    """What else is in the trash can still be looked at; its mode stays."""
    content = b"keep this\n" + RAW + b"\n"
    put(root, "a", content).chmod(0o600)
    applied(root, plan_remove("a", content))
    forgotten(root)
    place = displaced.trash_place(root, 1, "a")
    assert place.read_bytes() == b"keep this\n" + forget.GAP + b"\n"
    assert place.stat().st_mode & 0o777 == 0o600
