"""What is said outright is found, in three languages; what is asked, quoted or supposed is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.capture.explicit import LONGEST_STATEMENT_CHARS, MOST_STATEMENTS, find_statements


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "We decided to use SQLite for the cache."),
        ("decision", "Let's go with the second option"),
        ("decision", "Decision: one process per user"),
        ("decision", "我们决定用 PostgreSQL"),
        ("decision", "Vamos usar Postgres em produção"),
        ("correction", "No, the port is 8443."),
        ("correction", "Actually the deadline is in March"),
        ("correction", "that's wrong: the file is in docs/"),
        ("correction", "不对，端口是 8443"),
        ("correction", "Não, a porta é 8443"),
        ("preference", "I prefer short answers"),
        ("preference", "From now on, write the tests first"),
        ("preference", "Never push to main"),
        ("preference", "以后都用中文回答"),
        ("preference", "Prefiro respostas curtas"),
        ("fact", "Remember that the staging server is called aurora"),
        ("fact", "My time zone is Europe/Lisbon"),
        ("fact", "I'm a data analyst"),
        ("fact", "记住：服务器在东京"),
        ("fact", "Meu nome é Ana"),
    ],
)
def test_what_is_said_outright_is_found(kind: str, text: str) -> None:
    """By its kind, in its own words, also between other sentences."""
    assert [(one.kind, one.text) for one in find_statements(text)] == [(kind, text)]
    around = f"Thanks for that.\n{text}\nCould you look at the log?"
    assert [one.kind for one in find_statements(around)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fix the failing test",
        "Did we decide to use SQLite?",
        "should I always use tabs?",
        "If we decided to use X, what would break?",
        "What do I prefer?",
        "> I prefer short answers",
        "```\nNever push to main\n```",
        "    Remember the milk",
        "我们要不要用这个方案吗？",
        "the note says nothing of it",
        "run the tests and show me what fails",
        "add a column named always_on",
    ],
)
def test_what_is_asked_quoted_or_supposed_is_not(text: str) -> None:
    """A buffer full of guesses would be worth nothing."""
    assert find_statements(text) == ()


@given(st.text(max_size=3000))
def test_any_text_is_read(text: str) -> None:
    """No text raises, and what is found is short, on one line and bounded in number."""
    found = find_statements(text + "\nI prefer this. " * 20)
    assert len(found) <= MOST_STATEMENTS
    assert all(len(one.text) <= LONGEST_STATEMENT_CHARS and "\n" not in one.text for one in found)
