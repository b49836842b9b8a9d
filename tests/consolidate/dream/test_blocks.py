"""Edits between two contents: applied, they give the second one, and they leave alone what stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mneme.consolidate.dream.blocks import block_edits
from mneme.consolidate.dream.entry import Entries, Entry, entry_key, print_entries
from mneme.files.plan import edited

ROWS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"{\n", b"      x\n", b"    }\n", b"end"]), max_size=12)


@given(ROWS, ROWS)
def test_edits_give_the_second_content(one: list[bytes], two: list[bytes]) -> None:
    """Whatever the two are: lines that repeat, that moved, that are gone, a file without a line end."""
    before, after = b"".join(one), b"".join(two)
    assert edited(before, block_edits(before, after)) == after


def test_what_stays_is_in_no_edit() -> None:
    """One entry of many changed, one went, one came: three small edits."""
    entries = {
        (key := entry_key("memory/2026-04-01.md", at, at)): Entry(key, "memory/2026-04-01.md", at, at, f"line {at}")
        for at in range(1, 200)
    }
    before = print_entries(Entries(entries, "2026-04-01"))
    later = dict(entries)
    first, second = list(entries)[20], list(entries)[90]
    later[first] = Entry(first, "memory/2026-04-01.md", 21, 21, "said anew")
    del later[second]
    later["memory:memory/2026-04-02.md:1:1"] = Entry(
        "memory:memory/2026-04-02.md:1:1", "memory/2026-04-02.md", 1, 1, "new"
    )
    edits = block_edits(before, print_entries(Entries(later, "2026-04-01")))
    assert sum(len(edit.new) for edit in edits) < 3000
    assert len(edits) <= 4


def test_blank_lines_and_rules_stay_where_their_neighbours_do() -> None:
    """A diary whose first entries leave and that gets a new one is two edits, whatever repeats in between."""
    entries = [f"\n---\n\n*April {day}*\n\nThe day came back, number {day}.\n".encode() for day in range(1, 30)]
    before, after = b"".join([b"# Diary\n", *entries[:25]]), b"".join([b"# Diary\n", *entries[3:26]])
    edits = block_edits(before, after)
    assert edited(before, edits) == after
    assert len(edits) == 2
