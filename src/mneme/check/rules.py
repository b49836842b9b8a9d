"""The table of rules: every fault a check can report, in one place each.

`docs/rules.md` is generated from this table. A new rule is one entry in the table of its kind of file, one check that
reports it, and one fixture in `tests/fixtures/rules`.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from mneme.check.cell_rules import CELL_RULES
from mneme.check.fact_rules import FACT_RULES
from mneme.check.note_rules import NOTE_RULES
from mneme.check.rule import Rule, in_report_order, short, with_severities, word_problem
from mneme.check.tree_rules import TREE_RULES
from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mneme.errors import Problem

__all__ = [
    "CELL_RULES",
    "RULES",
    "Rule",
    "check_severities",
    "in_report_order",
    "make_problem",
    "short",
    "with_severities",
    "word_problem",
]

RULES: dict[str, Rule] = CELL_RULES | NOTE_RULES | FACT_RULES | TREE_RULES


def make_problem(rule: str, path: str, line: int, **values: object) -> Problem:
    """Return a fault under a rule of the table, worded as the table says."""
    return word_problem(RULES[rule], path, line, values)


def check_severities(chosen: Mapping[str, str]) -> Mapping[str, str]:
    """Return severities as the settings give them; a name that is no rule is told with the nearest."""
    for name in chosen:
        if name not in RULES:
            near = difflib.get_close_matches(name, RULES, n=1)
            message = f"mneme.toml: there is no rule '{name}' to set" + (
                f"; the nearest is '{near[0]}'" if near else ""
            )
            raise BadInputError(message, "edit mneme.toml")
    return chosen
