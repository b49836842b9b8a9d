"""What is remembered already: the verdicts, and the quick search in a file's text that gives the same ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.check.known import EXISTS, NEW, PROBABLE, duplicate_in_bytes, duplicate_in_text, duplicate_of
from mneme.formats.cell import parse_cells

STATUS = "state {} conf high since 2026-06-03 seen 2026-06-05"


def cell(number: int, topic: str, gist: str, state: str = "live") -> str:
    """Return a cell as text."""
    return f"@ FACT-{number:04d} {topic}\ngist  {gist}\n{STATUS.format(state)}\ncue c\n> why the gist is so\n\n"


KNOWN = (
    cell(1, "storage/cache", "Local cache uses SQLite, not JSON")
    + cell(2, "storage/cache", "Cache entries expire after 60 seconds")
    + cell(3, "travel", "User prefers aisle seats on long flights")
    + cell(4, "travel", "User prefers morning flights", "superseded")
    + cell(5, "style", "提交信息使用祈使句")
    + cell(6, "style", "Prefer tabs over spaces")
)


@pytest.mark.parametrize(
    ("gist", "topic", "verdict", "known"),
    [
        ("The local cache uses SQLite", "storage/cache", EXISTS, "FACT-0001"),
        ("The local cache uses SQLite", "elsewhere", EXISTS, "FACT-0001"),
        ("On long flights the user prefers aisle seats again", "travel", PROBABLE, "FACT-0003"),
        ("Cache entries expire after 90 seconds", "storage/cache", NEW, ""),
        ("User prefers morning flights", "travel", NEW, ""),
        ("提交信息要使用祈使句", "style", EXISTS, "FACT-0005"),
        ("Prefer spaces over tabs", "style", NEW, ""),
        ("Backups run every night", "ops", NEW, ""),
        ("", "ops", NEW, ""),
    ],
)
def test_verdicts(gist: str, topic: str, verdict: str, known: str) -> None:
    """The same claim exists, a very like one probably; another value, a dead cell or another claim is new."""
    for found in (
        duplicate_of(gist, topic, parse_cells(KNOWN).cells),
        duplicate_in_text(gist, topic, KNOWN),
        duplicate_in_bytes(gist, topic, KNOWN.encode()),
    ):
        assert (found[0], found[1].id if found[1] else "") == (verdict, known)


def test_the_most_alike_cell_is_named() -> None:
    """Of several like cells the one that says the very same comes first."""
    text = cell(1, "a", "release notes describe every visible change in detail") + cell(
        2, "a", "release notes describe every visible change"
    )
    verdict, found = duplicate_in_text("Release notes describe every visible change", "a", text)
    assert (verdict, found.id if found else "", found.line if found else 0) == (EXISTS, "FACT-0002", 7)


WORDS = [
    "cache",
    "caches",
    "cached",
    "database",
    "policy",
    "policies",
    "uses",
    "used",
    "keeps",
    "60",
    "90",
    "not",
    "SQLite",
    "gist",
    "gists",
    "user's",
    "users",
    "don't",
    "o'clock",
    "oclock",
    "\u212aeeps",
    "Straße",
    "SAFE",
    "C#",
    "缓存",
    "使用的",
    "数据库",
    "use",
    "run",
]
gist = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
line = st.one_of(
    st.builds(lambda words, form: form.format(words), gist, st.sampled_from(["gist  {}", "gist {} ", " gist {}", "gist: {}", "Gist {}", "> the gist {}", "gist{}"])),
    st.sampled_from(["@ FACT-0001 a", "@ FACT-0002 b", "@", STATUS.format("live"), STATUS.format("retired"), "", "cue gist", "\u2028gist x"]),
)  # fmt: skip
whole = st.builds(
    lambda words, topic: f"@ FACT-0007 {topic}\ngist {words}\n{STATUS.format('live')}\n", gist, st.sampled_from("ab")
)
text = st.lists(st.one_of(line.map("{}\n".format), whole), max_size=14).map("".join)


@settings(max_examples=600, deadline=None)
@given(gist, st.sampled_from(["a", "b", ""]), text, st.sampled_from(["", "\ufeff"]), st.sampled_from(["", "\n"]))
def test_the_quick_search_says_what_the_slow_one_says(
    candidate: str, topic: str, body: str, mark: str, end: str
) -> None:
    """Looking at a few lines of the text gives the verdict, and the very cell, that looking at all cells gives."""
    content = mark + body.rstrip("\n") + end
    plain = duplicate_of(candidate, topic, parse_cells(content).cells)
    assert duplicate_in_text(candidate, topic, content) == plain
    assert duplicate_in_bytes(candidate, topic, content.encode()) == plain


def test_a_word_that_most_cells_have_is_no_way_to_find_one() -> None:
    """Where thousands of gists have a word, the others lead to the one that says the same."""
    crowd = "".join(cell(at, "a", f"Everything is {'x' * (at % 40 + 1)}") for at in range(2, 6000))
    content = (cell(1, "a", "Everything matters here") + crowd).encode()
    verdict, found = duplicate_in_bytes("Everything matters here", "a", content)
    assert (verdict, found.id if found else "") == (EXISTS, "FACT-0001")
    assert duplicate_in_bytes("Everything counts twice", "b", content) == (NEW, None)
