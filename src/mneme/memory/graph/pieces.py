"""A file of facts as pieces: each fact says whom it is about, because its text rarely does."""

from __future__ import annotations

from mneme.formats.fact import fact_record, parse_facts
from mneme.formats.piece import Piece
from mneme.profiles import entity_of


def fact_pieces(text: str, path: str, *, tier: str, audience: str) -> tuple[Piece, ...]:
    """Return a piece for each fact of a file."""
    entity = entity_of(path)
    return tuple(
        Piece(
            fact_record(fact, entity, path, audience=audience, tier=tier),
            title=entity.replace("-", " "),
            tags=(fact.category,) if fact.category else (),
            body=fact.fact,
            place=place,
            entity=entity,
        )
        for place, fact in enumerate(parse_facts(text, path).facts)
    )
