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
# What sets one thing against another; a word is a run of letters, or one sign of a script without spaces.
_AGAINST = re.compile(r"\b(?:over|instead of|rather than|not|than|before|after|to)\b|而不是|不是|比|换成|改成")
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")
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
    verdict, cell = duplicate_of(text, topic, [one for one in claims if not turns_round(text, one.gist)])
    return cell.id if cell is not None and verdict in (EXISTS, PROBABLE) else ""


def turns_round(one: str, two: str) -> bool:
    """Say whether two texts set the same things against each other, the other way round: tabs over spaces, and back."""
    mine, yours = (_AGAINST.split(text.lower(), maxsplit=1) for text in (one, two))
    if len(mine) < 2 or len(yours) < 2:  # noqa: PLR2004 - two sides
        return False
    (before, after), (first, last) = ((set(_WORD.findall(side)) for side in sides) for sides in (mine, yours))
    return bool((before - first) & (last - after)) and bool((after - last) & (first - before))
