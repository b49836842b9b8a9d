"""The real Gemini CLI: it takes our settings, shows our block to the model, and tells us what its tools did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import new_user
from tests.real.hosting import Machine, needs, program
from tests.real.model_server import ModelServer, Say, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs("gemini")

PORT = "The staging database listens on port 6543 of the machine quokka"
SCRIPT = {
    "tidy up": [
        Use("run_shell_command", {"command": "echo tidied", "description": "tidy"}),
        Use("run_shell_command", {"command": "echo bad >&2; exit 3", "description": "check"}),
        Say("Tidied."),
    ]
}
SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}  # fmt: skip


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Give a user who has a memory, Gemini CLI with a key, and mneme installed into it."""
    with new_user() as user, ModelServer(SCRIPT) as model:
        one = Machine(user, model)
        user.mneme("trust")
        user.mneme("remember", PORT, "--kind", "fact", "--topic", "ops/staging")
        place = one.home / ".gemini" / "settings.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(SETTINGS, indent=2), "utf-8")
        assert user.mneme("install", "gemini").returncode == 0
        yield one
        assert model.strangers == [], model.strangers


def test_a_turn_is_told_what_bears_on_it_and_is_kept(machine: Machine) -> None:
    """The block is in the request, the server's tools are offered, and the session is told in the day's note."""
    prompt = "tidy up: which port does the staging database listen on?"
    command = [program("gemini"), "--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "-p", prompt]
    done = machine.run(command, GEMINI_API_KEY="k", GOOGLE_GEMINI_BASE_URL=machine.model.address)
    assert done.returncode == 0, done.stdout + done.stderr
    first = next(one for one in machine.model.asked if one.tools)
    assert first.text.count('part="spine"') == 1
    assert first.text.count(f'"{PORT}" [memory/project.mneme') == 1
    assert any(name.endswith("remember") for name in first.tools)
    (workflow,) = machine.rows("procedural.jsonl")
    assert workflow["situation"] == prompt
    assert [step.get("ok", True) for step in workflow["steps"]] == [True, False]
    assert machine.day_note().count(f'asked "{prompt}"') == 1


def test_gemini_lists_the_server_that_was_put_into_its_settings(machine: Machine) -> None:
    """Its own reader takes them."""
    listed = machine.run([program("gemini"), "mcp", "list"])
    assert "mneme" in listed.stdout + listed.stderr
