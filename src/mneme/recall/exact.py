"""What a question calls by its name: an id, a title, a gist, a cue, an entity, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.index.words import may_hold, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.piece import Piece
    from mneme.recall.question import Question

BY_ID = 12.0
# A name of one word is soon said by chance.
BY_NAME, BY_WORD = 4.0, 2.0
LONGEST_NAME = 200


def exact_terms(piece: Piece, question: Question, *, called: float = 0.0) -> list[tuple[str, float]]:
    """Return the terms of a piece that the question names: by id, or by one of its names, the best alone."""
    if called:
        return [("id", BY_ID * called)]
    asked = query_terms(question.words or question.sense)
    if not asked:
        return []
    for kind, name in names_of(piece):
        if len(name) <= LONGEST_NAME and may_hold(name, asked) and query_terms(name) == asked:
            return [(kind, BY_NAME if len(asked) > 1 else BY_WORD)]
    return []


def names_of(piece: Piece) -> Iterator[tuple[str, str]]:
    """Yield what a piece may be called by, with what kind of name that is."""
    if piece.gist:
        yield "gist", piece.gist
    if piece.title:
        yield "title", piece.title.rpartition(" / ")[2]
        yield "title", piece.title
    for cue in piece.cue.split(" / ") if piece.cue else ():
        yield "cue", cue
    if piece.entity:
        yield "entity", piece.entity.replace("-", " ")
