"""A long text in stretches: nothing is lost but white space, none is long, and there are never many."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from mneme.index.stretch import MOST_STRETCHES, STRETCH_CHARS, parse_stretches

WORDS = st.text(st.sampled_from("ab zé我们。，\n "), max_size=60)


@given(st.lists(WORDS, max_size=100).map(" ".join))
def test_stretches_are_the_text(text: str) -> None:
    """Put together they are what was parted, in order; each is about as long as a vector can stand for."""
    stretches = parse_stretches(text)
    assert "".join("".join(stretches).split()) == "".join(text.split())
    assert 1 <= len(stretches) <= MOST_STRETCHES
    assert all(len(one) <= STRETCH_CHARS + 80 for one in stretches)


def test_short_texts_are_one() -> None:
    """What a vector can stand for is not parted; a character that is a word counts as three."""
    assert parse_stretches("") == [""]
    assert parse_stretches("a " * (STRETCH_CHARS // 2)) == ["a " * (STRETCH_CHARS // 2)]
    assert parse_stretches("我" * (STRETCH_CHARS // 3)) == ["我" * (STRETCH_CHARS // 3)]
    assert len(parse_stretches("我" * (STRETCH_CHARS // 3 + 1))) == 2


def test_a_megabyte_is_a_few() -> None:
    """A log without an end is parted at once, and the rest of it left to words."""
    for text in ("error " * 200_000, "x" * 1_000_000, "\n" * 1_000_000, "。" * 1_000_000):
        started = time.process_time()
        assert len(parse_stretches(text)) <= MOST_STRETCHES
        assert time.process_time() - started < 2
