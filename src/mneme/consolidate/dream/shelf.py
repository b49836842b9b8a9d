"""Promotions that are classified memories: a file each, and a line in the index of MEMORY.md.

Where MEMORY.md is an index and never content, a promotion is a memory of its class like any other, with the key that it
was counted under and its source in the frontmatter. A person may edit, affirm or supersede it; what leaves moves to the
archive, and its index line goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.kind import guess_kinds
from mneme.consolidate.dream.sentence import STALE, SUPERSEDED, Promotion
from mneme.formats.edit import drop_front, set_front
from mneme.formats.note import parse_note
from mneme.memory.notes import index, revise
from mneme.memory.notes.classified import RULE, Saying, class_of, free_path, name_and_line, print_memory
from mneme.memory.notes.drafts import Drafts
from mneme.memory.notes.known import renew_known
from mneme.profiles import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.consolidate.dream.ingest import Notes
    from mneme.consolidate.dream.table import Decision
    from mneme.formats.note import Note
    from mneme.profiles import Profile

KEY, SOURCE, STATE, HEIR = "promoted", "source", "state", "superseded_by"
USER, REFERENCE = "user", "reference"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The classified memories: those that dreaming promoted, and what the others say."""

    promotions: tuple[Promotion, ...] = ()
    others: tuple[str, ...] = ()


def find_shelf(notes: Notes) -> Shelf:
    """Read the classified memories that are in force."""
    profile = notes.workspace.profile
    promotions, others = [], []
    for path in notes.workspace.note_files():
        if profile.is_classified(path) and not profile.is_archived(path):
            note = parse_note(notes.text(path) or "", path)
            promotion = _promotion(note)
            others += [] if promotion else [_said(note)]
            promotions += [promotion] if promotion else []
    return Shelf(tuple(promotions), tuple(others))


def _said(note: Note) -> str:
    """Return what a memory states, on one line: what stands under its heading for that, else its description."""
    rule = next((one for one in note.sections if one.title == RULE), None)
    text = note.text[rule.body_start : rule.own_end] if rule else name_and_line(note)[1]
    return " ".join(text.split())


def _promotion(note: Note) -> Promotion | None:
    front = note.front
    if front is None or not front.text(KEY):
        return None
    heir = front.text(HEIR)
    fate = SUPERSEDED if heir else STALE if front.text(STATE) == "stale" else ""
    return Promotion(
        front.text(KEY),
        _said(note),
        front.text("created")[:10],
        front.text(SOURCE),
        (),
        fate=fate,
        by=heir,
        place=note.path,
        seen=note.last_verified,
    )


def write_shelf(
    decision: Decision, notes: Notes, read: Callable[[str], bytes | None], today: str
) -> Iterator[tuple[str, bytes, str]]:
    """Yield what the files of the shelf and of the index shall hold after a night, and where they go if elsewhere."""
    profile = notes.workspace.profile
    drafts = Drafts(notes.root, read)
    homes = {one.source: _put(drafts, profile, one) for one, _, _ in decision.added}
    for one in decision.standing:
        if one.place:
            _set_state(drafts, one, homes)
    for left in decision.left:
        if left.promotion.place:
            _take_away(drafts, profile, left.promotion, homes, today)
    _renew_user(drafts, profile, [*homes.values(), *notes.workspace.note_files()])
    yield from drafts.written()


def _put(drafts: Drafts, profile: Profile, one: Promotion) -> str:
    """Write a promotion as a memory of its class, with its line in the index; return where it lies."""
    saying = Saying(one.text)
    folder = _folder(profile, one.text)
    path = free_path(folder, saying.name, lambda each: drafts.find(each) is not None)
    note = drafts.write(path, print_memory(saying, class_of(profile, folder), date.fromisoformat(one.day)))
    for name, value in ((SOURCE, one.source), (KEY, one.key)):
        note = drafts.edit(path, set_front(note, name, value))
    index.add_line(drafts, profile, path, saying.name, saying.index_line)
    return path


def _folder(profile: Profile, text: str) -> str:
    """Return the folder of the class that a text is likeliest to be of: what nobody can tell is a reference."""
    for guess in guess_kinds(text):
        home = profile.find_home(guess.kind)
        if home is not None and home.form == FOLDER and home.path in profile.class_folders.values():
            return home.path
    return profile.class_folders.get(REFERENCE) or next(iter(profile.class_folders.values()))


def _set_state(drafts: Drafts, one: Promotion, homes: dict[str, str]) -> None:
    """Mark what grew stale or waits to be replaced, and unmark what is needed again."""
    note = drafts.note(one.place)
    said = note.front.text(STATE) if note.front else ""
    if one.fate == SUPERSEDED and one.by in homes:
        drafts.edit(one.place, set_front(note, HEIR, homes[one.by]))
    elif one.fate == STALE and not said:
        drafts.edit(one.place, set_front(note, STATE, "stale"))
    elif not one.fate and said == "stale" and (splice := drop_front(note, STATE)) is not None:
        drafts.edit(one.place, splice)


def _take_away(drafts: Drafts, profile: Profile, one: Promotion, homes: dict[str, str], today: str) -> None:
    """Move a promotion to the archive; one that was replaced says by what, and what replaced it says what it replaced."""
    heir = homes.get(one.by, one.by) if one.fate == SUPERSEDED else ""
    index.drop_line(drafts, profile, one.place)
    to = revise.archive_file(drafts, profile, one.place, date.fromisoformat(today), successor=heir)
    if heir and drafts.find(heir) is not None:
        drafts.edit(heir, set_front(drafts.note(heir), "supersedes", to))


def _renew_user(drafts: Drafts, profile: Profile, paths: Sequence[str]) -> None:
    folder = profile.class_folders.get(USER, "")
    about = {path for path in paths if folder and path.startswith(folder) and profile.is_classified(path)}
    if any(path.startswith(folder) for path, _, _ in drafts.written() if folder):
        renew_known(drafts, profile, drafts.kept(sorted(about)))
