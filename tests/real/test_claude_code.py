"""The real Claude Code, driven through whole sessions against a model of ours: what reaches the model, what is kept.

Nothing is set up by the tests that `mneme install claude-code` or the plugin does not set up for a user.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.hooks.hosting import COMMAND, new_user
from tests.real.hosting import Machine, needs, program
from tests.real.model_server import ModelServer, Say, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.real.model_server import Asked

pytestmark = needs("claude-code", "claude")

CLAUDE = program("claude-code", "claude")
PORT = "The staging database listens on port 6543 of the machine quokka"
STATED = "Releases go out from the branch lighthouse"
SCRIPT = {
    "tidy up": [
        Use("Bash", {"command": "echo tidied", "description": "tidy"}),
        Use("Bash", {"command": "echo broken >&2; exit 3", "description": "check"}),
        Say("Tidied, but the check fails."),
    ],
    "keep that": [
        Use(
            "Bash", {"command": f"mneme remember '{STATED}' --kind decision --topic ops/release", "description": "keep"}
        ),
        Say("Kept."),
    ],
    "use the tool": [
        Use("mcp__mneme__remember", {"text": "Invoices are sent on Fridays", "kind": "decision", "topic": "office"}),
        Say("Stored."),
    ],
}


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Give a user who has a memory, Claude Code, and mneme installed into it."""
    with new_user() as user, ModelServer(SCRIPT) as model:
        user.mneme("trust")
        user.mneme("remember", PORT, "--kind", "fact", "--topic", "ops/staging")
        yield Machine(user, model)
        assert model.strangers == [], model.strangers


def installed(machine: Machine) -> Machine:
    """Install mneme into Claude Code."""
    done = machine.user.mneme("install", "claude-code")
    assert done.returncode == 0, done.stderr
    return machine


def prompt(machine: Machine, text: str, *words: str) -> tuple[str, list[Asked]]:
    """Run one prompt and return its session and the requests that Claude Code made of the model."""
    before = len(machine.model.asked)
    command = [CLAUDE, "-p", text, "--output-format", "json", "--allowedTools", "Bash,mcp__mneme", *words]
    key = {"ANTHROPIC_BASE_URL": machine.model.address, "ANTHROPIC_API_KEY": "sk-ant-test"}
    done = machine.run(command, **key, PATH=on_path(machine))
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert not answer["is_error"], answer
    return answer["session_id"], machine.model.asked[before:]


def on_path(machine: Machine) -> str:
    """Return the path of a user who has the command `mneme`."""
    return f"{COMMAND.parent}:{machine.user.env['PATH']}"


def test_what_bears_on_a_prompt_reaches_the_model_once(machine: Machine) -> None:
    """What a session begins with, and what the prompt brings to mind, in the very request; and never as the user's word."""
    _, asked = prompt(installed(machine), "which port does the staging database listen on?")
    (request,) = [one for one in asked if one.tools]
    assert request.text.count("SessionStart hook additional context") == 1
    assert request.text.count('<memory part="spine"') == 1
    assert request.text.count("UserPromptSubmit hook additional context") == 1
    assert request.text.count(f'"{PORT}" [memory/project.mneme') == 1


def test_a_turn_is_kept_with_its_prompt_and_what_came_of_it(machine: Machine) -> None:
    """Tools that worked and tools that failed, under the prompt they were used for; the day's note tells the session."""
    prompt(installed(machine), "tidy up the parser")
    (workflow,) = machine.rows("procedural.jsonl")
    assert workflow["situation"] == "tidy up the parser"
    assert [(step["input"]["command"], step.get("ok", True)) for step in workflow["steps"]] == [
        ("echo tidied", True),
        ("echo broken >&2; exit 3", False),
    ]
    (failure,) = machine.rows("failures.log")
    assert (failure["prompt"], failure["exit_code"]) == ("tidy up the parser", 3)
    assert "broken" in failure["error"]
    note = machine.day_note()
    assert note.count('asked "tidy up the parser"') == 1
    assert "Bash 2 (1 failed)" in note


def test_a_second_session_recalls_what_the_first_one_stored(machine: Machine) -> None:
    """The model stores it with a command; another session, which shares nothing but the folder, is told."""
    _, first = prompt(installed(machine), "releases go out from lighthouse; keep that")
    assert STATED not in first[0].text
    _, second = prompt(machine, "from which branch do releases go out?")
    assert STATED in second[0].text


def test_resuming_and_compacting_tell_nothing_twice(machine: Machine) -> None:
    """What a session was told stays told once in what the model is sent."""
    session, _ = prompt(installed(machine), "which port does the staging database listen on?")
    _, resumed = prompt(machine, "thank you; and now?", "--resume", session)
    assert resumed[-1].text.count('<memory part="spine"') == 1
    assert resumed[-1].text.count(f'"{PORT}" [') == 1
    prompt(machine, "/compact", "--resume", session)
    _, compacted = prompt(machine, "and after that?", "--resume", session)
    assert "continued from a previous conversation" in compacted[-1].text
    assert compacted[-1].text.count('<memory part="spine"') == 1


def test_the_model_has_the_tools_of_memory(machine: Machine) -> None:
    """They are listed by the host as connected, offered without a search, and what they store is recalled later."""
    listed = installed(machine).run([CLAUDE, "mcp", "list"])
    assert "mneme" in listed.stdout
    assert "Connected" in listed.stdout
    _, asked = prompt(machine, "use the tool for it: invoices are sent on Fridays")
    assert {"mcp__mneme__recall", "mcp__mneme__remember", "mcp__mneme__note"} <= set(asked[-1].tools)
    assert '"status":"new"' in asked[-1].results[0]
    _, later = prompt(machine, "when are invoices sent?")
    assert "Invoices are sent on Fridays" in later[0].text


def test_the_logs_that_it_keeps_can_be_searched(machine: Machine) -> None:
    """As it really writes them: each turn with the line it lies in, and nothing that counts as memory by itself."""
    prompt(machine, "where do we keep the harpsichord drawings?")
    found = machine.find_turn("claude-code", "where are the harpsichord drawings?")
    assert found["trust"] == "not authoritative"
    assert "harpsichord" in Path(found["path"]).read_text("utf-8").splitlines()[found["line"] - 1]
