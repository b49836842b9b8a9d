"""A block of our lines in a file that belongs to somebody else, between two comment lines that say so.

Putting it in and taking it out again gives the file back to the byte: what had to be added around the block (the file
itself, a line break) is noted in its first line. Lines outside the block are never touched.
"""

from __future__ import annotations

import re

from mneme.errors import RefusedError

START, END = b"# mneme:start", b"# mneme:end"
MADE_FILE, ENDED_LINE = b"made this file", b"ended the line before"

_BLOCK = re.compile(
    rb"^# mneme:start(?: \(([^)\r\n]*)\))?[ \t]*\r?\n.*?^# mneme:end[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL
)


def with_block(content: bytes | None, lines: bytes, *, first: bytes = b"", at: int | None = None) -> bytes:
    """Return a file with our lines in it, in the place of an earlier block, else at an offset, else at the end.

    `first` is what a file that does not exist begins with.
    """
    if content is None:
        return first + _block(lines, MADE_FILE)
    found = find_block(content)
    if found:
        return content[: found.start()] + _block(lines, found[1]) + content[found.end() :]
    at = len(content) if at is None else at
    if at and content[at - 1 : at] != b"\n":
        return content[:at] + b"\n" + _block(lines, ENDED_LINE) + content[at:]
    return content[:at] + _block(lines, None) + content[at:]


def without_block(content: bytes, *, first: bytes = b"") -> bytes | None:
    """Return a file without our lines; None for one that we made and nobody added to."""
    found = find_block(content)
    if not found:
        return content
    before, after = content[: found.start()], content[found.end() :]
    if found[1] == MADE_FILE and before + after == first:
        return None
    if found[1] == ENDED_LINE and not after:
        before = before.removesuffix(b"\n")
    return before + after


def find_block(content: bytes) -> re.Match[bytes] | None:
    """Return where our block is; its first group says what was added around it."""
    found = _BLOCK.search(content)
    if found is None and START in content:
        raise RefusedError(
            f"there is a line '{START.decode()}' without its '{END.decode()}'", "remove that line by hand"
        )
    return found


def _block(lines: bytes, note: bytes | None) -> bytes:
    start = START + (b" (" + note + b")" if note else b"")
    return start + b"\n" + lines + END + b"\n"
