"""Texts on their way into memory: without secrets, with days for "yesterday", and worth being kept.

A secret is refused, or written masked where that is asked for. All else is advice with its reason, and whoever insists
is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.errors import INFO, BadInputError, Problem, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from mneme.engine.memory import Memory

_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Worded:
    """Texts by name as they may be written, and what somebody should know about it."""

    texts: Mapping[str, str]
    problems: tuple[Problem, ...] = ()


def word(
    memory: Memory,
    texts: Mapping[str, str],
    *,
    redact: bool = False,
    verb: str = "remember ...",
    dated: bool = False,
    day: date | None = None,
) -> Worded:
    """Return texts as they may be written down; refuses an empty one, and a secret unless it is to be masked.

    Texts that are `dated` stand under their day, so that a relative date in them can still be told; `day` is when they
    were said, if that was not today.
    """
    if "text" in texts and not texts["text"].strip():
        bare = verb.removesuffix(" ...")
        what = "remember" if bare == "remember" else "write down"
        raise BadInputError(
            f"there is nothing to {what}: the text is empty", f"mneme {bare} 'one self-contained sentence'"
        )
    problems: list[Problem] = []
    done = {}
    for name, text in texts.items():
        kept, found = _without_secrets(text, verb, redact=redact)
        done[name], told = _dated(kept, day or memory.today, whole=name == "text" and not dated)
        problems += [*found, *told]
    return Worded(done, tuple(problems))


def _without_secrets(text: str, verb: str, *, redact: bool) -> tuple[str, list[Problem]]:
    from mneme.check.mask import mask_text
    from mneme.check.secret import find_secrets

    found = find_secrets(text)
    if not found:
        return text, []
    if not redact:
        message = f"this looks like a secret ({found[0].kind}); memory is plain text that others may read"
        raise RefusedError(message, f"mneme {verb} --redact")
    message = f"{found[0].kind} is written masked"
    return mask_text(text, len(text)), [Problem("", 0, "masked-secret", INFO, message)]


def _dated(text: str, day: date, *, whole: bool) -> tuple[str, list[Problem]]:
    from mneme.formats.when.absolute import make_absolute, open_dates

    written, changes = make_absolute(text, day)
    told = [Problem("", 0, "absolute-date", INFO, f"'{one.said}' is written as '{one.written}'") for one in changes]
    for said in open_dates(written, day) if whole else ():
        message = f"'{said}' will mean another day when it is read"
        told.append(Problem("", 0, "relative-date", INFO, message))
    return written, told


def check_worth(memory: Memory, text: str, kind: str) -> None:
    """Refuse what belongs in another layer, and what is not worth remembering; each with its reason."""
    from mneme.check.kind import layer_of, misplaced_layer
    from mneme.check.worth import advise

    homes = memory.workspace.profile.homes
    other = misplaced_layer(text, kind) if {"task", "status"} & set(homes) else None
    if other is not None and other.kind in homes:
        place = homes[other.kind].path or "a cell file"
        message = f"this is {_what(layer_of(other.kind))} ('{other.cue[:_SHOWN_CHARS]}'), and belongs in {place}, not in {homes[kind].path}"
        raise RefusedError(message, f"mneme remember ... --kind {other.kind}\nmneme remember ... --kind {kind} --force")
    advice = advise(text, kind)
    if advice is not None:
        message = f"better not remembered ('{advice.cue}'): {advice.reason}"
        raise RefusedError(message, f"mneme remember ... --kind {kind} --force")


def _what(layer: str) -> str:
    names = {"execution": "something to be done", "strategy": "where a project stands"}
    return names.get(layer, "something learned")
