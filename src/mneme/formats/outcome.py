"""What came of using tools, as JSON lines: workflows that worked, failures, the lessons they left, corrections.

A line is a row of its own: one that is torn, foreign or of the wrong shape is a problem beside the others, and never
hides them. Keys that this version does not know are ignored, so that files other programs wrote can be read.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mneme.errors import WARN, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SUCCESS, PARTIAL, FAILURE = "success", "partial", "failure"
OUTCOMES = (SUCCESS, PARTIAL, FAILURE)
LONGEST_SITUATION = 500
LONGEST_ERROR = 500
KEY_DIGITS = 8

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Step:
    """One use of a tool: its name, what it was given (secrets masked), and whether it went well."""

    tool: str
    given: Mapping[str, Any] | None = None
    ok: bool = True

    def as_json(self) -> dict[str, object]:
        """Return the step as it is written."""
        given = {} if self.given is None else {"input": dict(self.given)}
        return {"tool": self.tool, **given, **({} if self.ok else {"ok": False})}


@dataclass(frozen=True, slots=True)
class Workflow:
    """The steps of one turn, for the situation they were taken in; `again` is the key of the workflow it repeats.

    `count` and `last` are what the repetitions come to when a file is read: how often it worked, and when last.
    """

    situation: str
    sequence: tuple[str, ...]
    outcome: str = SUCCESS
    at: str = ""
    steps: tuple[Step, ...] = ()
    again: str = ""
    count: int = 1
    last: str = ""
    line: int = 0

    @property
    def key(self) -> str:
        """Return what the workflow is known by: a digest of its situation and its tools."""
        return self.again or _key(self.situation, *self.path)

    @property
    def path(self) -> tuple[str, ...]:
        """Return the tools in order, each run of the same one once."""
        return tuple(tool for place, tool in enumerate(self.sequence) if not place or tool != self.sequence[place - 1])

    def as_json(self) -> dict[str, object]:
        """Return the row as it is written."""
        row: dict[str, object] = {"situation": self.situation, "sequence": list(self.sequence), "outcome": self.outcome}
        row["timestamp"] = self.at
        if self.steps:
            row["steps"] = [step.as_json() for step in self.steps]
        if self.count > 1:
            row |= {"count": self.count, "last": self.last}
        return row | ({"again": self.again} if self.again else {})


@dataclass(frozen=True, slots=True)
class Failure:
    """One use of a tool that went wrong; without an exit code where the tool has none.

    `did` says in short what was tried, and `instead` what then worked.
    """

    tool: str
    situation: str
    error: str
    exit_code: int | None = None
    at: str = ""
    did: str = ""
    instead: str = ""
    line: int = 0

    @property
    def signature(self) -> str:
        """Return what the same failure has in common, whenever it happens: its tool, its code and its words."""
        words = "".join(letter if letter.isalpha() else " " for letter in _first_line(self.error).lower())
        return _key(self.tool, str(self.exit_code), " ".join(words.split()))

    def as_json(self) -> dict[str, object]:
        """Return the row as it is written."""
        row = {"ts": self.at, "tool": self.tool, "prompt": self.situation, "exit_code": self.exit_code}
        more = {"did": self.did, "instead": self.instead}
        return {**row, "error": self.error, **{name: value for name, value in more.items() if value}}


@dataclass(frozen=True, slots=True)
class Reflection:
    """A lesson from a failure; `proposed` is the id under which it was proposed as a memory, once it recurred."""

    situation: str
    tool: str
    lesson: str
    at: str = ""
    signature: str = ""
    proposed: str = ""
    line: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the row as it is written."""
        row: dict[str, object] = {"ts": self.at, "situation": self.situation, "tool": self.tool, "lesson": self.lesson}
        more = {"signature": self.signature, "proposed": self.proposed}
        return row | {name: value for name, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word that a request like this one wants that card."""

    query: str
    card: str
    at: str = ""
    line: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the row as it is written."""
        return {"ts": self.at, "query": self.query, "tool_id": self.card}


def print_row(row: Workflow | Failure | Reflection | Correction) -> str:
    """Return a row as one line of JSON, without its line end."""
    return json.dumps(row.as_json(), ensure_ascii=False, separators=(", ", ": "))


def parse_workflows(text: str, path: str) -> tuple[list[Workflow], list[Problem]]:
    """Return every row of a file of workflows, repetitions as rows of their own."""
    return _parse(text, path, _workflow)


def parse_failures(text: str, path: str) -> tuple[list[Failure], list[Problem]]:
    """Return every failure of a log."""
    return _parse(text, path, _failure)


def parse_reflections(text: str, path: str) -> tuple[list[Reflection], list[Problem]]:
    """Return every lesson of a file."""
    return _parse(text, path, _reflection)


def parse_corrections(text: str, path: str) -> tuple[list[Correction], list[Problem]]:
    """Return every correction of a file."""
    return _parse(text, path, _correction)


def merge_workflows(rows: Iterable[Workflow]) -> list[Workflow]:
    """Fold repetitions into the workflow they repeat: how often it worked in all, and when last; order is kept."""
    merged: dict[str, Workflow] = {}
    for row in rows:
        known = merged.get(row.key)
        last = max(row.last, row.at)
        if known is None:
            merged[row.key] = replace(row, last=last)
        else:
            steps = known.steps or row.steps
            merged[row.key] = replace(known, steps=steps, count=known.count + row.count, last=max(known.last, last))
    return list(merged.values())


def _parse(text: str, path: str, read: Callable[[dict[str, Any]], Row]) -> tuple[list[Row], list[Problem]]:
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            if not isinstance(values, dict):
                raise TypeError  # noqa: TRY301 - one way out for every line that is no row
            rows.append(read({**values, "line": number}))
        except (ValueError, TypeError, KeyError, RecursionError):
            message = "this line is not a row of this file and is passed over"
            problems.append(Problem(path, number, "broken-line", WARN, message, f"sed -n {number}p {path}"))
    return rows, problems


def _workflow(values: dict[str, Any]) -> Workflow:
    sequence = tuple(_text(tool) for tool in values["sequence"])
    given = values.get("steps") or ()
    steps = tuple(Step(_text(one["tool"]), _mapping(one.get("input")), one.get("ok", True) is True) for one in given)
    count = values.get("count", 1)
    if not sequence or type(count) is not int or count < 1:
        raise ValueError
    return Workflow(
        situation=_text(values["situation"]),
        sequence=sequence,
        outcome=_text(values.get("outcome", SUCCESS)),
        at=_text(values.get("timestamp", "")),
        steps=steps,
        again=_text(values.get("again", "")),
        count=count,
        last=_text(values.get("last", "")),
        line=values["line"],
    )


def _failure(values: dict[str, Any]) -> Failure:
    code = values.get("exit_code")
    return Failure(
        tool=_text(values["tool"]),
        situation=_text(values.get("prompt", "")),
        error=_text(values.get("error", "")),
        exit_code=code if type(code) is int else None,
        at=_text(values.get("ts", "")),
        did=_text(values.get("did", "")),
        instead=_text(values.get("instead", "")),
        line=values["line"],
    )


def _reflection(values: dict[str, Any]) -> Reflection:
    names = ("situation", "tool", "lesson", "signature", "proposed")
    texts = {name: _text(values.get(name, "")) for name in names}
    if not texts["lesson"]:
        raise ValueError
    return Reflection(**texts, at=_text(values.get("ts", "")), line=values["line"])


def _correction(values: dict[str, Any]) -> Correction:
    return Correction(_text(values["query"]), _text(values["tool_id"]), _text(values.get("ts", "")), values["line"])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _mapping(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _key(*parts: str) -> str:
    said = "\x00".join(" ".join(part.lower().split()) for part in parts)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]


def _first_line(text: str) -> str:
    """Return the line of an error that says most: the first one that is not just an exit code."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return next((line for line in lines if not line.lower().startswith("exit code")), lines[0] if lines else "")
