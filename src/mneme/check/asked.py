"""Whether a claim was made before: among what is remembered, and among what was proposed, whatever came of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.check.known import EXISTS, NEW, PROBABLE, duplicate_of
from mneme.formats.cell import Cell
from mneme.formats.entry import normal_text
from mneme.formats.record import LIVE, WORKING_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.formats.piece import Piece

__all__ = ["EXISTS", "NEW", "PROBABLE", "claims_of", "duplicate_claim", "settled_claims"]

LONGEST_CLAIM_CHARS = 400
_NESTED = re.compile(r"[ \t]+(?:[-*+]|\d+[.)])[ \t]")
_DATED = re.compile(r"(?:\d{4}-\d\d-\d\d|\d\d:\d\d)[:,]?\s+")


def claims_of(pieces: Iterable[Piece]) -> list[Cell]:
    """Return what pieces in force claim, in the form in which claims are compared; long texts claim nothing as one."""
    found = []
    for piece in pieces:
        text = piece.gist or claim_text(piece.body)
        if piece.record.state in WORKING_STATES and 0 < len(text) <= LONGEST_CLAIM_CHARS:
            found.append(Cell(piece.record.id, piece.topic, text, LIVE))
    return found


def claim_text(body: str) -> str:
    """Return what an entry claims: its words without the day it begins with, and without what is nested below them."""
    rows = body.strip().splitlines()
    own = [row for row in rows[1:] if not _NESTED.match(row)] if len(rows) > 1 and not _NESTED.match(rows[1]) else []
    return _DATED.sub("", normal_text("\n".join([*rows[:1], *own])))


def settled_claims(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells as if they were all in force, so that what was rejected is found as well."""
    return [replace(cell, state=LIVE) for cell in cells]


def duplicate_claim(text: str, topic: str, claims: Iterable[Cell]) -> str:
    """Return the id of the claim that says the same, or nearly the same; empty where none does."""
    verdict, cell = duplicate_of(text, topic, claims)
    return cell.id if cell is not None and verdict in (EXISTS, PROBABLE) else ""
