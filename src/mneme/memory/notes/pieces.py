"""A Markdown note as pieces, cut as finely as one can remember them.

What is collected entry by entry (days, MEMORY.md, buffers, tagged files, todos) is cut into entries; a memory that has
a file of its own is one piece under its name; any other document is cut into sections, and long ones into parts at the
borders of their entries. What programs wrote into regions is left out, except for what was promoted: that is memory.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from mneme.formats.closure import DECISIONS, SIGNAL
from mneme.formats.entry import entry_hash, find_speaker, parse_entries
from mneme.formats.note import LARGE_NOTE_BYTES, note_records, parse_note
from mneme.formats.piece import Piece
from mneme.formats.promoted import STALE_SINCE, find_promoted
from mneme.formats.record import ENTRIES, FILE, LIVE, RETIRED, SECTIONS, STALE, SUPERSEDED, Link
from mneme.formats.region import PROMOTED
from mneme.formats.section import numbered
from mneme.formats.stamp import find_date
from mneme.formats.standing import Standing, parse_standing, without_standing
from mneme.memory.notes.grain import grain_of
from mneme.profiles import entity_of
from mneme.profiles.profile import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.formats.entry import Entry
    from mneme.formats.note import Note
    from mneme.formats.record import Record
    from mneme.formats.section import Section
    from mneme.workspace import Workspace

TASK = "task"
# The frontmatter key of an archive page: the note that its entries once stood in.
ORIGIN = "from"
# A part of a long section is about as long as what one reads at a glance; entries are never cut.
PART_CHARS = 1200
# What a closure block tells of its day besides when it was written and what is open.
CLOSURE = "Closure"
_TOLD = (DECISIONS, SIGNAL)
_NOTHING = frozenset({"", "none", "nothing", "n/a", "-", "\u65e0", "\u6ca1\u6709"})


def note_pieces(text: str, path: str, workspace: Workspace) -> tuple[Piece, ...]:
    """Return the pieces of a note; one that is too large to be a note has none."""
    if len(text) > LARGE_NOTE_BYTES:
        return ()
    note = parse_note(text, path)
    day = workspace.profile.find_day(path)
    grain = grain_of(path, workspace)
    kind = workspace.kind_of(path)
    if grain == SECTIONS and note.front and note.front.text("type") in CLASSES:
        grain = FILE  # a classified memory that has moved to the archive
    elif grain == SECTIONS and note.front and (origin := note.front.text(ORIGIN)):
        grain, kind = ENTRIES, workspace.kind_of(origin)  # what once stood in another note
    whole, *_ = note_records(
        note,
        kind=kind,
        grain=FILE,
        tier=workspace.tier_of(path),
        audience=workspace.audience_of(path),
        since=day.date if day else "",
    )
    cut = {FILE: _whole, SECTIONS: _sections, ENTRIES: _entries}[grain]
    cutter = _Cutter(note, whole)
    return _in_place(tuple(cut(cutter)))


def _in_place(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Give each piece its place, and those whose words begin alike an id each."""
    ids = numbered([piece.record.id for piece in pieces])
    return tuple(
        replace(piece, place=place, record=piece.record if piece.record.id == name else replace(piece.record, id=name))
        for place, (piece, name) in enumerate(zip(pieces, ids, strict=True))
    )


class _Cutter:
    """A note and the record of its file, and what every piece of it shares."""

    __slots__ = ("dates", "entity", "hashtags", "links", "note", "standing", "tags", "whole")

    def __init__(self, note: Note, whole: Record) -> None:
        self.note = note
        self.whole = whole
        self.standing = Standing()
        front = note.front
        self.tags = (note.tag_line.names if note.tag_line else ()) + (front.listed("tags") if front else ())
        self.hashtags = [(tag.line, tag.name) for tag in note.hashtags]
        self.links = sorted(whole.links, key=lambda link: link.line)
        self.entity = entity_of(note.path) if whole.kind == "entity" else ""
        self.dates = list(_dated_headings(note))

    def piece(self, record: Record, *, title: str, body: str, gist: str = "", speaker: str = "") -> Piece:
        """Return the piece that a record of this note makes."""
        said = [name for line, name in self.hashtags if record.line <= line <= record.end_line]
        return Piece(
            record,
            gist=gist,
            title=title,
            body=body,
            tags=tuple(dict.fromkeys((*self.tags, *said))),
            group=self.note.path,
            speaker=speaker,
            entity=self.entity,
        )

    def record(self, name: str, line: int, end_line: int, text: str, standing: Standing) -> Record:
        """Return the record of some of the note's lines; a dated heading above them says since when they hold."""
        first = bisect_right(self.links, line - 1, key=lambda link: link.line)
        last = bisect_right(self.links, end_line, key=lambda link: link.line)
        since = self.whole.since or self.date_at(line)
        return replace(
            self.whole,
            id=f"{self.note.path}#{name}" if name else self.note.path,
            line=line,
            end_line=end_line,
            text=without_standing(text),
            state=standing.state or self.whole.state,
            conf=standing.conf or self.whole.conf,
            since=since,
            seen=max(standing.seen, self.whole.seen or since),
            links=tuple(self.links[first:last]) + _successors(standing, line),
        )

    def date_at(self, line: int) -> str:
        """Return the date of the dated heading that a line stands under, or the empty string."""
        return next((date for first, last, date in reversed(self.dates) if first <= line <= last), "")


def _successors(standing: Standing, line: int) -> tuple[Link, ...]:
    return (Link("superseded-by", standing.successor, line),) if standing.successor else ()


def row_below(note: Note, section: Section) -> str:
    """Return the line below a section's heading, where its standing is kept."""
    rows = note.lines.rows
    return rows[section.heading.end_line] if section.heading.end_line < len(rows) else ""


def _dated_headings(note: Note) -> Iterator[tuple[int, int, str]]:
    for section in note.sections:
        if date := find_date(section.title):
            yield section.line, section.end_line, date


def _whole(cutter: _Cutter) -> Iterator[Piece]:
    note, front = cutter.note, cutter.note.front
    first = note.headings[0].text if note.headings else ""
    name = front.text("name") if front else ""
    described = front.text("description") if front else ""
    body = (note.text[front.end :] if front else note.text).strip()
    told = "\n\n".join(part for part in (described or name, body) if part)
    yield cutter.piece(replace(cutter.whole, text=told), title=name or first, gist=described, body=body)


def _entries(cutter: _Cutter) -> Iterator[Piece]:
    done = {item.line for item in cutter.note.items if item.done} if cutter.whole.kind == TASK else ()
    for entry in remembered_entries(cutter.note):
        record = cutter.record(entry.hash, entry.line, entry.end_line, entry.text, parse_standing(entry.text))
        if entry.line in done and record.state == LIVE:
            record = replace(record, state=RETIRED)
        record, body = _promoted(record)
        title, speaker = " / ".join(entry.context), find_speaker(body)
        yield cutter.piece(record, title=title, body=body, speaker=speaker)
    yield from _closed(cutter)


def _promoted(record: Record) -> tuple[Record, str]:
    """Return a promotion as the memory that it is: its day, its fate, and its words without how it was counted."""
    said = find_promoted(record.text)
    if said is None:
        return record, record.text
    fate = (STALE if said.fate == STALE_SINCE else SUPERSEDED) if said.fate else LIVE
    text = f"- {said.text} ({said.day}, {said.source})"
    seen = max(record.seen, said.day)
    state = fate if record.state == LIVE else record.state
    return replace(record, text=text, since=said.day, seen=seen, state=state), said.text


def _closed(cutter: _Cutter) -> Iterator[Piece]:
    """Yield what a day came to, as its closure says: a piece of its own, because no entry holds it."""
    note, closure = cutter.note, cutter.note.closure
    said = [line.value for line in closure.lines if line.label in _TOLD and _says(line.value)] if closure else []
    if closure and said:
        text = note.text[closure.start : closure.end]
        record = cutter.record(entry_hash(text), closure.line, closure.end_line, text, Standing())
        yield cutter.piece(record, title=CLOSURE, body="\n".join(said))


def _says(value: str) -> bool:
    return value.strip().rstrip(".").lower() not in _NOTHING


def remembered_entries(note: Note) -> Sequence[Entry]:
    """Return what people and agents wrote and what was promoted, in order of line."""
    promoted = [
        entry
        for region in note.regions
        if region.name == PROMOTED
        for entry in _inside(note, region.line, region.end_line)
    ]
    return sorted((*note.entries, *promoted), key=lambda entry: entry.line) if promoted else note.entries


def _inside(note: Note, first: int, last: int) -> Sequence[Entry]:
    around = [(1, first), (last, max(note.lines.count, last))]
    return parse_entries(note.lines, note.shape.kinds, note.headings, note.items, around)


def _sections(cutter: _Cutter) -> Iterator[Piece]:
    note = cutter.note
    begin = note.front.end_line + 1 if note.front else 1
    stop = note.sections[0].line - 1 if note.sections else note.lines.count
    yield from _parts(cutter, "", "", begin, stop)
    for section in note.sections:
        title = " / ".join(_titles(note.sections, section))
        cutter.standing = parse_standing(row_below(note, section))
        yield from _parts(cutter, section.slug, title, section.line, section.own_end_line)


def _titles(sections: Sequence[Section], section: Section) -> list[str]:
    titles = [section.title]
    while section.parent >= 0:
        section = sections[section.parent]
        titles.append(section.title)
    return titles[::-1]


def _parts(cutter: _Cutter, name: str, title: str, first: int, last: int) -> Iterator[Piece]:
    """Yield what stands on some lines, in parts no longer than one reads at a glance; the first part has the name."""
    inside = [entry for entry in cutter.note.entries if first <= entry.line <= last]
    begin, length = 0, 0
    for place, entry in enumerate(inside):
        if place > begin and length + len(entry.text) > PART_CHARS:
            yield _part(cutter, name if begin == 0 else inside[begin].hash, title, inside[begin:place])
            begin, length = place, 0
        length += len(entry.text)
    if inside[begin:]:
        yield _part(cutter, name if begin == 0 else inside[begin].hash, title, inside[begin:])


def _part(cutter: _Cutter, name: str, title: str, entries: Sequence[Entry]) -> Piece:
    text = cutter.note.text[entries[0].start : entries[-1].end]
    record = cutter.record(name, entries[0].line, entries[-1].end_line, text, cutter.standing)
    return cutter.piece(record, title=title, body=record.text)
