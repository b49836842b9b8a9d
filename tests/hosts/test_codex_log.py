"""Codex's log of a session: which calls failed, told nowhere else, and what a log of another shape says: nothing."""

from __future__ import annotations

import json

import pytest

from mneme.hosts.codex import failures_in


def line(output: object, kind: str = "function_call_output") -> str:
    """Return a line of the log in which a call came back."""
    return json.dumps({"type": "response_item", "payload": {"type": kind, "call_id": "c1", "output": output}})


HEAD = "Chunk ID: 89c68d\nWall time: 0.0 seconds\nProcess exited with code {code}\nOriginal token count: 2\nOutput:\n"


@pytest.mark.parametrize(
    ("output", "begins"),
    [
        (HEAD.format(code=3) + "bad\n", "Exit code 3\n"),
        ("Exit code: 127\nWall time: 0 seconds\nOutput:\nno such thing", "Exit code 127\n"),
        (json.dumps({"output": "bad", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}), "Exit code 2\n"),
    ],
)
@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
def test_a_call_that_failed_is_told_by_its_id(output: str, begins: str, kind: str) -> None:
    """Whichever way this Codex or an older one writes down how a command ended."""
    found = failures_in(f"half of a line\n{line(output, kind)}\n")
    assert list(found) == ["c1"]
    assert found["c1"].startswith(begins)


@pytest.mark.parametrize(
    "output",
    [HEAD.format(code=0) + "Process exited with code 3\n", "Exit codes: 1", json.dumps({"metadata": 7}), 3, None, []],
)
def test_what_a_command_printed_is_no_exit_code(output: object) -> None:
    """Nor is what has another shape; a message that quotes such a line is no call."""
    assert failures_in(line(output)) == {}
    assert failures_in(line(HEAD.format(code=3), "message") + " function_call_output") == {}
