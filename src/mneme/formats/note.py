"""A Markdown note, read without loss: every piece of it, where it stands, and the records it holds.

`parse_note` takes any text and keeps it; `print_note` gives the same text back. Pieces are worked out when they are
first asked for, so that a check that wants the tags of ten thousand notes pays for their tags. A note never changes:
`mneme.formats.edit` says which span to replace, and reading the new text is reading a new note.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mneme.errors import WARN, Problem
from mneme.formats.block import CODE, COMMENT, FRONT, code_spans_in, parse_items, parse_shape
from mneme.formats.closure import parse_closures
from mneme.formats.entry import entry_hash, parse_entries
from mneme.formats.front import parse_front
from mneme.formats.link import parse_links
from mneme.formats.pointer import parse_pointers
from mneme.formats.record import (
    AUDIENCES,
    CONFS,
    ENTRIES,
    FILE,
    LIVE,
    PRIVATE,
    SECTIONS,
    SHARED,
    STATES,
    SUPERSEDED,
    WARM,
    Record,
)
from mneme.formats.record import Link as Relation
from mneme.formats.region import parse_promotions, parse_regions
from mneme.formats.section import numbered, parse_sections
from mneme.formats.span import split_lines
from mneme.formats.stamp import LAST_VERIFIED, find_date, parse_buffer_header, parse_stamps
from mneme.formats.table import parse_tables
from mneme.formats.tag import FRICTION, parse_hashtags, parse_tag_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.block import Comment, Fence, Heading, Item, Shape
    from mneme.formats.closure import Closure
    from mneme.formats.entry import Entry
    from mneme.formats.front import Front
    from mneme.formats.link import Link
    from mneme.formats.pointer import Pointer
    from mneme.formats.region import Promotion, Region
    from mneme.formats.section import Section
    from mneme.formats.span import Lines
    from mneme.formats.stamp import BufferHeader, Stamp
    from mneme.formats.table import Table
    from mneme.formats.tag import Hashtag, TagLine

# A caller reads no more than the head of a longer file, reports it once, and cuts it into no records.
LARGE_NOTE_BYTES = 8 * 1024 * 1024
LARGE_NOTE_HEAD_BYTES = 64 * 1024

# What a note is cut into: nothing (the file is one record), its sections, or its entries.
GRAINS = (FILE, SECTIONS, ENTRIES)


@dataclass(frozen=True)
class Note:
    """A text and the path it came from; everything else is read off the text when asked for."""

    text: str
    path: str = ""

    @cached_property
    def lines(self) -> Lines:
        """Return the text cut into lines."""
        return split_lines(self.text)

    @cached_property
    def _front(self) -> tuple[Front | None, tuple[Problem, ...]]:
        return parse_front(self.lines, self.path)

    @property
    def front(self) -> Front | None:
        """Return the frontmatter, or None."""
        return self._front[0]

    @cached_property
    def shape(self) -> Shape:
        """Return what kind of thing stands on each line."""
        return parse_shape(self.lines, self.front.end_line if self.front else 0)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Return the headings outside code, comments and frontmatter."""
        return self.shape.headings

    @property
    def fences(self) -> tuple[Fence, ...]:
        """Return the fenced code blocks."""
        return self.shape.fences

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Return the HTML comments outside code."""
        return self.shape.comments

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Return the section of each heading, in order."""
        return parse_sections(self.lines, self.headings)

    @cached_property
    def tag_line(self) -> TagLine | None:
        """Return the first `#tags:` line, or None."""
        return parse_tag_line(self.lines, self.shape.kinds)

    @cached_property
    def stamps(self) -> dict[str, Stamp]:
        """Return the dated header lines by name."""
        return parse_stamps(self.lines, self.shape.kinds)

    @property
    def last_verified(self) -> str:
        """Return the ISO day of `last_verified`, from its line or from the frontmatter; empty without a real one."""
        stamp = self.stamps.get(LAST_VERIFIED)
        if stamp:
            return stamp.date
        return find_date(self.front.text(LAST_VERIFIED)) if self.front else ""

    @cached_property
    def buffer(self) -> BufferHeader | None:
        """Return the header of a working buffer; None for every other note."""
        return parse_buffer_header(self.lines, self.headings, self.stamps)

    @cached_property
    def _regions(self) -> tuple[tuple[Region, ...], tuple[Problem, ...]]:
        return parse_regions(self.lines, self.comments, self.path) if self.comments else ((), ())

    @property
    def regions(self) -> tuple[Region, ...]:
        """Return the well-formed marked regions, in order."""
        return self._regions[0]

    @cached_property
    def promotions(self) -> tuple[Promotion, ...]:
        """Return the promotion markers."""
        return parse_promotions(self.comments)

    @cached_property
    def closures(self) -> tuple[Closure, ...]:
        """Return every closure block; a note should have one."""
        owned = tuple((region.line, region.end_line) for region in self.regions)
        return parse_closures(self.lines, self.shape.kinds, owned)

    @property
    def closure(self) -> Closure | None:
        """Return the closure block that counts: the last one."""
        return self.closures[-1] if self.closures else None

    @cached_property
    def pointers(self) -> tuple[Pointer, ...]:
        """Return the index lines."""
        return parse_pointers(self.lines, self.shape.kinds)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Return the list items, in order."""
        return parse_items(self.lines, self.shape.kinds)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables."""
        return parse_tables(self.lines, self.shape.kinds)

    @cached_property
    def prose(self) -> str:
        """Return the flat text with frontmatter, code and comments blanked out; offsets stay true."""
        return _blank_out(self)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Return the links outside code and comments, in order of their ends."""
        return parse_links(self.lines, self.prose)

    @cached_property
    def code_spans(self) -> tuple[tuple[int, int], ...]:
        """Return the inline code as (start, end), backticks included."""
        return tuple(_code_spans(self))

    @cached_property
    def hashtags(self) -> tuple[Hashtag, ...]:
        """Return the inline `#word` tags."""
        return parse_hashtags(self.lines, self.prose, self.tag_line)

    @property
    def frictions(self) -> tuple[Hashtag, ...]:
        """Return the `#friction` tags."""
        return tuple(tag for tag in self.hashtags if tag.name.lower() == FRICTION)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries that people and agents wrote, in order."""
        return parse_entries(self.lines, self.shape.kinds, self.headings, self.items, _no_entries(self))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is broken in the note, by line."""
        return tuple(sorted((*self._front[1], *_shape_problems(self), *self._regions[1])))

    def find_section(self, name: str) -> Section | None:
        """Return the first section with this slug, or else with this title in any case; None when there is none."""
        wanted = name.strip().lower()
        for section in self.sections:
            if section.slug == name:
                return section
        return next((section for section in self.sections if section.title.lower() == wanted), None)

    def find_region(self, name: str, owner: str = "mneme") -> Region | None:
        """Return the first region of this name, or None."""
        return next((region for region in self.regions if region.name == name and region.owner == owner), None)

    def find_entry(self, digest: str) -> Entry | Item | None:
        """Return the entry, or else the list item within one, that a hash names; None when it is gone."""
        found = next((entry for entry in self.entries if entry.hash == digest), None)
        return found or next((item for item in self.items if entry_hash(item.text) == digest), None)


def parse_note(text: str, path: str = "") -> Note:
    """Read any text as a note."""
    return Note(text, path)


def print_note(note: Note) -> str:
    """Return the text of a note, character for character."""
    return note.text


def _blank_out(note: Note) -> str:
    flat = note.lines.flat
    hidden = [(fence.start, fence.end, "\n") for fence in note.fences]
    hidden += [
        (comment.start, comment.end, " " if comment.line == comment.end_line else "\n") for comment in note.comments
    ]
    if note.front:
        hidden.append((note.front.start, note.front.end, "\n"))
    hidden += [(start, end, " ") for start, end in note.code_spans]
    if not hidden:
        return flat
    parts: list[str] = []
    done = 0
    for start, end, blank in sorted(hidden):
        if start >= done:
            parts += (flat[done:start], blank * (end - start))
            done = end
    parts.append(flat[done:])
    return "".join(parts)


def _code_spans(note: Note) -> Iterator[tuple[int, int]]:
    if "`" not in note.text:
        return
    kinds, lines = note.shape.kinds, note.lines
    for index, row in enumerate(lines.rows):
        if "`" in row and kinds[index] not in (CODE, COMMENT, FRONT):
            start = lines.starts[index]
            for begin, end in code_spans_in(row):
                yield start + begin, start + end


def _no_entries(note: Note) -> list[tuple[int, int]]:
    """Return the lines, in order, that belong to programs or to the note's own header and closure."""
    skipped = [(region.line, region.end_line) for region in note.regions]
    skipped += [(closure.line, closure.end_line) for closure in note.closures]
    skipped += [(stamp.line, stamp.line) for stamp in note.stamps.values()]
    if note.tag_line:
        skipped.append((note.tag_line.line, note.tag_line.line))
    return sorted(skipped)


def _shape_problems(note: Note) -> Iterator[Problem]:
    if note.fences and not note.fences[-1].closed:
        yield Problem(note.path, note.fences[-1].line, "unclosed-fence", WARN, "code fence is not closed")
    if note.shape.unclosed_comment:
        yield Problem(note.path, note.shape.unclosed_comment, "unclosed-comment", WARN, "comment has no closing '-->'")


def note_records(
    note: Note, *, kind: str = "note", grain: str = SECTIONS, tier: str = WARM, audience: str = PRIVATE, since: str = ""
) -> tuple[Record, ...]:
    """Return the records of a note: the file itself (`path`), then its sections (`path#slug`) or entries (`path#h8`).

    The frontmatter's type, audience, dates and `superseded_by` win over the arguments and hold for every record.
    """
    whole = _file_record(note, Record(note.path, kind, note.path, 1, max(note.lines.count, 1), note.text), since)
    whole = replace(whole, tier=tier, audience=_audience(note, audience))
    if grain == ENTRIES:
        return (whole, *_entry_records(note, whole))
    return (whole, *_section_records(note, whole)) if grain == SECTIONS else (whole,)


def _file_record(note: Note, record: Record, since: str) -> Record:
    relations = [Relation("link", link.target, link.line) for link in note.links]
    front = note.front
    state = LIVE
    if front:
        for name in ("supersedes", "superseded_by"):
            key = front.find(name)
            if key:
                relations += [Relation(name.replace("_", "-"), target, key.line) for target in front.listed(name)]
        if front.text("superseded_by"):
            state = SUPERSEDED
        elif front.text("state") in STATES:
            state = front.text("state")
        if front.text("conf") in CONFS:
            record = replace(record, conf=front.text("conf"))
        since = find_date(front.text("created")) or since
        kind = front.text("type")
        record = replace(record, kind=kind) if kind and kind.isprintable() and " " not in kind else record
    seen = note.last_verified or (find_date(front.text("updated")) if front else "") or since
    return replace(record, state=state, since=since, seen=seen, links=tuple(relations))


def _audience(note: Note, audience: str) -> str:
    said = note.front.text("audience").lower() if note.front else ""
    if said in AUDIENCES:
        return said
    # An audience we do not know is not an invitation.
    return PRIVATE if said else audience if audience == SHARED else PRIVATE


def _section_records(note: Note, whole: Record) -> Iterator[Record]:
    cut = _LinkCutter(whole.links)
    for section in note.sections:
        last = section.own_end_line
        yield replace(
            whole,
            id=f"{note.path}#{section.slug}",
            line=section.line,
            end_line=last,
            text=note.text[section.start : section.own_end].rstrip(),
            links=cut.between(section.line, last),
        )


def _entry_records(note: Note, whole: Record) -> Iterator[Record]:
    entries = note.entries
    cut = _LinkCutter(whole.links)
    for entry, digest in zip(entries, numbered([entry.hash for entry in entries]), strict=True):
        yield replace(
            whole,
            id=f"{note.path}#{digest}",
            line=entry.line,
            end_line=entry.end_line,
            text=entry.text,
            links=cut.between(entry.line, entry.end_line),
        )


class _LinkCutter:
    """Hands out the links of a note to pieces that are asked for in order."""

    __slots__ = ("at", "links")

    def __init__(self, links: tuple[Relation, ...]) -> None:
        self.links = sorted(links, key=_line)
        self.at = 0

    def between(self, first: int, last: int) -> tuple[Relation, ...]:
        while self.at < len(self.links) and self.links[self.at].line < first:
            self.at += 1
        begin = self.at
        while self.at < len(self.links) and self.links[self.at].line <= last:
            self.at += 1
        return tuple(self.links[begin : self.at])


def _line(link: Relation) -> int:
    return link.line
