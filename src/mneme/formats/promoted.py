"""A promotion as it stands in MEMORY.md: one sentence, its day and source, its fate, and the key it was counted under.

    - Backups: move them to S3 Glacier. (2026-04-01, memory/2026-04-01.md#1a2b3c4d) <!-- openclaw-memory-promotion:... -->

What has grown old or was replaced says so before the bracket closes; what somebody says of it by `affirm` or `mark`
stands in a comment behind. The key's form is OpenClaw's, whose own lines of two rows are no concern of this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PROMOTION_MARKER = "openclaw-memory-promotion:"
STALE_SINCE, SUPERSEDED_BY = "stale since", "superseded by"

_ROW = re.compile(
    rf"- (?P<text>.*) \((?P<day>\d{{4}}-\d\d-\d\d), (?P<source>[^;()]+?)(?:; (?P<fate>{STALE_SINCE}|{SUPERSEDED_BY}) (?P<by>[^;()]+))?\)"
    rf" <!-- {PROMOTION_MARKER}(?P<key>.+?) -->(?P<standing> <!-- mneme: [^<>]*-->)?\s*"
)


@dataclass(frozen=True, slots=True)
class PromotedRow:
    """What one line says: the sentence, where it is from, what became of it, and what somebody said of it since."""

    text: str
    day: str
    source: str
    key: str
    fate: str = ""
    by: str = ""
    standing: str = ""


def find_promoted(row: str) -> PromotedRow | None:
    """Return a line as the promotion that it is, or None."""
    found = _ROW.fullmatch(row)
    if found is None:
        return None
    fate, by, standing = (found[name] or "" for name in ("fate", "by", "standing"))
    return PromotedRow(found["text"], found["day"], found["source"], found["key"], fate, by, standing.strip())


def print_promoted(row: PromotedRow) -> str:
    """Return a promotion as its line."""
    fate = f"; {row.fate} {row.by}" if row.fate else ""
    standing = f" {row.standing}" if row.standing else ""
    return f"- {row.text} ({row.day}, {row.source}{fate}) <!-- {PROMOTION_MARKER}{row.key} -->{standing}"
