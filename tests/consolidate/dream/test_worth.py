"""What is not worth keeping, each with its reason; the time that an entry begins with says nothing about that."""

from __future__ import annotations

import pytest

from mneme.consolidate.dream.worth import find_fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("00:00 The gateway stays on port 18789.", ""),
        ("14:05 - Ann prefers short answers without tables.", ""),
        ("The gateway stays on port 18789.", ""),
        ("rows 12 34 and 56 lines 78 90 more 11", "it is mostly figures and marks"),
        ("09:15 thanks, sounds good", "it is chatter"),
        ("09:15 Should the gateway stay where it is?", "it is a question"),
        ("09:15 TODO: call Bob about the invoice", "it is a task"),
        ("4. ⏳ Update the page of past projects", "it is the state of something open"),
        (
            "Recalled: it stays (2026-04-01, memory/2026-04-01.md#1a2b3c4d)",
            "memory told it, and somebody took it down again",
        ),
        ("14:00 heartbeat: nothing new, inbox empty", "it is chatter"),
        ("网关端口始终是 18789，不要更改。", ""),
    ],
)
def test_faults(text: str, fault: str) -> None:
    """With the time of day before it, or without."""
    assert find_fault(text) == fault
