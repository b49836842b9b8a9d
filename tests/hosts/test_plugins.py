"""What is shipped for hosts to load by themselves says the same as what is installed into them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from mneme.hosts import HOSTS
from mneme.hosts.claude_code import EVENTS
from mneme.hosts.event import BEFORE_TOOL
from mneme.serve.mcp.table import ROWS

ROOT = Path(__file__).parents[2]
CLAUDE = ROOT / "plugins" / "claude-code"
OPENCLAW = ROOT / "plugins" / "openclaw"


def read(place: Path) -> dict[str, object]:
    """Return a JSON file."""
    value: dict[str, object] = json.loads(place.read_text("utf-8"))
    return value


def test_every_manifest_has_the_version_of_the_project() -> None:
    """One number, everywhere."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    manifests = (CLAUDE / ".claude-plugin/plugin.json", OPENCLAW / "openclaw.plugin.json", OPENCLAW / "package.json")
    assert {read(place)["version"] for place in manifests} == {version}


def test_the_plugin_asks_at_the_same_events_as_the_installation() -> None:
    """Except for the one that has to be asked for."""
    hooks = read(CLAUDE / "hooks" / "hooks.json")["hooks"]
    assert set(hooks) == set(EVENTS) - {BEFORE_TOOL}  # type: ignore[call-overload]


def test_every_host_has_a_page() -> None:
    """It says what installing writes, what works, and how to take it out."""
    for host in HOSTS:
        text = (ROOT / "docs" / "hosts" / f"{host.name}.md").read_text("utf-8")
        assert f"mneme install {host.name}" in text
        assert f"mneme uninstall {host.name}" in text


def test_what_the_page_of_the_server_lists_is_offered() -> None:
    """Every tool, and by default those that it says."""
    text = (ROOT / "docs" / "hosts" / "mcp.md").read_text("utf-8")
    rows = {line.split("|")[1].strip(): set(re.findall(r"`([a-z_]+)`", line)) for line in text.splitlines() if line.startswith("| ")}  # fmt: skip
    assert rows["tools, by default"] == {row.name for row in ROWS if row.offered}
    assert rows["more, by setting"] == {row.name for row in ROWS if not row.offered}
