"""The law that content is immutable, kept at the only door: a plan that rewrites what a cell or a fact says is refused.

Only the cells around an edit are looked at, so that a long file costs no more than a short one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mneme.files.plan import Edit

CELL_SUFFIXES = (".mneme", ".mn")


def check_immutable(path: str, before: bytes, edits: Sequence[Edit], after: bytes) -> None:
    """Refuse edits that change or drop the content of a cell, or the text of a fact."""
    if path.endswith(CELL_SUFFIXES):
        _check_cells(path, before, edits, after)
    elif path.endswith("/items.json"):
        _check_facts(path, before, after)


def _check_cells(path: str, before: bytes, edits: Sequence[Edit], after: bytes) -> None:
    from mneme.formats.spine import immutable_parts

    for was, now in _pieces(before, edits, after):
        _compare(path, immutable_parts(_text(was)), immutable_parts(_text(now)))


def _pieces(before: bytes, edits: Sequence[Edit], after: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each stretch of cells that edits touch, as it was and as it is."""
    start = end = -1
    drift = grown = 0
    for edit in edits:
        low, high = _cell_bounds(before, edit)
        if low > end:
            if start >= 0:
                yield before[start:end], after[start + drift : end + drift + grown]
            drift, grown, start, end = drift + grown, 0, low, high
        end = max(end, high)
        grown += len(edit.new) - (edit.end - edit.start)
    if start >= 0:
        yield before[start:end], after[start + drift : end + drift + grown]


def _cell_bounds(content: bytes, edit: Edit) -> tuple[int, int]:
    """Widen a span to the cells it touches; whole cells put in between two others touch neither."""
    start, end = edit.start, edit.end
    ends_well = end == len(content) or (content[end : end + 1] == b"@" and edit.new.endswith((b"\n", b"\r")))
    if start == end and ends_well and _at_line_start(content, start) and edit.new.lstrip(b"\r\n").startswith(b"@"):
        return start, end
    first = content.rfind(b"\n@", 0, start)
    last = content.find(b"\n@", end)
    return first + 1 if first >= 0 else 0, len(content) if last < 0 else last + 1


def _at_line_start(content: bytes, at: int) -> bool:
    return at == 0 or content[at - 1 : at] == b"\n"


def _check_facts(path: str, before: bytes, after: bytes) -> None:
    from mneme.formats.fact import immutable_facts

    _compare(path, immutable_facts(_text(before)), immutable_facts(_text(after)))


def _compare(path: str, was: Mapping[str, object], now: Mapping[str, object]) -> None:
    for name, content in was.items():
        if name not in now:
            message = f"the plan would drop '{name}' from '{path}'; memory is retired, never deleted"
            raise RefusedError(message, f"mneme mark {name} retired")
        if now[name] != content:
            message = f"the plan would change what '{name}' says in '{path}'; content is immutable"
            raise RefusedError(message, f"mneme supersede {name} 'the new text'")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
