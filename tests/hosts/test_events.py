"""Each host's JSON becomes the same event, and what it is answered is its own JSON within its own size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.engine.hooks import DIALECTS, event_name, find_dialect
from mneme.hosts.event import EVENTS, Event, chars_of
from mneme.hosts.openclaw import main_key_for
from mneme.recall.active.scope import chat_of_key, chat_type

if TYPE_CHECKING:
    from pathlib import Path

SENT = {
    "claude-code": {
        "session_id": "s", "prompt_id": "p", "cwd": "/w", "prompt": "hello", "last_assistant_message": "done",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"}, "tool_response": {"stdout": ""},
    },
    "codex": {
        "session_id": "s", "turn_id": "p", "cwd": "/w", "prompt": "hello", "last_assistant_message": "done",
        "transcript_path": None, "model": "m", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"},
        "tool_response": "ok",
    },
    "gemini": {
        "session_id": "s", "prompt_id": "p", "cwd": "/w", "prompt": "hello", "prompt_response": "done",
        "timestamp": "2026-01-31T00:00:00Z", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"},
        "tool_response": {"llmContent": "ok"},
    },
    "cursor": {
        "conversation_id": "s", "generation_id": "p", "workspace_roots": ["/w"], "prompt": "hello", "text": "done",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": '{"command": "ls"}', "tool_output": "ok",
    },
    "openclaw": {
        "session_id": "s", "turn_id": "p", "cwd": "/w", "prompt": "hello", "last_assistant_message": "done",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"},
        "session_key": "agent:main:main",
    },
}  # fmt: skip


def read(host: str, name: str, payload: dict[str, object]) -> Event:
    """Return the event that a host tells of."""
    dialect = find_dialect(host)
    assert dialect is not None
    return dialect.read_event(name, payload)


@pytest.mark.parametrize("host", SENT)
def test_every_host_tells_the_same(host: str) -> None:
    """Session, turn, folder, prompt, last words and tool come out alike, whatever they are called."""
    event = read(host, "PostToolUse", SENT[host])
    assert (event.session, event.turn, event.cwd, event.prompt, event.said) == ("s", "p", "/w", "hello", "done")
    assert event.tool is not None
    assert (event.tool.name, event.tool.id, dict(event.tool.given)) == ("Bash", "t", {"command": "ls"})
    assert (event.name, event.tool.error, event.shared) == ("PostToolUse", "", False)


@pytest.mark.parametrize(
    ("host", "payload", "error"),
    [
        ("codex", {"tool_response": {"exit_code": 2, "output": "no"}}, "Exit code 2"),
        ("codex", {"tool_response": {"metadata": {"exit_code": 1}, "output": "no"}}, "Exit code 1"),
        ("codex", {"tool_response": "Exit code: 127\nnot found"}, "Exit code 127"),
        ("codex", {"tool_response": "Wall time: 0.1 s\nProcess exited with code 3\nOutput:\nno"}, "Exit code 3"),
        ("codex", {"tool_response": {"isError": True, "content": []}}, "{"),
        ("gemini", {"tool_response": {"llmContent": "x", "error": {"message": "Exit code 1"}}}, "Exit code 1"),
        ("gemini", {"tool_response": {"error": "broken"}}, "broken"),
        ("gemini", {"tool_response": {"llmContent": "Output: bad\nExit Code: 3\nGroup: 1"}}, "Exit code 3"),
        ("openclaw", {"tool_response": "bad", "exit_code": 3}, "Exit code 3"),
    ],
)
def test_a_failure_is_found_where_the_host_puts_it(host: str, payload: dict[str, object], error: str) -> None:
    """Hosts without an event for failures tell of them in what the tool gave back."""
    event = read(host, "PostToolUse", SENT[host] | payload)
    assert event.name == "PostToolUseFailure"
    assert event.tool is not None
    assert event.tool.error.startswith(error)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "fine",
        {"exit_code": 0},
        {"metadata": {"exit_code": 0}},
        [],
        7,
        {"metadata": []},
        "it ends with exit code 1",
    ],
)
def test_what_went_well_is_no_failure(answer: object) -> None:
    """Nor is an answer of a shape that we do not know."""
    assert read("codex", "PostToolUse", SENT["codex"] | {"tool_response": answer}).name == "PostToolUse"


def test_a_prompt_is_what_somebody_said() -> None:
    """Gemini CLI puts what the session's start was told before its first prompt; that is nobody's question."""
    told = "<hook_context>What memory holds: &lt;memory&gt; x</hook_context>\n\nhow are <hook_context> told?</hook_context>"
    event = read("gemini", "UserPromptSubmit", SENT["gemini"] | {"prompt": told})
    assert event.prompt == "how are <hook_context> told?</hook_context>"
    assert (
        read("gemini", "PostToolUse", SENT["gemini"] | {"tool_response": {"llmContent": "Exit Code: 0"}}).name
        == "PostToolUse"
    )


@pytest.mark.parametrize(
    ("key", "shared"),
    [
        ("agent:main:main", False),
        ("agent:main:telegram:direct:7", False),
        ("agent:main:discord:group:7", True),
        ("agent:main:cron:7", True),
        ("agent:direct:telegram:group:7", True),
        ("agent:main:telegram:group:main", True),
        ("agent:main:irc:channel:direct", True),
        ("agent:main:direct:7", False),
        ("agent:main:main:thread:7", False),
        ("agent:main:telegram:work:direct:7", False),
        ("agent:main:home", True),
        ("main", True),
        ("", True),
    ],
)
def test_a_conversation_not_known_to_be_private_is_shared(key: str, shared: bool) -> None:  # noqa: FBT001
    """OpenClaw names it in the session's key; only what is with the owner alone sees what is private."""
    assert read("openclaw", "UserPromptSubmit", {"session_key": key}).shared is shared


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("// mine\n{session: {mainKey: ' Home '}}", False),
        ('{"session": {"mainKey": "den"}}', True),
        ('{"session": {"mainKey": 7}}', True),
        ('{"session": {"mainKey": ""}}', True),
        ("{", True),
    ],
)
def test_the_main_session_goes_by_the_name_that_settings_give_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    shared: bool,  # noqa: FBT001
) -> None:
    """For what is told, and for Active Memory; `main` stays one of its names, and nothing else becomes one."""
    (tmp_path / "openclaw.json").write_text(text, "utf-8")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path))
    monkeypatch.delenv("OPENCLAW_CONFIG_PATH", raising=False)
    key = "agent:ann:home"
    assert read("openclaw", "UserPromptSubmit", {"session_key": key}).shared is shared
    assert bool(chat_type(chat_of_key(key, main_key=main_key_for(key)))) is not shared
    assert not read("openclaw", "UserPromptSubmit", {"session_key": "agent:ann:main"}).shared
    assert read("openclaw", "UserPromptSubmit", {"session_key": "agent:ann:telegram:group:home"}).shared


@pytest.mark.parametrize("host", DIALECTS)
def test_events_go_by_either_name(host: str) -> None:
    """Ours, or the host's own; every host's events are among ours."""
    dialect = find_dialect(host)
    assert dialect is not None
    assert set(dialect.EVENTS) <= set(EVENTS)
    for ours, theirs in dialect.EVENTS.items():
        assert event_name(dialect, ours) == ours
        assert dialect.EVENTS[event_name(dialect, theirs) or ""] == theirs
    assert event_name(dialect, "Nothing") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
KEYS = sorted({key for payload in SENT.values() for key in payload} | {"error", "is_interrupt", "source", "agent_id"})


@pytest.mark.parametrize("host", DIALECTS)
@given(payload=st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8))
def test_no_json_is_too_odd(host: str, payload: dict[str, object]) -> None:
    """Values of any type are read, and what is printed is JSON that any reader takes."""
    dialect = find_dialect(host)
    assert dialect is not None
    for name in dialect.EVENTS:
        event = dialect.read_event(name, payload)
        printed = dialect.print_answer(event, f"text \u2028 {event.prompt}").encode("utf-8")
        if printed and host != "plain":
            assert isinstance(json.loads(printed), dict)


def test_sizes_are_counted_as_hosts_count() -> None:
    """In UTF-16 units: what lies beyond the basic plane is two."""
    assert chars_of("a😀b") == 4
