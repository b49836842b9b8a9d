"""Closure blocks: the four lines that end a day's note.

Updated, Decisions, Signal and Open, canonically as four plain lines that are the last thing in the file. Blocks in the
wild are bold, bulleted, spread over paragraphs or incomplete, and are read all the same; whether one is good enough
is a question for a check. Reads rows whose kind is known and never looks into code or comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.block import BLANK, CODE, COMMENT, FRONT, HEADING, ITEM, RULE, TEXT, UNDERLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.span import Lines

UPDATED, DECISIONS, SIGNAL, OPEN = "Updated", "Decisions", "Signal", "Open"
LABELS = (UPDATED, DECISIONS, SIGNAL, OPEN)

_LABEL = re.compile(
    r"[ \t]*(?P<quote>>[ \t]*)?(?P<bullet>[-*+][ \t]+)?(?P<mark>\*\*|__)?"
    r"(?P<label>Updated|Decisions?|Signals?|Open)(?:\*\*|__)?[ \t]*[:\uff1a][ \t]*(?:\*\*|__)?[ \t]*"
)
_CANONICAL = {"Decision": DECISIONS, "Signals": SIGNAL}
_HIDDEN = (CODE, COMMENT, FRONT)


@dataclass(frozen=True, slots=True)
class ClosureLine:
    """One line of a closure block; `label` is canonical, `value` all it says, further lines included."""

    label: str
    value: str
    start: int
    end: int
    line: int
    end_line: int
    value_start: int
    plain: bool


@dataclass(frozen=True, slots=True)
class Closure:
    """A closure block; `last` when nothing but blank lines and what programs own follows it."""

    lines: tuple[ClosureLine, ...]
    start: int
    end: int
    line: int
    end_line: int
    last: bool

    def text(self, label: str) -> str:
        """Return what the line of this label says, or the empty string."""
        return next((line.value for line in self.lines if line.label == label), "")

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the labels that are not there or say nothing."""
        return tuple(label for label in LABELS if not self.text(label))

    @property
    def complete(self) -> bool:
        """Return whether all four lines are there and say something."""
        return not self.missing

    @property
    def canonical(self) -> bool:
        """Return whether the block is exactly four plain lines, in order and unbroken."""
        labels = tuple(line.label for line in self.lines)
        return (
            labels == LABELS and all(line.plain for line in self.lines) and self.end_line - self.line + 1 == len(LABELS)
        )


def parse_closures(lines: Lines, kinds: bytearray, owned: tuple[tuple[int, int], ...] = ()) -> tuple[Closure, ...]:
    """Read every closure block of a text in order; `owned` are the lines (from 1, both ends) of marked regions."""
    flat = lines.flat
    if "Updated" not in flat and "Decision" not in flat and "Signal" not in flat and "Open" not in flat:
        return ()
    found = list(_label_rows(lines, kinds))
    if not found:
        return ()
    groups: list[list[ClosureLine]] = []
    for number, (index, match) in enumerate(found):
        limit = found[number + 1][0] if number + 1 < len(found) else len(lines.rows)
        line = _closure_line(lines, kinds, index, limit, match)
        if groups and _joins(kinds, groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    groups = [group for group in groups if _is_closure(group)]
    return tuple(
        _closure(group, last=group is groups[-1] and _nothing_after(kinds, group[-1].end_line, owned))
        for group in groups
    )


def _label_rows(lines: Lines, kinds: bytearray) -> Iterator[tuple[int, re.Match[str]]]:
    for index, row in enumerate(lines.rows):
        if (":" in row or "\uff1a" in row) and kinds[index] not in _HIDDEN and (match := _LABEL.match(row)):
            yield index, match


def _closure_line(lines: Lines, kinds: bytearray, index: int, limit: int, match: re.Match[str]) -> ClosureLine:
    """Read one labelled line with the rows that continue it, up to the row `limit`."""
    row = lines.rows[index]
    last = _last_row(lines.rows, kinds, index, limit, empty=not row[match.end() :].strip())
    start = lines.starts[index]
    value_start = min(start + match.end(), lines.end_of(index))
    end = lines.end_of(last)
    plain = match.start("label") == 0 and last == index and row[match.end("label") : match.end("label") + 1] == ":"
    value = " ".join(lines.text[value_start:end].split())
    label = _CANONICAL.get(match["label"], match["label"])
    begin = start + len(row) - len(row.lstrip())
    return ClosureLine(label, value, begin, end, index + 1, last + 1, value_start, plain)


def _last_row(rows: list[str], kinds: bytearray, index: int, limit: int, *, empty: bool) -> int:
    """Return the last row of a value: the rows right below it; a list too when nothing stands beside the label."""
    last = index
    gap = False
    for number in range(index + 1, limit):
        kind = kinds[number]
        if kind == BLANK:
            gap = True
            continue
        indented = rows[number][0] in " \t"
        listed = (empty and last == index) if gap else (empty or indented)
        if not (kind == ITEM and listed) and not (kind == TEXT and not gap):
            break
        last, gap = number, False
    return last


def _joins(kinds: bytearray, group: list[ClosureLine], line: ClosureLine) -> bool:
    """Return whether a labelled line goes on with the block before it."""
    if any(known.label == line.label for known in group):
        return False
    between = kinds[group[-1].end_line : line.line - 1]
    return not between.strip(bytes([BLANK]))


def _is_closure(group: list[ClosureLine]) -> bool:
    return len(group) > 1 or group[0].label == UPDATED


def _closure(group: list[ClosureLine], *, last: bool) -> Closure:
    first, final = group[0], group[-1]
    return Closure(tuple(group), first.start, final.end, first.line, final.end_line, last)


def _nothing_after(kinds: bytearray, index: int, owned: tuple[tuple[int, int], ...]) -> bool:
    """Return whether only blank rows, rules, comments and regions (with the headings above them) follow."""
    regions = iter([region for region in owned if region[1] > index])
    region = next(regions, None)
    heading = False
    while index < len(kinds):
        if region and index + 1 >= region[0]:
            index, region, heading = region[1], next(regions, None), False
            continue
        kind = kinds[index]
        if kind in (HEADING, UNDERLINE):
            heading = True
        elif kind not in (BLANK, RULE, COMMENT):
            return False
        index += 1
    return not heading
