"""The real Codex: it takes our settings, shows our block to the model, and tells us what its tools did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import new_user
from tests.real.hosting import Machine, needs, program
from tests.real.model_server import ModelServer, Say, Use

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs("codex")

PORT = "The staging database listens on port 6543 of the machine quokka"
SCRIPT = {
    "tidy up": [Use("exec_command", {"cmd": "echo tidied"}), Use("exec_command", {"cmd": "echo bad >&2; exit 3"}), Say("Tidied.")]
}  # fmt: skip
CONFIG = """\
model = "m1" # mine
model_provider = "local"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false

[model_providers.local]
name = "local"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
"""


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Give a user who has a memory, Codex with a model of its own, and mneme installed into it."""
    with new_user() as user, ModelServer(SCRIPT) as model:
        one = Machine(user, model)
        user.mneme("trust")
        user.mneme("remember", PORT, "--kind", "fact", "--topic", "ops/staging")
        place = one.home / ".codex" / "config.toml"
        place.parent.mkdir(parents=True)
        place.write_text(CONFIG.format(address=model.address), "utf-8")
        assert user.mneme("install", "codex").returncode == 0
        yield one
        assert model.strangers == [], model.strangers


def test_codex_lists_the_server_that_was_put_into_its_settings(machine: Machine) -> None:
    """Its own reader takes them, comments and all."""
    listed = machine.run([program("codex"), "mcp", "list"])
    assert listed.returncode == 0, listed.stderr
    assert "mneme" in listed.stdout
    assert "enabled" in listed.stdout


def test_a_turn_is_told_what_bears_on_it_and_is_kept(machine: Machine) -> None:
    """Hooks that were looked at once run as ours do here."""
    words = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
    prompt = "tidy up: which port does the staging database listen on?"
    done = machine.run([program("codex"), "exec", *words, prompt], LOCAL_KEY="k")
    assert done.returncode == 0, done.stderr
    first = machine.model.asked[0]
    assert first.text.count('<memory part="spine"') == 1
    assert first.text.count(f'"{PORT}" [memory/project.mneme') == 1
    (workflow,) = machine.rows("procedural.jsonl")
    assert workflow["situation"] == prompt
    # How a command ended is not told to hooks: it is read from Codex's own log when the turn is over.
    assert [step.get("ok", True) for step in workflow["steps"]] == [True, False]
    (failure,) = machine.rows("failures.log")
    assert (failure["exit_code"], failure["error"].splitlines()[-1]) == (3, "bad")
    commands = [step["input"]["command"] for step in workflow["steps"]]
    assert commands == ["echo tidied", "echo bad >&2; exit 3"]
    assert machine.day_note().count(f'asked "{prompt}"') == 1
    assert "staging database" in machine.find_turn("codex", "which port does the staging database listen on?")["text"]
