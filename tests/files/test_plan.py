"""What a plan intends: spans, hunks, and the diff that shows them."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.errors import RefusedError
from mneme.files import Change, Edit, Hunk, Plan, digest, edited, journal, plan_edit, plan_replace, text_edits
from mneme.files.plan import NO_NEWLINE, hunks_of, print_diff

from .workbench import new_root

if TYPE_CHECKING:
    from collections.abc import Sequence

PIECES = [b"a", b"bc", b"\n", b"one\n", b"two\n", b"\r\n", b"x\r\n", b"\r", b"\xff\xfe", b"\0", b"-- q\n", b"++ q\n"]
PIECES += [
    "é\n".encode(),
    "字".encode(),
    b"\\ No newline at end of file\n",
    b"@@ -1 +1 @@\n",
    b" \n",
    b"\x85",
    b"\x1c\n",
]
CONTENTS = st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join)
NEWS = st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join)


@st.composite
def contents_with_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    """Draw a content and spans in it that ascend and do not overlap; they may meet, be empty, or change nothing."""
    content = draw(CONTENTS)
    places = sorted(draw(st.lists(st.integers(0, len(content)), max_size=8)))
    pairs = zip(places[::2], places[1::2], strict=False)
    return content, [Edit(start, end, draw(NEWS)) for start, end in pairs]


def patched(content: bytes, diff: str) -> bytes:
    """Apply a unified diff strictly: every line where it says, every count right, nothing guessed."""
    lines = diff.encode("utf-8", "surrogateescape").split(b"\n")
    assert lines.pop() == b""
    assert lines[0].startswith(b"--- ")
    assert lines[1].startswith(b"+++ ")
    old, out, done, at = content.split(b"\n"), [], 0, 2
    tail = old.pop()
    old = [line + b"\n" for line in old] + ([tail] if tail else [])
    while at < len(lines):
        found = re.fullmatch(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", lines[at])
        assert found, lines[at]
        first, count, new_first, new_count = map(int, found.groups())
        start = first - 1 if count else first
        out += old[done:start]
        assert len(out) == (new_first - 1 if new_count else new_first)
        at, done, grown = at + 1, start, len(out)
        while done < start + count or len(out) < grown + new_count:
            mark, line = lines[at][:1], lines[at][1:] + b"\n"
            at += 1
            if at < len(lines) and lines[at] == NO_NEWLINE.encode():
                line, at = line[:-1], at + 1
            if mark in b" -":
                assert old[done] == line
                done += 1
            if mark in b" +":
                out.append(line)
    out += old[done:]
    assert all(line.endswith(b"\n") for line in out[:-1])
    return b"".join(out)


def patched_by_tool(content: bytes, diff: str) -> bytes:
    """Apply a diff with the system's own program, which may neither guess nor move it."""
    with new_root() as folder:
        (folder / "file").write_bytes(content)
        (folder / "diff").write_bytes(diff.encode("utf-8", "surrogateescape"))
        if shutil.which("patch"):
            command = ["patch", "--binary", "--force", "--fuzz=0", "--posix", "file", "diff"]
        else:
            command = ["git", "apply", "--whitespace=nowarn", "diff"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        said = ran.stdout + ran.stderr
        assert ran.returncode == 0, said
        assert b"offset" not in said
        return (folder / "file").read_bytes()


@settings(max_examples=300, deadline=None)
@given(contents_with_edits())
def test_hunks_do_what_their_edits_do(drawn: tuple[bytes, list[Edit]]) -> None:
    """Applying the hunks gives what applying the edits gives, and the hunks turned round give the original back."""
    content, edits = drawn
    after = edited(content, edits)
    hunks = hunks_of(content, edits)
    assert edited(content, [hunk.as_edit() for hunk in hunks]) == after
    assert edited(after, [hunk.as_edit() for hunk in journal.after_edits(hunks)]) == content


@settings(max_examples=300, deadline=None)
@given(contents_with_edits())
def test_hunks_know_their_place(drawn: tuple[bytes, list[Edit]]) -> None:
    """A hunk begins at a line, names it, holds what stands there, and carries what stands around it."""
    content, edits = drawn
    for hunk in hunks_of(content, edits):
        end = hunk.at + len(hunk.old)
        assert content[hunk.at : end] == hunk.old
        assert content[: hunk.at].endswith(hunk.pre)
        assert content[end:].startswith(hunk.post)
        assert hunk.at == 0 or content[hunk.at - 1 : hunk.at] == b"\n"
        assert hunk.line == content[: hunk.at].count(b"\n") + 1


@settings(max_examples=300, deadline=None)
@given(contents_with_edits())
def test_a_diff_applies_strictly(drawn: tuple[bytes, list[Edit]]) -> None:
    """The printed diff, applied by the letter, turns the old content into exactly the new one."""
    content, edits = drawn
    diff = print_diff(hunks_of(content, edits), "file", "file")
    assert patched(content, diff) == edited(content, edits)


@settings(max_examples=40, deadline=None)
@given(contents_with_edits())
def test_a_diff_is_taken_by_the_system(drawn: tuple[bytes, list[Edit]]) -> None:
    """The system's patch program takes the diff without moving it, and gives exactly the new content."""
    content, edits = drawn
    after = edited(content, edits)
    if after != content:
        assert patched_by_tool(content, print_diff(hunks_of(content, edits), "file", "file")) == after


def test_a_diff_reads_as_one_expects() -> None:
    """Two edits far apart are two hunks with three lines around each; the unchanged part of a line's hunk is context."""
    content = b"".join(b"line %d\n" % n for n in range(1, 21))
    edits = [Edit(content.index(word), content.index(word) + 1, b"L") for word in (b"line 5\n", b"line 17\n")]
    assert print_diff(hunks_of(content, edits), "a/x", "b/x") == (
        "--- a/x\n+++ b/x\n"
        "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+Line 5\n line 6\n line 7\n line 8\n"
        "@@ -14,7 +14,7 @@\n line 14\n line 15\n line 16\n-line 17\n+Line 17\n line 18\n line 19\n line 20\n"
    )


def test_a_diff_of_edits_that_meet_in_one_line() -> None:
    """A line taken away after one that lost its newline: the line below moves up, and the diff says so."""
    content = b"a\nb\nc\n"
    edits = [Edit(0, 2, b"x"), Edit(2, 4, b"")]
    diff = print_diff(hunks_of(content, edits), "file", "file")
    assert patched(content, diff) == b"xc\n"
    assert NO_NEWLINE not in diff


@pytest.mark.parametrize(
    "edits",
    [
        (Edit(2, 4, b""), Edit(3, 5, b"")),
        (Edit(4, 5, b""), Edit(0, 1, b"")),
        (Edit(3, 2, b""),),
        (Edit(-1, 2, b""),),
        (Edit(5, 7, b""),),
    ],
)
def test_edits_that_overlap_or_leave_the_file_are_refused(edits: Sequence[Edit]) -> None:
    """Spans ascend, do not overlap and lie inside the content, or nothing is made of them."""
    with pytest.raises(RefusedError, match="overlap or leave"):
        edited(b"abcdef", edits)


@given(st.text(alphabet="aé字𝄞\n\udc80\udcff", max_size=20), st.data())
def test_text_spans_become_byte_spans(text: str, data: st.DataObject) -> None:
    """Spans counted in characters change the same text as their byte spans, undecodable bytes included."""
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = [(start, end, "é\udcfe") for start, end in zip(places[::2], places[1::2], strict=False)]
    wanted, done = "", 0
    for start, end, new in spans:
        wanted += text[done:start] + new
        done = end
    wanted += text[done:]
    content = text.encode("utf-8", "surrogateescape")
    assert edited(content, text_edits(text, spans)) == wanted.encode("utf-8", "surrogateescape")


def test_text_spans_are_put_in_order() -> None:
    """Spans may be given in any order."""
    assert text_edits("äbc", [(2, 3, "C"), (0, 1, "Ä")]) == (Edit(0, 2, "Ä".encode()), Edit(3, 4, b"C"))


@given(CONTENTS, CONTENTS)
def test_replacing_is_one_small_span(content: bytes, new: bytes) -> None:
    """`plan_replace` gives the new content by one span that neither begins nor ends with what stays; or no change."""
    change = plan_replace("f", content, new)
    if change is None:
        assert content == new
        return
    (edit,) = change.edits
    assert edited(content, change.edits) == new
    assert change.base == digest(content)
    old = content[edit.start : edit.end]
    assert not (old and edit.new and (old[0] == edit.new[0] or old[-1] == edit.new[-1]))


def test_replacing_what_is_not_there_creates_it() -> None:
    """Where there is no file yet, replacing its content makes it."""
    assert plan_replace("f", None, b"x") == Change("f", None, (Edit(0, 0, b"x"),))


def test_a_plan_is_true_when_it_changes_something() -> None:
    """An empty plan is false, and a plan knows the content it was made from."""
    assert not Plan("edit")
    change = plan_edit("f", b"ab", [Edit(1, 2, b"c"), Edit(0, 1, b"d")])
    assert Plan("edit", (change,))
    assert change.base == digest(b"ab")
    assert [one.start for one in change.edits] == [0, 1]


def test_plans_for_different_files_join() -> None:
    """Two plans become one under the first one's verb; two that change one file do not."""
    one, two = Plan("one", (Change("a", None),), prune=("x",)), Plan("two", (Change("b", None),), prune=("y",))
    joined = one + two
    assert (joined.verb, [change.path for change in joined.changes], joined.prune) == ("one", ["a", "b"], ("x", "y"))
    with pytest.raises(RefusedError, match="change 'a'"):
        one + Plan("three", (Change("a", "0"),))


def test_a_hunk_as_an_edit() -> None:
    """A hunk is a span of the content before it."""
    assert Hunk(3, 2, b"old", b"new").as_edit() == Edit(3, 6, b"new")
