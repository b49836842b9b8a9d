"""The real OpenClaw: its settings stay valid, it finds skill, plugin and server, and our block reaches the model.

OpenClaw takes ten seconds of a processor to start an agent, so what needs one is run by `make hosts-test`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import COMMAND, new_user
from tests.real.hosting import HOSTS, ROOT, Machine, needs
from tests.real.model_server import ModelServer, Say, Use

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = needs("openclaw")

PORT = "The staging database listens on port 6543 of the machine quokka"
NODE = next((HOSTS / "openclaw" / "node_modules").glob("node-*/bin/node"), None)
SCRIPT = {
    "tidy up": [
        Use("exec", {"command": "echo tidied"}),
        Use("exec", {"command": "echo broken >&2; exit 3"}),
        Say("Done."),
    ]
}


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Give a user who has a memory, OpenClaw with one model, and mneme installed into it."""
    with new_user() as user, ModelServer(SCRIPT) as model:
        one = Machine(user, model)
        user.mneme("trust")
        user.mneme("remember", PORT, "--kind", "fact", "--topic", "ops/staging")
        place = one.home / ".openclaw" / "openclaw.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(settings(one), indent=2), "utf-8")
        # As on a user's machine, `openclaw` is a command; the installation asks it for its version.
        command = user.place / "bin" / "openclaw"
        command.parent.mkdir()
        command.write_text(
            f'#!/bin/sh\nexec {NODE} {HOSTS}/openclaw/node_modules/openclaw/openclaw.mjs "$@"\n', "utf-8"
        )
        command.chmod(0o755)
        user.env["PATH"] = f"{command.parent}:{user.env['PATH']}"
        done = user.mneme("install", "openclaw")
        assert done.returncode == 0, done.stderr
        yield one
        assert model.strangers == [], model.strangers


def settings(machine: Machine) -> dict[str, object]:
    """Return OpenClaw's settings as its setup would leave them: a model, and the workspace."""
    model = {"id": "m1", "name": "m1", "contextWindow": 200000, "maxTokens": 4096}
    provider = {"baseUrl": machine.model.address, "apiKey": "k", "api": "anthropic-messages", "models": [model]}
    defaults = {"model": {"primary": "local/m1"}, "workspace": str(machine.user.workspace)}
    # A user who lets few plugins in need not wait for all the others to load either.
    plugins = {"allow": ["memory-core", "anthropic"]}
    return {"models": {"providers": {"local": provider}}, "agents": {"defaults": defaults}, "plugins": plugins}


def openclaw(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    """Run OpenClaw."""
    done = machine.run(["openclaw", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_what_is_installed_is_accepted(machine: Machine) -> None:
    """The settings are valid, the skill is ready, and the server is listed."""
    assert "Config valid" in openclaw(machine, "config", "validate").stdout
    skill = json.loads(openclaw(machine, "skills", "info", "mneme", "--json").stdout)
    assert (skill["name"], skill["eligible"]) == ("mneme", True)
    assert "- mneme" in openclaw(machine, "mcp", "list").stdout


@pytest.mark.campaign
def test_its_own_memory_works_on_our_workspace(machine: Machine) -> None:
    """What we write there, it indexes and finds."""
    machine.user.mneme("note", "The lighthouse migration was rolled back because of a lock")
    found = json.loads(openclaw(machine, "memory", "search", "lighthouse migration", "--json").stdout)
    assert any("lighthouse" in row["snippet"] for row in found["results"])


@pytest.mark.campaign
def test_a_turn_is_told_what_bears_on_it_and_is_kept(machine: Machine) -> None:
    """The plugin puts our block before the prompt, and tells us of the tools that worked and failed."""
    openclaw(machine, "agent", "--local", "--agent", "main", "--json", "--message", "tidy up: which port does the staging database listen on?")  # fmt: skip
    (first, *_) = [one for one in machine.model.asked if one.tools]
    assert first.text.count(f'"{PORT}" [memory/project.mneme') == 1
    assert "mneme__remember" in first.tools
    (workflow,) = machine.rows("procedural.jsonl")
    assert [(step["input"]["command"], step.get("ok", True)) for step in workflow["steps"]] == [
        ("echo tidied", True),
        ("echo broken >&2; exit 3", False),
    ]
    (failure,) = machine.rows("failures.log")
    assert (failure["exit_code"], failure["prompt"]) == (3, "tidy up: which port does the staging database listen on?")
    assert (
        "staging database" in machine.find_turn("openclaw", "which port does the staging database listen on?")["text"]
    )


@pytest.mark.campaign
def test_the_bundle_is_taken_as_one(machine: Machine) -> None:
    """The same folder that Claude Code takes: its skill is ready, its server's tools reach the model, no hook is run."""
    machine.user.mneme("uninstall", "openclaw")
    openclaw(machine, "plugins", "install", str(ROOT / "plugins" / "claude-code"))
    plugin = json.loads(openclaw(machine, "plugins", "inspect", "mneme", "--json").stdout)["plugin"]
    assert (plugin["format"], plugin["bundleFormat"], plugin["status"]) == ("bundle", "claude", "loaded")
    assert {"skills", "mcpServers"} <= set(plugin["bundleCapabilities"])
    assert json.loads(openclaw(machine, "skills", "info", "mneme", "--json").stdout)["eligible"] is True
    assert machine.user.mneme("install", "openclaw").returncode == 2
    path = f"{COMMAND.parent}:{machine.user.env['PATH']}"
    words = (
        "agent",
        "--local",
        "--agent",
        "main",
        "--json",
        "--message",
        "which port does the staging database listen on?",
    )
    done = machine.run(["openclaw", *words], PATH=path)
    assert done.returncode == 0, done.stdout + done.stderr
    (first, *_) = [one for one in machine.model.asked if one.tools]
    assert "mneme__recall" in first.tools
    assert PORT not in first.text
