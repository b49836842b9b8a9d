"""A session is told once, in one paragraph, from lines that may be torn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mneme.capture.session import ASKED, FAILED, SAID, USED, print_line, quote, read_session, session_name

AT = datetime(2026, 1, 31, 14, 2, tzinfo=UTC)


def test_a_session_is_told_in_one_paragraph() -> None:
    """What was asked first and last, how it ended, which tools were used, and on which files."""
    lines = [
        print_line(AT, ASKED, "make the cache faster", host="codex"),
        print_line(AT, USED, "Edit", file="cache.py"),
        print_line(AT, FAILED, "Bash"),
        print_line(AT, USED, "Bash"),
        print_line(AT, ASKED, "and the index"),
        '{"at": "2026-01-31T15',
        "[]",
        print_line(AT.replace(hour=15), SAID, "Both are done"),
    ]
    assert read_session(lines).summary() == (
        'Session 14:02-15:02 (codex): asked "make the cache faster"; last "and the index"; ended with "Both are done"; '
        "tools: Bash 2 (1 failed), Edit 1; files: cache.py."
    )


def test_a_session_in_which_nothing_happened_is_not_told() -> None:
    """Neither one without lines nor one that only started."""
    assert not read_session([])
    assert not read_session(["", "{}", print_line(AT, SAID, "hello")])


def test_the_turn_under_way_is_the_last_request() -> None:
    """With what was said last, each cut where it is long."""
    lines = [
        print_line(AT, ASKED, "first"),
        print_line(AT, ASKED, "word " * 100),
        print_line(AT, SAID, "so far so good"),
    ]
    turn = read_session(lines).turn()
    assert turn.startswith('under way: "word word')
    assert turn.endswith('…"; last said: "so far so good"')


@pytest.mark.parametrize("session", ["", "../../etc/passwd", "a/b", "x" * 300, "\udcff", "a b", "."])
def test_no_session_id_is_a_path(session: str) -> None:
    """What a host sends as an id names a file in one folder, whatever it is."""
    name = session_name(session)
    assert name.removesuffix(".jsonl").isalnum()
    assert session_name("1f2e-3d_4") == "1f2e-3d_4.jsonl"


def test_a_quote_is_one_line() -> None:
    """Line breaks go, and a long text ends with an ellipsis at a word."""
    assert quote("a\n\n b") == "a b"
    assert quote("word " * 100, 20) == "word word word…"
