"""A file of cells as pieces: gist, cue, topic and body each in a column of its own."""

from __future__ import annotations

from dataclasses import replace

from mneme.formats.cell import parse_cells
from mneme.formats.piece import Piece
from mneme.formats.spine import cell_record


def cell_pieces(text: str, path: str, *, tier: str, audience: str) -> tuple[Piece, ...]:
    """Return a piece for each cell of a file; where a cell says nothing of its audience, the file's is its own."""
    return tuple(
        Piece(
            replace(cell_record(cell, path), tier=tier, audience=cell.audience or audience),
            gist=cell.gist,
            cue=cell.cue,
            topic=cell.topic,
            body="\n".join(cell.body),
            place=place,
            until=cell.retired,
            affirmed=cell.affirmed,
            aliases=cell.was,
        )
        for place, cell in enumerate(parse_cells(text, path).cells)
    )
