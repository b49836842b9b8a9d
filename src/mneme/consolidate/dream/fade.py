"""Classified memories that nobody recalls or affirms any more: first stale, then in the archive, never gone.

Time is counted in days on which the workspace was used at all, so that a holiday makes nothing old. A memory that is
recalled again, or affirmed, is fresh again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.formats.edit import drop_front, drop_pointer, set_front
from mneme.formats.note import parse_note
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from typing import Protocol

    from mneme.consolidate.dream.state import State
    from mneme.consolidate.dream.table import Decision
    from mneme.formats.note import Note

    class Made(Protocol):
        """What takes the contents that files shall have."""

        moves: dict[str, str]

        def text(self, path: str) -> str:
            """Return what a file shall hold."""

        def put(self, path: str, content: bytes, reason: str) -> None:
            """Set what a file shall hold."""


STATE, STALE = "state", "stale"
BECAME_STALE, ARCHIVED, FRESH_AGAIN = "became stale", "moved to the archive", "is fresh again"


def plan_fading(made: Made, state: State, decision: Decision) -> list[tuple[str, str]]:
    """Set the state of each classified memory by when it was last needed; returns what changed, each with its word.

    Those that are promotions are left alone: of these Deep has decided.
    """
    profile = state.notes.workspace.profile
    changed: list[tuple[str, str]] = []
    promoted = {one.place for one in (*decision.standing, *(left.promotion for left in decision.left))}
    if not profile.class_folders:
        return changed
    for path in state.notes.workspace.note_files():
        if profile.is_classified(path) and not profile.is_archived(path) and path not in promoted:
            content = state.notes.content(path)
            if content is not None:
                note = parse_note(content.decode("utf-8", "surrogateescape"), path)
                if word := _fade(made, state, note):
                    changed.append((path, word))
    return changed


def last_needed(note: Note, recalled: str) -> str:
    """Return the day a classified memory was last recalled, verified, updated or made."""
    front = note.front
    days = [recalled, note.last_verified]
    days += [front.text(name)[:10] for name in ("updated", "created")] if front else []
    return max(filter(None, days), default="")


def _fade(made: Made, state: State, note: Note) -> str:
    rules = state.rules
    front = note.front
    since = last_needed(note, state.memo.seen.get(note.path, ""))
    said = front.text(STATE) if front else ""
    if front is None or not since or said not in ("", "live", STALE):
        return ""
    idle = state.memo.idle_days(since)
    if idle >= rules.stale_days + rules.archive_days and said == STALE:
        _archive(made, state, note)
        return ARCHIVED
    if idle >= rules.stale_days and said != STALE:
        made.put(note.path, _edited(apply_edits(note.text, [set_front(note, STATE, STALE)])), "not needed for long")
        return BECAME_STALE
    if idle < rules.stale_days and said == STALE:
        splice = drop_front(note, STATE)
        if splice is not None:
            made.put(note.path, _edited(apply_edits(note.text, [splice])), "needed again")
            return FRESH_AGAIN
    return ""


def _edited(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _archive(made: Made, state: State, note: Note) -> None:
    """Move a memory to the archive, and take its line out of the index."""
    profile = state.notes.workspace.profile
    made.put(note.path, note.text.encode("utf-8", "surrogateescape"), "not needed for very long")
    made.moves[note.path] = profile.archive_path(note.path, state.today)
    index = parse_note(made.text(profile.places.memory), profile.places.memory)
    splice = drop_pointer(index, note.path)
    if splice is not None:
        made.put(index.path, apply_edits(index.text, [splice]).encode("utf-8", "surrogateescape"), "an index line less")
