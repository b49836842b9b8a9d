"""The region of USER.md that says what is known of the user: a line for each memory about them that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.formats.edit import set_region
from mneme.formats.note import note_records, parse_note
from mneme.formats.record import FILE, LIVE
from mneme.formats.region import SUMMARY
from mneme.memory.notes.classified import first_line, name_and_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.memory.notes.drafts import Drafts
    from mneme.profiles import Profile

_NEW = "# User\n\n## Known\n"


def renew_known(drafts: Drafts, profile: Profile, paths: Iterable[str]) -> None:
    """Write the region anew from the memories at these paths, in the order of their days."""
    place = profile.places.user
    if not place or SUMMARY not in profile.regions:
        return
    told = []
    for path in paths:
        note = parse_note(drafts.find(path) or "", path)
        record = note_records(note, grain=FILE)[0]
        if note.text.strip() and record.state == LIVE:
            name, line = name_and_line(note)
            told.append((record.since, path, first_line(line) or name))
    content = "\n".join(f"- {line}" for _, _, line in sorted(told))
    note = drafts.note(place) if drafts.find(place) is not None else drafts.write(place, _NEW)
    region = note.find_region(SUMMARY)
    if region is None or note.text[region.inner_start : region.inner_end].strip() != content:
        drafts.edit(place, set_region(note, SUMMARY, content))
