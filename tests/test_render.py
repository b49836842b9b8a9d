"""Rendering: the same records for a terminal, for Markdown and for a program, and never a way to act on the reader."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme import render
from mneme.errors import ERROR, INFO, WARN, Problem
from mneme.formats.record import Link, Record

# Any text a file can hold, half characters that stand for undecodable bytes included.
ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\x1b\x07\r\n\t\u202e\u2066\udcff\x9b\u2028\U000e0041")
)
CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = "\u061c\u200e\u200f"
STYLE = re.compile(r"\x1b\[\d+m")


def sample(**changes: object) -> Record:
    """Return a cell's record."""
    fields = {
        "id": "DEC-0003",
        "kind": "decision",
        "path": "memory/team.mneme",
        "line": 4,
        "end_line": 9,
        "text": "Local cache uses SQLite",
        "since": "2026-01-02",
        "seen": "2026-01-31",
        "links": (Link("supersedes", "DEC-0001", 9),),
    }
    return Record(**(fields | changes))  # type: ignore[arg-type]


def is_harmless(text: str) -> bool:
    """Say whether a text holds nothing that a terminal would obey, or that turns the reader's eye."""
    return all(char in "\n\t" or not (unicodedata.category(char) in CONTROLS or turns(char)) for char in text)


def turns(char: str) -> bool:
    """Say whether a character changes the direction of what follows."""
    return char in MARKS or unicodedata.bidirectional(char) in TURNING


@given(ANY_TEXT)
def test_safe_text_shows_what_a_terminal_would_obey(text: str) -> None:
    """Control characters, overrides and half characters are written out, each on its own; nothing else changes."""
    assert is_harmless(render.safe_text(text))
    assert render.safe_text(text) == "".join(map(render.safe_text, text))
    assert all(render.safe_text(char) == char for char in text if char.isprintable())


def test_letters_that_need_a_joiner_keep_it() -> None:
    """A family in one emoji and a Persian plural are text, not tricks."""
    for text in ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627", "记住"):
        assert render.safe_text(text) == text


@given(ANY_TEXT)
def test_json_survives_any_text(text: str) -> None:
    """What was in the file is what a program reads back, whether the output may hold more than ASCII or not."""
    for ascii_only in (False, True):
        printed = render.json_text([sample(text=text)], ascii_only=ascii_only)
        assert json.loads(printed)["records"][0]["text"] == text
        assert not ascii_only or printed.isascii()
        assert "\x1b" not in printed
        assert "\u202e" not in printed
        printed.encode()


def test_the_envelope_is_the_published_one() -> None:
    """Version, records and problems, then whatever a verb adds."""
    problem = Problem(
        "a.mneme", 3, "duplicate-id", ERROR, "id 'DEC-0001' is already used at line 1", "mneme new-id DEC"
    )
    envelope = json.loads(render.json_text([sample()], [problem], status="new"))
    assert list(envelope) == ["version", "records", "problems", "status"]
    assert envelope["version"] == 1
    assert envelope["records"][0]["links"] == [{"relation": "supersedes", "target": "DEC-0001"}]
    assert envelope["problems"][0] == problem.as_json()


@given(ANY_TEXT, ANY_TEXT)
def test_a_record_in_a_list_stays_on_its_line(text: str, path: str) -> None:
    """One record is one line, whatever it says, so that lines can be counted and filtered."""
    assert "\n" not in render.records_text([sample(text=text, path=path)])
    assert "\n" not in render.records_markdown([sample(text=text, path=path)])


def test_a_list_is_laid_out_in_columns() -> None:
    """Ids of different length leave the columns straight; a longer text shows its first line."""
    records = [sample(), sample(id="GOTCHA-0001", state="stale", text="Two\nlines", line=12, end_line=12)]
    assert render.records_text(records).splitlines() == [
        "DEC-0003     live        med   Local cache uses SQLite  memory/team.mneme:4-9",
        "GOTCHA-0001  stale       med   Two  memory/team.mneme:12",
    ]
    assert render.records_text([]) == ""


def test_a_record_in_full_shows_every_field_that_says_something() -> None:
    """The text first, then one field to a line; what is empty is left out."""
    shown = render.record_text(sample(since=""))
    assert shown.splitlines() == [
        "Local cache uses SQLite",
        "id       DEC-0003",
        "kind     decision",
        "state    live",
        "conf     med",
        "seen     2026-01-31",
        "tier     warm",
        "audience private",
        "link     supersedes DEC-0001",
        "source   memory/team.mneme:4-9",
    ]


def test_markdown_names_state_and_source() -> None:
    """A list that can be pasted: what it says, whether it holds, where it lies."""
    expected = "- **DEC-0003** (live, med) Local cache uses SQLite (`memory/team.mneme:4-9`)"
    assert render.records_markdown([sample()]) == expected


@pytest.mark.parametrize(
    "draw",
    [
        lambda text, *, colour: render.records_text([sample(text=text, id=text)], colour=colour),
        lambda text, *, colour: render.record_text(sample(text=text, path=text, kind=text), colour=colour),
        lambda text, *, colour: render.diff_text(f"+++ {text}\n@@ 1 @@\n+{text}\n-{text}\n {text}\n", colour=colour),
        lambda text, *, colour: render.problem_text(Problem(text, 1, "rule", WARN, text, text), colour=colour),
    ],
    ids=["list", "record", "diff", "problem"],
)
def test_colour_is_ours_alone(draw) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    """With colour only our own styles are in the output; without, no escape at all; the words are the same."""
    text = "a\x1b[31mred\x9b2J\u202egnp\r"
    plain, coloured = draw(text, colour=False), draw(text, colour=True)
    assert is_harmless(plain)
    assert STYLE.sub("", coloured) == plain
    assert coloured != plain


def test_a_diff_keeps_its_lines() -> None:
    """Colouring takes nothing away, and an empty last line is not added."""
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n"
    assert render.diff_text(diff) == diff.rstrip("\n")
    assert render.diff_text(diff, colour=True).splitlines()[3] == "\x1b[31m-x\x1b[0m"


def test_problems_are_counted_by_severity() -> None:
    """Worst first, in words, and nothing is said of a severity that did not occur."""

    def of(*severities: str) -> list[Problem]:
        return [Problem("a", 1, "rule", severity, "fault") for severity in severities]

    assert render.problem_counts(of(WARN, ERROR, ERROR)) == "2 errors, 1 warning"
    assert render.problem_counts(of(INFO)) == "1 remark"
    assert render.problem_counts([]) == "no problems"


def test_a_problem_reads_as_compilers_print_them() -> None:
    """Place, severity, rule and message on one line, each line of the hint on its own."""
    problem = Problem(
        "memory/team.mneme", 41, "duplicate-id", ERROR, "id is used\nat line 12", "mneme new-id DEC\nmneme lint"
    )
    assert render.problem_text(problem).splitlines() == [
        "memory/team.mneme:41: error duplicate-id: id is used\\nat line 12",
        "  hint: mneme new-id DEC",
        "  hint: mneme lint",
    ]
    assert render.problem_text(Problem("a.mneme", 0, "unreadable", ERROR, "x")) == "a.mneme: error unreadable: x"
    assert render.problem_text(Problem("", 0, "unfamiliar-prefix", WARN, "x")) == "warn unfamiliar-prefix: x"
