"""Notes are cut into entries that know what they are about and stay themselves through small changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.entry import entry_hash, find_speaker, find_time, heading_context, normal_text
from mneme.formats.note import parse_note


def entries(text: str) -> list[tuple[str, str, tuple[str, ...], str]]:
    """Return kind, text, context and time of a note's entries."""
    return [(entry.kind, entry.text, entry.context, entry.time) for entry in parse_note(text).entries]


def test_items_paragraphs_and_the_rest() -> None:
    """A list item with what is nested in it is one entry; so is a paragraph, a quote, a table, a code block."""
    text = "- a\n  - b\n- c\n\npara\ngraph\n\n> said\n\n| x |\n|---|\n\n```\ncode\n```\n```\nmore\n```\n"
    assert [(kind, said) for kind, said, _, _ in entries(text)] == [
        ("item", "- a\n  - b"),
        ("item", "- c"),
        ("paragraph", "para\ngraph"),
        ("quote", "> said"),
        ("table", "| x |\n|---|"),
        ("code", "```\ncode\n```"),
        ("code", "```\nmore\n```"),
    ]


def test_headings_are_context_and_generic_ones_end_it() -> None:
    """A heading that only says when takes away the context of its level, so that none leaks onto what follows."""
    text = "# 2026-04-05\n\n## Operations\n- rotated keys\n\n## Morning\n- coffee\n\n### Emma Rees\nhello\n\n## Friday, April 5, 2026\nend\n"
    assert [(said, context) for _, said, context, _ in entries(text)] == [
        ("- rotated keys", ("Operations",)),
        ("- coffee", ()),
        ("hello", ("Emma Rees",)),
        ("end", ()),
    ]


def test_a_line_that_leads_in_to_a_list_is_context() -> None:
    """A line ending in a colon right above a list says what the list is about, for that list alone."""
    text = "**Decided:**\n- use tabs\n\n- and lists\n\nnot this one\n\n- plain\n"
    assert [(said, context) for _, said, context, _ in entries(text)] == [
        ("- use tabs", ("Decided",)),
        ("- and lists", ("Decided",)),
        ("not this one", ()),
        ("- plain", ()),
    ]


def test_times_part_a_paragraph_and_come_from_headings() -> None:
    """A line that begins with a time begins an entry; a heading's time holds below it."""
    text = "09:00 stood up\nstill\n**10:15 UTC** : shipped\n\n## 06:10 UTC — Release notes\n- read\n- 07:00 wrote\n"
    assert [(said, context, time) for _, said, context, time in entries(text)] == [
        ("09:00 stood up\nstill", (), "09:00"),
        ("**10:15 UTC** : shipped", (), "10:15"),
        ("- read", ("Release notes",), "06:10"),
        ("- 07:00 wrote", ("Release notes",), "07:00"),
    ]


def test_what_programs_wrote_and_headers_are_no_entries() -> None:
    """Regions, the closure block, the tags line and stamps are left out."""
    text = (
        "# T\n#tags: a\n> last_verified: 2026-01-01\n\n- mine\n\n## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n"
        "- Candidate: mine\n<!-- openclaw:dreaming:light:end -->\n\nUpdated: x\nDecisions: y\nSignal: z\nOpen: none\n"
    )
    assert [said for _, said, _, _ in entries(text)] == ["- mine"]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("10:30 x", "10:30"),
        ("**13:12 UTC** : x", "13:12"),
        ("[9:05] x", "09:05"),
        ("2:30 PM x", "14:30"),
        ("12:10 am x", "00:10"),
        ("下午3点20分 x", "15:20"),
        ("8点开会", "08:00"),
        ("25:10 x", ""),
        ("10:305 x", ""),
        ("at 10:30", ""),
        ("3.5 x", ""),
    ],
)
def test_times_of_day(text: str, time: str) -> None:
    """Times are read in the forms people write at the start of a line."""
    assert find_time(text) == time


@pytest.mark.parametrize(
    ("heading", "context"),
    [
        ("2026-03-01", ""),
        ("Sunday, March 1, 2026", ""),
        ("Daily Log — 2026-03-01", ""),
        ("15 février 2026", ""),
        ("11:30", ""),
        ("2026年3月1日 星期日", ""),
        ("上午", ""),
        ("Evening", ""),
        ("2026-03-01.md", ""),
        ("2026-02-12 — Démarrage", "Démarrage"),
        ("Notes from Emma", "Notes from Emma"),
        ("Release 2026.2.14 (stable)", "Release 2026.2.14 (stable)"),
        ("Veille (15:27 UTC)", "Veille"),
        ("下午的会议", "下午的会议"),
    ],
)
def test_generic_headings_say_nothing(heading: str, context: str) -> None:
    """A heading that names only a day or a time is no context; anything else is, without its date."""
    assert heading_context(heading) == context


def test_normalising_takes_away_what_may_change() -> None:
    """Markers, boxes, wrapping, line ends and composition do not make another entry."""
    forms = ["- [ ] Café  bar\n  - baz", "* [x] Cafe\u0301 bar\r\n      1. baz", "> Café\n> bar baz"]
    assert {normal_text(form) for form in forms} == {"Café bar baz"}
    assert len({entry_hash(form) for form in forms}) == 1
    assert entry_hash("- Café bar") != entry_hash("- Café bars")


@given(st.text(st.characters()))
def test_any_text_has_a_hash(text: str) -> None:
    """Eight hex digits for whatever is written, the same each time."""
    digest = entry_hash(text)
    assert len(digest) == 8
    assert int(digest, 16) >= 0
    assert entry_hash(text) == digest


@pytest.mark.parametrize(
    ("entry", "speaker"),
    [
        ("- Caroline: I moved in May", "Caroline"),
        ("- **Bob:** hello", "Bob"),
        ("14:05 Ann Lee: the printer is broken", "Ann Lee"),
        ("- (10:22 pm) Ann: late", "Ann"),
        ("- user: how do I do that?", "user"),
        ("- 小明：你好", "小明"),
        ("- we moved: in May", ""),
        ("see http://example.org: it is there", ""),
        ("- A Very Long Name: no", ""),
        ("- 10:30", ""),
    ],
)
def test_who_says_an_entry(entry: str, speaker: str) -> None:
    """A name before a colon at the beginning says who speaks; a sentence, a time or an address does not."""
    assert find_speaker(entry) == speaker
