"""What of a day may hold for longer than the day."""

from __future__ import annotations

import pytest

from mneme.formats.note import parse_note
from mneme.memory.notes.promote import find_candidates


def found(text: str) -> list[tuple[str, str]]:
    """Return the candidates of a note as kind and words."""
    return [(one.kind, one.text) for one in find_candidates(parse_note(text))]


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("- 09:00 We decided to use one store\n", [("decision", "We decided to use one store")]),
        ("- 10:30 lunch\n- 11:00 met Bo\n", []),
        ("- 09:10 #friction: the build took six minutes\n", [("lesson", "the build took six minutes")]),
        ("## Decisions\n\n- one store\n\n## What was learned\n\n- JSON loses writes\n", [
            ("decision", "one store"), ("lesson", "JSON loses writes"),
        ]),
        ("- 08:00 Ann prefers short answers\n", [("preference", "Ann prefers short answers")]),
        ("- 上午9:30 决定用一个库\n", [("decision", "上午9:30 决定用一个库")]),
        ("Updated: 2026-01-01\nDecisions: one store; two hosts\nSignal: none\nOpen: we decided nothing\n", [
            ("decision", "one store"), ("decision", "two hosts"),
        ]),
    ],
)  # fmt: skip
def test_what_a_day_says_that_may_last(text: str, candidates: list[tuple[str, str]]) -> None:
    """Decisions, lessons, preferences and friction; what merely happened is left where it is."""
    assert found(text) == candidates


def test_the_same_thing_is_said_once() -> None:
    """An entry that the closure repeats is one candidate."""
    text = "## Decisions\n\n- 09:00 one store\n\nUpdated: 2026-01-01\nDecisions: one store\nSignal: none\nOpen: none\n"
    assert found(text) == [("decision", "one store")]
