"""The one model that every kind of memory is read into.

A record is an immutable view of a piece of somebody's text: what it says, where it lies, what state it is in.
It never writes; changing memory means planning edits to the file that the record came from.
"""

from __future__ import annotations

from dataclasses import dataclass

HOT, WARM, COLD, BUFFER = "hot", "warm", "cold", "buffer"
TIERS = (HOT, WARM, COLD, BUFFER)

# How finely a note is cut: not at all, by its sections, or by its entries.
FILE, SECTIONS, ENTRIES = "file", "sections", "entries"

PRIVATE, SHARED = "private", "shared"
AUDIENCES = (PRIVATE, SHARED)

PROPOSED, LIVE, STALE, SUPERSEDED, RETIRED = "proposed", "live", "stale", "superseded", "retired"
STATES = (PROPOSED, LIVE, STALE, SUPERSEDED, RETIRED)
WORKING_STATES = (LIVE, STALE)

HIGH, MED, LOW = "high", "med", "low"
CONFS = (HIGH, MED, LOW)


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation to another record; `line` is where it is written."""

    relation: str
    target: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """One memory of any kind, as the contract's JSON describes it."""

    id: str
    kind: str
    path: str
    line: int
    end_line: int
    text: str
    state: str = LIVE
    conf: str = MED
    since: str = ""
    seen: str = ""
    audience: str = PRIVATE
    tier: str = WARM
    links: tuple[Link, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form of a record."""
        return {
            "id": self.id,
            "kind": self.kind,
            "path": self.path,
            "line": self.line,
            "end_line": self.end_line,
            "text": self.text,
            "state": self.state,
            "conf": self.conf,
            "since": self.since,
            "seen": self.seen,
            "audience": self.audience,
            "tier": self.tier,
            "links": [{"relation": link.relation, "target": link.target} for link in self.links],
        }
