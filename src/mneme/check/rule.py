"""What a rule is, and how a fault under it is worded, graded and put in order.

A rule's name states the fault, never the cure, and is never renamed. The wording of its message and hint lies in the
table, so that a check only says which rule, where, and about what.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.errors import ERROR, IGNORE, INFO, SEVERITIES, WARN, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SUBJECT = 60


@dataclass(frozen=True, slots=True)
class Rule:
    """One fault: its name, how grave it is unless a setting says otherwise, what it is and why it matters.

    `message` and `hint` are templates over the values a check gives; `fixable` says that `--fix` mends what it can of
    it; `since` is the version of Mneme that first reported it.
    """

    name: str
    severity: str
    summary: str
    why: str
    message: str
    hint: str = ""
    fixable: bool = False
    since: str = "0.1"


def word_problem(rule: Rule, path: str, line: int, values: Mapping[str, object]) -> Problem:
    """Return a fault under a rule, worded as the rule says; in a hint, paths stand as a shell reads them."""
    shown = {name: short(str(value)) for name, value in values.items()}
    message = rule.message.format(**{**shown, "path": path})
    places = {"path": shell_word(path), "line": line}
    if "target" in values:
        places["target"] = shell_word(str(values["target"]))
    return Problem(path, line, rule.name, rule.severity, message, rule.hint.format(**{**shown, **places}))


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_#")


def shell_word(text: str) -> str:
    """Return a path as a shell reads it; one with line ends or control characters stays on one line."""
    if text and _PLAIN.issuperset(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "'\"'\"'") + "'"
    escaped = "".join(f"\\x{byte:02x}" if byte < ord(" ") or byte > ord("~") else chr(byte) for byte in _bytes(text))
    return f"$'{escaped}'"


def _bytes(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("'", "\\'").encode("utf-8", "surrogateescape")


def short(text: str) -> str:
    """Return a subject that fits a message."""
    return text if len(text) <= MAX_SUBJECT else text[: MAX_SUBJECT - 1] + "\u2026"


def with_severities(problems: Iterable[Problem], severities: Mapping[str, str] | None) -> list[Problem]:
    """Return problems as the settings grade them; a rule set to ignore is left out."""
    if not severities:
        return list(problems)
    graded = (replace(each, severity=severities.get(each.rule, each.severity)) for each in problems)
    return [each for each in graded if each.severity != IGNORE]


def in_report_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return all warnings, then all errors, then the rest, each in the order they were found."""
    rank = {WARN: 0, ERROR: 1, INFO: 2}
    return sorted(problems, key=lambda each: rank.get(each.severity, len(SEVERITIES)))
