"""The shape of a Markdown text: what kind of thing stands on each line, and the pieces lines make up.

One pass over the lines tells headings, list items, quotes, tables, code fences and comments apart; list items are put
together on demand. It follows CommonMark where notes do, and says in docs/format-notes.md where it does not. Every
text has a shape: nothing here fails, and the work grows with the length of the text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.formats.span import Lines

BLANK, TEXT, ITEM, HEADING, UNDERLINE, QUOTE, TABLE, RULE, CODE, COMMENT, FRONT = range(11)

_ATX = re.compile(r" {0,3}(#{1,6})(?![^\s])[ \t]*")
_SETEXT = re.compile(r" {0,3}(?:={2,}|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$")
_MARKER = re.compile(
    r"[ \t]*(?:(?P<bullet>[-*+])(?=\s|$)|(?P<dot>[\u2022\u30fb])|(?P<number>[0-9]{1,9})(?:[.)](?=\s|$)|[\u3001\uff0e\uff09]))"
)
_BOX = re.compile(r"\[([^\[\]\n]?)\](?=\s|$)")
_FENCE_OPEN = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
# After a bullet and a space these may make a rule or an empty item; "" (nothing follows) is in every string.
_RULE_MARKS = "-*_ \t"
_STARTS = frozenset("#-*+>|=_0123456789\u2022\u30fb")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of either form; `text` is its words with their markup, `end` the end of its last line."""

    level: int
    text: str
    start: int
    end: int
    line: int
    end_line: int
    text_start: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block from its opening to its closing line; without one (`closed` false) to the end of the text."""

    language: str
    start: int
    end: int
    line: int
    end_line: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment, `<!--` and `-->` included; `alone` when nothing else stands on its lines."""

    text: str
    start: int
    end: int
    line: int
    end_line: int
    alone: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: its own words, and how far it reaches with everything nested in it.

    `box` is None without a checkbox, else the character in it ("" and " " are open). `box_start` to `box_end` is
    the inside of the box, `body_start` where the words begin, `parent` the index of the item it lies in, or -1.
    """

    text: str
    start: int
    end: int
    line: int
    end_line: int
    tree_end: int
    tree_end_line: int
    indent: int
    depth: int
    parent: int
    marker: str
    body_start: int
    box: str | None
    box_start: int
    box_end: int

    @property
    def done(self) -> bool:
        """Return whether its checkbox is ticked."""
        return self.box is not None and self.box in "xX\u2713\u2714" and self.box != ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The kind of every row, and the pieces that decide it."""

    kinds: bytearray
    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    comments: tuple[Comment, ...]
    unclosed_comment: int


def parse_shape(lines: Lines, first: int = 0) -> Shape:
    """Classify every row from the index `first` on; the rows before it are frontmatter."""
    kinds = bytearray(len(lines.rows))
    kinds[:first] = bytes([FRONT]) * first
    flat = lines.flat
    fences: list[Fence] = []
    comments: list[Comment] = []
    unclosed = 0
    if "```" in flat or "~~~" in flat or "<!--" in flat:
        unclosed = _find_hidden(lines, first, kinds, fences, comments)
    headings = _classify(lines, first, kinds)
    return Shape(kinds, headings, tuple(fences), tuple(comments), unclosed)


def _classify(lines: Lines, first: int, kinds: bytearray) -> tuple[Heading, ...]:
    headings = []
    for index, row in enumerate(lines.rows[first:], first):
        body = row.lstrip()
        if not body or kinds[index]:
            continue
        lead = body[0]
        if lead not in _STARTS:
            kind = TEXT
        elif lead in "-*+" and body[1:2] == " " and body[2:3] not in _RULE_MARKS:
            kind = ITEM
        elif lead == "#":
            match = _ATX.match(row)
            kind = HEADING if match else TEXT
            if match:
                headings.append(_atx(lines, index, match))
        else:
            kind = _kind(row, lead)
            if kind == UNDERLINE and (kind := _underline(lines.rows, kinds, index)) == UNDERLINE:
                headings.append(_setext(lines, index))
        kinds[index] = kind
    return tuple(headings)


def _kind(row: str, lead: str) -> int:
    """Tell what a row is by its first character; UNDERLINE means it may be one."""
    if lead == ">":
        return QUOTE
    if lead == "|":
        return TABLE
    if lead in "=-" and _SETEXT.match(row):
        return UNDERLINE
    if lead in "-*_" and _RULE.match(row):
        return RULE
    return ITEM if _MARKER.match(row) else TEXT


def _underline(rows: list[str], kinds: bytearray, index: int) -> int:
    """Decide what a row of dashes or equals signs is, by what stands above it."""
    row = rows[index]
    above = kinds[index - 1] if index else BLANK
    second = kinds[index - 2] if index > 1 else BLANK
    if above == TEXT and second not in (TEXT, ITEM, QUOTE, TABLE) and not rows[index - 1][0].isspace():
        kinds[index - 1] = HEADING
        return UNDERLINE
    return RULE if _RULE.match(row) else ITEM if _MARKER.match(row) else TEXT


def _atx(lines: Lines, index: int, match: re.Match[str]) -> Heading:
    row, start = lines.rows[index], lines.starts[index]
    text = row[match.end() :].rstrip()
    if text.endswith("#"):
        bare = text.rstrip("#")
        text = bare.rstrip() if not bare or bare[-1] in " \t" else text
    end = start + len(row.rstrip())
    words = min(start + match.end(), end)
    return Heading(len(match[1]), text, start + match.start(1), end, index + 1, index + 1, words)


def _setext(lines: Lines, index: int) -> Heading:
    row, under = lines.rows[index - 1], lines.rows[index]
    start = lines.starts[index - 1] + len(row) - len(row.lstrip())
    level = 1 if under.lstrip()[0] == "=" else 2
    return Heading(level, row.strip(), start, lines.starts[index] + len(under.rstrip()), index, index + 1, start)


def _find_hidden(lines: Lines, first: int, kinds: bytearray, fences: list[Fence], comments: list[Comment]) -> int:
    """Mark the rows of code fences and comments; return the line of a comment that is never closed, or 0."""
    rows, index = lines.rows, first
    unclosed = 0
    while index < len(rows):
        row = rows[index]
        opening = _FENCE_OPEN.match(row) if "```" in row or "~~~" in row else None
        if opening:
            index = _add_fence(lines, index, opening, kinds, fences)
        elif "<!--" in row and not unclosed:
            index, closed = _add_comments(lines, index, kinds, comments)
            unclosed = 0 if closed else index
        else:
            index += 1
    return unclosed


def _add_fence(lines: Lines, index: int, opening: re.Match[str], kinds: bytearray, fences: list[Fence]) -> int:
    """Record the fence that opens at `index`; return the row after it."""
    rows, mark = lines.rows, opening[1]
    close = index + 1
    while close < len(rows) and not _closes(rows[close], mark):
        close += 1
    closed = close < len(rows)
    last = close if closed else len(rows) - 1
    if not closed and not rows[last] and last > index:
        last -= 1
    in_item = opening.start(1) > 0 and rows[index].lstrip()[0] not in "`~"
    begin = index + 1 if in_item else index
    kinds[begin : last + 1] = bytes([CODE]) * max(0, last + 1 - begin)
    start = lines.starts[index] + opening.start(1)
    language = opening[2].split()
    fences.append(Fence(language[0] if language else "", start, lines.end_of(last), index + 1, last + 1, closed))
    return last + 1


def _closes(row: str, mark: str) -> bool:
    body = row.strip()
    return len(body) >= len(mark) and body[0] == mark[0] and not body.strip(mark[0])


def _add_comments(lines: Lines, index: int, kinds: bytearray, comments: list[Comment]) -> tuple[int, bool]:
    """Record the comments that open on a row; return the row after the last one, and whether all were closed."""
    flat = lines.flat
    spans = code_spans_in(lines.rows[index])
    at = base = lines.starts[index]
    only_comments = True
    while (start := flat.find("<!--", at, base + len(lines.rows[index]))) >= 0:
        in_code = code_span_end(spans, start - base)
        if in_code:
            at, only_comments = base + in_code, False
            continue
        close = flat.find("-->", start + 4)
        if close < 0:
            return index + 1, False
        only_comments = only_comments and not flat[at:start].strip()
        at = close + 3
        last = lines.line_of(at - 1) - 1
        comments.append(_comment(lines, start, at, index, last))
        if last > index:
            first = index if only_comments else index + 1
            kinds[first:last] = bytes([COMMENT]) * (last - first)
            index, base, only_comments = last, lines.starts[last], True
            spans = code_spans_in(lines.rows[last])
    if only_comments and not flat[at : base + len(lines.rows[index])].strip():
        kinds[index] = COMMENT
    return index + 1, True


def _comment(lines: Lines, start: int, end: int, first: int, last: int) -> Comment:
    row = lines.rows[first]
    begins = start == lines.starts[first] + len(row) - len(row.lstrip())
    ends = end == lines.starts[last] + len(lines.rows[last].rstrip())
    return Comment(lines.text[start:end], start, end, first + 1, last + 1, begins and ends)


_TICKS = re.compile(r"`+")


def code_spans_in(row: str) -> list[tuple[int, int]]:
    """Return the inline code of one line as (start, end), its backticks included."""
    if "`" not in row:
        return []
    if "``" not in row:
        return _single_tick_spans(row)
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(row)]
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    spans = []
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = later[end - start]
        while same and same[-1] <= number:
            same.pop()
        if same:
            spans.append((start, runs[same[-1]][1]))
            number = same[-1]
        number += 1
    return spans


def _single_tick_spans(row: str) -> list[tuple[int, int]]:
    """Return the inline code of a line on which every backtick stands alone, as nearly all do."""
    spans = []
    start = row.find("`")
    while start >= 0 and (end := row.find("`", start + 1)) >= 0:
        spans.append((start, end + 1))
        start = row.find("`", end + 1)
    return spans


def code_span_end(spans: list[tuple[int, int]], at: int) -> int:
    """Return where the inline code around this column ends, or 0 outside of any."""
    number = bisect_right(spans, at, key=_begin) - 1
    return spans[number][1] if number >= 0 and at < spans[number][1] else 0


def _begin(span: tuple[int, int]) -> int:
    return span[0]


def parse_items(lines: Lines, kinds: bytearray) -> tuple[Item, ...]:
    """Read every list item of a text, in order, each knowing the one it is nested in."""
    builders: list[_Builder] = []
    open_items: list[int] = []
    previous = BLANK
    for index, kind in enumerate(kinds):
        if kind == ITEM:
            item = _open_item(lines, index, builders, open_items)
            open_items.append(len(builders))
            builders.append(item)
        elif kind in (HEADING, UNDERLINE, RULE):
            _close_items(builders, open_items, 0)
        elif kind not in (BLANK, FRONT) and open_items:
            _continue_item(lines.rows[index], index, previous, kind, builders, open_items)
        previous = kind
    _close_items(builders, open_items, 0)
    return tuple(_finish(lines, builder) for builder in builders)


class _Builder:
    """A list item while its lines are still being found."""

    __slots__ = ("depth", "indent", "match", "nested", "own", "parent", "row", "tree")

    def __init__(self, row: int, match: re.Match[str], indent: int, parent: int, depth: int) -> None:
        self.row = self.own = self.tree = row
        self.match = match
        self.indent = indent
        self.parent = parent
        self.depth = depth
        self.nested = False


def _open_item(lines: Lines, index: int, builders: list[_Builder], open_items: list[int]) -> _Builder:
    row = lines.rows[index]
    match = _MARKER.match(row)
    assert match is not None  # noqa: S101 - the row was classified by this very pattern
    indent = _indent(row)
    _close_items(builders, open_items, indent)
    parent = open_items[-1] if open_items else -1
    if open_items:
        builders[parent].nested = True
    return _Builder(index, match, indent, parent, len(open_items))


def _continue_item(
    row: str, index: int, previous: int, kind: int, builders: list[_Builder], open_items: list[int]
) -> None:
    """Give a row that is no item to the innermost open item it belongs to, or close them all."""
    indent = _indent(row)
    if kind != TEXT or previous not in (ITEM, TEXT):
        _close_items(builders, open_items, indent)
    if open_items:
        item = builders[open_items[-1]]
        item.tree = index
        if not item.nested:
            item.own = index


def _close_items(builders: list[_Builder], open_items: list[int], indent: int) -> None:
    """Close the open items that nothing indented this far can lie in; each stretches the one around it."""
    while open_items and indent < builders[open_items[-1]].indent + 2:
        item = builders[open_items.pop()]
        if open_items:
            outer = builders[open_items[-1]]
            outer.tree = max(outer.tree, item.tree)


def _finish(lines: Lines, builder: _Builder) -> Item:
    row, start = lines.rows[builder.row], lines.starts[builder.row]
    marker_start, begin = builder.match.start(builder.match.lastgroup or 0), builder.match.end()
    marker = row[marker_start:begin]
    begin += len(row[begin:]) - len(row[begin:].lstrip())
    box = _BOX.match(row, begin)
    body = box.end() if box else begin
    body += len(row[body:]) - len(row[body:].lstrip())
    end = lines.end_of(builder.own)
    return Item(
        text=lines.text[min(start + body, end) : end].rstrip(),
        start=start + marker_start,
        end=end,
        line=builder.row + 1,
        end_line=builder.own + 1,
        tree_end=lines.end_of(builder.tree),
        tree_end_line=builder.tree + 1,
        indent=builder.indent,
        depth=builder.depth,
        parent=builder.parent,
        marker=marker,
        body_start=min(start + body, end),
        box=box[1] if box else None,
        box_start=start + box.start(1) if box else 0,
        box_end=start + box.end(1) if box else 0,
    )


def _indent(row: str) -> int:
    """Return how far a row is indented, a tab reaching to the next multiple of four."""
    blank = row[: len(row) - len(row.lstrip())]
    return len(blank.expandtabs(4)) if "\t" in blank else len(blank)
