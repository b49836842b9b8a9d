"""A language model that is a command, such as `claude -p`: the prompt on its standard input, the answer on its output.

The command gets a process group of its own, which ends with the deadline, whatever it has started itself.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.models.choice import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mneme.models.choice import ModelChoice

LARGEST_ANSWER_BYTES = 8 << 20
_LAST_WORDS_CHARS = 200


@dataclass(frozen=True, slots=True)
class CommandModel:
    """A program that is started for every question."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] | None

    def complete(self, prompt: str, timeout_seconds: float) -> str:
        """Run the command once."""
        try:
            process = subprocess.Popen(  # noqa: S603 - the words of a trusted workspace's settings, no shell
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if self.environment is None else dict(self.environment),
                start_new_session=True,
            )
        except OSError as error:
            message = f"the model's command '{self.command[0]}' cannot be started: {error.strerror}"
            raise ModelError(message, f"which {self.command[0]}") from error
        with process:
            try:
                said, complained = process.communicate(prompt.encode("utf-8", "replace"), timeout_seconds)
            except subprocess.TimeoutExpired as error:
                message = f"the model's command did not answer within {timeout_seconds:g} s"
                raise ModelError(message, "edit mneme.toml: [model] timeout_seconds") from error
            finally:
                _end(process)
        if process.returncode:
            why = " ".join(complained.decode("utf-8", "replace").split())[-_LAST_WORDS_CHARS:]
            message = f"the model's command ended with code {process.returncode}{': ' + why if why else ''}"
            raise ModelError(message, " ".join(self.command))
        return said[:LARGEST_ANSWER_BYTES].decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and everything it started that stayed in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def open_command(choice: ModelChoice) -> CommandModel:
    """Return the model that a command is; it must be there."""
    if not choice.command:
        raise ModelError(
            "no command is set for the language model", 'edit mneme.toml: [model] command = ["claude", "-p"]'
        )
    path = None if choice.environment is None else choice.environment.get("PATH")
    if shutil.which(choice.command[0], path=path) is None:
        raise ModelError(f"the model's command '{choice.command[0]}' is not there", f"which {choice.command[0]}")
    return CommandModel(choice.name or choice.command[0], choice.command, choice.environment)
