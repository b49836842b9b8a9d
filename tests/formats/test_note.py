"""Notes are read without loss, and every piece says truly where it stands."""

from __future__ import annotations

import time
from dataclasses import fields
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mneme.formats.note import Note, note_records, parse_note, print_note
from mneme.formats.record import ENTRIES, FILE, LIVE, PRIVATE, SECTIONS, SHARED, SUPERSEDED
from mneme.formats.region import end_marker, start_marker
from mneme.formats.span import split_lines

FRAGMENTS = [
    "---", "key: value # why", "tags: [a, 'b c']", "list:", "  - one", "note: |", "  text", "broken", 'q: "x',
    "# Title", "## Décisions", "### 决定 🎉", "Setext", "=====", "-----", "#tags: docker, ssh|qdrant 日志",
    "> last_verified: 2026-03-01", "last_verified: soon", "# Working Buffer", "created: 2026-03-01T10:00:00+01:00",
    "- item", "  - [x] nested", "1. first", "• 点", "- [ ] open", "- [Title](memory/a.md) — what it is", "text 正文",
    "10:30 started", "**14:05 UTC** : done", "> quoted", "| a | b |", "|---|---|", "```python", "```", "~~~",
    "<!-- mneme:index:start -->", "<!-- mneme:index:end -->", "<!-- openclaw:dreaming:light:start -->", "<!-- open",
    "-->", "<!-- openclaw-memory-promotion:memory:a.md:1:2 -->", "see [a](b.md#c) and [[x#y|z]] `[no](link)`",
    "[ref]: target.md", "[ref][] <https://example.org/> https://example.org/a_(b).", "#friction: slow build",
    "Updated: 2026-03-01", "Decisions: none", "**Signal:** calm", "- Open: nothing", "", "   ", "\t- tab", "\\[not\\]",
]  # fmt: skip
LINE_ENDS = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r", "\u2028", ""])
MARKDOWN = st.builds(
    lambda bom, parts: bom + "".join(text + end for text, end in parts),
    st.sampled_from(["", "", "", "\ufeff"]),
    st.lists(st.tuples(st.sampled_from(FRAGMENTS) | st.text(max_size=8), LINE_ENDS), max_size=24),
)
ANY_TEXT = MARKDOWN | st.text(st.characters())


def pieces(note: Note) -> list[Any]:
    """Return everything a note is read into that has a place."""
    found: list[Any] = [
        *note.headings, *note.sections, *note.fences, *note.comments, *note.regions, *note.promotions, *note.closures,
        *note.pointers, *note.items, *note.tables, *note.links, *note.hashtags, *note.entries, *note.stamps.values(),
    ]  # fmt: skip
    found += [line for closure in note.closures for line in closure.lines]
    found += [*note.front.keys, note.front] if note.front else []
    found += [note.tag_line, *note.tag_line.tags] if note.tag_line else []
    return found


@given(ANY_TEXT)
def test_print_gives_back_any_text(text: str) -> None:
    """Reading and printing is the identity, whatever the text."""
    assert print_note(parse_note(text)) == text


@given(ANY_TEXT)
@example("\ufeff---\r\na: 1\r\n---\r\n")
@example("- a\r  - b\r\r- c")
def test_every_piece_knows_its_place(text: str) -> None:
    """Offsets lie within the text, and the lines of a piece are the lines of its offsets."""
    note = parse_note(text)
    for piece in pieces(note):
        assert 0 <= piece.start <= piece.end <= len(text), piece
        line = getattr(piece, "line", None)
        if line is not None:
            assert note.lines.line_of(piece.start) == line, piece
        for name in (field.name for field in fields(piece) if field.name.endswith(("_start", "_end"))):
            if name not in ("box_start", "box_end"):
                assert 0 <= getattr(piece, name) <= len(text), (name, piece)
    assert list(note.problems) == sorted(note.problems)


@given(ANY_TEXT)
def test_pieces_slice_back_to_their_text(text: str) -> None:
    """What a piece says is what stands at its span."""
    note = parse_note(text)
    for item in note.items:
        assert text[item.body_start : item.end].rstrip() == item.text
        assert item.box is None or text[item.box_start : item.box_end] == item.box
    for entry in note.entries:
        assert text[entry.start : entry.end] == entry.text
    for link in note.links:
        assert text[link.target_start : link.target_end] == link.target
    for comment in note.comments:
        assert text[comment.start : comment.end] == comment.text
    for tag in note.tag_line.tags if note.tag_line else ():
        assert text[tag.start : tag.end] == tag.name
    for heading in note.headings:
        assert text[heading.text_start : heading.text_start + len(heading.text)] == heading.text
    for stamp in note.stamps.values():
        assert text[stamp.value_start : stamp.value_end] == stamp.value
    for pointer in note.pointers:
        assert text[pointer.target_start : pointer.target_end] == pointer.target


@given(ANY_TEXT)
def test_lines_add_up_to_the_text(text: str) -> None:
    """The rows of a text with what lies between them are the text, and CR, LF and CRLF alone part them."""
    lines = split_lines(text)
    assert len(lines.flat) == len(text)
    assert lines.count == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) - (
        not lines.rows[-1] or text == "\ufeff"
    )
    for index in range(len(lines.rows)):
        body = text[lines.starts[index] : lines.end_of(index)]
        assert "\r" not in body
        assert text[lines.end_of(index) : lines.after(index)] in ("\n", "\r", "\r\n", "")


@given(ANY_TEXT)
def test_entries_do_not_overlap(text: str) -> None:
    """Entries come in order, and no character belongs to two."""
    entries = parse_note(text).entries
    for entry, after in pairwise(entries):
        assert entry.end <= after.start


@given(ANY_TEXT, st.sampled_from([FILE, SECTIONS, ENTRIES]))
def test_records_have_ids_of_their_own(text: str, grain: str) -> None:
    """A note's first record is the file, and no two records share an id."""
    records = note_records(parse_note(text, "memory/a.md"), grain=grain)
    assert records[0].id == "memory/a.md"
    assert len({record.id for record in records}) == len(records)
    for record in records:
        assert 1 <= record.line <= record.end_line


def test_headings_of_both_forms() -> None:
    """ATX and setext headings are found, with their closing marks left out, and not in code or comments."""
    note = parse_note("# One #\n\nTwo\n---\n```\n# no\n```\n<!--\n# no\n-->\n#no\n###### Six\n####### seven\n")
    assert [(heading.level, heading.text, heading.line) for heading in note.headings] == [
        (1, "One", 1),
        (2, "Two", 3),
        (6, "Six", 12),
    ]


def test_a_paragraph_or_list_above_dashes_is_no_heading() -> None:
    """Only one line of text on its own becomes a setext heading."""
    note = parse_note("one\ntwo\n---\n\n- item\n---\n\n> quote\n---\n")
    assert note.headings == ()


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("A  B", "a--b"),
        ("`code` and [link](x.md)", "code-and-link"),
        ("snake_case _words_ `__init__`", "snake_case-words-__init__"),
        ("决定 / 为什么", "决定--为什么"),
        ("Café Été", "café-été"),
        ("🎉 Party", "-party"),
        ("🎉", "section"),
        ("C++ & C#", "c--c"),
    ],
)
def test_slugs_follow_github(heading: str, slug: str) -> None:
    """A section is called what a link on GitHub would call it."""
    assert parse_note(f"## {heading}\n").sections[0].slug == slug


def test_repeated_slugs_are_numbered() -> None:
    """The second of a name is -1, and a heading that takes that name moves on."""
    note = parse_note("# a\n# a\n# a-1\n# a\n")
    assert [section.slug for section in note.sections] == ["a", "a-1", "a-1-1", "a-2"]


def test_sections_reach_to_the_next_of_their_level() -> None:
    """A section ends with its last subsection, its own text at the next heading."""
    text = "# A\na\n## B\nb\n## C\nc\n# D\nd"
    note = parse_note(text)
    first, second, _, last = note.sections
    assert text[first.start : first.end] == "# A\na\n## B\nb\n## C\nc\n"
    assert text[first.body_start : first.own_end] == "a\n"
    assert (first.end_line, first.own_end_line, second.parent, last.end_line) == (6, 2, 0, 8)
    assert note.find_section("c") == note.find_section("C")


def test_tag_line_is_found_wherever_it_is() -> None:
    """Tags part at commas, pipes and spaces, and the line says where it is."""
    note = parse_note("# T\n\n#tags: docker, ssh|qdrant #ufw\n")
    assert note.tag_line
    assert note.tag_line.line == 3
    assert note.tag_line.names == ("docker", "ssh", "qdrant", "ufw")
    assert parse_note("```\n#tags: a\n```\n").tag_line is None


@pytest.mark.parametrize(
    "line", ["> last_verified: 2026-03-01", "last_verified: 2026-03-01", "**last_verified:** 2026-03-01"]
)
def test_last_verified_in_its_forms(line: str) -> None:
    """The stamp is read with and without its quote mark, and from the frontmatter."""
    assert parse_note(f"# T\n#tags: a\n{line}\n").last_verified == "2026-03-01"
    assert parse_note("---\nlast_verified: '2026-03-01'\n---\n").last_verified == "2026-03-01"
    assert parse_note("last_verified: 2026-02-30\n").last_verified == ""


def test_the_first_of_a_stamp_counts() -> None:
    """A stamp further down, and one in a list, do not replace the header's."""
    note = parse_note("- last_verified: 2026-01-01\nlast_verified: 2026-02-02\n\nlast_verified: 2026-03-03\n")
    assert note.last_verified == "2026-02-02"


def test_buffer_header() -> None:
    """A working buffer is known by its title, and its stamps by their names."""
    note = parse_note("# Working Buffer\ncreated: 2026-03-01T08:00Z\nlast_active: 2026-03-01T09:00Z\n\n- task\n")
    assert note.buffer
    assert note.buffer.created
    assert note.buffer.created.value == "2026-03-01T08:00Z"
    assert note.buffer.last_active
    assert note.buffer.body_line == 5
    assert parse_note("# Buffer\n").buffer is None


def test_items_know_their_nesting_and_boxes() -> None:
    """Nested items know the one around them; a box says what is in it; further lines belong to their item."""
    note = parse_note("- [ ] a\n  more\n    - [x] b\n1. c\n\n   still c\n- []  d\n* - e\n")
    assert [(item.text, item.depth, item.parent, item.box, item.marker) for item in note.items] == [
        ("a\n  more", 0, -1, " ", "-"),
        ("b", 1, 0, "x", "-"),
        ("c\n\n   still c", 0, -1, None, "1."),
        ("d", 0, -1, "", "-"),
        ("- e", 0, -1, None, "*"),
    ]
    assert [item.done for item in note.items] == [False, True, False, False, False]
    assert (note.items[0].end_line, note.items[0].tree_end_line) == (2, 3)


def test_hidden_text_holds_nothing() -> None:
    """Code, comments and frontmatter give no links, tags, items or headings."""
    note = parse_note("---\na: '[x](y)'\n---\n```\n- [x](y) #t\n```\n<!-- [x](y) #t -->\n`[x](y) #t`\n")
    assert (note.links, note.hashtags, note.items, note.headings) == ((), (), (), ())


def test_unclosed_fence_and_comment_are_problems() -> None:
    """A fence runs to the end and is reported; a comment that never ends hides nothing and is reported."""
    assert [problem.rule for problem in parse_note("a\n```\n# x\n").problems] == ["unclosed-fence"]
    note = parse_note("<!-- oops\n# x\n")
    assert [(problem.rule, problem.line) for problem in note.problems] == [("unclosed-comment", 1)]
    assert len(note.headings) == 1


def test_markers_shown_as_code_mark_nothing() -> None:
    """A region's marker in inline code or a fence is an example, not a region."""
    text = f"`{start_marker('index')}`\n```\n{start_marker('index')}\n{end_marker('index')}\n```\n"
    note = parse_note(text)
    assert (note.regions, note.problems) == ((), ())


def test_frictions_and_tags_inside_text() -> None:
    """A tag with a colon says the rest of its line; headings, anchors and numbers are no tags."""
    note = parse_note("- #friction: the build is slow\n- [a](b#c) #pinned #12 #标签\n# Head\n")
    assert [(tag.name, tag.said) for tag in note.hashtags] == [
        ("friction", "the build is slow"),
        ("pinned", ""),
        ("标签", ""),
    ]
    assert len(note.frictions) == 1


def test_tables_are_cut_into_cells() -> None:
    """Tables are found with and without outer pipes, and an escaped pipe is a character."""
    note = parse_note("| a | b |\n|---|:-:|\n| 1 \\| 2 | 3 |\n\nx | y\n--- | ---\n")
    assert [(table.header, table.rows) for table in note.tables] == [
        (("a", "b"), (("1 \\| 2", "3"),)),
        (("x", "y"), ()),
    ]


def test_records_carry_the_frontmatter() -> None:
    """Type, audience, dates and supersession come from the frontmatter and hold for every record."""
    text = (
        "---\ntype: feedback\naudience: shared\ncreated: 2026-01-02\nlast_verified: 2026-02-03\n"
        "superseded_by: memory/feedback/b.md\n---\n## Rule / Fact\nUse [lists](l.md).\n"
    )
    whole, section = note_records(parse_note(text, "memory/feedback/a.md"))
    assert (whole.kind, whole.audience, whole.since, whole.seen, whole.state) == (
        "feedback", SHARED, "2026-01-02", "2026-02-03", SUPERSEDED,
    )  # fmt: skip
    assert (section.id, section.line, section.end_line) == ("memory/feedback/a.md#rule--fact", 8, 9)
    assert [(link.relation, link.target) for link in section.links] == [("link", "l.md")]
    assert ("superseded-by", "memory/feedback/b.md") in [(link.relation, link.target) for link in whole.links]


@pytest.mark.parametrize("said", ["everyone", "Public", "true"])
def test_an_unknown_audience_is_private(said: str) -> None:
    """A word that is no audience never widens one."""
    (record,) = note_records(parse_note(f"---\naudience: {said}\n---\n", "a.md"), audience=SHARED, grain=FILE)
    assert record.audience == PRIVATE
    assert record.state == LIVE


def test_entry_ids_are_the_published_hash() -> None:
    """An entry's id is the path and the first eight hex digits of the SHA-256 of its normalised words."""
    note = parse_note("# 2026-03-01\n- [ ] Move  backups\n  to S3\n- Move backups to S3\n", "memory/2026-03-01.md")
    digest = sha256(b"Move backups to S3").hexdigest()[:8]
    ids = [record.id for record in note_records(note, grain=ENTRIES)]
    assert ids == ["memory/2026-03-01.md", f"memory/2026-03-01.md#{digest}", f"memory/2026-03-01.md#{digest}-1"]
    assert note.find_entry(digest) == note.entries[0]
    assert note.find_entry("00000000") is None


ROUND_AND_ROUND = [
    "\\[", "[", "[a](", "[a](x(", "[[a", "![", "<!--", "<!-- a -->", "`", "`a` ``", "#a: ", "#tags: ", "- - ", "_a ",
    "a\n", "- a\n", "> ", "| a ", "a|b\n-|-\n", "---\n", "```\n", "1 aaa ", "http://a(", "Updated: a\n", "last_verified: ",
    "# a\n", "[a]: b\n", "<!-- mneme:index:start -->\n", "<a:", "\r", "  ", "10:30 ", "x\u3000", "k: [", 'k: "',
]  # fmt: skip
MANY_CHARACTERS = 60_000
SECONDS = 3


@pytest.mark.parametrize("start", ["", "---\nk: [", "- "])
@pytest.mark.parametrize("pattern", ROUND_AND_ROUND)
def test_no_text_takes_more_than_a_pass(start: str, pattern: str) -> None:
    """What repeats for long is read in the time its length asks for; taken by squares, each of these is minutes."""
    note = parse_note(start + pattern * (MANY_CHARACTERS // len(pattern)) + "\n---\n", "a.md")
    begun = time.thread_time()
    pieces(note)
    note_records(note, grain=ENTRIES)
    assert time.thread_time() - begun < SECONDS
