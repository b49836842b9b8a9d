"""The real host programs, as `tools/hosts.sh` installs them, each started by a user who has nothing but what the test made.

They are pointed at a model of ours, and whatever else they would ask the network for goes to it as to a proxy.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.hooks.hosting import User
    from tests.real.model_server import ModelServer

ROOT = Path(__file__).parents[2]
HOSTS = Path(os.environ.get("MNEME_HOSTS") or ROOT / ".hosts")
PATIENCE_SECONDS = 120
# What these programs would otherwise send home, ask for or fetch by themselves.
QUIET = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "OPENCLAW_NO_AUTO_UPDATE": "1",
    "OTEL_SDK_DISABLED": "true",
    "NO_UPDATE_NOTIFIER": "1",
    "CI": "1",
}


def program(host: str, name: str = "") -> Path:
    """Return a host's program, whether it is there or not."""
    return HOSTS / host / "node_modules" / ".bin" / (name or host)


def needs(host: str, name: str = "") -> pytest.MarkDecorator:
    """Skip where a host is not installed."""
    return pytest.mark.skipif(not program(host, name).exists(), reason=f"tools/hosts.sh {host} installs it")


@dataclass(frozen=True, slots=True)
class Machine:
    """A user at a machine with host programs and one model."""

    user: User
    model: ModelServer

    @property
    def home(self) -> Path:
        """The user's own folder."""
        return self.user.place / "user"

    def env(self, **more: str) -> dict[str, str]:
        """Return the environment of a host program: the model for a proxy, and nothing that goes home by itself."""
        proxy = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), self.model.address)
        near = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
        return {**self.user.env, **QUIET, **proxy, **near, **more}

    def run(self, command: list[str | Path], **more: str) -> subprocess.CompletedProcess[str]:
        """Run a host program in the workspace, with nothing on its standard input."""
        return subprocess.run(
            [str(word) for word in command],
            env=self.env(**more), cwd=self.user.workspace, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
        )  # fmt: skip

    def settle(self) -> None:
        """Let the resident engine finish what it was told; it leaves, and the next hook starts another."""
        self.user.mneme("serve", "--stop")

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a file of the home."""
        self.settle()
        place = self.user.place / "home" / name
        return [json.loads(line) for line in place.read_text("utf-8").splitlines()] if place.exists() else []

    def find_turn(self, host: str, query: str) -> dict[str, Any]:
        """Make a host's logs searchable and return the turn that answers a question best."""
        done = self.user.mneme("import", "transcripts", "--host", host)
        assert done.returncode == 0, done.stderr
        found = json.loads(self.user.mneme("recall", query, "--kind", "turn", "--json").stdout)
        best: dict[str, Any] = found["records"][0]
        return best

    def day_note(self) -> str:
        """Return the notes of all days."""
        self.settle()
        return "\n".join(place.read_text("utf-8") for place in sorted(self.user.workspace.glob("memory/2*.md")))
