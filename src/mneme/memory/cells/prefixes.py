"""Which prefix a kind of cell has, and what to say to one that nobody has used before."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from mneme.errors import WARN, BadInputError, Problem
from mneme.formats.cell import KINDS, PREFIXES

if TYPE_CHECKING:
    from collections.abc import Callable

_NEARLY_THE_SAME = 0.75


def prefix_of(
    kind: str | None, prefix: str | None, in_use: Callable[[], set[str]], verb: str = "remember ... --prefix"
) -> tuple[str, list[Problem]]:
    """Return the prefix for a new cell, and a warning where it looks like a slip for a known one."""
    if prefix is not None and kind is not None and PREFIXES.get(kind) != prefix:
        message = f"--kind {kind} and --prefix {prefix} do not agree"
        raise BadInputError(message, f"mneme remember ... --kind {kind}")
    if prefix is not None:
        return _well_formed(prefix, verb), _near_miss(prefix, in_use)
    if kind is None:
        message = "which kind of memory is it? " + ", ".join(PREFIXES)
        raise BadInputError(message, "mneme remember '...' --kind fact")
    if kind not in PREFIXES:
        near = difflib.get_close_matches(kind, PREFIXES, n=1)
        message = f"there is no kind '{kind}'; there are " + ", ".join(PREFIXES)
        raise BadInputError(
            message, f"mneme remember ... --kind {near[0]}" if near else "mneme remember ... --prefix X"
        )
    return PREFIXES[kind], []


def _well_formed(prefix: str, verb: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9]*", prefix):
        mended = re.sub(r"[^A-Z0-9]", "", prefix.upper()).lstrip("0123456789")
        message = f"'{prefix}' is no prefix: it is capitals and digits, a capital first"
        raise BadInputError(message, f"mneme {verb} {mended or 'FACT'}")
    return prefix


def _near_miss(prefix: str, in_use: Callable[[], set[str]]) -> list[Problem]:
    if prefix in KINDS or prefix in in_use():
        return []
    near = difflib.get_close_matches(prefix, KINDS, n=1, cutoff=_NEARLY_THE_SAME)
    if not near:
        return []
    message = f"the prefix '{prefix}' is new, and close to '{near[0]}'"
    return [Problem("", 0, "unfamiliar-prefix", WARN, message, f"mneme remember ... --kind {KINDS[near[0]]}")]
