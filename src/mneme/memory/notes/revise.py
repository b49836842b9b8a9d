"""What happens to a memory in a note: affirmed, marked, superseded, archived.

A memory with a file of its own has its standing in the frontmatter, and moves to the archive when it ends. One of many
in a note has it in a comment; when it ends it moves to a page of the archive that keeps what once stood in that note.
An entry of a day's note stays where it is, because the note is a log.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.errors import RefusedError
from mneme.formats.cell import ALLOWED_TRANSITIONS
from mneme.formats.edit import append_entry, drop_front, set_front, set_stamp
from mneme.formats.entry import LIST_ITEM, PARAGRAPH
from mneme.formats.record import LIVE, PROPOSED, RETIRED, SUPERSEDED
from mneme.formats.stamp import LAST_VERIFIED
from mneme.formats.standing import Standing, find_comment, parse_standing, print_standing, without_standing
from mneme.memory.notes.pieces import ORIGIN, remembered_entries

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from mneme.formats.note import Note
    from mneme.formats.record import Record
    from mneme.formats.span import Splice
    from mneme.memory.notes.drafts import Drafts
    from mneme.profiles import Profile


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a memory stands in a note: its span with whole lines, and where the comment with its standing goes."""

    start: int
    end: int
    text: str
    comment_at: int
    alone: bool = False


def check_ending(record: Record, state: str) -> None:
    """Refuse a change of state that no memory can go through."""
    if state == record.state or state in ALLOWED_TRANSITIONS.get(record.state, ()):
        return
    message = f"'{record.id}' is {record.state} and cannot become {state}"
    successor = next((link.target for link in record.links if link.relation == "superseded-by"), "")
    if successor:
        raise RefusedError(f"{message}; '{successor}' replaced it", f"mneme show {successor}")
    raise RefusedError(
        message, f"mneme mark {record.id} live" if record.state == PROPOSED else f"mneme show {record.id}"
    )


def find_spot(note: Note, anchor: str) -> Spot:
    """Return where the entry or the section that an anchor names stands in a note."""
    section = next((one for one in note.sections if one.slug == anchor), None)
    if section:
        at = note.lines.after(section.heading.end_line - 1)
        body = note.text[section.body_start : section.own_end]
        return Spot(section.body_start, section.own_end, body, at, alone=True)
    name, _, number = anchor.partition("-")
    same = [entry for entry in remembered_entries(note) if entry.hash == name]
    place = int(number) if number.isdigit() else 0
    if place >= len(same):
        raise RefusedError(f"'{note.path}#{anchor}' is not an entry of its own", f"mneme show {note.path}")
    entry = same[place]
    if entry.kind not in (LIST_ITEM, PARAGRAPH):
        message = f"'{note.path}#{anchor}' is a {entry.kind}, which cannot be marked by itself"
        raise RefusedError(message, f"edit {note.path}")
    item = next((one for one in note.items if one.line == entry.line), None)
    end = item.end if item and entry.kind == LIST_ITEM else entry.end
    start = note.lines.starts[entry.line - 1]
    return Spot(start, note.lines.after(entry.end_line - 1), entry.text, start + len(note.text[start:end].rstrip()))


def set_standing(note: Note, anchor: str, standing: Standing) -> Splice | None:
    """Write the standing of an entry or a section; None where it says nothing new."""
    spot = find_spot(note, anchor)
    comment = print_standing(standing)
    old = find_comment(note.text[spot.start : spot.end] if not spot.alone else _row_at(note, spot.comment_at))
    if old:
        start = (spot.comment_at if spot.alone else spot.start) + old[0]
        end = start + old[1] - old[0]
        if spot.alone and not comment:
            return start, note.lines.after(note.lines.line_of(start) - 1), ""
        new = comment if spot.alone else comment and f" {comment}"
        return (start, end, new) if note.text[start:end] != new else None
    if not comment:
        return None
    if spot.alone:
        newline = note.lines.newline
        return spot.comment_at, spot.comment_at, f"{comment}{newline}"
    return spot.comment_at, spot.comment_at, f" {comment}"


def _row_at(note: Note, at: int) -> str:
    return note.lines.rows[note.lines.line_of(at) - 1] if at < len(note.text) else ""


def standing_of(note: Note, anchor: str) -> Standing:
    """Return the standing of an entry or a section."""
    spot = find_spot(note, anchor)
    return parse_standing(_row_at(note, spot.comment_at) if spot.alone else spot.text)


def affirm_entry(drafts: Drafts, path: str, anchor: str, day: date, conf: str | None) -> None:
    """Say that an entry or a section was seen to hold; a stale one is live again."""
    note = drafts.note(path)
    old = standing_of(note, anchor)
    new = replace(old, state="", seen=day.isoformat(), conf=conf or old.conf)
    if splice := set_standing(note, anchor, new):
        drafts.edit(path, splice)


def mark_entry(drafts: Drafts, path: str, anchor: str, state: str | None, conf: str | None) -> None:
    """Set the state or the confidence of an entry or a section."""
    note = drafts.note(path)
    old = standing_of(note, anchor)
    said = old.state if state is None else "" if state == LIVE else state
    if splice := set_standing(note, anchor, replace(old, state=said, conf=conf or old.conf)):
        drafts.edit(path, splice)


def affirm_file(drafts: Drafts, path: str, day: date, conf: str | None) -> None:
    """Say that a whole note was seen to hold."""
    note = drafts.note(path)
    verified = set_front if note.front else set_stamp
    note = drafts.edit(path, verified(note, LAST_VERIFIED, day.isoformat()))
    if note.front and note.front.text("state") and note.front.text("state") != LIVE:
        splice = drop_front(note, "state")
        note = drafts.edit(path, splice) if splice else note
    if conf:
        drafts.edit(path, set_front(note, "conf", conf))


def mark_file(drafts: Drafts, path: str, state: str | None, conf: str | None) -> None:
    """Set the state or the confidence of a memory that has a file of its own."""
    if state == LIVE:
        splice = drop_front(drafts.note(path), "state")
        if splice:
            drafts.edit(path, splice)
    elif state:
        drafts.edit(path, set_front(drafts.note(path), "state", state))
    if conf:
        drafts.edit(path, set_front(drafts.note(path), "conf", conf))


def archive_file(drafts: Drafts, profile: Profile, path: str, day: date, *, successor: str = "") -> str:
    """Move a memory that has a file of its own to the archive, superseded or retired; return where it lies now."""
    if successor:
        drafts.edit(path, set_front(drafts.note(path), "superseded_by", successor))
    else:
        drafts.edit(path, set_front(drafts.note(path), "state", RETIRED))
    to = free_in_archive(profile.archive_path(path, day), lambda one: drafts.find(one) is not None)
    drafts.move(path, to)
    return to


def free_in_archive(path: str, is_taken: Callable[[str], bool]) -> str:
    """Return a path of the archive that nothing has."""
    stem, _, suffix = path.rpartition(".")
    free, number = path, 2
    while is_taken(free):
        free, number = f"{stem}-{number}.{suffix}", number + 1
    return free


def archive_entry(
    drafts: Drafts, profile: Profile, path: str, anchor: str, day: date, *, successor: str = "", state: str = SUPERSEDED
) -> str:
    """Take an entry or the text of a section out of its note, and keep it in the archive; return its id there."""
    note = drafts.note(path)
    spot = find_spot(note, anchor)
    drafts.edit(path, (spot.start, spot.end, note.lines.newline if spot.alone else ""))
    standing = replace(parse_standing(spot.text), state=state, successor=successor)
    page = archive_page(profile, path, day)
    if drafts.find(page) is None:
        title = posixpath.basename(path).rpartition(".")[0].replace("-", " ")
        drafts.write(page, f"---\nstate: {SUPERSEDED}\n{ORIGIN}: {path}\n---\n\n# What once stood in {title}\n")
    text = _moved_text(note, spot, anchor, standing)
    drafts.edit(page, append_entry(drafts.note(page), text, day.isoformat()))
    return f"{page}#{anchor.partition('-')[0]}"


def put_at(drafts: Drafts, path: str, start: int, text: str, *, alone: bool) -> None:
    """Put an entry, or the text of a section, where the old one stood."""
    note = drafts.note(path)
    newline = note.lines.newline
    rows = newline.join(text.strip("\r\n").split("\n"))
    drafts.edit(path, (start, start, f"{newline}{rows}{newline}" if alone else f"{rows}{newline}"))


def archive_page(profile: Profile, path: str, day: date) -> str:
    """Return the page of the archive that keeps what once stood in a note."""
    page = profile.archive_path(path, day)
    folder, name = posixpath.split(page)
    return posixpath.join(folder, f"superseded-{name.lower()}")


def _moved_text(note: Note, spot: Spot, anchor: str, standing: Standing) -> str:
    comment = print_standing(standing)
    if spot.alone:
        title = next(one.title for one in note.sections if one.slug == anchor)
        body = without_standing(spot.text).strip()
        return f"{title}:\n\n{body}" if body.startswith(("-", "*", "+")) else f"{title}: {body} {comment}"
    end = spot.comment_at - spot.start
    row = note.text[spot.start : spot.end].rstrip("\r\n")
    bare, rest = without_standing(row[:end]), row[end:]
    return f"{bare} {comment}{rest}"


def end_in_place(drafts: Drafts, path: str, anchor: str, *, successor: str = "", state: str = SUPERSEDED) -> None:
    """Mark an entry of a log superseded or retired, where it stands."""
    note = drafts.note(path)
    new = replace(standing_of(note, anchor), state=state, successor=successor)
    if splice := set_standing(note, anchor, new):
        drafts.edit(path, splice)
