"""Marked regions pair up, and markers that do not are reported and own nothing."""

from __future__ import annotations

import pytest

from mneme.formats.note import parse_note


def test_regions_of_both_programs() -> None:
    """Ours and OpenClaw's are found with their content as whole lines."""
    text = (
        "# M\n<!-- mneme:index:start -->\n- a\n<!-- mneme:index:end -->\n"
        "<!-- openclaw:dreaming:light:start -->\r\nx\r\n<!-- openclaw:dreaming:light:end -->"
    )
    note = parse_note(text)
    assert [(region.owner, region.name, region.line, region.end_line) for region in note.regions] == [
        ("mneme", "index", 2, 4),
        ("openclaw", "dreaming:light", 5, 7),
    ]
    assert [text[region.inner_start : region.inner_end] for region in note.regions] == ["- a\n", "x\r\n"]
    assert text[note.regions[0].start : note.regions[0].end].endswith("index:end -->")
    assert note.problems == ()


def test_a_region_within_a_line() -> None:
    """Markers that share a line enclose the characters between them."""
    text = "a <!-- mneme:summary:start -->b<!-- mneme:summary:end --> c"
    region = parse_note(text).find_region("summary")
    assert region
    assert text[region.inner_start : region.inner_end] == "b"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("S", [(1, "region 'index' has no end marker")]),
        ("E", [(1, "end marker of region 'index' has no start")]),
        ("S\nS\nE", [(1, "region 'index' has no end marker")]),
        ("S\nE\nS\nE", [(3, "region 'index' is in the file twice")]),
        (
            "S\nP\nE",
            [
                (1, "region 'index' has no end marker"),
                (2, "region 'palace' has no end marker"),
                (3, "end marker of region 'index' has no start"),
            ],
        ),
    ],
)
def test_markers_that_do_not_pair(text: str, problems: list[tuple[int, str]]) -> None:
    """Each fault names its region and its line."""
    marks = {"S": "<!-- mneme:index:start -->", "E": "<!--mneme:index:end-->", "P": "<!-- mneme:palace:start -->"}
    note = parse_note("\n".join(marks[row] for row in text.split("\n")))
    assert [(problem.line, problem.message) for problem in note.problems] == problems
    assert {problem.rule for problem in note.problems} == {"broken-region"}


def test_promotion_markers() -> None:
    """A promotion marker gives the key of the entry that it stands for."""
    note = parse_note("## Promoted\n\n<!-- openclaw-memory-promotion:memory:memory/2026-04-01.md:1:2 -->\n- x\n")
    assert [(mark.key, mark.line) for mark in note.promotions] == [("memory:memory/2026-04-01.md:1:2", 3)]
    assert [entry.text for entry in note.entries] == ["- x"]
