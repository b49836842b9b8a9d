"""Text and values without their secrets: what a command line or a tool's input may leave behind in memory.

More is masked here than a check reports: a password that is masked for nothing costs a reader a guess, one that stays
costs more. Lengths are bounded, so that a file pasted into a tool's input does not become a memory.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mneme.check.secret import find_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

MASK = "[secret]"
CUT = "…"
LONGEST_TEXT = 2_000
MOST_ITEMS = 40
DEEPEST = 6

_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)?$|pwd$|secret|token$|credential|(?:api|access|auth|private|signing|secret|ssh)[-_ ]?key"
    r"|authorization|cookie$|^key$|bearer",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z0-9_.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|api[-_]?key|access[-_]?key|auth[-_]?key|private[-_]?key)"
# `--api-key VALUE`, `-p VALUE` of the programs that take a password so, `TOKEN=VALUE`, and an Authorization header.
_GIVEN = re.compile(
    rf"(?P<flag>(?<![\w-])--?{_NAME}(?:=|\s+))(?P<a>\"[^\"]*\"|'[^']*'|[^\s\"']+)"
    rf"|(?P<set>(?<![A-Za-z0-9_-]){_NAME}\s*[=:]\s*)(?P<b>\"[^\"]*\"|'[^']*'|[^\s\"',;&]+)"
    r"|(?P<header>\b(?:Bearer|Basic)\s+)(?P<c>[A-Za-z0-9._~+/=-]{6,})"
    r"|(?P<user>(?<![\w-])(?:-u|--user)[= ]+[^\s:\"']+:)(?P<d>[^\s\"']+)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"[\"']?(?:\$\{?[A-Za-z_(]|<[A-Za-z]|\{\{|%[A-Za-z_]+%|\[secret\])")


def mask_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text with every secret in it masked, cut where it is too long."""
    if len(text) > longest:
        text = text[:longest] + CUT
    text = _GIVEN.sub(_masked, text)
    for secret in reversed(find_secrets(text)):
        if MASK not in text[secret.start : secret.end]:
            text = text[: secret.start] + MASK + text[secret.end :]
    return text


def mask_value(value: object, depth: int = 0) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return plain JSON with secrets masked: by what a text looks like, and by what a key is called."""
    if isinstance(value, str):
        return mask_text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= DEEPEST:
        return CUT
    if isinstance(value, dict):
        return mask_mapping(value, depth)
    if isinstance(value, list | tuple):
        return [mask_value(item, depth + 1) for item in value[:MOST_ITEMS]]
    return mask_text(str(value))


def mask_mapping(value: Mapping[str, object], depth: int = 0) -> dict[str, Any]:
    """Return a mapping with secrets masked."""
    masked = {}
    for key, item in list(value.items())[:MOST_ITEMS]:
        hides = isinstance(item, str) and _SECRET_NAME.search(str(key)) and not _REFERENCE.match(item)
        masked[mask_text(str(key))] = MASK if hides else mask_value(item, depth + 1)
    return masked


def _masked(found: re.Match[str]) -> str:
    before, value = next(pair for pair in zip(found.groups()[::2], found.groups()[1::2], strict=True) if pair[0])
    return found[0] if _REFERENCE.match(value) else before + MASK
