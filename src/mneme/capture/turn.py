"""A turn as it goes by: the prompt, then each tool used for it, as lines that hooks append one by one.

Hooks of one turn are processes of their own, often at the same time; a line each is all they share. Secrets are masked
before a line is made. Nothing is decided here: `outcome` says what a finished turn came to.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mneme.check.mask import mask_mapping, mask_text, mask_value
from mneme.formats.outcome import LONGEST_ERROR, LONGEST_SITUATION, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_READ = 4 * LONGEST_SITUATION
LONGEST_GIVEN = 6_000
_EXIT_CODE = re.compile(
    r"\s*(?:error:\s*)?(?:command failed with )?exit(?:ed)?(?: with)?(?: code| status)?:?\s+(-?\d{1,10})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a tool in a turn; `error` is what was said when it failed, `call` what the host knows the use by."""

    tool: str
    given: Mapping[str, Any] | None = None
    error: str | None = None
    exit_code: int | None = None
    at: str = ""
    call: str = ""

    @property
    def step(self) -> Step:
        """Return the use as a step of a workflow."""
        return Step(self.tool, self.given, ok=self.error is None)


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt and the tools that were used for it, in order."""

    prompt: str = ""
    prompt_id: str = ""
    at: str = ""
    uses: tuple[Use, ...] = ()


def prompt_line(prompt: str, *, at: str, prompt_id: str = "") -> str:
    """Return the line that begins a turn."""
    return _line(
        {"prompt": mask_text(prompt[:LONGEST_READ], LONGEST_READ)[:LONGEST_SITUATION], "id": prompt_id, "at": at}
    )


def use_line(
    tool: str,
    given: object,
    *,
    at: str,
    prompt_id: str = "",
    error: str | None = None,
    exit_code: int | None = None,
    call: str = "",
) -> str:
    """Return the line of one use of a tool."""
    masked = mask_mapping(given) if isinstance(given, dict) else None if given is None else {"input": mask_value(given)}
    if masked is not None and len(json.dumps(masked)) > LONGEST_GIVEN:
        masked = {key: value for key, value in masked.items() if len(json.dumps(value)) <= LONGEST_GIVEN // 4}
    values: dict[str, object] = {"tool": tool, "given": masked, "id": prompt_id, "at": at, "call": call}
    if error is not None:
        code = parse_exit_code(error) if exit_code is None else exit_code
        values |= {"error": _kept_error(error), "code": code}
    return _line(values)


def with_failures(turn: Turn, failed: Mapping[str, str]) -> Turn:
    """Return a turn in which the calls that failed did so, by what was said of each when it was over."""
    return replace(turn, uses=tuple(_corrected(use, failed.get(use.call)) for use in turn.uses))


def _corrected(use: Use, error: str | None) -> Use:
    if error is None or use.error is not None:
        return use
    return replace(use, error=_kept_error(error), exit_code=parse_exit_code(error))


def _kept_error(error: str) -> str:
    return mask_text(error[:LONGEST_READ], LONGEST_READ)[:LONGEST_ERROR]


def parse_exit_code(error: str) -> int | None:
    """Return the exit code that an error begins with, as hosts report a shell's; None where there is none."""
    found = _EXIT_CODE.match(error)
    return int(found[1]) if found else None


def parse_turns(text: str) -> list[Turn]:
    """Return the turns that lines tell of; a torn or foreign line is passed over.

    A use belongs to the prompt whose id it carries, else to the prompt before it.
    """
    turns: list[tuple[dict[str, str], list[Use]]] = []
    for line in text.split("\n"):
        values = _values(line)
        if isinstance(values.get("prompt"), str):
            turns.append(({name: str(values.get(name) or "") for name in ("prompt", "id", "at")}, []))
        elif isinstance(values.get("tool"), str):
            wanted = str(values.get("id") or "")
            if not turns:
                turns.append(({"prompt": "", "id": wanted, "at": str(values.get("at") or "")}, []))
            home = next((uses for about, uses in turns if wanted and about["id"] == wanted), turns[-1][1])
            home.append(_use(values))
    return [Turn(about["prompt"], about["id"], about["at"], tuple(uses)) for about, uses in turns]


def _use(values: dict[str, Any]) -> Use:
    given, error, code = values.get("given"), values.get("error"), values.get("code")
    return Use(
        str(values["tool"]),
        given if isinstance(given, dict) else None,
        error if isinstance(error, str) else None,
        code if type(code) is int else None,
        str(values.get("at") or ""),
        str(values.get("call") or ""),
    )


def _values(line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _line(values: dict[str, object]) -> str:
    return json.dumps({name: value for name, value in values.items() if value not in (None, "")}, ensure_ascii=False)
