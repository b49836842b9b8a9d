"""Edits change their span, do what they say, and leave everything else as it was."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mneme.errors import BadInputError, RefusedError
from mneme.formats import edit
from mneme.formats.closure import LABELS
from mneme.formats.entry import normal_text
from mneme.formats.note import Note, parse_note
from mneme.formats.span import Splice, apply_edits

ROWS = [
    "---", "key: value # why", "tags: [a, 'b c']", "list:", "  - one", "note: |", "  text", "broken", 'q: "x', "# Title",
    "## Log", "Setext", "-----", "#tags: docker, ssh", "> last_verified: 2026-03-01", "- item", "  - [x] nested", "1. one",
    "- [ ] open", "- [Title](memory/a.md) — what it is", "text 正文", "10:30 started", "> quoted", "| a | b |", "```",
    "<!-- mneme:index:start -->", "<!-- mneme:index:end -->", "<!-- open", "-->", "Updated: 2026-03-01",
    "Decisions: none", "**Signal:** calm", "- Open: nothing", "", "   ", "\t- tab",
]  # fmt: skip
TEXTS = st.builds(
    lambda bom, rows, newline, final: bom + newline.join(rows) + final * newline,
    st.sampled_from(["", "", "\ufeff"]),
    st.lists(st.sampled_from(ROWS) | st.text(max_size=6), max_size=16),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.integers(0, 2),
)
WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=12)


def apply(note: Note, splice: Splice | None) -> Note:
    """Return the note after an edit, having checked that nothing outside its span changed."""
    assert splice is not None
    start, end, new = splice
    text = apply_edits(note.text, [splice])
    assert text == note.text[:start] + new + note.text[end:]
    return parse_note(text, note.path)


def refuse_to_none(make: object, *args: object, **kwargs: object) -> Splice | None:
    """Return the edit, or None when it is refused."""
    assert callable(make)
    try:
        result = make(*args, **kwargs)
    except RefusedError:
        return None
    assert result is None or isinstance(result, tuple)
    return result


@given(TEXTS, st.sampled_from(["key", "tags", "list", "note", "q", "new"]), st.text(st.characters()) | st.lists(WORDS))
def test_a_set_key_reads_back_and_the_others_stay(text: str, name: str, value: str | list[str]) -> None:
    """After setting a key it says the value, and every other key what it said before."""
    note = parse_note(text)
    splice = refuse_to_none(edit.set_front, note, name, value)
    assume(splice is not None)
    after = apply(note, splice)
    assert after.front
    found = after.front.find(name)
    assert found
    assert found.value == (value if isinstance(value, str) else tuple(value))
    before = {key.name: key.value for key in note.front.keys if key.name != name} if note.front else {}
    assert {key.name: key.value for key in after.front.keys if key.name != name} == before
    body = note.text[note.front.end :] if note.front else note.text.lstrip("\ufeff")
    assert after.text.endswith(body)


def test_setting_a_key_keeps_quotes_comments_and_order() -> None:
    """A value is written the way the one before it was, and the comment beside it stays."""
    note = parse_note("---\na: 'x' # why\nb: \"y\"\nc:\n    - one\n    - two\nd: 1\n---\nbody\n")
    note = apply(note, edit.set_front(note, "a", "it's"))
    note = apply(note, edit.set_front(note, "b", "z"))
    note = apply(note, edit.set_front(note, "c", ["three", "four, five"]))
    note = apply(note, edit.set_front(note, "e", "2026-03-01"))
    assert note.text == (
        "---\na: 'it''s' # why\nb: \"z\"\nc:\n    - three\n    - \"four, five\"\nd: 1\ne: 2026-03-01\n---\nbody\n"
    )
    note = apply(note, edit.drop_front(note, "c"))
    assert note.text == "---\na: 'it''s' # why\nb: \"z\"\nd: 1\ne: 2026-03-01\n---\nbody\n"
    assert edit.drop_front(note, "c") is None


def test_a_key_that_is_no_key_and_a_block_that_never_closes() -> None:
    """A name that would not read back, and frontmatter without an end, are refused."""
    with pytest.raises(BadInputError):
        edit.set_front(parse_note(""), "a: b", "c")
    with pytest.raises(RefusedError):
        edit.set_front(parse_note("---\na: 1\n"), "b", "c")


@given(TEXTS)
def test_a_set_stamp_reads_back(text: str) -> None:
    """Setting last_verified twice is setting it once, and it is read from where it was written."""
    note = parse_note(text)
    splice = refuse_to_none(edit.set_stamp, note, "last_verified", "2026-04-05")
    assume(splice is not None)
    after = apply(note, splice)
    assume(not _in_code(after, "2026-04-05"))
    assert after.last_verified == "2026-04-05"
    assert apply(after, edit.set_stamp(after, "last_verified", "2026-04-05")).text == after.text


def _in_code(note: Note, words: str) -> bool:
    """Return whether a note that was broken before shows these words as code or comment."""
    at = note.text.find(words)
    hidden = [*note.fences, *note.comments]
    return any(piece.start <= at < piece.end for piece in hidden)


def test_header_lines_go_where_they_belong() -> None:
    """Tags go on line 2 of a file with a title, the stamp below them, apart from prose."""
    note = parse_note("# Title\nprose\n")
    note = apply(note, edit.set_tags(note, ["docker", "ssh"]))
    note = apply(note, edit.set_stamp(note, "last_verified", "2026-04-05"))
    assert note.text == "# Title\n#tags: docker, ssh\n> last_verified: 2026-04-05\n\nprose\n"
    note = apply(note, edit.set_tags(note, ["ufw"]))
    assert note.text.startswith("# Title\n#tags: ufw\n> last")
    assert apply(parse_note("body"), edit.set_tags(parse_note("body"), ["a"])).text == "#tags: a\n\nbody"


@given(TEXTS, st.lists(WORDS, max_size=4))
def test_a_set_region_reads_back(text: str, rows: list[str]) -> None:
    """A region holds what was put into it, or putting it there was refused; setting it again changes nothing."""
    note = parse_note(text)
    splice = refuse_to_none(edit.set_region, note, "index", "\n".join(rows))
    assume(splice is not None)
    after = apply(note, splice)
    region = after.find_region("index")
    assert region
    assert after.text[region.inner_start : region.inner_end].split() == " ".join(rows).split()
    assert apply(after, edit.set_region(after, "index", "\n".join(rows))).text == after.text


def test_a_region_that_could_not_be_read_back_is_refused() -> None:
    """Content with a marker of its own, or with an open fence, and markers that do not pair, are refused."""
    note = parse_note("<!-- mneme:index:start -->\nold\n<!-- mneme:index:end -->\n")
    for content in ("<!-- mneme:index:end -->", "```", "a <!-- b"):
        with pytest.raises(RefusedError):
            edit.set_region(note, "index", content)
    with pytest.raises(RefusedError):
        edit.set_region(parse_note("<!-- mneme:index:start -->\n"), "index", "x")


def test_regions_are_replaced_in_place_or_added_last() -> None:
    """A person's text around a region stays; a region that is not there comes last."""
    note = parse_note("# M\nmine\n<!-- mneme:index:start -->\nold\n<!-- mneme:index:end -->\nmine too")
    assert apply(note, edit.set_region(note, "index", "new\n")).text == (
        "# M\nmine\n<!-- mneme:index:start -->\nnew\n<!-- mneme:index:end -->\nmine too"
    )
    assert apply(note, edit.set_region(note, "palace", "p")).text == (
        note.text + "\n\n<!-- mneme:palace:start -->\np\n<!-- mneme:palace:end -->\n"
    )


@given(TEXTS, WORDS)
def test_an_appended_entry_is_there_and_above_the_closure(text: str, words: str) -> None:
    """An entry goes above the closure block, and everything that was in the note is still there in order."""
    note = parse_note(text)
    after = apply(note, edit.append_entry(note, f"- {words}"))
    assert f"- {words}" in after.text
    if note.closure and not note.closure.lines[-1].label.startswith("-") and after.closure:
        assert after.text.find(f"- {words}") < after.text.rfind(note.text[note.closure.start : note.closure.end])


def test_entries_go_to_their_section() -> None:
    """A section takes the entry at its end; one that is missing is added above the closure block and its rule."""
    text = "# D\n\n## Log\n- a\n\n## Next\n\nb\n\n---\nUpdated: x\nDecisions: y\nSignal: z\nOpen: none\n"
    note = parse_note(text)
    note = apply(note, edit.append_entry(note, "- c", "log"))
    note = apply(note, edit.append_entry(note, "- d"))
    note = apply(note, edit.append_entry(note, "e", "Ideas"))
    assert note.text == (
        "# D\n\n## Log\n- a\n- c\n\n## Next\n\nb\n\n- d\n\n## Ideas\n\ne\n\n---\n"
        "Updated: x\nDecisions: y\nSignal: z\nOpen: none\n"
    )


@given(TEXTS, st.dictionaries(st.sampled_from(LABELS), WORDS))
def test_a_set_closure_is_complete_and_not_doubled(text: str, values: dict[str, str]) -> None:
    """The block reads back canonical and complete; setting it again replaces it."""
    note = parse_note(text)
    splice = refuse_to_none(edit.set_closure, note, values)
    assume(splice is not None)
    after = apply(note, splice)
    assert after.closure
    assert after.closure.complete
    assert after.closure.canonical
    assert len(after.closures) == max(len(note.closures), 1)
    assert {label: after.closure.text(label) for label in values} == values
    assert apply(after, edit.set_closure(after, values)).text == after.text


def test_a_closure_keeps_what_it_is_not_given() -> None:
    """An incomplete block in any dress becomes four plain lines, and says what it said."""
    note = parse_note("a\n\n- **Decisions:** use\n  tabs\n- **Open**: two things")
    note = apply(note, edit.set_closure(note, {"Updated": "2026-03-01"}))
    assert note.text == "a\n\nUpdated: 2026-03-01\nDecisions: use tabs\nSignal: none\nOpen: two things"


@given(TEXTS, WORDS, WORDS, WORDS)
def test_an_index_line_reads_back(text: str, title: str, path: str, description: str) -> None:
    """A path has one line after it was put, and none after it was dropped."""
    note = parse_note(text)
    assume(not note.fences and not note.comments and not note.shape.unclosed_comment)
    after = apply(note, edit.put_pointer(note, title, path, description))
    assume(not after.shape.unclosed_comment and not after.fences and not after.comments)
    assert [pointer.description for pointer in after.pointers if pointer.path == path] == [description]
    assert apply(after, edit.put_pointer(after, title, path, description)).text == after.text
    gone = apply(after, edit.drop_pointer(after, path))
    assert not [pointer for pointer in gone.pointers if pointer.path == path]


def test_index_lines_go_into_the_index_region() -> None:
    """A new line goes last in the region, a known path keeps its place."""
    note = parse_note("# M\n<!-- mneme:index:start -->\n* [A](a.md) - old\n<!-- mneme:index:end -->\n- [B](b.md)\n")
    note = apply(note, edit.put_pointer(note, "A", "a.md", "new"))
    note = apply(note, edit.put_pointer(note, "C d", "c d.md", "c"))
    assert note.text == (
        "# M\n<!-- mneme:index:start -->\n* [A](a.md) — new\n- [C d](<c d.md>) — c\n<!-- mneme:index:end -->\n- [B](b.md)\n"
    )
    assert edit.drop_pointer(note, "x.md") is None


@given(TEXTS, st.booleans())
def test_ticking_changes_the_box_alone(text: str, done: bool) -> None:  # noqa: FBT001 - hypothesis passes by name
    """Every list item can be ticked and cleared, and keeps its words."""
    note = parse_note(text)
    for number, item in enumerate(note.items):
        after = apply(note, edit.tick(note, item, done=done)).items[number]
        assert after.done is done
        assert normal_text(after.text) == normal_text(item.text)


def test_items_are_appended_as_the_last_one_is_marked() -> None:
    """A numbered list is counted on, a nested tree is not split, and a section without a list gets one."""
    note = parse_note("## A\n1. x\n   - y\n2. z\n   more\n\n## B\ntext")
    note = apply(note, edit.append_item(note, "w", "a", checked=False))
    note = apply(note, edit.append_item(note, "v\nv2", "b"))
    assert note.text == "## A\n1. x\n   - y\n2. z\n   more\n3. [ ] w\n\n## B\ntext\n\n- v\n  v2\n"


def test_new_lines_end_as_the_note_does() -> None:
    """What is added to a CRLF file ends in CRLF, in a CR file in CR."""
    for newline in ("\r\n", "\r"):
        note = parse_note(f"# T{newline}a{newline}")
        text = apply(note, edit.append_entry(note, "- b\n  c", "New")).text
        assert text == newline.join(["# T", "a", "", "## New", "", "- b", "  c", ""])
