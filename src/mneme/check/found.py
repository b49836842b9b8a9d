"""What a check finds, before it is worded: a rule, a line, and what the rule's message is about.

Findings are plain values, so that what was found in a file once can be kept and need not be looked for again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mneme.check.rules import RULES, word_problem

if TYPE_CHECKING:
    from mneme.errors import Problem


class Found(NamedTuple):
    """One fault of a file; `severity` is only said where it differs from the rule's."""

    rule: str
    line: int
    values: dict[str, Any]
    severity: str = ""


def find(rule: str, line: int, **values: object) -> Found:
    """Return a fault that was found."""
    return Found(rule, line, values)


def of_problem(problem: Problem) -> Found:
    """Return the fault that a reader of a format reported, to be worded and hinted as the table says."""
    severity = "" if problem.severity == RULES[problem.rule].severity else problem.severity
    return Found(problem.rule, problem.line, {"value": problem.message}, severity)


def worded(path: str, found: Found) -> Problem:
    """Return a fault as a problem of a file."""
    values = {"near": "", "other": "", "target": path, "id": path, **found.values}
    problem = word_problem(RULES[found.rule], path, found.line, values)
    return replace(problem, severity=found.severity) if found.severity else problem
