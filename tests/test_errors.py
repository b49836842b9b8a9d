"""The two channels of faults."""

from __future__ import annotations

import pytest

from mneme import errors
from mneme.errors import MnemeError, Problem


def test_a_problem_reads_as_a_compiler_s_message() -> None:
    """Place, severity, rule, message, and the hint on a line of its own."""
    problem = Problem("m.mneme", 41, "duplicate-id", "error", "id 'DEC-0042' is already used", "mneme new-id DEC")
    assert str(problem) == "m.mneme:41: error duplicate-id: id 'DEC-0042' is already used\n  hint: mneme new-id DEC"


def test_a_problem_without_line_or_hint() -> None:
    """What concerns a whole file has no line, and no empty hint is shown."""
    assert str(Problem("a", 0, "r", "warn", "m")) == "a: warn r: m"


def test_a_problem_as_json() -> None:
    """The published form has every field, empty ones too."""
    assert Problem("a", 3, "r", "info", "m").as_json() == {
        "rule": "r", "severity": "info", "path": "a", "line": 3, "message": "m", "hint": "",
    }  # fmt: skip


def test_problems_sort_by_place() -> None:
    """As a reader meets them: by file, then by line as a number."""
    problems = [Problem(path, line, "r", "warn", "m") for path, line in (("b", 1), ("a", 10), ("a", 9))]
    assert [(one.path, one.line) for one in sorted(problems)] == [("a", 9), ("a", 10), ("b", 1)]


def test_an_error_says_what_and_what_to_run() -> None:
    """The message is the text of the exception; the hint lies beside it."""
    error = MnemeError("it is broken", "mend it")
    assert (str(error), error.message, error.hint) == ("it is broken", "it is broken", "mend it")
    assert not MnemeError("x").hint


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
)
def test_every_error_has_an_exit_code(kind: type[MnemeError]) -> None:
    """Whatever cannot go on ends with 2, is one of ours, and says in a sentence when it is raised."""
    assert issubclass(kind, MnemeError)
    assert kind("x").exit_code == errors.EXIT_FAILED == 2
    assert kind.__doc__


def test_severities() -> None:
    """Three of them, worst first; a rule can also be ignored."""
    assert errors.SEVERITIES == ("error", "warn", "info")
    assert errors.IGNORE == "ignore"
