"""Every host's log is read into what was said, with its line, and into nothing that nobody said."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.transcript import parse_transcript, spoken


def log(*entries: object) -> str:
    """Return lines of JSON."""
    return "\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)


def claude(role: str, content: object, **more: object) -> dict[str, object]:
    """Return a line as Claude Code writes it."""
    return {
        "type": role, "timestamp": "2026-01-02T09:00:00.123Z", "sessionId": "s-1", "cwd": "/p",
        "message": {"role": role, "content": content}, **more,
    }  # fmt: skip


def said(text: str) -> list[tuple[int, str, str]]:
    """Return line, role and text of each turn."""
    return [(turn.line, turn.role, turn.text) for turn in parse_transcript(text).turns]


def test_claude_code_logs_words_tools_and_results() -> None:
    """Words are kept with their line, and the tools that a turn called; results of tools are nobody's words."""
    text = log(
        {"type": "summary", "summary": "about a cache"},
        claude("user", "Use SQLite for the cache"),
        claude("assistant", [{"type": "text", "text": "Done."}, {"type": "tool_use", "name": "Edit", "input": {}}]),
        claude("user", [{"type": "tool_result", "content": "ok"}]),
        claude("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "Bash"}]),
    )
    found = parse_transcript(text)
    assert (found.host, found.session, found.folder, found.began) == (
        "claude-code",
        "s-1",
        "/p",
        "2026-01-02T09:00:00+00:00",
    )
    assert said(text) == [(2, "user", "Use SQLite for the cache"), (3, "assistant", "Done.")]
    assert found.turns[1].tools == ("Edit",)


@pytest.mark.parametrize("flag", ["isSidechain", "isMeta", "isCompactSummary"])
def test_what_nobody_said_is_left_out(flag: str) -> None:
    """Subagents, programs, summaries."""
    assert said(log(claude("user", "do this", **{flag: True}))) == []


def test_codex_logs_messages_in_payloads() -> None:
    """Each is there twice, as an item and as an event; instructions and environments come as the user's words."""

    def item(role: str, text: str) -> dict[str, object]:
        content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
        return {
            "type": "response_item",
            "timestamp": "2026-01-02T09:00:00Z",
            "payload": {"type": "message", "role": role, "content": content},
        }

    text = log(
        {"type": "session_meta", "payload": {"id": "c-1", "cwd": "/home/ann/app"}},
        item("user", "# AGENTS.md instructions for /home/ann/app\n\n<INSTRUCTIONS>be kind</INSTRUCTIONS>"),
        item("user", "<environment_context>\n  <cwd>/home</cwd>\n</environment_context>"),
        item("user", "which files are here?"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "which files are here?"}},
        item("assistant", "Two."),
        {"type": "response_item", "payload": {"type": "reasoning"}},
    )
    found = parse_transcript(text)
    assert (found.host, found.session, found.folder) == ("codex", "c-1", "/home/ann/app")
    assert said(text) == [(4, "user", "which files are here?"), (6, "assistant", "Two.")]


def test_openclaw_logs_messages_with_moments_of_several_kinds() -> None:
    """Seconds, milliseconds or ISO; the envelope of a chat channel is not what somebody wrote."""
    text = log(
        {"type": "session", "id": "o-1", "cwd": "/w"},
        {
            "type": "message",
            "message": {
                "role": "user",
                "content": "[Telegram Ann id:7 2026-01-02 09:00 UTC] hello there",
                "timestamp": 1767344400000,
            },
        },
        {
            "type": "message",
            "timestamp": 1767344460,
            "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        },
        {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": "no"}]}},
        {"type": "model_change"},
    )
    found = parse_transcript(text)
    assert (found.host, found.session) == ("openclaw", "o-1")
    assert [(turn.at, turn.text) for turn in found.turns] == [
        ("2026-01-02T09:00:00+00:00", "hello there"),
        ("2026-01-02T09:01:00+00:00", "hi"),
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<system-reminder>remember to rest</system-reminder>deploy it", "deploy it"),
        ("deploy <b>it</b>", "deploy <b>it</b>"),
        ("<mneme-memory source='x'>\nold things\n</mneme-memory>\n\nnew things", "new things"),
        ("<command-name>/clear</command-name><command-args>x</command-args>", ""),
        ("<local-command-stdout>never closed", ""),
        ("Caveat: The messages below were generated by the user while running local commands. DO NOT", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("[x] is a box", "[x] is a box"),
    ],
)
def test_what_programs_put_there_is_taken_out(text: str, left: str) -> None:
    """Ours as well: what we injected never comes back as something that was said."""
    assert spoken(text) == left


def test_broken_lines_are_counted_and_passed_over() -> None:
    """A log that was cut in the middle of a line gives what stands whole in it."""
    text = log(
        "{", claude("user", "one"), "[1]", claude("user", None), '{"type": "user", "message": 7}', claude("user", "two")
    )
    assert [entry[2] for entry in said(text)] == ["one", "two"]
    assert parse_transcript(text).broken == 2


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["user", "text", "message", "<mneme"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "message", "role", "content", "text", "payload", "timestamp"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(json_values.map(json.dumps) | st.text(max_size=30), max_size=6))
def test_nothing_makes_it_fail(lines: list[str]) -> None:
    """Whatever is in the file; turns are in the order of their lines."""
    turns = parse_transcript("\n".join(lines)).turns
    assert [turn.line for turn in turns] == sorted(turn.line for turn in turns)


def test_a_huge_log_is_read_a_line_at_a_time() -> None:
    """What is held beside it is what was said, not what tools gave back; as text and as bytes it is read alike."""
    said = json.dumps({"type": "user", "message": {"role": "user", "content": "where is the lake?"}})
    result = json.dumps(
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x" * 90_000}]}}
    )
    lines = [said, result, "{broken", result, "\udcff", result] * 10
    content = "\n".join(lines).encode("utf-8", "surrogateescape")
    tracemalloc.start()
    found = parse_transcript(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < len(content) / 4
    assert ([turn.line for turn in found.turns], found.broken) == ([1 + 6 * n for n in range(10)], 20)
    assert parse_transcript(content.decode("utf-8", "replace")) == found
