"""A user with a workspace, a home and a runtime folder of their own, and hooks run as hosts run them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mneme.hooks

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT = Path(mneme.hooks.__file__).with_name("client.py")
COMMAND = Path(sys.executable).with_name("mneme")
PATIENCE_SECONDS = 20.0
CELL = "@ DEC-0001  code/parser\ngist  The parser lives in parse.py and never raises\ncue  parser\n"
CELL += "state live   conf high   since 2026-01-02   seen 2026-01-31\n"


@dataclass
class User:
    """Somebody on a machine of their own, as far as the environment can tell."""

    place: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        """Where their memory is."""
        return self.place / "ws"

    @property
    def socket(self) -> Path:
        """Where their engine listens."""
        return self.place / "run" / "engine.sock"

    @property
    def log(self) -> str:
        """What has been told in the log."""
        place = self.place / "state" / "mneme" / "hooks.log"
        return place.read_text(encoding="utf-8") if place.exists() else ""

    def hook(
        self, event: str, payload: object = None, *, host: str = "claude-code", **more: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a hook in the form that is installed."""
        command = [sys.executable, "-S", "-E", str(CLIENT), host, event]
        return self.run(command, payload, **more)

    def run(self, command: list[str], payload: object = None, **more: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command in the workspace; a payload that is no bytes is sent as JSON."""
        sent = payload if isinstance(payload, bytes) else json.dumps(payload or {}).encode()
        return subprocess.run(
            command,
            input=sent,
            capture_output=True,
            env={**self.env, **more},
            cwd=self.workspace,
            check=False,
            timeout=60,
        )

    def mneme(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run the command."""
        return self.run([str(COMMAND), *words], b"")

    def start_engine(self) -> int:
        """Start the engine and return its process."""
        self.mneme("serve", "--background")
        engine = self.find_engine()
        assert engine is not None
        return engine

    def find_engine(self) -> int | None:
        """Return the process of the engine."""
        return json.loads(self.mneme("serve", "--status", "--json").stdout)["process"]

    def processes(self) -> list[int]:
        """Return every process that runs with this user's runtime folder in its environment, ours excepted."""
        found = []
        mark = f"MNEME_RUNTIME={self.env['MNEME_RUNTIME']}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0") and int(folder.name) != os.getpid():
                    found.append(int(folder.name))
        return found

    def end(self) -> None:
        """End what is left."""
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@contextmanager
def new_user() -> Iterator[User]:
    """Make a user; everything that runs for them ends with the block. The path is short, as a socket's name has to be."""
    place = Path(tempfile.mkdtemp(prefix="mn-"))
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(place / "user"),
        "MNEME_HOME": str(place / "home"),
        "MNEME_RUNTIME": str(place / "run"),
        "XDG_STATE_HOME": str(place / "state"),
        "XDG_CONFIG_HOME": str(place / "config"),
        "XDG_DATA_HOME": str(place / "data"),
    }
    user = User(place, env)
    (user.workspace / "memory").mkdir(parents=True)
    (user.workspace / "mneme.toml").touch()
    (user.workspace / "memory" / "project.mneme").write_text(CELL, encoding="utf-8")
    try:
        yield user
    finally:
        user.end()
        shutil.rmtree(place, ignore_errors=True)


def wait_until(true: Any, seconds: float = PATIENCE_SECONDS) -> bool:  # noqa: ANN401 - any question without arguments
    """Wait until a question is answered by something true; say whether it was."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if true():
            return True
        time.sleep(0.02)
    return bool(true())


def context_of(host: str, printed: bytes) -> str:
    """Return what the model is told by an answer, having checked that the host takes it; empty for no answer."""
    if not printed:
        return ""
    if host == "plain":
        return printed.decode("utf-8")
    answer = json.loads(printed)
    if host == "openclaw":
        assert set(answer) == {"prependContext"}
        return answer["prependContext"]
    if host == "cursor":
        assert set(answer) <= {"additional_context", "continue"}
        return answer.get("additional_context", "")
    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    return answer["hookSpecificOutput"]["additionalContext"]
