"""Transcripts become lines of a corpus: each message once, by its own day, without secrets, never a dream."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from mneme.consolidate.dream.rules import Rules
from mneme.consolidate.dream.score import Gates
from mneme.consolidate.dream.sessions import Progress, Transcript, parse_progress, print_progress, sweep

RULES = Rules(Gates())
NOW = datetime(2026, 4, 5, 12, tzinfo=UTC)


def message(text: str, at: str = "2026-04-05T10:00:00.000Z", role: str = "user", **more: object) -> bytes:
    """Return one line of a transcript."""
    return json.dumps({"type": "message", "timestamp": at, "message": {"role": role, "content": text}, **more}).encode()


def transcript(*rows: bytes, name: str = "s1.jsonl") -> Transcript:
    """Return a transcript of some lines."""
    return Transcript("main", name, b"\n".join(rows) + b"\n", NOW.timestamp() * 1000)


def test_a_long_session_takes_several_nights() -> None:
    """A hundred and sixty messages: eighty, eighty, none."""
    one = transcript(*(message(f"Message number {n} is about something") for n in range(160)))
    progress, counts = Progress(), []
    for _ in range(3):
        found = sweep([one], progress, {}, RULES, now=NOW, lookback_days=2)
        counts.append(sum(map(len, found.lines.values())))
        progress = parse_progress(print_progress(found.progress))
    assert counts == [80, 80, 0]


def test_a_message_belongs_to_its_own_day() -> None:
    """What is too old is left out, whenever the file was written."""
    one = transcript(message("An old message, quite old", "2026-04-01T10:00:00Z"), message("A new message, quite new"))
    found = sweep([one], Progress(), {}, RULES, now=NOW, lookback_days=2)
    assert list(found.lines) == ["2026-04-05"]
    assert found.lines["2026-04-05"] == ["[main/sessions/s1.jsonl#L2] User: A new message, quite new"]
    assert (found.seen["2026-04-05"][0].line, found.seen["2026-04-05"][0].snippet) == (
        1,
        "User: A new message, quite new",
    )


def test_secrets_are_cut_short() -> None:
    """Their ends stay, so that one knows which it was."""
    found = sweep(
        [transcript(message("use OPENAI_API_KEY=sk-1234567890abcdef here"))],
        Progress(),
        {},
        RULES,
        now=NOW,
        lookback_days=2,
    )
    (line,) = found.lines["2026-04-05"]
    assert "sk-123…cdef" in line
    assert "sk-1234567890abcdef" not in line


def test_a_dream_is_not_read() -> None:
    """But it counts as read to its end."""
    one = transcript(message("Write a dream diary entry from these fragments", runId="dreaming-narrative-light-1"))
    found = sweep([one], Progress(), {}, RULES, now=NOW, lookback_days=2)
    assert found.lines == {}
    state = found.progress.files["main:sessions/s1.jsonl"]
    assert (state["lineCount"], state["lastContentLine"]) == (0, 0)


def test_what_was_reset_is_the_same_session() -> None:
    """The same message in the file that a reset left behind is not read twice."""
    first = sweep([transcript(message("One and the same message"))], Progress(), {}, RULES, now=NOW, lookback_days=2)
    again = transcript(message("One and the same message"), name="s1.jsonl.reset.2026")
    assert sweep([again], first.progress, {}, RULES, now=NOW, lookback_days=2).lines == {}
