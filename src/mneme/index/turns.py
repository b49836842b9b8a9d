"""The sessions that host programs logged, as pieces: searchable, never authoritative, and only ever in the index.

What is indexed is what was said, without its secrets; the log itself is nobody's memory and is not touched. Each turn
leads back to its line. Long turns are cut, because a file that somebody pasted is not what was said.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from mneme.formats.piece import Piece
from mneme.formats.record import COLD, PRIVATE, PROPOSED, Record

if TYPE_CHECKING:
    from mneme.workspace import Workspace

KIND = "turn"
LONGEST_TURN_CHARS = 1600


def is_log(path: str) -> bool:
    """Say whether an indexed path is a session's log: they alone lie outside the workspace, by their whole path."""
    return path.startswith("/")


def turn_pieces(content: bytes, path: str, workspace: Workspace) -> tuple[Piece, ...]:
    """Return what was said in a session; none of one that was about another folder, unless settings want them all."""
    return read_log(content, path, workspace)[0]


def read_log(content: bytes, path: str, workspace: Workspace) -> tuple[tuple[Piece, ...], int]:
    """Return the same, and how many lines of the log cannot be read."""
    from mneme.check.mask import mask_text
    from mneme.formats.transcript import parse_transcript

    found = parse_transcript(content)
    about = PurePath(found.folder) if found.folder else workspace.root
    if not (about.is_relative_to(workspace.root) or workspace.settings["transcripts.everywhere"]):
        return (), 0
    pieces = tuple(
        Piece(
            Record(
                id=f"{path}#L{turn.line}",
                kind=KIND,
                path=path,
                line=turn.line,
                end_line=turn.line,
                text=said,
                state=PROPOSED,
                since=turn.at[:10],
                seen=turn.at[:10],
                audience=PRIVATE,
                tier=COLD,
            ),
            title=turn.role,
            body=said,
            group=path,
            place=place,
        )
        for place, turn in enumerate(found.turns)
        if (said := mask_text(turn.text, LONGEST_TURN_CHARS))
    )
    return pieces, found.broken
