"""Index lines are read in every form and written in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.note import parse_note
from mneme.formats.pointer import print_pointer


@pytest.mark.parametrize("separator", ["—", "–", "-", "--", ":", "："])
def test_separators(separator: str) -> None:
    """Any dash or colon parts the link from what is said of it."""
    (pointer,) = parse_note(f"# M\n- [Tabs](memory/feedback/tabs.md#why) {separator} never tables\n").pointers
    assert (pointer.title, pointer.path, pointer.anchor, pointer.description, pointer.separator, pointer.line) == (
        "Tabs", "memory/feedback/tabs.md", "why", "never tables", separator, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "title", "path", "description"),
    [
        ("- [A](a.md)", "A", "a.md", ""),
        ("  * **[A](a.md)** - b", "A", "a.md", "b"),
        ("1. [A](<a b.md>): c", "A", "a b.md", "c"),
        ("- [x] [A](a.md) — b", "A", "a.md", "b"),
        ("- [标题](记忆/甲.md) — 说明", "标题", "记忆/甲.md", "说明"),
    ],
)
def test_index_lines_in_the_wild(line: str, title: str, path: str, description: str) -> None:
    """Bold, nested, numbered and bare lines are index lines too."""
    (pointer,) = parse_note(line).pointers
    assert (pointer.title, pointer.path, pointer.description, pointer.length) == (title, path, description, len(line))


@pytest.mark.parametrize("line", ["[A](a.md) — b", "- see [A](a.md)", "```\n- [A](a.md)\n```", "- [A] b"])
def test_what_is_no_index_line(line: str) -> None:
    """An index line is a list item that begins with a link."""
    assert parse_note(line).pointers == ()


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
def test_a_printed_line_reads_back(title: str, path: str) -> None:
    """Whatever a title or a path holds, the line points to that path, alone."""
    line = print_pointer(title, path, "why")
    (pointer,) = parse_note(line).pointers
    assert (pointer.path, pointer.anchor, pointer.description) == (path, "", "why")
