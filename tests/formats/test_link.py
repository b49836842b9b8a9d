"""Links of every form are found with their targets, and examples of links are not."""

from __future__ import annotations

import pytest

from mneme.formats.note import parse_note


def links(text: str) -> list[tuple[str, str, str, str]]:
    """Return kind, text, path and anchor of a note's links."""
    return [(link.kind, link.text, link.path, link.anchor) for link in parse_note(text).links]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[a](b.md)", ("inline", "a", "b.md", "")),
        ("[a](b.md#c-d 'title')", ("inline", "a", "b.md", "c-d")),
        ("[a](<b c.md>)", ("inline", "a", "b c.md", "")),
        ("[a](b%20c.md)", ("inline", "a", "b c.md", "")),
        ("[a](b_(c).md)", ("inline", "a", "b_(c).md", "")),
        ("[a](#c)", ("inline", "a", "", "c")),
        ("[a]()", ("inline", "a", "", "")),
        ("[a [b] c](d.md)", ("inline", "a [b] c", "d.md", "")),
        ("[`a`](b.md)", ("inline", "`a`", "b.md", "")),
        ("[two\nlines](b.md)", ("inline", "two\nlines", "b.md", "")),
        ("![a](b.png)", ("image", "a", "b.png", "")),
        ("[[a]]", ("wiki", "a", "a", "")),
        ("[[a b#c|d]]", ("wiki", "d", "a b", "c")),
        ("![[a]]", ("embed", "a", "a", "")),
        ("<https://a.b/c#d>", ("address", "https://a.b/c#d", "https://a.b/c", "d")),
        ("(see https://a.b/c_(d)).", ("address", "https://a.b/c_(d)", "https://a.b/c_(d)", "")),
        ("见https://a.b/c。然后", ("address", "https://a.b/c", "https://a.b/c", "")),
        ("[文](决定.md#为什么)", ("inline", "文", "决定.md", "为什么")),
    ],
)
def test_forms_of_links(text: str, link: tuple[str, str, str, str]) -> None:
    """Each form gives its words, its path and its anchor."""
    assert links(text) == [link]


def test_references_resolve_to_the_first_definition() -> None:
    """Full, collapsed and short references are links when their label is defined, in any case."""
    text = "[a][Ref] [ref][] [ref] [nope] [x][nope]\n\n[REF]: t.md#u 'title'\n[ref]: other.md\n[^1]: note\n"
    found = parse_note(text).links
    assert [(link.kind, link.text, link.path, link.anchor) for link in found] == [
        ("reference", "a", "t.md", "u"),
        ("reference", "ref", "t.md", "u"),
        ("reference", "ref", "t.md", "u"),
    ]
    assert {text[link.target_start : link.target_end] for link in found} == {"t.md#u"}


def test_an_image_inside_a_link() -> None:
    """Both the image and the link around it are found."""
    assert links("[![a](b.png)](c.md)") == [("image", "a", "b.png", ""), ("inline", "![a](b.png)", "c.md", "")]


@pytest.mark.parametrize(
    "text",
    [
        "`[a](b)`",
        "```\n[a](b)\n```",
        "<!-- [a](b) -->",
        "\\[a](b)",
        "[a] (b)",
        "[a\n\nb](c)",
        "- [ ] a",
        "a[0](",
        "[a](b c)",
    ],
)
def test_what_is_no_link(text: str) -> None:
    """Code, comments, escapes and brackets that only look like a link."""
    assert links(text) == []


def test_external_targets() -> None:
    """An address has a scheme; a path, even of a drive, does not count as one."""
    found = parse_note("[a](https://b) [c](mailto:d@e) [f](g.md) [h](C:/i.md)").links
    assert [link.external for link in found] == [True, True, False, False]
