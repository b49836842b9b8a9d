"""A dimension: which memories belong together, as a query that a person writes into the settings.

`kind:feedback tag:style` takes what fits every key, with several values of one key any of them; words without a key
must all stand in the text. `-key:value` leaves out. Pure.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mneme.formats.piece import Piece

_FITS: dict[str, Callable[[Piece, str], bool]] = {
    "kind": lambda piece, value: piece.record.kind == value,
    "state": lambda piece, value: piece.record.state == value,
    "tier": lambda piece, value: piece.record.tier == value,
    "conf": lambda piece, value: piece.record.conf == value,
    "topic": lambda piece, value: piece.topic == value or piece.topic.startswith(f"{value}/"),
    "tag": lambda piece, value: value.lower() in (tag.lower() for tag in piece.tags),
    "entity": lambda piece, value: piece.entity == value,
    "path": lambda piece, value: fnmatchcase(piece.record.path, value),
    "since": lambda piece, value: piece.record.since[:10] >= value,
    "until": lambda piece, value: "" < piece.record.since[:10] <= value,
}


@dataclass(frozen=True, slots=True)
class Dimension:
    """A query: keys with the values of which one must fit, what must not, and words that must all be there."""

    wanted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unwanted: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    def takes(self, piece: Piece) -> bool:
        """Say whether a piece belongs to the dimension."""
        if not all(any(_FITS[key](piece, value) for value in values) for key, values in self.wanted):
            return False
        if any(_FITS[key](piece, value) for key, value in self.unwanted):
            return False
        text = " ".join(piece.columns).lower() if self.words else ""
        return all(word in text for word in self.words)


def parse_dimension(query: str, name: str) -> Dimension:
    """Read the query of a dimension; a key that there is not is an error with those that there are."""
    wanted: dict[str, list[str]] = {}
    unwanted: list[tuple[str, str]] = []
    words: list[str] = []
    try:
        parts = shlex.split(query)
    except ValueError as error:
        message = f"the dimension '{name}' cannot be read: a quote is not closed"
        raise BadInputError(message, "edit mneme.toml: [palace.dimensions]") from error
    for part in parts:
        key, colon, value = part.partition(":")
        without = key.startswith("-")
        if not colon:
            words.append(part.lower())
        elif (key := key.removeprefix("-")) not in _FITS:
            message = f"the dimension '{name}' asks for '{key}', which no memory has; there are " + ", ".join(_FITS)
            raise BadInputError(message, "edit mneme.toml: [palace.dimensions]")
        elif without:
            unwanted.append((key, value))
        else:
            wanted.setdefault(key, []).append(value)
    return Dimension(tuple((key, tuple(values)) for key, values in wanted.items()), tuple(unwanted), tuple(words))
