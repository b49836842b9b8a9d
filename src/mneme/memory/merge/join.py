"""One cell that both sides changed: what it says is one side's, how it stands is joined by rule.

`seen` by maximum; live and stale by the later `seen`, then stale; superseded beats retired beats the rest; `conf` of
the side that changed it, else the lower. Links and comments of both are kept, and an audience never widens. What no
rule can join (two different texts, two different successors) is a contradiction, and left to a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mneme.formats.cell import is_date, parse_cells, split_lines
from mneme.formats.cell_edit import edit_status, link_line, retired_line
from mneme.formats.record import CONFS, LIVE, PRIVATE, PROPOSED, RETIRED, SHARED, STALE, SUPERSEDED
from mneme.formats.spine import content_of
from mneme.memory.merge.document import edited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mneme.formats.cell import Cell, Content, TextEdit

_STRENGTH = {SUPERSEDED: 5, RETIRED: 4, STALE: 3, LIVE: 2, PROPOSED: 1}
_WORKING_STRENGTH = (2, 3)
_ENDED = (SUPERSEDED, RETIRED)

_TOPIC = re.compile(r"@[^\S\r\n]*\S+[^\S\r\n]+(\S+)")
_HEADER = re.compile(r"@[^\S\r\n]*\S+")
_AUDIENCE = re.compile(r"#\s*audience:\s*(\w+)\s*")
_RETIRED = re.compile(r"#\s*retired\s+([0-9]{4}-[0-9]{2}-[0-9]{2})\s*")
_FIELD = re.compile(r"\s*(?:>|@|(?:gist|cue|state|conf|since|seen|link)(?![\w-]))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Joined:
    """The text of a cell, whether both sides contradict each other, and whether one edited what it says."""

    text: str
    other: str | None = None
    edited: bool = False


def join_cell(base: str | None, one: str | None, two: str | None) -> Joined:
    """Return the cell that three versions of it make; a contradiction has its second text in `other`."""
    if one is None or two is None or one == two:
        found = one if one is not None else two if two is not None else base or ""
        return Joined(found, edited=_says_otherwise(base, found))
    if base in (one, two):
        found = two if base == one else one
        return Joined(found, edited=_says_otherwise(base, found))
    cells = _Three(_cell(base) if base is not None else None, _cell(one), _cell(two))
    contents = [content_of(cell) if cell else None for cell in (cells.base, cells.one, cells.two)]
    if _contradict(contents, cells):
        return Joined(min(one, two), max(one, two))
    was_edited = base is not None and (contents[1] != contents[0] or contents[2] != contents[0])
    carrier_is_one = _carries_one(contents, cells, one, two)
    carrier, other = (one, two) if carrier_is_one else (two, one)
    return Joined(_written(base, carrier, other, cells), edited=was_edited)


@dataclass(frozen=True, slots=True)
class _Three:
    """The same cell in the base, which may not have it, and on both sides."""

    base: Cell | None
    one: Cell
    two: Cell


def _cell(text: str) -> Cell:
    return parse_cells(text).cells[0]


def _says_otherwise(base: str | None, text: str) -> bool:
    return base is not None and base != text and content_of(_cell(base)) != content_of(_cell(text))


def _contradict(contents: Sequence[Content | None], cells: _Three) -> bool:
    was, one, two = contents
    if one != two and was not in (one, two):
        return True
    before = _successors(cells.base) if cells.base else set()
    new_one, new_two = _successors(cells.one) - before, _successors(cells.two) - before
    return bool(new_one and new_two) and not (new_one <= new_two or new_two <= new_one)


def _successors(cell: Cell) -> set[str]:
    return {link.target for link in cell.links if link.relation == "superseded-by"}


def _carries_one(contents: Sequence[Content | None], cells: _Three, one: str, two: str) -> bool:
    """Say whose text is written on: of the side that changed what the cell says, else the one nearer to the result."""
    was, here, there = contents
    if here != there:
        return here != was
    state, seen = _standing(cells)

    def nearness(cell: Cell, text: str) -> tuple[bool, bool, str]:
        return cell.state == state, cell.seen == seen, text

    return nearness(cells.one, one) > nearness(cells.two, two)


# How it stands


def _standing(cells: _Three) -> tuple[str, str]:
    """Return the state and the `seen` that hold."""
    base, one, two = cells.base, cells.one, cells.two
    seen = max(one.seen, two.seen, key=lambda day: (is_date(day), day))
    ended = [cell.state for cell in (one, two) if cell.state in _ENDED]
    if ended:
        return max(ended, key=_STRENGTH.__getitem__), seen
    if base and (one.state, one.seen) == (base.state, base.seen):
        return two.state, two.seen
    if base and (two.state, two.seen) == (base.state, base.seen):
        return one.state, one.seen
    working = all(_STRENGTH.get(cell.state, 0) in _WORKING_STRENGTH for cell in (one, two))
    if working and one.seen != two.seen:
        return (one.state if one.seen == seen else two.state), seen
    return max(one.state, two.state, key=lambda state: (_STRENGTH.get(state, 0), state)), seen


def _conf(cells: _Three) -> str:
    return _changed(
        cells.base.conf if cells.base else None,
        cells.one.conf,
        cells.two.conf,
        rank=lambda conf: (_index(CONFS, conf), conf),
    )


def _index(words: tuple[str, ...], word: str) -> int:
    return words.index(word) if word in words else -1


def _since(cells: _Three) -> str:
    return _changed(
        cells.base.since if cells.base else None,
        cells.one.since,
        cells.two.since,
        rank=lambda day: (is_date(day), [-ord(char) for char in day]),
    )


def _topic(cells: _Three) -> str:
    days = {cells.one.topic: cells.one.seen, cells.two.topic: cells.two.seen}
    return _changed(
        cells.base.topic if cells.base else None,
        cells.one.topic,
        cells.two.topic,
        rank=lambda topic: (days[topic], topic),
    )


def _changed(base: str | None, one: str, two: str, rank: Callable[[str], Any]) -> str:
    """Return the value of the side that changed it; where both did, the one that ranks higher."""
    if two in (one, base):
        return one
    if one == base:
        return two
    return max(one, two, key=rank)


def _audience(base: str | None, one: str, two: str) -> str:
    """Return who may read it: as the side that changed it says, but private where the sides say different things."""
    was = set(_told_audience(base or ""))
    told = [set(_told_audience(text)) for text in (one, two)]
    if any(PRIVATE in words - was for words in told):
        return PRIVATE
    shared = [SHARED in words for words in told]
    if shared[0] == shared[1]:
        return SHARED if shared[0] else PRIVATE
    return SHARED if base is not None and SHARED not in was else PRIVATE


def _told_audience(text: str) -> Iterator[str]:
    for line in split_lines(text).texts:
        found = _AUDIENCE.fullmatch(line)
        if found:
            yield found[1]


# Writing it


def _written(base: str | None, carrier: str, other: str, cells: _Three) -> str:
    """Return the carrier's text with what is the result's and not its own."""
    state, seen = _standing(cells)
    text = edited(carrier, _status_edits(carrier, state, _conf(cells), seen))
    text = edited(text, _since_edit(text, _since(cells)))
    text = edited(text, _topic_edit(text, _topic(cells)))
    text = _with_first_retirement(text, other)
    if _audience(base, carrier, other) == PRIVATE:
        text = _without_sharing(text)
        other = _without_sharing(other)
    cell = _cell(text)
    return text[: cell.tail] + "".join(cell.newline + line for line in _missing(base, text, other)) + text[cell.tail :]


def _status_edits(text: str, state: str, conf: str, seen: str) -> list[TextEdit]:
    file = parse_cells(text)
    cell = file.cells[0]
    return edit_status(
        file,
        cell,
        state=state if state and state != cell.state else None,
        conf=conf if conf != cell.conf else None,
        seen=seen if seen and seen != cell.seen else None,
    )


def _since_edit(text: str, since: str) -> list[TextEdit]:
    cell = _cell(text)
    if cell.since == since or not since:
        return []
    return [(*cell.since_span, since)] if cell.since_span else [(cell.tail, cell.tail, f"{cell.newline}since {since}")]


def _topic_edit(text: str, topic: str) -> list[TextEdit]:
    cell = _cell(text)
    if cell.topic == topic or not topic:
        return []
    line = split_lines(text).texts[0]
    if found := _TOPIC.match(line):
        return [(*found.span(1), topic)] if cell.topic else [(found.start(1), found.start(1), f"{topic} ")]
    header = _HEADER.match(line)
    return [(header.end(), header.end(), f"  {topic}")] if header else []


def _with_first_retirement(text: str, other: str) -> str:
    """Let the earlier of two dates stand first, where it is read, and the later one behind it."""
    cell, theirs = _cell(text), _cell(other).retired
    if not cell.retired or not theirs or cell.retired <= theirs:
        return text
    start, end, _ = next(found for found in _comment_lines(text, _RETIRED) if found[2] == cell.retired)
    return edited(text, [(start, end, theirs + cell.newline + retired_line(cell.retired))])


def _comment_lines(text: str, shape: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    lines = split_lines(text)
    for line, start in zip(lines.texts, lines.starts, strict=True):
        found = shape.fullmatch(line)
        if found:
            yield start + found.start(1), start + found.end(1), found[1]


def _without_sharing(text: str) -> str:
    """Return a cell's text without the lines that open it to others."""
    lines = split_lines(text)
    edits: list[TextEdit] = []
    for line, start in zip(lines.texts, lines.starts, strict=True):
        found = _AUDIENCE.fullmatch(line)
        if found and found[1] == SHARED:
            back = 2 if text[max(0, start - 2) : start] == "\r\n" else 1
            edits.append((start - back, start + len(line), ""))
    return edited(text, edits)


def _missing(base: str | None, text: str, other: str) -> list[str]:
    """Return the lines that the other side added: links, comments, and what nobody can read."""
    mine = {(link.relation, link.target) for link in _cell(text).links}
    lines = [
        link_line(link.relation, link.target)
        for link in dict.fromkeys(_cell(other).links)
        if (link.relation, link.target) not in mine
    ]
    lines = list(dict.fromkeys(lines))
    known = _loose_lines(text) | _loose_lines(base or "")
    return lines + [line for line in _loose(other) if line.strip() not in known]


def _loose_lines(text: str) -> set[str]:
    return {line.strip() for line in _loose(text)}


def _loose(text: str) -> Iterable[str]:
    lines = split_lines(text).texts[1:]
    return dict.fromkeys(line for line in lines if line.strip() and not _FIELD.match(line))
