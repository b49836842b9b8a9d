"""What programs say is nobody's word: it is no passage, whatever it says."""

from __future__ import annotations

import json

import pytest

from mneme.capture.scaffold import is_ours, own_words
from mneme.capture.source import note_passages, said_passages, turn_passages

CLAIM = "I prefer tabs over spaces."


@pytest.mark.parametrize(
    "text",
    [
        "HEARTBEAT_OK",
        f"Read HEARTBEAT.md if it exists. {CLAIM}",
        f"[cron:1234 nightly] {CLAIM}",
        f"System: [2026-01-05] {CLAIM}",
        f"Pre-compaction memory flush. {CLAIM}",
        f"A new session was started via /new. {CLAIM}",
        f"<relevant-memories>\n{CLAIM}\n</relevant-memories>",
        f"<memory>\nWhat memory holds\n- {CLAIM}\n</memory>",
        f"<mneme:recalled note='x'>{CLAIM}",
        f"Stop hook feedback: {CLAIM}",
    ],
)
def test_scaffolding_is_nobodys_word(text: str) -> None:
    """Heartbeats, jobs, flushes, injected memory."""
    assert own_words(text) == ""
    assert list(said_passages(text, "stdin", "2026-01-05")) == []


def test_what_stands_beside_a_block_is_said() -> None:
    """Only the block goes."""
    text = f'Conversation info (untrusted metadata):\n```json\n{{"message_id": "1"}}\n```\n\n{CLAIM}\n<memory>\nold\n</memory>'
    assert own_words(text) == CLAIM


@pytest.mark.parametrize(
    "entry",
    [
        "- 09:00 remembered [Tabs](user/tabs.md)",
        '- 09:00 Session 09:00-10:00 (claude-code): asked "I prefer tabs over spaces."; tools: Bash 3.',
        "- I prefer tabs (2026-01-01, memory/2026-01-01.md#0a1b2c3d) <!-- openclaw-memory-promotion:x -->",
        "- accepted PROP-0001: I prefer tabs",
        "user: Conversation info (untrusted metadata):",
        '- 09:00 under way: "I prefer tabs over spaces."',
    ],
)
def test_what_mneme_wrote_is_not_captured_again(entry: str) -> None:
    """Its own output is no news."""
    assert is_ours(entry)
    assert list(note_passages(f"# 2026-01-05\n\n{entry}\n", "memory/2026-01-05.md", "2026-01-05")) == []


def logged(*turns: tuple[str, str], **more: object) -> str:
    """Return a log of Claude Code."""
    rows = [
        {"type": role, "sessionId": "s", "cwd": "/w", "timestamp": "2026-01-05T09:00:00Z", **more}
        | {"message": {"role": role, "content": text}}
        for role, text in turns
    ]
    return "\n".join(map(json.dumps, rows))


def test_only_what_the_user_said_is_a_passage() -> None:
    """Not the assistant's words, not a subagent's, not the result of a tool."""
    text = logged(("user", CLAIM), ("assistant", "We decided to use SQLite."))
    (passage,) = turn_passages(text, "/log.jsonl", own=True)
    assert (passage.text, passage.line, passage.day, passage.own) == (CLAIM, 1, "2026-01-05", True)
    assert list(turn_passages(logged(("user", CLAIM), isSidechain=True), "/log.jsonl", own=True)) == []
    result = {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": CLAIM}]}}
    assert list(turn_passages(json.dumps(result), "/log.jsonl", own=True)) == []


def test_a_session_is_read_on_where_it_was_left() -> None:
    """Lines that were read are not read again."""
    text = logged(("user", CLAIM), ("user", "I live in Porto."))
    assert [one.text for one in turn_passages(text, "/log.jsonl", own=True, after=1)] == ["I live in Porto."]


def test_what_is_said_in_a_group_may_be_anothers() -> None:
    """It is read, and is nobody's own."""
    meta = '```json\n{"chat_type": "group"}\n```'
    said = f"Conversation info (untrusted metadata):\n{meta}\n{CLAIM}"
    (passage,) = turn_passages(logged(("user", said)), "/log.jsonl", own=True)
    assert (passage.text, passage.own) == (CLAIM, False)


def test_code_quotes_and_regions_of_a_note_are_no_passages() -> None:
    """An entry is what somebody wrote in plain words; its line is where it stands."""
    note = (
        "# 2026-01-05\n\n- 09:00 We decided to use SQLite.\n\n> I prefer tabs.\n\n```\nI prefer tabs.\n```\n\n"
        "<!-- mneme:promoted:start -->\n- I prefer tabs.\n<!-- mneme:promoted:end -->\n"
    )
    passages = list(note_passages(note, "memory/2026-01-05.md", "2026-01-05"))
    assert [(one.line, one.text) for one in passages] == [(3, "- 09:00 We decided to use SQLite.")]
