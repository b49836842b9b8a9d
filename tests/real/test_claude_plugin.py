"""The plugin in the real Claude Code: its manifest is accepted, it is installed as a user does it, and it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.real.hosting import ROOT, needs
from tests.real.test_claude_code import CLAUDE, PORT, installed, machine, on_path, prompt

if TYPE_CHECKING:
    from tests.real.hosting import Machine

__all__ = ["machine"]
pytestmark = needs("claude-code", "claude")


def with_plugin(machine: Machine) -> Machine:
    """Install the plugin from the marketplace that these sources are."""
    for words in (("marketplace", "add", ROOT), ("install", "mneme@mneme")):
        done = machine.run([CLAUDE, "plugin", *words], PATH=on_path(machine))
        assert done.returncode == 0, done.stdout + done.stderr
    return machine


def test_the_published_rules_are_kept(machine: Machine) -> None:
    """By the plugin, its skill and the marketplace; a warning would be a fault."""
    for place in (ROOT, ROOT / "plugins/claude-code", ROOT / "plugins/claude-code/skills"):
        done = machine.run([CLAUDE, "plugin", "validate", "--strict", place])
        assert done.returncode == 0, done.stdout
        assert "Validation passed" in done.stdout


def test_the_plugin_tells_what_memory_holds(machine: Machine) -> None:
    """Hooks and server come from the plugin alone."""
    _, asked = prompt(with_plugin(machine), "which port does the staging database listen on?")
    request = asked[-1]
    assert request.text.count('<memory part="spine"') == 1
    assert request.text.count(f'"{PORT}" [') == 1
    assert "mcp__plugin_mneme_mneme__remember" in request.tools


def test_plugin_and_installation_together_tell_nothing_twice(machine: Machine) -> None:
    """Whoever has both is told once."""
    _, asked = prompt(installed(with_plugin(machine)), "which port does the staging database listen on?")
    assert asked[-1].text.count('<memory part="spine"') == 1
    assert asked[-1].text.count(f'"{PORT}" [') == 1


def test_without_the_command_the_plugin_is_silent(machine: Machine) -> None:
    """Its hooks end well and say nothing."""
    hook = ROOT / "plugins/claude-code/scripts/hook"
    done = machine.run([hook, "UserPromptSubmit"], PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
