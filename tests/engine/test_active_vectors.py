"""Active Memory by its published figures, one test for each; the names say which of them it is."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.recall.active import question, scope, summary
from mneme.recall.active.breaker import Outcome
from mneme.recall.active.scope import Chat, chat_of_key
from mneme.recall.active.settings import ActiveSettings
from mneme.workspace import Workspace, parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEFAULT = ActiveSettings()
GROUP = "agent:main:telegram:group:-100123"
PROMPT = "which database does the local cache use, SQLite or JSON?"
OPENED: list[Memory] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while OPENED:
        OPENED.pop().close()


def memory_at(root: Path, toml: str = "") -> Memory:
    """Return a trusted memory with one cell that answers the prompt."""
    workspace = Workspace(root, parse_settings(toml), trusted=True)
    memory = Memory(workspace, lambda: datetime(2026, 1, 5, 9, 0, tzinfo=UTC))
    OPENED.append(memory)
    memory.remember("The local cache uses SQLite, not JSON", kind="decision", topic="storage/cache")
    return memory


def test_a1_a_summary_is_cut_before_the_word_that_would_be_split() -> None:
    """At forty characters, back to the word before."""
    assert summary.cut("alpha beta gamma delta epsilon zetalongword", 40) == "alpha beta gamma delta epsilon"


def test_a2_none_injects_nothing() -> None:
    """No block, no header."""
    assert summary.is_nothing("NONE")
    assert summary.block("NONE") == ""


def test_a3_a_group_is_left_alone_unless_it_is_allowed() -> None:
    """By its key; with both types it is spoken to."""
    chat = chat_of_key(GROUP)
    assert scope.refusal(DEFAULT, chat, switched_off=False) == "the chat is a group chat"
    assert scope.refusal(replace(DEFAULT, chat_types=("direct", "group")), chat, switched_off=False) == ""


@pytest.mark.parametrize(("key", "main_key"), [("agent:main:main", "main"), ("agent:main:home", "home")])
def test_a4_the_main_session_is_direct(key: str, main_key: str) -> None:
    """Whatever the host calls it, where a channel brings the message."""
    chat = replace(chat_of_key(key, main_key=main_key), provider="telegram", channel="telegram")
    assert scope.chat_type(chat) == "direct"


def test_a5_what_is_late_is_told_as_such_and_never_kept(tmp_path: Path) -> None:
    """A quarter of a second, twice asked: two timeouts, two entries in the log, nothing from the cache."""
    active = "[active]\ntimeout_ms = 250\ndebug = true\n"
    outcomes = []
    for number in range(2):
        with socket.create_server(("127.0.0.1", 0)) as deaf:  # an embedder that takes the question and never answers
            url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
            embedder = (
                f'[embedder]\nkind = "ollama"\nmodel = "m{number}"\ndims = 4\nurl = "{url}"\ntimeout_seconds = 1\n'
            )
            memory = memory_at(tmp_path, active + embedder)
            outcomes.append(memory.active(PROMPT, chat=Chat(session="s-1")))
    assert [(one.status, one.summary, one.cached) for one in outcomes] == [("timeout", "", False)] * 2
    log = (tmp_path / ".mneme.d/active.log").read_text("utf-8").splitlines()
    assert sum("status=timeout" in row for row in log) == 2


def test_a7_two_sessions_are_two_runs(tmp_path: Path) -> None:
    """The same prompt in each."""
    memory = memory_at(tmp_path)
    assert not any(memory.active(PROMPT, chat=Chat(session=one), words=True).cached for one in ("s-1", "s-2"))
    assert memory.active(PROMPT, chat=Chat(session="s-1"), words=True).cached


def test_a8_a_run_is_named_after_its_session_and_question(tmp_path: Path) -> None:
    """The session's key, what it is, and twelve digits that tell questions apart; the log has it."""
    key = "agent:main:telegram:direct:12345:thread:99"
    name = scope.run_name(chat_of_key(key), "which database?")
    assert re.fullmatch(rf"{key}:active-memory:[0-9a-f]{{12}}", name)
    assert name != scope.run_name(chat_of_key(key), "which cache?")
    memory = memory_at(tmp_path, "[active]\ndebug = true\n")
    memory.active(PROMPT, chat=chat_of_key(key), words=True)
    first, second = (tmp_path / ".mneme.d/active.log").read_text("utf-8").splitlines()
    assert re.search(rf" {key}:active-memory:[0-9a-f]{{12}} \U0001f9e9 Active Memory: status=ok ", first)
    assert " \U0001f50e Active Memory Debug: backend=mneme " in second


@pytest.mark.parametrize(("mode", "style"), [("message", "strict"), ("recent", "balanced"), ("full", "contextual")])
def test_a9_each_mode_has_its_style(mode: str, style: str) -> None:
    """Unless one is set."""
    assert replace(DEFAULT, query_mode=mode).prompt_style == style


def test_a12_the_second_line_says_how_it_came_to_that() -> None:
    """The backend, how it searched, how long and what it found; on one line of at most 300 characters."""
    outcome = Outcome("ok", "x\n" * 400, 2590, "recent", hits=3, meaning="no embedder")
    line = outcome.debug_line
    assert line.startswith("\U0001f50e Active Memory Debug: backend=mneme effectiveMode=words fallback=no embedder searchMs=2590 hits=3 | ")  # fmt: skip
    assert "\n" not in line
    assert len(line) <= 300 + len("\U0001f50e Active Memory Debug: ")


def test_a13_only_the_assistants_lines_are_taken_for_ours() -> None:
    """A user may begin with these words."""
    said = "Active Memory: status=ok elapsed=1ms query=recent\nmore"
    assert question.own_words("user", said) == said
    assert question.own_words("assistant", said) == "more"
