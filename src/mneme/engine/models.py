"""The language model of a workspace, as far as its settings and its trust go."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
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
        float(settings["model.price_in"]),
        float(settings["model.price_out"]),
        _spend_left(memory),
    )
    return Asking(model, limits, lambda call: _log(memory, call)), ""


def _spend_left(memory: Memory) -> float | None:
    """Return what this run may spend: its own limit, and what the day has left; None where there is none."""
    run, day = (float(memory.workspace.settings[f"model.spend_per_{name}"]) for name in ("run", "day"))
    left = [run] if run else []
    if day:
        today = memory.today.isoformat()
        left.append(max(0.0, day - sum(one.cost for one in calls(memory) if one.at.startswith(today))))
    return min(left, default=None)


@dataclass(frozen=True, slots=True)
class Logged:
    """A call of the log: when, and what it was."""

    at: str
    purpose: str
    model: str
    prompt_chars: int
    answer_chars: int
    outcome: str
    cost: float

    def __str__(self) -> str:
        """Return the line of a call."""
        size = f"{self.prompt_chars}+{self.answer_chars} characters"
        return f"{self.at[:16]}  {self.purpose:<12} {self.model}  {size}  {self.cost:.4f}  {self.outcome}"


def calls(memory: Memory) -> tuple[Logged, ...]:
    """Return the questions that were asked of a model, oldest first; a torn line is passed over."""
    text = (files.find_file(memory.root / files.WORKPLACE / LOG) or b"").decode("utf-8", "replace")
    return tuple(one for one in map(_logged, text.splitlines()) if one is not None)


def _logged(line: str) -> Logged | None:
    try:
        row = json.loads(line)
        return Logged(
            str(row["at"]),
            str(row["purpose"]),
            str(row["model"]),
            int(row["prompt_chars"]),
            int(row["answer_chars"]),
            str(row["outcome"]),
            float(row.get("cost", 0.0)),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _log(memory: Memory, call: Call) -> None:
    line = json.dumps({"at": memory.now().isoformat(timespec="seconds"), **dataclasses.asdict(call)})
    files.append_line(memory.root / files.WORKPLACE / LOG, line)
