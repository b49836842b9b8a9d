"""The MCP inspector, which is neither our client nor the SDK's in Python: it lists and calls what we serve."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.hooks.hosting import new_user
from tests.real.hosting import Machine, needs, program
from tests.real.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs("inspector", "mcp-inspector")


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Give a user who has a memory."""
    with new_user() as user, ModelServer() as model:
        yield Machine(user, model)
        assert model.strangers == [], model.strangers


def inspect(machine: Machine, *words: str) -> dict[str, Any]:
    """Ask the server of the workspace through the inspector."""
    server = [sys.executable, "-P", "-m", "mneme", "mcp"]
    done = machine.run([program("inspector", "mcp-inspector"), "--cli", *server, "--method", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_it_lists_and_calls_our_tools(machine: Machine) -> None:
    """With their schemas and hints; an answer fits the schema that was promised for it."""
    tools = {tool["name"]: tool for tool in inspect(machine, "tools/list")["tools"]}
    assert {"recall", "remember", "boot"} <= set(tools)
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools.values())
    assert tools["recall"]["annotations"]["readOnlyHint"] is True
    answer = inspect(machine, "tools/call", "--tool-name", "get", "--tool-arg", "id=DEC-0001")
    assert answer["structuredContent"]["records"][0]["id"] == "DEC-0001"


def test_it_reads_our_resources_and_prompts(machine: Machine) -> None:
    """Spine and curated memory by their addresses."""
    assert {one["uri"] for one in inspect(machine, "resources/list")["resources"]} == {
        "mneme://spine",
        "mneme://memory",
    }
    (spine,) = inspect(machine, "resources/read", "--uri", "mneme://spine")["contents"]
    assert "DEC-0001" in spine["text"]
    assert {one["name"] for one in inspect(machine, "prompts/list")["prompts"]} == {"boot", "wrap-up", "refine"}
