"""What a person says outright in a prompt: a decision, a correction, a preference, a fact, a gotcha.

The statements that capture knows, few and short enough for the write-ahead buffer, in the very words. What is missed costs
little there and what is made up would cost much. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mneme.capture import statement

MOST_STATEMENTS = 5
LONGEST_STATEMENT_CHARS = 300
_LONGEST_PROMPT_CHARS = 20_000
_KINDS = frozenset((statement.DECISION, statement.CORRECTION, statement.PREFERENCE, statement.FACT, statement.GOTCHA))
_INDENTED = re.compile(r"^(?: {4}|\t)[^\n]*", re.MULTILINE)
_MARK = re.compile(r"^(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a prompt, and what kind of memory it would make."""

    kind: str
    text: str


def find_statements(prompt: str) -> tuple[Statement, ...]:
    """Return what a prompt states outright, in its order."""
    plain = _INDENTED.sub("", prompt[:_LONGEST_PROMPT_CHARS])
    found = [one for one in statement.find_statements(plain, spoken=True) if one.kind in _KINDS]
    return tuple(
        Statement(one.kind, _MARK.sub("", one.quote)[:LONGEST_STATEMENT_CHARS]) for one in found[:MOST_STATEMENTS]
    )
