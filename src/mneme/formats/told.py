"""Memory as a model is told it: data between marks, which no text in it can end, imitate or hide in.

Whatever somebody wrote stays one line, its angle brackets written as entities, without control characters, marks that
turn the direction of text, or characters that nobody sees. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_LINE_CHARS = 400
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def told_line(text: str, longest: int = LONGEST_LINE_CHARS) -> str:
    """Return a text as one harmless line, cut where it is too long."""
    line = " ".join(_UNSEEN.sub(" ", text[: 8 * longest]).split())
    line = line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
    return line.translate(_ENTITIES)


def told_value(value: Any) -> Any:  # noqa: ANN401 - as JSON has it
    """Return data with every text in it harmless, and its lines as they are."""
    if isinstance(value, str):
        return _UNSEEN.sub(" ", value).translate(_ENTITIES)
    if isinstance(value, dict):
        return {key: told_value(one) for key, one in value.items()}
    return [told_value(one) for one in value] if isinstance(value, list | tuple) else value


def told_block(mark: str, note: str, lines: Iterable[str]) -> str:
    """Return lines that are harmless already between marks, under a note that says what they are; nothing for none."""
    said = [f"- {line}" for line in lines if line]
    return "\n".join([f"<{mark}>", note, *said, f"</{mark}>"]) if said else ""
