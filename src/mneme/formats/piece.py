"""A record with the texts it is found by: what every kind of memory is read into for lists, checks and the index.

A file gives its pieces in order; pieces of one group at adjoining places are neighbours. Pure: nothing is looked up,
and a piece says nothing that its file does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.formats.record import Record

COLUMNS = ("gist", "cue", "topic", "title", "body")


@dataclass(frozen=True, slots=True)
class Piece:
    """A record as it is read: its texts by column, what it belongs to, and its place among its neighbours.

    `group` names what the piece is a part of (a session, a note, a section) and `place` its position there: pieces of
    one group at adjoining places are neighbours. `speaker` is who says it, where somebody does. `until` is the day on
    which it was retired, `affirmed` the one on which it was seen to hold although its ground had fallen, and `aliases`
    are ids that it had before.
    """

    record: Record
    gist: str = ""
    cue: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    title: str = ""
    body: str = ""
    group: str = ""
    place: int = 0
    speaker: str = ""
    entity: str = ""
    until: str = ""
    affirmed: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, str, str, str, str]:
        """Return the texts in the order of `COLUMNS`."""
        return (self.gist, self.cue, " ".join((self.topic, *self.tags)).strip(), self.title, self.body)

    @property
    def spoken(self) -> str:
        """Return the text that is embedded: what the piece is called, then what it says."""
        return "\n".join(text for text in (self.title, self.gist, self.cue, self.body) if text)
