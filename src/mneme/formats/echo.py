"""What memory told and somebody took down again: recognised by the forms in which memory tells things.

An agent that notes what it was told, and is told what it noted, ends up surer with every turn and no wiser. A sentence
with one of our source anchors behind it, a quote with its place, a block that was put before a prompt: none is news. Pure.
"""

from __future__ import annotations

import re

from mneme.formats.promoted import PROMOTION_MARKER, STALE_SINCE, SUPERSEDED_BY

_TOLD = re.compile(
    rf"\(\d{{4}}-\d\d-\d\d, [^\s()]+(?:#[0-9a-f]{{8}}|:\d+)(?:; (?:{STALE_SINCE}|{SUPERSEDED_BY}) [^()]*)?\)"
    rf"|<!--\s*{PROMOTION_MARKER}"
    r"|\[score=\d[\d.]* recalls=\d+ [^\]]*source=[^\]]+\]"
    r"|</?(?:active_memory\w*|memory|recalled|relevant-memories|mneme[\w:-]*)>"
    r"|[\"”] \[[^\]\s]+:\d+(?:-\d+)?\]|\bSource: [^\s]+#L\d+(?:-L\d+)?\s*$",
    re.IGNORECASE,
)


def is_echo(text: str) -> bool:
    """Say whether a text is, or quotes, what memory has told."""
    return bool(_TOLD.search(text))
