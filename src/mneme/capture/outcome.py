"""A finished turn -> what is kept of it: a workflow that worked, failures, the lessons they leave.

A turn whose last use of a tool went well worked, whatever was tried on the way; one that ended in a failure worked in
part, and one in which nothing went well is no workflow at all. What recurs is told from its signature.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.formats.outcome import PARTIAL, SUCCESS, Failure, Reflection, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mneme.capture.turn import Turn, Use

SAME_SITUATION = 0.9
RECURS_AFTER = 3
LONGEST_REASON = 140


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is kept of a turn."""

    workflow: Workflow | None = None
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A failure that keeps happening: what it is known by, the lesson, how often, and where it was seen."""

    signature: str
    tool: str
    lesson: str
    times: int
    situations: tuple[str, ...]


def assess(turn: Turn, at: str) -> Outcome:
    """Return what a turn came to."""
    failures = tuple(_failures(turn))
    went_well = [use for use in turn.uses if use.error is None]
    if not went_well:
        return Outcome(None, failures)
    workflow = Workflow(
        situation=turn.prompt,
        sequence=tuple(use.tool for use in turn.uses),
        outcome=SUCCESS if turn.uses[-1].error is None else PARTIAL,
        at=at,
        steps=tuple(use.step for use in turn.uses),
    )
    return Outcome(workflow, failures)


def _failures(turn: Turn) -> Iterator[Failure]:
    for place, use in enumerate(turn.uses):
        if use.error is not None:
            later = next((one for one in turn.uses[place + 1 :] if one.tool == use.tool and one.error is None), None)
            instead = _in_short(later) if later and _in_short(later) != _in_short(use) else ""
            yield Failure(use.tool, turn.prompt, use.error, use.exit_code, use.at, _in_short(use), instead)


def _in_short(use: Use) -> str:
    """Return what a use of a tool comes to in a few words: its command, its file, its question."""
    given = use.given or {}
    said = next((given[name] for name in ("command", "file_path", "path", "url", "query") if given.get(name)), "")
    return " ".join(str(said).split())[:LONGEST_REASON]


def find_repeated(
    workflow: Workflow, known: Iterable[Workflow], near: Callable[[Workflow], Sequence[tuple[str, float]]]
) -> str:
    """Return the key of the workflow that this one repeats: the same tools in a situation as good as the same.

    `near` gives keys with the cosine of their situations, nearest first.
    """
    same_path = {one.key for one in known if one.path == workflow.path and one.outcome == workflow.outcome}
    if workflow.key in same_path:
        return workflow.key
    return next((key for key, cosine in near(workflow) if cosine >= SAME_SITUATION and key in same_path), "")


def as_repetition(workflow: Workflow, key: str) -> Workflow:
    """Return a workflow as the short row that says it happened again."""
    return replace(workflow, again=key, steps=())


def reflect(failures: Iterable[Failure], known: Iterable[Reflection], at: str) -> list[Reflection]:
    """Return the lessons that failures leave and that are not there yet: one for each situation and tool."""
    seen = {(one.situation, one.tool) for one in known}
    lessons = []
    for failure in failures:
        about = (failure.situation, failure.tool)
        if failure.situation and failure.tool and about not in seen:
            seen.add(about)
            lessons.append(Reflection(*about, lesson_of(failure), at, failure.signature))
    return lessons


def lesson_of(failure: Failure) -> str:
    """Return a failure as a sentence that will still make sense later."""
    code = "" if failure.exit_code is None else f" with exit code {failure.exit_code}"
    said = " ".join(_without_code(failure.error).split())[:LONGEST_REASON].rstrip(" .")
    reason = f": {said}" if said else ""
    return f"{failure.tool} failed{code}{reason}" + (f"; what worked: {failure.instead}" if failure.instead else "")


def _without_code(error: str) -> str:
    first, _, rest = error.partition("\n")
    return rest if first.strip().lower().startswith("exit code") and rest.strip() else error


def find_recurring(failures: Sequence[Failure], known: Iterable[Reflection]) -> list[Recurrence]:
    """Return the failures that have happened often enough, in more than one situation or time, and are not proposed."""
    counts = Counter(failure.signature for failure in failures)
    proposed = {one.signature for one in known if one.proposed}
    found = []
    for signature, times in counts.items():
        if times < RECURS_AFTER or signature in proposed:
            continue
        same = [failure for failure in failures if failure.signature == signature]
        best = next((failure for failure in reversed(same) if failure.instead), same[-1])
        situations = tuple(dict.fromkeys(failure.situation for failure in same if failure.situation))
        found.append(Recurrence(signature, best.tool, lesson_of(best), times, situations))
    return found
