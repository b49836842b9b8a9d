"""Memories that share a file: entries of tagged files and of MEMORY.md, tasks, and where projects stand.

An entry is one list item; its reason and how to apply it are nested in it. What was decided or learned begins with its
day, because it is read in the order in which it happened.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from mneme.errors import BadInputError
from mneme.formats.edit import append_entry, append_item, set_tags
from mneme.formats.entry import entry_hash
from mneme.formats.tag import FRICTION
from mneme.memory.notes.days import entry_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from mneme.formats.note import Note
    from mneme.memory.notes.classified import Saying
    from mneme.memory.notes.drafts import Drafts
    from mneme.profiles import Profile

# Kinds whose entries begin with their day.
DATED = frozenset({"decision", "lesson", "gotcha", "project", "status"})
# The section of MEMORY.md that an entry of a kind goes to, and the words by which one that is there is known.
_SECTIONS = {
    "decision": ("Decisions", "decision"),
    "goal": ("Goals", "goal"),
    "preference": ("Preferences", "preference"),
    "user": ("User", "user"),
    "feedback": ("Feedback", "feedback"),
    "gotcha": ("Lessons", "lesson"),
    "lesson": ("Lessons", "lesson"),
    "howto": ("How things are done", "how"),
    "infrastructure": ("Infrastructure", "infrastructure"),
    "project": ("Projects", "project"),
    "reference": ("References", "reference"),
    "fact": ("Facts", "fact"),
}
# The tags that a new file begins with where its first entry names none.
_FIRST_TAGS = {
    "infrastructure": "networking",
    "howto": "checklist",
    "lesson": "errors",
    "gotcha": "errors",
    "preference": "habits",
    "decision": "rules",
    "project": "review",
}
_NOW = "Now"
_WORD = re.compile(r"[\w-]+")


def print_entry(saying: Saying, kind: str, day: date) -> str:
    """Return a memory as one list item, with its reason nested in it."""
    text = f"{saying.title}: {saying.text}" if saying.title else saying.text
    dated = f"{day.isoformat()}: {text}" if kind in DATED else text
    rows = [entry_text(dated)]
    rows += [_nested(label, words) for label, words in (("Why", saying.why), ("How to apply", saying.how)) if words]
    return "\n".join(rows)


def _nested(label: str, words: str) -> str:
    first, *more = words.strip().splitlines()
    return "\n".join([f"  - {label}: {first.strip()}", *(f"    {row.strip()}" for row in more)])


def put_tagged(drafts: Drafts, path: str, entry: str, kind: str, tags: Sequence[str], day: date) -> str:
    """Add an entry to a tagged file, which begins with its title, its tags and the day it was verified."""
    if drafts.find(path) is None:
        first = tags or [_FIRST_TAGS.get(kind, "memory")]
        head = f"# {_title(path)}\n#tags: {', '.join(first)}\n> last_verified: {day.isoformat()}\n"
        drafts.write(path, head)
    elif tags:
        add_tags(drafts, path, tags)
    return put_entry(drafts, path, entry)


def add_tags(drafts: Drafts, path: str, tags: Sequence[str]) -> None:
    """Put tags on a file's tags line, beside those it has."""
    note = drafts.note(path)
    had = note.tag_line.names if note.tag_line else ()
    if new := [tag for tag in tags if tag not in had]:
        drafts.edit(path, set_tags(note, [*had, *new]))


def put_entry(drafts: Drafts, path: str, entry: str, section: str = "") -> str:
    """Add an entry at the end of a note, or of one of its sections; return its name."""
    note = drafts.note(path)
    after = drafts.edit(path, append_entry(note, entry, section))
    return _name_of(note, after, entry)


def put_curated(drafts: Drafts, path: str, entry: str, kind: str) -> str:
    """Add an entry to MEMORY.md, in the section for its kind."""
    if drafts.find(path) is None:
        drafts.write(path, "# Memory\n")
    title, word = _SECTIONS.get(kind, ("Notes", "note"))
    note = drafts.note(path)
    known = next((one.title for one in note.sections if one.level > 1 and word in one.title.lower()), title)
    return put_entry(drafts, path, entry, known)


def put_task(drafts: Drafts, path: str, text: str) -> str:
    """Add a task to be ticked: to what is to be done now, where there is such a section, else to the last one."""
    if drafts.find(path) is None:
        drafts.write(path, f"# Todos\n\n## {_NOW}\n")
    note = drafts.note(path)
    words = entry_text(text).removeprefix("- ")
    section = _NOW if note.find_section(_NOW) else ""
    after = drafts.edit(path, append_item(note, words, section, checked=False))
    return _name_of(note, after, f"- [ ] {words}")


def put_status(drafts: Drafts, path: str, project: str, entry: str) -> str:
    """Add where a project stands to its section of the tracker."""
    if drafts.find(path) is None:
        drafts.write(path, "# Projects\n")
    note = drafts.note(path)
    known = next((one.title for one in note.sections if one.title.strip().casefold() == project.casefold()), project)
    return put_entry(drafts, path, entry, known)


def _name_of(before: Note, after: Note, entry: str) -> str:
    """Return the name of an entry just added: its hash, numbered where others say the same.

    One that the note does not read back as such is refused.
    """
    name = entry_hash(entry)
    known = [one.start for one in before.entries if one.hash == name]
    starts = [one.start for one in after.entries if one.hash == name]
    if len(starts) != len(known) + 1:
        first = entry.split("\n", 1)[0].removeprefix("- ")
        message = f"'{first[:60]}' cannot stand as one entry of '{after.path}'"
        raise BadInputError(message, "mneme remember 'one sentence in plain words' --why 'the rest'")
    place = next((at for at, start in enumerate(known) if starts[at] != start), len(known))
    return f"{name}-{place}" if place else name


def _title(path: str) -> str:
    words = posixpath.basename(path).rpartition(".")[0].replace("_", "-").split("-")
    return " ".join(words).strip().capitalize() or "Notes"


def check_tags(tags: Iterable[str], profile: Profile) -> tuple[str, ...]:
    """Return tags as they are written; refuses one that the vocabulary does not have, with the nearest."""
    from difflib import get_close_matches

    known = profile.vocabulary
    wanted = [tag.strip().lstrip("#").lower() for tag in tags]
    for tag in wanted:
        if not _WORD.fullmatch(tag):
            raise BadInputError(f"'{tag}' is no tag: it is one word", "mneme tags")
        if known and tag not in known and tag != FRICTION:
            near = get_close_matches(tag, sorted(known), n=1, cutoff=0)
            message = f"'{tag}' is not in the vocabulary of tags; the nearest is '{near[0]}'"
            raise BadInputError(message, "mneme tags")
    return tuple(dict.fromkeys(wanted))


def tags_in(text: str, profile: Profile) -> tuple[str, ...]:
    """Return the tags of the vocabulary that a text names."""
    words = {word.lower() for word in _WORD.findall(text)}
    return tuple(sorted(words & profile.vocabulary))
