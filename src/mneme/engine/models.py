"""The language model of a workspace, as far as its settings and its trust go."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.models import Asking, Call

LOG = "models.jsonl"


def find_asking(memory: Memory) -> tuple[Asking | None, str]:
    """Return the model with what one run may cost, or None and the reason why there is none.

    A folder that was cloned may name a command or an address: nothing of it is run before the workspace is trusted.
    """
    from mneme.models import Asking, Limits, ModelChoice, find_model
    from mneme.workspace import model_key, quiet_environment

    settings = memory.workspace.settings
    kind = str(settings["model.kind"])
    if kind != "none" and not memory.workspace.trusted:
        return None, "the workspace is not trusted, so the model that it names is not run"
    choice = ModelChoice(
        kind,
        str(settings["model.name"]),
        str(settings["model.url"]),
        model_key(),
        tuple(settings["model.command"]),
        quiet_environment(),
    )
    model, reason = find_model(choice)
    if model is None:
        return None, reason
    limits = Limits(
        settings["model.calls"],
        float(settings["model.timeout_seconds"]),
        settings["model.prompt_chars"],
        settings["model.answer_chars"],
    )
    return Asking(model, limits, lambda call: _log(memory, call)), ""


def _log(memory: Memory, call: Call) -> None:
    line = json.dumps({"at": memory.now().isoformat(timespec="seconds"), **dataclasses.asdict(call)})
    files.append_line(memory.root / files.WORKPLACE / LOG, line)
