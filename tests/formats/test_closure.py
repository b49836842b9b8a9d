"""Closure blocks are found in every dress, and say what they lack."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from mneme.formats.note import parse_note

FOUR = "Updated: 2026-03-01\nDecisions: use tabs\nSignal: it was DNS\nOpen: none\n"


@pytest.mark.parametrize("tail", ["", "\n\n", "\n---\n", "\n<!-- note -->\n"])
def test_the_canonical_block(tail: str) -> None:
    """Four plain lines at the end, with nothing that counts behind them."""
    closure = parse_note(f"# D\n- a\n\n{FOUR}{tail}").closure
    assert closure
    assert (closure.complete, closure.canonical, closure.last, closure.missing) == (True, True, True, ())
    assert (closure.line, closure.end_line) == (4, 7)
    assert closure.text("Signal") == "it was DNS"


@pytest.mark.parametrize(
    "text",
    [
        "**Updated:** a\n**Decisions**: b\n__Signal:__ c\n**Open:** d",
        "- Updated: a\n- Decisions: b\n- Signal: c\n- Open: d",
        "> Updated: a\n> Decisions: b\n> Signal: c\n> Open: d",
        "Updated：a\nDecision: b\nSignals: c\nOpen: d",
        "Updated: a\n\nDecisions: b\n\nSignal: c\n\nOpen: d",
        "Updated: a\nDecisions:\n- b\nSignal:\n\n- c\nOpen:\n  d",
    ],
)
def test_blocks_in_the_wild(text: str) -> None:
    """Bold, bulleted, quoted, spread out or with values below the labels: complete, but not canonical."""
    closure = parse_note(f"x\n\n{text}\n").closure
    assert closure
    assert closure.complete
    assert closure.last
    assert not closure.canonical
    assert [line.label for line in closure.lines] == ["Updated", "Decisions", "Signal", "Open"]


def test_what_is_missing() -> None:
    """A label that is absent and one that says nothing are both missing."""
    closure = parse_note("Updated: 2026-03-01\nDecisions:\nOpen: x\n").closure
    assert closure
    assert closure.missing == ("Decisions", "Signal")


def test_a_second_block_is_another_one() -> None:
    """A label that comes again begins another block; the last one counts."""
    note = parse_note(f"{FOUR}\n{FOUR}")
    assert len(note.closures) == 2
    assert note.closure == note.closures[1]
    assert [closure.last for closure in note.closures] == [False, True]


def test_text_behind_a_block() -> None:
    """An entry below the block shows that it is not last; a dreaming region with its heading does not."""
    closure = parse_note(f"{FOUR}\n- 10:30 late entry\n").closure
    assert closure
    assert not closure.last
    assert closure.text("Open") == "none"
    region = "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- x\n<!-- openclaw:dreaming:light:end -->\n"
    closure = parse_note(f"{FOUR}\n{region}").closure
    assert closure
    assert closure.last


@pytest.mark.parametrize(
    "text", ["Open: the door\n", "Signal: x\n", f"```\n{FOUR}```\n", f"<!--\n{FOUR}-->\n", "updated: x\nopen: y\n"]
)
def test_what_is_no_block(text: str) -> None:
    """One word with a colon, code and comments are no closure block."""
    assert parse_note(text).closure is None


def test_the_published_example_is_canonical() -> None:
    """The block on the format's page is complete, canonical and last."""
    page = Path(__file__).parents[2] / "docs" / "format-notes.md"
    example = page.read_text(encoding="utf-8").split("MUST write them so:", 1)[1].split("6.2", 1)[0]
    closure = parse_note(textwrap.dedent(example)).closure
    assert closure
    assert (closure.complete, closure.canonical, closure.last) == (True, True, True)
