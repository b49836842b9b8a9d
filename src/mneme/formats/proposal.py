"""A proposal: a memory that waits for somebody's word, kept as a cell of its own so that it is plain text as well.

The cell's gist and topic are the memory's; its body says what it would become and where it was found, one `key: value`
a line. What became of it is a comment under it, because what a cell says never changes. Pure: cell in, values out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mneme.formats.cell import Cell
from mneme.formats.cell_edit import flat_text, print_cell
from mneme.formats.record import MED, PROPOSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX = "PROP"

# What the body of a proposal may say besides its sources, in the order in which it says it.
KEYS = ("kind", "by", "why", "how", "title", "about", "category", "tags", "project", "conf", "day")
_LINE = re.compile(r"(?P<key>[a-z]+): (?P<value>.*)")
_FATE = re.compile(r"#[ \t]*(?P<fate>accepted as|rejected)[ \t]*:?[ \t]*(?P<rest>[^\r\n]*)")
ACCEPTED, REJECTED = "accepted", "rejected"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a proposal was found: the anchor of the record, and the very words."""

    anchor: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory that somebody may accept: what it says, what it would become, who proposes it, and from where.

    `said` holds the options that its kind takes, by name; `fate` is empty while it waits, and `outcome` says what it
    became or why it was rejected.
    """

    text: str
    kind: str
    by: str
    topic: str = "general"
    said: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    id: str = ""
    since: str = ""
    fate: str = ""
    outcome: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form of a proposal."""
        return {
            "id": self.id,
            "text": self.text,
            "kind": self.kind,
            "topic": self.topic,
            "by": self.by,
            "since": self.since,
            "said": dict(self.said),
            "sources": [{"anchor": source.anchor, "quote": source.quote} for source in self.sources],
            "fate": self.fate,
            "outcome": self.outcome,
        }


def print_proposal(proposal: Proposal, new_id: str, day: str) -> str:
    """Return a proposal as the block of a cell that ends with a line break."""
    cell = Cell(
        id=new_id,
        topic=proposal.topic,
        gist=proposal.text,
        state=PROPOSED,
        conf=proposal.said.get("conf", MED),
        since=day,
        seen=day,
        cue=f"proposed {proposal.kind} / {proposal.said.get('about') or proposal.topic}",
        body=tuple(_body(proposal)),
    )
    return print_cell(cell)


def _body(proposal: Proposal) -> Iterator[str]:
    values = {**proposal.said, "kind": proposal.kind, "by": proposal.by}
    for key in KEYS:
        if value := flat_text(values.get(key, "")):
            yield f"{key}: {value}"
    for source in proposal.sources:
        yield f"from: {flat_text(source.anchor)}"
        if source.quote:
            yield f"quote: {flat_text(source.quote)}"


def parse_proposal(cell: Cell, text: str) -> Proposal:
    """Read a proposal from its cell and the file's text; lines that say nothing known are passed over."""
    proposal = Proposal(cell.gist, "", "", cell.topic, id=cell.id, since=cell.since)
    said: dict[str, str] = {}
    sources: list[Source] = []
    for line in cell.body:
        match = _LINE.fullmatch(line)
        key, value = (match["key"], match["value"]) if match else ("", "")
        if key == "from":
            sources.append(Source(value))
        elif key == "quote" and sources:
            sources[-1] = replace(sources[-1], quote=value)
        elif key in KEYS:
            said[key] = value
    fate, outcome = _fate(text[cell.start : cell.end], cell.state)
    return replace(
        proposal,
        kind=said.pop("kind", ""),
        by=said.pop("by", ""),
        said=said,
        sources=tuple(sources),
        fate=fate,
        outcome=outcome,
    )


def _fate(block: str, state: str) -> tuple[str, str]:
    found = [match for line in block.splitlines() if (match := _FATE.match(line))]
    if not found:  # retired by hand, which says no less
        return ("", "") if state == PROPOSED else (REJECTED, "")
    return (ACCEPTED if found[-1]["fate"] == "accepted as" else REJECTED), found[-1]["rest"].strip()


def accepted_line(new_id: str) -> str:
    """Return the comment that says what a proposal became."""
    return f"# accepted as {new_id}"


def rejected_line(why: str) -> str:
    """Return the comment that says why a proposal was rejected."""
    return f"# rejected: {flat_text(why)}".rstrip(": ")
