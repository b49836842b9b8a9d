"""Taking plans back: exactly what they did, wherever it has moved to, or a refusal that says what would be lost."""

from __future__ import annotations

import os
import random
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme import files
from mneme.errors import BadInputError, NotFoundError, RefusedError
from mneme.files import Edit, Plan, plan_create, plan_edit, plan_move, plan_remove, plan_replace

from .workbench import (
    NOW,
    adding,
    applied,
    assert_settled,
    edit,
    folders,
    interrupt,
    new_root,
    put,
    replacing,
    tree,
    undo,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.files import Change

LINES = b"".join(b"line %d\n" % n for n in range(1, 31))


def refused(root: Path, n: int, words: str) -> None:
    """Check that an undo is refused for a reason, and that nothing changes."""
    before = tree(root)
    with pytest.raises(RefusedError, match=words):
        undo(root, n)
    assert tree(root) == before
    assert_settled(root)


def test_every_sort_of_change_is_taken_back(root: Path) -> None:
    """Edited, created, moved with an edit, taken away: all as it was, folders and permissions too."""
    put(root, "a", b"caf\xe9\r\nno newline at the end")
    put(root, "b", b"b\n").chmod(0o640)
    put(root, "gone", b"gone\n").chmod(0o600)
    before = tree(root)
    applied(
        root,
        replacing(root, "a", b"\xe9\r\nno", b"\xff\n"),
        plan_create("x/y/new", b"new"),
        plan_move("b", b"b\n", "z/b", [Edit(0, 1, b"B")]),
        plan_remove("gone", b"gone\n"),
    )
    assert undo(root, 1).n == 2
    assert tree(root) == before
    assert folders(root) == set()
    assert stat.S_IMODE((root / "b").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "gone").stat().st_mode) == 0o600
    entry = files.get_entry(root, 2)
    assert (entry.verb, entry.undoes) == ("undo", 1)
    assert_settled(root)


def test_later_plans_elsewhere_in_the_file_stay(root: Path) -> None:
    """Plans above and below, longer and shorter: their lines stay, ours go back."""
    put(root, "a", LINES)
    edit(root, "a", b"line 15\n", b"OURS\nand more\n")
    edit(root, "a", b"line 2\n", b"above, and longer\nby a line\n")
    edit(root, "a", b"line 7\nline 8\n", b"")
    edit(root, "a", b"line 29\n", b"below\n")
    edit(root, "a", b"line 16\n", b"right below\n")
    edit(root, "a", b"line 14\n", b"right above\n")
    now = tree(root)["a"]
    undo(root, 1)
    assert tree(root)["a"] == now.replace(b"OURS\nand more\n", b"line 15\n")


def test_several_hunks_move_each_by_its_own_way(root: Path) -> None:
    """Hunks of one plan, with later plans between them."""
    put(root, "a", LINES)
    content = LINES
    places = [content.index(b"line %d\n" % n) for n in (3, 12, 25)]
    applied(root, plan_edit("a", content, [Edit(at, at + 4, b"LINE") for at in places]))
    edit(root, "a", b"line 8\n", b"between\nand between\n")
    edit(root, "a", b"line 20\n", b"")
    now = tree(root)["a"]
    undo(root, 1)
    assert tree(root)["a"] == now.replace(b"LINE", b"line")


@pytest.mark.parametrize(
    ("old", "new"), [(b"OURS\n", b"theirs\n"), (b"OURS\nline 16\n", b"both\n"), (b"OURS", b"OURS and more")]
)
def test_a_later_plan_on_the_same_lines_is_named(root: Path, old: bytes, new: bytes) -> None:
    """Where a later plan changed what this one wrote, the undo says which."""
    put(root, "a", LINES)
    edit(root, "a", b"line 15\n", b"OURS\n")
    edit(root, "a", b"line 3\n", b"elsewhere\n")
    edit(root, "a", old, new)
    refused(root, 1, "plan 1 cannot be undone in 'a': plan 3 changed the same lines later")
    undo(root, 3)
    undo(root, 1)
    assert tree(root)["a"] == LINES.replace(b"line 3\n", b"elsewhere\n")


def test_after_hand_edits_elsewhere(root: Path) -> None:
    """Lines put in by hand above and below: the hunk is found by itself or by its surroundings."""
    put(root, "a", LINES)
    edit(root, "a", b"line 15\n", b"")
    edit(root, "a", b"line 22\n", b"OURS\n")
    put(root, "a", b"by hand\n" + tree(root)["a"].replace(b"line 28\n", b"by hand, too\n"))
    now = tree(root)["a"]
    undo(root, 2)
    undo(root, 1)
    assert tree(root)["a"] == now.replace(b"OURS\n", b"line 22\n").replace(b"line 14\n", b"line 14\nline 15\n")


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        (b"ours twice\nOURS\nOURS\n", "two places"),
        (b"OURS, but changed\n", "the line itself was edited"),
        (b"SURELY OURS\n", "the line is the tail of a longer one"),
        (b"OURS\nline 9\nOURS\n", "two places apart"),
        (b"something else\n", "the line is gone"),
    ],
)
def test_refused_where_a_hand_edit_would_be_lost(root: Path, hand: bytes, why: str) -> None:
    """No place, more than one, or one that is only part of a line: refused."""
    assert why
    put(root, "a", b"top\nline 1\nend\n")
    edit(root, "a", b"line 1\n", b"OURS\n")
    put(root, "a", b"other top\n" + hand + b"other end\n")
    refused(root, 1, "edited by hand since, in the same place")


@pytest.mark.parametrize("below", [b"c\nend\n", b"no, c\nend\n"])
def test_a_line_put_in_is_not_cut_out_of_somebody_s_longer_line(root: Path, below: bytes) -> None:
    """The bytes we wrote occur once, but as the end of a line that a person wrote."""
    put(root, "a", b"x\n" + below)
    applied(root, plan_edit("a", b"x\n" + below, [Edit(2, 2, b"no\n")]))
    put(root, "a", b"x1\ncasino\n" + below)
    refused(root, 1, "edited by hand")


def test_a_line_taken_away_is_not_put_into_the_middle_of_one(root: Path) -> None:
    """The surroundings of a line that we took away occur only inside longer lines: refused."""
    put(root, "a", b"a\nb\nc\n")
    edit(root, "a", b"b\n", b"")
    put(root, "a", b"data\nmusic\n")
    refused(root, 1, "edited by hand")


def test_a_last_line_without_newline(root: Path) -> None:
    """A line appended to a file without a final newline is taken back, also after an edit by hand above."""
    put(root, "a", b"one\ntwo\nthree\nfour\nfive")
    applied(root, adding(root, "a", b"\nsix"))
    put(root, "a", tree(root)["a"].replace(b"one", b"by hand"))
    undo(root, 1)
    assert tree(root)["a"] == b"by hand\ntwo\nthree\nfour\nfive"


def test_the_beginning_of_a_longer_last_line_is_not_ours(root: Path) -> None:
    """What we wrote without a final newline was written on by hand: refused."""
    applied(root, plan_create("a", b"no"))
    put(root, "a", b"nothing\n")
    refused(root, 1, "edited by hand")


# Files that came, went and moved


def test_a_created_file_with_more_in_it_keeps_the_rest(root: Path) -> None:
    """A file that we made and others wrote into stays, with what the others wrote."""
    applied(root, plan_create("new/a", b"ours\n"))
    applied(root, adding(root, "new/a", b"theirs\n"))
    undo(root, 1)
    assert tree(root) == {"new/a": b"theirs\n"}
    applied(root, plan_create("new/b", b"ours\n"))
    put(root, "new/b", b"by hand\nours\n")
    undo(root, 4)
    assert tree(root) == {"new/a": b"theirs\n", "new/b": b"by hand\n"}


def test_a_created_file_in_a_folder_with_others(root: Path) -> None:
    """Its folder stays while there is something in it."""
    applied(root, plan_create("new/a", b"ours\n"))
    put(root, "new/b", b"theirs\n")
    undo(root, 1)
    assert tree(root) == {"new/b": b"theirs\n"}


def test_a_removed_file_comes_back_from_the_trash(root: Path) -> None:
    """With the bytes it had; not where there is a file of that name again, and not if the trash was emptied."""
    put(root, "d/a", b"a\n")
    put(root, "b", b"b\n")
    files.apply(root, Plan("archive", (plan_remove("d/a", b"a\n"), plan_remove("b", b"b\n")), prune=("d",)), now=NOW)
    put(root, "b", b"another\n")
    refused(root, 1, "there is a file of that name again")
    (root / "b").unlink()
    undo(root, 1)
    assert tree(root) == {"d/a": b"a\n", "b": b"b\n"}
    applied(root, plan_remove("b", b"b\n"))
    (root / ".mneme.d/trash/3/b").unlink()
    refused(root, 3, "no longer in the trash")


def test_a_moved_file_goes_back(root: Path) -> None:
    """With what was edited since, if that was elsewhere; not over another file; not if it has gone."""
    put(root, "a", LINES)
    applied(root, plan_move("a", LINES, "sub/b", replacing(root, "a", b"line 4\n", b"OURS\n").edits))
    edit(root, "sub/b", b"line 20\n", b"later\n")
    put(root, "a", b"another\n")
    refused(root, 1, "there is a file of that name again")
    (root / "a").unlink()
    undo(root, 1)
    assert tree(root) == {"a": LINES.replace(b"line 20\n", b"later\n")}
    undo(root, 3)
    assert tree(root) == {"sub/b": LINES.replace(b"line 4\n", b"OURS\n").replace(b"line 20\n", b"later\n")}


def test_a_file_that_has_gone(root: Path) -> None:
    """There is nothing to take a change back in."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    (root / "a").unlink()
    refused(root, 1, "the file has gone since")


def test_all_files_or_none(root: Path) -> None:
    """One file that cannot be taken back keeps the others as they are."""
    put(root, "a", b"a\n")
    put(root, "b", b"b\n")
    applied(root, replacing(root, "a", b"a", b"A"), replacing(root, "b", b"b", b"B"))
    put(root, "b", b"by hand\n")
    refused(root, 1, "in 'b': it was edited by hand")


# Undoing what was undone


def test_an_undo_is_undone(root: Path) -> None:
    """And that again, and so on; a plan counts as undone while the newest word says so."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    wanted = [(2, b"a\n", {1}), (3, b"b\n", {2}), (4, b"a\n", {1, 3}), (5, b"b\n", {2, 4})]
    for n, content, undone in wanted:
        assert undo(root, n - 1).n == n
        assert tree(root)["a"] == content
        assert files.undone_numbers(root) == undone
    assert files.last_to_undo(root) == 1


@pytest.mark.parametrize("makes", ["create", "remove", "move"])
def test_an_undo_of_a_file_s_coming_and_going_is_undone(root: Path, makes: str) -> None:
    """Files that an undo made or took away go and come back, too."""
    put(root, "a", b"a\n")
    change = {
        "create": plan_create("n/b", b"b\n"),
        "remove": plan_remove("a", b"a\n"),
        "move": plan_move("a", b"a\n", "n/b"),
    }
    before, after = tree(root), tree(root)
    applied(root, change[makes])
    after = tree(root)
    for n in range(1, 5):
        undo(root, n)
        assert tree(root) == (before if n % 2 else after)
    assert_settled(root)


def test_twice_is_refused(root: Path) -> None:
    """What has been undone already is not undone again, until it has been done again."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    undo(root, 1)
    refused(root, 1, "plan 1 has been undone already")
    undo(root, 2)
    undo(root, 1)
    refused(root, 1, "plan 1 has been undone already")
    refused(root, 2, "plan 2 has been undone already")


def test_the_last_to_undo(root: Path) -> None:
    """Without a number it is the newest plan that still stands and is no undo."""
    with pytest.raises(BadInputError, match="nothing to undo"):
        files.last_to_undo(root)
    for text in (b"1", b"2", b"3"):
        applied(root, plan_create(f"f{text.decode()}", text))
    for wanted in (3, 2, 1):
        assert files.last_to_undo(root) == wanted
        undo(root, wanted)
    with pytest.raises(BadInputError, match="nothing to undo"):
        files.last_to_undo(root)
    with pytest.raises(NotFoundError, match="no plan 99"):
        files.plan_undo(root, 99)


def test_an_undo_that_was_given_up_does_not_count(root: Path) -> None:
    """An undo cut short by a crash and abandoned for a hand edit never happened: the plan can still be undone."""
    put(root, "a", b"a\n")
    edit(root, "a", b"a", b"b")
    interrupt(root, files.plan_undo(root, 1))
    put(root, "a", b"by hand\n")
    files.recover(root)
    assert files.undone_numbers(root) == set()
    put(root, "a", b"b\n")
    undo(root, 1)
    assert tree(root) == {"a": b"a\n"}


def test_after_something_above_was_forgotten(root: Path) -> None:
    """Nobody knows any more how far the lines moved, so they are looked for."""
    put(root, "a", LINES)
    edit(root, "a", b"line 25\n", b"OURS\n")
    content = tree(root)["a"]
    at = content.index(b"line 3\n")
    files.destroy(
        root, Plan("forget", (plan_edit("a", content, [Edit(at, at + 7, b"")]),), free=True), ("line 3\n",), now=NOW
    )
    undo(root, 1)
    assert tree(root)["a"] == LINES.replace(b"line 3\n", b"")


# Any plans


@st.composite
def plan_seeds(draw: st.DrawFn) -> list[int]:
    """Draw seeds, one per plan."""
    return draw(st.lists(st.integers(0, 2**32), min_size=1, max_size=7))


PATHS = ("a", "b", "sub/c", "sub/deep/d")


def random_plan(root: Path, seed: int) -> Plan:
    """Return a plan over some of the files, as they are: created, edited, moved or taken away."""
    chance = random.Random(seed)  # noqa: S311 - chosen by hypothesis
    found, changes, used = tree(root), list[files.Change](), set[str]()
    for path in chance.sample(PATHS, chance.randint(1, 3)):
        free = [other for other in PATHS if other not in found and other not in used]
        if path in used:
            continue
        used.add(path)
        change = _random_change(chance, path, found.get(path), free)
        if change is not None:
            changes.append(change)
            used.add(change.to or path)
    return Plan("random", tuple(changes))


def _random_change(chance: random.Random, path: str, content: bytes | None, free: list[str]) -> Change | None:
    if content is None:
        return plan_create(path, chance.choice([b"", b"x", LINES[: chance.randint(0, 60)], b"\xff\r\n\0"]))
    act = chance.random()
    if act < 0.15:
        return plan_remove(path, content)
    if act < 0.3 and free:
        return plan_move(path, content, chance.choice(free))
    places = sorted(chance.randint(0, len(content)) for _ in range(2 * chance.randint(1, 3)))
    news = [b"", b"new", b"new\n", b"\n", b"\r\n\xe9", b"many\nnew\nlines\n"]
    return plan_edit(
        path, content, [Edit(a, b, chance.choice(news)) for a, b in zip(places[::2], places[1::2], strict=True)]
    )


@settings(max_examples=60, deadline=None)
@given(plan_seeds())
def test_undoing_all_in_reverse_restores_everything(seeds: list[int]) -> None:
    """Any plans, taken back from the last to the first: every byte and every folder as at the start."""
    with new_root() as root:
        put(root, "a", LINES[:50])
        put(root, "sub/c", b"c\r\n\xff")
        states = [(tree(root), folders(root))]
        done = []
        for seed in seeds:
            number = files.apply(root, random_plan(root, seed), now=NOW).n
            if number:
                done.append(number)
                states.append((tree(root), folders(root)))
        for n in reversed(done):
            assert (tree(root), folders(root)) == states.pop()
            undo(root, n)
        assert (tree(root), folders(root)) == states.pop()
        assert_settled(root)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_undoing_any_one_restores_exactly_its_lines_or_nothing(data: st.DataObject) -> None:
    """Plans and hand edits in one file of lines that all differ: an undo turns its own lines back and moves no other."""
    with new_root() as root:
        put(root, "a", b"".join(b"start %d\n" % n for n in range(12)))
        done: dict[int, list[tuple[list[bytes], list[bytes]]]] = {}
        for step in range(data.draw(st.integers(1, 6))):
            lines = tree(root)["a"].splitlines(keepends=True)
            pieces = _random_lines(data, lines, step)
            if data.draw(st.integers(0, 3)) == 0:
                put(root, "a", _with_pieces(lines, pieces))
                continue
            content, offsets = tree(root)["a"], [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
            edits = [Edit(offsets[start], offsets[end], b"".join(new)) for start, end, new in pieces]
            number = files.apply(root, Plan("edit", (plan_edit("a", content, edits),)), now=NOW).n
            if number:
                done[number] = [(lines[start:end], new) for start, end, new in pieces]
        if not done:
            return
        n = data.draw(st.sampled_from(sorted(done)))
        before = tree(root)["a"].splitlines(keepends=True)
        try:
            undo(root, n)
        except RefusedError:
            assert tree(root)["a"].splitlines(keepends=True) == before
            return
        after = tree(root)["a"].splitlines(keepends=True)
        olds = [line for old, _ in done[n] for line in old]
        news = [line for _, new in done[n] for line in new]
        assert [line for line in after if line not in olds] == [line for line in before if line not in news]
        assert [line for line in after if line in olds] == olds
        assert set(news) <= set(before)
        assert not set(news) & set(after)


def _random_lines(data: st.DataObject, lines: list[bytes], step: int) -> list[tuple[int, int, list[bytes]]]:
    places = sorted(data.draw(st.lists(st.integers(0, len(lines)), min_size=2, max_size=4)))
    pieces = []
    for number, (start, end) in enumerate(zip(places[::2], places[1::2], strict=False)):
        new = [b"%d-%d-%d\n" % (step, number, at) for at in range(data.draw(st.integers(0, 2)))]
        pieces.append((start, min(end, start + 3), new))
    return pieces


def _with_pieces(lines: list[bytes], pieces: list[tuple[int, int, list[bytes]]]) -> bytes:
    out, done = [], 0
    for start, end, new in pieces:
        out += lines[done:start] + new
        done = end
    return b"".join(out + lines[done:])


def test_owner_of_a_file_that_comes_back(root: Path) -> None:
    """Where we may give files away, a file that comes back has the owner it had."""
    if os.geteuid() == 0:
        os.chown(put(root, "a", b"a\n"), 4321, 4322)
    place = put(root, "a", b"a\n")
    owner = (place.stat().st_uid, place.stat().st_gid)
    applied(root, plan_remove("a", b"a\n"))
    undo(root, 1)
    assert (place.stat().st_uid, place.stat().st_gid) == owner


def test_a_replacement_of_everything(root: Path) -> None:
    """A file replaced by another text of other length is put back."""
    put(root, "a", LINES)
    change = plan_replace("a", LINES, b"short")
    assert change is not None
    applied(root, change)
    undo(root, 1)
    assert tree(root) == {"a": LINES}
