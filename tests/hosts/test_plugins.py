"""What is shipped for hosts to load by themselves says the same as what is installed into them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from mneme.hosts.claude_code import EVENTS
from mneme.hosts.event import BEFORE_TOOL

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
