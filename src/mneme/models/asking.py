"""Asking a model: so many questions, so long, so large, for so much money, in one shape, and every one of them told.

An answer that is no JSON of the shape, or that the asker's own check finds fault with, is asked for once more with its
faults; a second one like it is an error, and the asker goes on without a model.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mneme.models.choice import ModelError
from mneme.models.shape import shape_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mneme.models.choice import Model

ATTEMPTS = 2
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TOLD_FAULTS = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may cost: calls, seconds for each, characters of a prompt and of an answer, money.

    Prices are for a million tokens; `spend` is what may be spent, and None where there is no limit.
    """

    calls: int = 20
    timeout_seconds: float = 60.0
    prompt_chars: int = 40_000
    answer_chars: int = 20_000
    price_in: float = 0.0
    price_out: float = 0.0
    spend: float | None = None

    def cost(self, prompt: str, answer: str = "") -> float:
        """Return what a question and its answer cost, as far as their tokens can be estimated."""
        return (tokens_of(prompt) * self.price_in + tokens_of(answer) * self.price_out) / 1_000_000


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its letters, and each sign of a script without spaces."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 4)


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the log tells it: what for, how large, how long, what came of it. No text of anybody's."""

    purpose: str
    model: str
    prompt_chars: int
    prompt_hash: str
    answer_chars: int
    milliseconds: int
    outcome: str
    cost: float = 0.0


def _nobody(_: Call) -> None:
    """Keep no log."""


@dataclass(slots=True)
class Asking:
    """A model with what one run may still cost."""

    model: Model
    limits: Limits = field(default_factory=Limits)
    log: Callable[[Call], None] = _nobody
    asked: int = 0
    spent: float = 0.0

    def ask(
        self,
        purpose: str,
        prompt: str,
        schema: Mapping[str, Any],
        check: Callable[[Any], Iterable[str]] | None = None,
    ) -> Any:  # noqa: ANN401 - the schema says what it is
        """Return an answer of the shape, free of the faults that `check` knows; `ModelError` where there is none."""
        whole = f"{prompt}\n\nAnswer with JSON of this schema and nothing else:\n{json.dumps(schema)}\n"
        told = whole
        for _ in range(ATTEMPTS):
            value, faults = self._once(purpose, told, schema, check)
            if not faults:
                return value
            listed = "\n".join(f"- {fault}" for fault in faults[:_TOLD_FAULTS])
            told = f"{whole}\nThe last answer could not be taken:\n{listed}\n"
        message = f"the model's answer cannot be used: {faults[0]}"
        raise ModelError(message, "tail .mneme.d/models.jsonl")

    def _once(
        self, purpose: str, prompt: str, schema: Mapping[str, Any], check: Callable[[Any], Iterable[str]] | None
    ) -> tuple[Any, list[str]]:
        if len(prompt) > self.limits.prompt_chars:
            message = f"the question has {len(prompt)} characters; {self.limits.prompt_chars} are the most"
            raise ModelError(message, "edit mneme.toml: [model] prompt_chars")
        if self.asked >= self.limits.calls:
            message = f"this run has asked the model {self.asked} times, which is the most it may"
            raise ModelError(message, "edit mneme.toml: [model] calls")
        self._afford(prompt)
        self.asked += 1
        started = time.monotonic()
        text, value, faults = "", None, ["no answer"]
        try:
            text = self.model.complete(prompt, self.limits.timeout_seconds)
            value, faults = self._read(text, schema, check)
        except ModelError as fault:
            faults = [fault.message]
            raise
        finally:
            took = round((time.monotonic() - started) * 1000)
            digest = sha256(prompt.encode("utf-8", "replace")).hexdigest()[:16]
            outcome = faults[0] if faults else "taken"
            cost = self.limits.cost(prompt, text)
            self.spent += cost
            self.log(Call(purpose, self.model.name, len(prompt), digest, len(text), took, outcome, round(cost, 8)))
        return value, faults

    def _afford(self, prompt: str) -> None:
        """Refuse a question that would cost more than is left, before it is asked."""
        limit = self.limits.spend
        if limit is not None and self.spent + self.limits.cost(prompt) > limit:
            message = f"the question would cost more than is left: {max(0.0, limit - self.spent):.4f}"
            raise ModelError(message, "edit mneme.toml: [model] spend_per_run, spend_per_day")

    def _read(
        self, text: str, schema: Mapping[str, Any], check: Callable[[Any], Iterable[str]] | None
    ) -> tuple[Any, list[str]]:
        if len(text) > self.limits.answer_chars:
            return None, [f"the answer has {len(text)} characters; {self.limits.answer_chars} are the most"]
        try:
            value = json.loads(_json_in(text))
        except (ValueError, RecursionError):
            return None, ["the answer is no JSON"]
        faults = list(shape_faults(value, schema))
        return value, faults or list(check(value) if check else ())


def _json_in(text: str) -> str:
    """Return the JSON of an answer that wraps it in a fence or in a sentence."""
    begins = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    return text[min(begins) : end + 1] if begins and end > min(begins) else text
