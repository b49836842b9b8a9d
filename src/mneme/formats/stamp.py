"""Stamps: the dated header lines of a note, such as `> last_verified: 2026-03-01`.

Reads `last_verified`, `last_updated`, `created` and `last_active`, with or without a quote mark or bold, and the
header of a working buffer that is made of them. Each stamp knows where its value is written. Dates are only cut out,
never judged against today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mneme.formats.block import CODE, COMMENT, FRONT, ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mneme.formats.block import Heading
    from mneme.formats.span import Lines

LAST_VERIFIED, LAST_UPDATED, CREATED, LAST_ACTIVE = "last_verified", "last_updated", "created", "last_active"
NAMES = (LAST_VERIFIED, LAST_UPDATED, CREATED, LAST_ACTIVE)
BUFFER_TITLE = "working buffer"

_PATTERNS = {
    name: re.compile(rf"[ \t]*(?P<quote>>[ \t]*)?(?:\*\*|__)?{name}(?:\*\*|__)?[ \t]*[:\uff1a](?:\*\*|__)?[ \t]*")
    for name in NAMES
}
_DATE = re.compile(r"(?<![0-9])([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Stamp:
    """A header line with a date; `date` is its ISO day or empty when the value holds no real one."""

    name: str
    value: str
    date: str
    start: int
    end: int
    line: int
    value_start: int
    value_end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class BufferHeader:
    """The header of a working buffer; `body_line` and `body_start` are where its content begins."""

    created: Stamp | None
    last_active: Stamp | None
    line: int
    end_line: int
    body_line: int
    body_start: int


def parse_stamps(lines: Lines, kinds: bytearray) -> dict[str, Stamp]:
    """Return the first line of each stamp of a text."""
    stamps = {}
    for name, pattern in _PATTERNS.items():
        at = lines.flat.find(name)
        while at >= 0:
            index = lines.line_of(at) - 1
            match = pattern.match(lines.rows[index]) if kinds[index] not in (CODE, COMMENT, FRONT, ITEM) else None
            if match:
                stamps[name] = _stamp(lines, index, name, match)
                break
            at = lines.flat.find(name, lines.after(index))
    return stamps


def _stamp(lines: Lines, index: int, name: str, match: re.Match[str]) -> Stamp:
    row, start = lines.rows[index], lines.starts[index]
    value = row[match.end() :].rstrip()
    value_start = min(start + match.end(), lines.end_of(index))
    begin = start + len(row) - len(row.lstrip())
    return Stamp(
        name,
        value,
        find_date(value),
        begin,
        lines.end_of(index),
        index + 1,
        value_start,
        value_start + len(value),
        match["quote"] is not None,
    )


def find_date(value: str) -> str:
    """Return the first real ISO day in a text, or the empty string."""
    for match in _DATE.finditer(value):
        try:
            return date.fromisoformat(match[1]).isoformat()
        except ValueError:
            continue
    return ""


def parse_buffer_header(lines: Lines, headings: Sequence[Heading], stamps: Mapping[str, Stamp]) -> BufferHeader | None:
    """Return the header of a working buffer; None when the text's first heading does not say that it is one."""
    if not headings or " ".join(headings[0].text.split()).lower() != BUFFER_TITLE:
        return None
    title = headings[0]
    limit = headings[1].line if len(headings) > 1 else lines.count + 1
    own = [stamp for name in (CREATED, LAST_ACTIVE) if (stamp := stamps.get(name)) and title.line < stamp.line < limit]
    last = max((stamp.line for stamp in own), default=title.end_line)
    body = last
    if body < len(lines.rows) and not lines.rows[body].strip():
        body += 1
    by_name = {stamp.name: stamp for stamp in own}
    start = lines.starts[body] if body < len(lines.starts) else len(lines.text)
    return BufferHeader(by_name.get(CREATED), by_name.get(LAST_ACTIVE), title.line, last, body + 1, start)
