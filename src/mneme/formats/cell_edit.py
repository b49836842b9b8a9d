"""Writing cells: a new one as a block, and every change of an old one as edits of a few spans.

An edit is `(start, end, new_text)` on the file's text; all the rest stays as it is, to the byte. An id's number is
written here too. Nothing here decides what may change: `files.guard` holds a cell's content immutable.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mneme.formats.cell import BOM, ID_DIGITS, MAX_NUMBER_DIGITS, STATUS_KEYS, newline_of, split_lines
from mneme.formats.record import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.formats.cell import Cell, CellFile, TextEdit


def edit_status(
    file: CellFile, cell: Cell, *, state: str | None = None, conf: str | None = None, seen: str | None = None
) -> list[TextEdit]:
    """Return the edits that set some of a cell's status values, each where it stands or where it belongs."""
    wanted = {key: value for key, value in (("state", state), ("conf", conf), ("seen", seen)) if value is not None}
    spans = {"state": cell.state_span, "conf": cell.conf_span, "since": cell.since_span, "seen": cell.seen_span}
    edits: list[TextEdit] = []
    added: dict[int, list[str]] = {}
    for key, value in wanted.items():
        span = spans[key]
        if span is not None:
            edits.append((*span, value))
        else:
            added.setdefault(_status_anchor(spans, key), []).append(f"{key} {value}")
    for anchor, pairs in added.items():
        joined = "   ".join(pairs)
        new = (
            _insertion(file.text, cell.head, cell.newline + joined) if anchor < 0 else (anchor, anchor, f"   {joined}")
        )
        edits.append(new)
    return sorted(edits)


def _insertion(text: str, at: int, new: str) -> TextEdit:
    """Return an insertion; at the very end it takes the last character along, to stay before what is appended."""
    return (at - 1, at, text[at - 1 : at] + new) if at == len(text) else (at, at, new)


def _status_anchor(spans: dict[str, tuple[int, int] | None], key: str) -> int:
    """Return the offset after which a missing status value goes: behind the written one that comes before it."""
    before = [span[1] for name in STATUS_KEYS[: STATUS_KEYS.index(key)] if (span := spans[name])]
    after = [span[1] for name in STATUS_KEYS if (span := spans[name])]
    return before[-1] if before else after[-1] if after else -1


def edit_add_line(file: CellFile, cell: Cell, *lines: str) -> list[TextEdit]:
    """Return the edit that puts more lines (a link, a `# retired` or `# was` comment) at the end of a cell."""
    return [_insertion(file.text, cell.tail, "".join(cell.newline + line for line in lines))]


def link_line(relation: str, target: str) -> str:
    """Return a link as a line."""
    return f"link  {relation} {target}"


def retired_line(day: str) -> str:
    """Return the comment that dates a retirement."""
    return f"# retired {day}"


def affirmed_line(day: str) -> str:
    """Return the comment that says a cell was seen to hold although its ground had fallen."""
    return f"# affirmed {day}"


def was_line(cell_id: str) -> str:
    """Return the comment that remembers the id a cell had before it was renumbered."""
    return f"# was {cell_id}"


def appended(tail: str, block: str) -> str:
    """Return what to write at the end of a file so that a block stands there as a cell of its own.

    `tail` is the end of the file's text, as much of it as there is at hand; one line with its break is enough. The
    block takes the file's line breaks, and is parted from what is there by a blank line.
    """
    newline = newline_of(tail)
    block = block if newline == "\n" else block.replace("\n", newline)
    if not tail or tail == BOM:
        return block
    if tail[-1] not in "\r\n":
        return newline + newline + block
    last = tail.removesuffix(newline)
    blank = not last or last[-1] in "\r\n" or not split_lines(last).texts[-1].strip()
    return block if blank else newline + block


def print_cell(cell: Cell) -> str:
    """Return a cell as a canonical block that ends with a line break; where it lay before does not matter."""
    lines = [
        f"@ {cell.id}  {cell.topic}".rstrip(),
        f"gist  {flat_text(cell.gist)}",
        f"state {cell.state}   conf {cell.conf}   since {cell.since}   seen {cell.seen}",
    ]
    cue = flat_text(cell.cue)
    lines += [f"cue   {cue}"] if cue else []
    lines += [f"> {line}" if line else ">" for text in cell.body for line in split_lines(text).texts]
    lines += [link_line(link.relation, link.target) for link in cell.links]
    lines += [retired_line(cell.retired)] if cell.retired else []
    lines += [affirmed_line(cell.affirmed)] if cell.affirmed else []
    lines += [was_line(earlier) for earlier in cell.was]
    lines += ["# audience: shared"] if cell.audience == SHARED else []
    return "\n".join(lines) + "\n"


def flat_text(text: str) -> str:
    """Return a text as the one line a field can hold: no line breaks, nothing around it."""
    return " ".join(line.strip() for line in split_lines(text.strip()).texts if line.strip())


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"[0-9]+")


def _whole_number(text: str) -> int:
    return int(text) if len(text) <= MAX_NUMBER_DIGITS and _number().fullmatch(text) else 0


def next_id(prefix: str, ids: Iterable[str]) -> str:
    """Return the id after the highest of those with a prefix; only ASCII digits count, and letters as they stand."""
    start = len(prefix) + 1
    numbers = (_whole_number(known[start:]) for known in ids if known.startswith(prefix + "-"))
    return numbered_id(prefix, max(numbers, default=0) + 1)


def numbered_id(prefix: str, number: int) -> str:
    """Return an id as the format writes it."""
    return f"{prefix}-{number:0{ID_DIGITS}d}"
