"""Which language model a setting means, and opening it.

A choice is plain values: reading settings, secrets and trust is the caller's. Opening asks nothing of anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mneme.errors import BadInputError, MnemeError

if TYPE_CHECKING:
    from collections.abc import Mapping

NONE, COMMAND, OPENAI, OLLAMA = "none", "command", "openai", "ollama"
KINDS = (NONE, COMMAND, OPENAI, OLLAMA)


class ModelError(MnemeError):
    """The model cannot be had, was too late, or gave no answer that can be used."""


class Model(Protocol):
    """Something that answers a text with a text."""

    @property
    def name(self) -> str:
        """What it is called in the log."""

    def complete(self, prompt: str, timeout_seconds: float) -> str:
        """Return the answer to a prompt, or raise `ModelError`."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A language model as settings name it; what a kind does not need is left empty."""

    kind: str = NONE
    name: str = ""
    url: str = ""
    key: str = ""
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    """What a command is run with; None means what this process has."""


def find_model(choice: ModelChoice) -> tuple[Model | None, str]:
    """Return the model, or None and the reason why everything goes on without one."""
    if choice.kind == NONE:
        return None, "no language model is set"
    try:
        return _open(choice), ""
    except ModelError as fault:
        return None, fault.message


def _open(choice: ModelChoice) -> Model:
    if choice.kind == COMMAND:
        from mneme.models.command import open_command

        return open_command(choice)
    if choice.kind in (OPENAI, OLLAMA):
        from mneme.models.chat import open_chat

        return open_chat(choice)
    message = f"there is no kind of model '{choice.kind}'; there are " + ", ".join(KINDS)
    raise BadInputError(message, "edit mneme.toml: [model] kind")
