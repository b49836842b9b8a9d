"""What is written down about a plan: it comes back as it was, and damage to one record is nobody else's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme import files
from mneme.errors import NotFoundError
from mneme.files import Entry, Hunk, Step, journal, plan_create

from .workbench import applied, new_root, put

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
BYTES = st.binary(max_size=12) | st.binary(min_size=1, max_size=3).map(lambda piece: piece * 17_000)
HUNKS = st.builds(Hunk, st.integers(0, 9), st.integers(1, 9), BYTES, BYTES, BYTES, BYTES)
HASHES = st.none() | st.just("0" * 64)
STEPS = st.builds(Step, TEXTS, HASHES, HASHES, st.lists(HUNKS, max_size=2).map(tuple), TEXTS, st.none() | st.just("t"))
NAMES = st.lists(TEXTS, max_size=2).map(tuple)
ENTRIES = st.builds(
    Entry, st.just(3), TEXTS, TEXTS, st.lists(STEPS, max_size=2).map(tuple), TEXTS, st.none() | st.integers(0, 9),
    NAMES, NAMES, NAMES, st.just(value=False), st.booleans(), st.booleans(),
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(ENTRIES)
def test_a_record_comes_back_as_it_was(entry: Entry) -> None:
    """Whatever a plan holds, any bytes included, is read back exactly."""
    with new_root() as root:
        files.workplace(root)
        assert journal.load_entry(journal.stage(root, entry)) == entry
        assert journal.load_entry(journal.commit(root, entry)) == entry
        journal.retire(root, entry)
        assert files.get_entry(root, 3) == entry


@settings(max_examples=40, deadline=None)
@given(ENTRIES)
def test_a_rewritten_record_holds_nothing_else(entry: Entry) -> None:
    """Stripping a record takes its texts, also those beside it, and keeps what happened."""
    with new_root() as root:
        files.workplace(root)
        folder = journal.stage(root, entry)
        poorer = journal.stripped(entry, lost=True)
        journal.rewrite(folder, poorer)
        assert journal.load_entry(folder) == poorer
        assert [place.name for place in folder.iterdir()] == ["plan.json"]
        assert (poorer.n, poorer.verb, poorer.at, poorer.lost) == (entry.n, entry.verb, entry.at, True)
        assert not any(step.hunks or step.reason for step in poorer.steps)
        assert not poorer.note
        assert not poorer.needles


@pytest.mark.parametrize(
    "record", [b"", b"null", b"[1]", b"3", b'{"n": 2}', b"\xff\xfe", b'{"n":2,"verb":"","at":"","steps":[null]}']
)
def test_damage_to_one_record_is_its_own(root: Path, record: bytes) -> None:
    """A record that cannot be read is passed over in the list, told when asked for, and its number is not used again."""
    for name in ("a", "b", "c"):
        applied(root, plan_create(name, b""))
    put(root, ".mneme.d/history/2/plan.json", record)
    assert [entry.n for entry in files.entries(root)] == [1, 3]
    with pytest.raises(NotFoundError, match="no plan 2"):
        files.get_entry(root, 2)
    put(root, ".mneme.d/history/3/plan.json", record)
    assert applied(root, plan_create("d", b"")).n == 4


def test_a_large_text_that_is_missing(root: Path) -> None:
    """The plan cannot be read; the others can."""
    applied(root, plan_create("a", b"x" * 20_000))
    (blob,) = (place for place in (root / ".mneme.d/history/1").iterdir() if place.name != "plan.json")
    blob.unlink()
    assert list(files.entries(root)) == []


def test_numbers_without_history(root: Path) -> None:
    """A workspace that was never written has no plans, and a folder that is no plan is passed over."""
    assert journal.numbers(root) == []
    assert journal.next_number(root) == 1
    put(root, ".mneme.d/history/versions/x", b"")
    put(root, ".mneme.d/history/007/plan.json", b"{}")
    assert journal.next_number(root) == 8


def test_zero_is_a_number() -> None:
    """An entry's fields tell `undoes = 0` from none."""
    entry = Entry(1, "v", "t", (), undoes=0)
    assert b'"undoes": 0' in journal._record(entry, {})
    assert dataclasses.replace(entry, undoes=None) != entry


def test_paths_of_a_plan() -> None:
    """Both names of a moved file, each path once; temporary files lie beside what they become."""
    entry = Entry(7, "v", "t", (Step("a", "0", "1", to="d/b"), Step("d/b", None, "1"), Step("c", "0", None)))
    assert entry.paths == ("a", "d/b", "c")
    assert [entry.temp_of(index) for index in range(3)] == ["d/.mneme-7-0.tmp", "d/.mneme-7-1.tmp", ".mneme-7-2.tmp"]
    assert [step.removes for step in entry.steps] == [False, False, True]
