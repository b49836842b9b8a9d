"""Turns as hooks tell of them: kept line by line while they last, and what they came to when they end."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from mneme import files
from mneme.capture import outcome, turn
from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from mneme.capture.outcome import Recurrence
    from mneme.capture.turn import Turn
    from mneme.engine.home import Home
    from mneme.formats.outcome import Failure, Reflection, Workflow
    from mneme.memory.skills.rows import Rows

TURNS = "turns"  # the folder of the machine's state with the turns that have not ended
GOTCHA = "gotcha"


class Propose(Protocol):
    """How a memory is proposed; the id of the proposal comes back, or nothing where none was made."""

    def __call__(self, kind: str, text: str, *, why: str, sources: Sequence[str]) -> object:
        """Propose a memory of a kind."""


@dataclass(frozen=True, slots=True)
class TurnDone:
    """What was kept when a turn ended."""

    workflows: tuple[Workflow, ...] = ()
    failures: tuple[Failure, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    proposals: tuple[str, ...] = ()

    def __add__(self, other: TurnDone) -> TurnDone:
        """Join what two turns left."""
        return TurnDone(
            self.workflows + other.workflows,
            self.failures + other.failures,
            self.reflections + other.reflections,
            self.proposals + other.proposals,
        )


def keep_prompt(home: Home, prompt: str, *, session: str, prompt_id: str, agent: str) -> None:
    """Take down that a turn begins."""
    if session and prompt.strip() and not agent:
        files.append_line(_turn_file(home, session), turn.prompt_line(prompt, at=home.moment, prompt_id=prompt_id))


def keep_tool_use(home: Home, line: str, *, session: str, agent: str) -> None:
    """Take down one use of a tool."""
    if session and not agent:
        files.append_line(_turn_file(home, session), line)


def finish_turn(
    home: Home, *, session: str, agent: str, propose: Propose | None, failed: Callable[[], Mapping[str, str]]
) -> TurnDone:
    """Keep what the turns of a session came to."""
    place = _turn_file(home, session)
    if agent or not session or not place.exists():
        return TurnDone()
    with home.memory.writing("turn", dry_run=False):
        told = files.take_derived(place).decode("utf-8", "replace")
        turns = turn.parse_turns(told)
        known = failed() if any(use.call for one in turns for use in one.uses) else {}
        return _keep_turns(home, [turn.with_failures(one, known) for one in turns], propose)


def keep_outcome(home: Home, tool: str, *, prompt: str, exit_code: int, error: str) -> TurnDone:
    """Keep one use of a tool as a turn of its own."""
    if not tool.strip():
        return TurnDone()
    failed = error if exit_code else None
    lines = [turn.use_line(tool, None, at=home.moment, error=failed, exit_code=exit_code or None)]
    if prompt.strip():
        lines.insert(0, turn.prompt_line(prompt, at=home.moment))
    with home.memory.writing("turn", dry_run=False):
        return _keep_turns(home, turn.parse_turns("\n".join(lines)), None)


def reflect(home: Home, propose: Propose | None = None, *, dry_run: bool = False) -> TurnDone:
    """Write the lessons that failures have left and that are not there yet; done twice, it does nothing more."""
    from mneme.memory.skills.rows import append_rows, load_rows

    with home.memory.writing("reflect", dry_run=dry_run):
        rows = load_rows(home.root)
        lessons = outcome.reflect(rows.failures, rows.reflections, home.moment)
        if dry_run:
            return TurnDone(reflections=tuple(lessons))
        append_rows(home.root, lessons)
        proposed = _propose(home, replace(rows, reflections=(*rows.reflections, *lessons)), propose)
        return TurnDone(reflections=tuple(lessons), proposals=tuple(proposed))


def _turn_file(home: Home, session: str) -> Path:
    name = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return home.root / files.WORKPLACE / TURNS / f"{name}.jsonl"


def _keep_turns(home: Home, turns: Iterable[Turn], propose: Propose | None) -> TurnDone:
    from mneme.engine.home.index import note_problems
    from mneme.memory.skills.rows import append_rows, load_rows

    done, rows = TurnDone(), load_rows(home.root)
    note_problems(home, rows.problems)
    for one in turns:
        seen = outcome.assess(one, home.moment)
        workflows = [_folded(home, seen.workflow, rows)] if seen.workflow and seen.workflow.situation else []
        lessons = outcome.reflect(seen.failures, rows.reflections, home.moment)
        append_rows(home.root, (*workflows, *seen.failures, *lessons))
        rows = replace(
            rows,
            workflows=(*rows.workflows, *workflows),
            failures=(*rows.failures, *seen.failures),
            reflections=(*rows.reflections, *lessons),
        )
        done += TurnDone(tuple(workflows), seen.failures, tuple(lessons))
    return done + TurnDone(proposals=tuple(_propose(home, rows, propose))) if done.failures else done


def _folded(home: Home, workflow: Workflow, rows: Rows) -> Workflow:
    """Return a workflow as it is written: short where it repeats one that is there."""
    try:
        key = outcome.find_repeated(workflow, rows.workflows, home.near_workflows)
    except MnemeError:  # what is like it can't be told now; a row too many is folded by upkeep
        key = ""
    return outcome.as_repetition(workflow, key) if key else workflow


def _propose(home: Home, rows: Rows, propose: Propose | None) -> Iterable[str]:
    """Propose what keeps failing as a thing to look out for, once."""
    from mneme.formats.outcome import Reflection
    from mneme.memory.skills.rows import append_rows

    if propose is None:
        return []
    made = []
    for one in outcome.find_recurring(rows.failures, rows.reflections):
        why = f"it failed so {one.times} times: {_listed(one)}"
        proposal = propose(GOTCHA, one.lesson, why=why, sources=("failures.log",))
        if proposal:
            name = str(proposal)
            situation = one.situations[0] if one.situations else ""
            append_rows(home.root, [Reflection(situation, one.tool, one.lesson, home.moment, one.signature, name)])
            made.append(name)
    return made


def _listed(one: Recurrence) -> str:
    return "; ".join(situation[:80] for situation in one.situations[:3]) or one.tool
