"""Frontmatter is read as it is written, and what is broken in it is said, not raised."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mneme.formats.front import print_scalar
from mneme.formats.note import parse_note


def values(text: str) -> dict[str, object]:
    """Return the keys of a note's frontmatter with what they say."""
    front = parse_note(text).front
    assert front is not None
    return {key.name: key.value for key in front.keys}


def test_scalars_lists_and_comments() -> None:
    """The subset of YAML that notes use is read to plain characters, nothing converted."""
    text = (
        '---\n# who\nname: Local cache  # short\ndate: 2026-01-01\nyes: no\nempty:\nq: "a \\"b\\" \\u4e2d"\n'
        "s: 'it''s'\ntags: [a, 'b, c', \"d\"]\nblock:\n  - one # first\n  - 'two'\n- three\n\"odd key\": 1\nurl: http://x/#y\n---\nbody"
    )
    assert values(text) == {
        "name": "Local cache", "date": "2026-01-01", "yes": "no", "empty": "", "q": 'a "b" 中', "s": "it's",
        "tags": ("a", "b, c", "d"), "block": ("one", "two", "three"), "odd key": "1", "url": "http://x/#y",
    }  # fmt: skip
    assert parse_note(text).problems == ()


def test_block_text_and_nested_values_are_kept() -> None:
    """Block text reads as text; a mapping or an anchor stays the characters it is."""
    read = values(
        '---\nd: >\n  one\n  two\n\n  three\nl: |-\n  a\n   b\nm:\n  x: 1\nj: {"a": [1]}\nw: a\n  b\nn: [a, {b: 1}]\n---\n'
    )
    assert read == {
        "d": "one two\nthree", "l": "a\n b", "m": "x: 1", "j": '{"a": [1]}', "w": "a b", "n": "[a, {b: 1}]",
    }  # fmt: skip


def test_a_list_over_several_lines() -> None:
    """An inline list may go on over lines, its closing bracket at the margin."""
    assert values("---\ntags: [\n  a,\n  b\n]\nx: 1\n---\n") == {"tags": ("a", "b"), "x": "1"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_any_line_end_and_a_byte_order_mark(newline: str, bom: str) -> None:
    """Line ends of every kind and a byte order mark make no difference to what is read."""
    text = bom + newline.join(["---", "a: 1", "b:", "  - x", "  - 'y'", "---", "# T", ""])
    assert values(text) == {"a": "1", "b": ("x", "y")}
    note = parse_note(text)
    assert note.front
    assert [(key.line, key.end_line) for key in note.front.keys] == [(2, 2), (3, 5)]
    assert text[note.front.keys[0].value_start : note.front.keys[0].value_end] == "1"
    assert note.headings[0].line == 7


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        ("a: 1\nwhat is this\n", "line is not 'key: value'", 3),
        ("a: 1\na: 2\n", "key 'a' is given twice", 3),
        ('a: "open\n', "quote is not closed", 2),
        ('a: "x" y\n', "value goes on after its closing quote", 2),
        ("a: [b, c\n", "list is not closed", 2),
        ("a: one: two\n", "value needs quotes for other programs to read it", 2),
    ],
)
def test_what_is_broken_is_one_problem(body: str, message: str, line: int) -> None:
    """A fault names its line, and the other keys are read all the same."""
    note = parse_note(f"---\n{body}z: last\n---\n", "a.md")
    assert [(problem.line, problem.message) for problem in note.problems] == [(line, message)]
    assert {problem.rule for problem in note.problems} == {"broken-frontmatter"}
    assert note.front
    assert note.front.text("z") == "last"


def test_the_last_of_a_doubled_key_counts() -> None:
    """Every reader takes the last of two, and so do we."""
    note = parse_note("---\na: 1\na: 2\n---\n")
    assert note.front
    assert note.front.text("a") == "2"


def test_frontmatter_that_never_closes() -> None:
    """A first line of dashes with a key below it and no end is reported; with prose below it is a rule."""
    assert [problem.rule for problem in parse_note("---\nname: x\n").problems] == ["unclosed-frontmatter"]
    for text in ("---\n\n*April*\n", "---\nSome words\n---\n", " ---\na: 1\n---\n", "----\na: 1\n---\n"):
        note = parse_note(text)
        assert (note.front, note.problems) == (None, ())


def test_text_and_list_views() -> None:
    """A list reads as text with commas, text as a list cut at them."""
    front = parse_note("---\na: [x, y]\nb: x, y\n---\n").front
    assert front
    assert (front.text("a"), front.listed("b"), front.text("c", "-"), front.listed("c")) == (
        "x, y",
        ("x", "y"),
        "-",
        (),
    )


@given(st.text(st.characters()), st.sampled_from(["plain", "single", "double"]))
@example("a #b", "plain")
@example("a  b", "plain")
@example("a: b", "plain")
def test_a_printed_value_reads_back(value: str, style: str) -> None:
    """Whatever a value says, it is written so that it reads back, alone and in a list."""
    if not value:
        return
    assert values(f"---\nk: {print_scalar(value, style)} # note\n---\n")["k"] == value
    listed = print_scalar(value, style, in_list=True)
    assert values(f"---\nk: [{listed}, {listed}]\n---\n")["k"] == (value, value)
    assert values(f"---\nk:\n  - {print_scalar(value, in_list=True)}\n---\n")["k"] == (value,)
