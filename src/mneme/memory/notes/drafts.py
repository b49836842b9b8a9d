"""Files on their way to one plan: each read once, edited as text as often as need be, and written by nobody yet.

Several edits that belong together (a rotation writes the day's note and clears the buffer, a wrap-up does that and
more) are made one after the other on drafts, so that each sees what the one before it did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.formats.note import Note, parse_note
from mneme.formats.span import apply_edits, to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from mneme.files import Change
    from mneme.formats.span import Splice


class Drafts:
    """The files that a plan is being made for: as they were read, and as they are to be."""

    def __init__(self, root: Path, read: Callable[[str], bytes | None] | None = None) -> None:
        """Begin with the files as they lie below a folder, or as whoever plans already has them in mind."""
        self._read = read or (lambda path: files.find_file(files.place_of(root, path)))
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._moved: dict[str, str] = {}

    def find(self, path: str) -> str | None:
        """Return a file's text as it is to be, or None where there is none."""
        if path not in self._after:
            content = self._read(path)
            self._before[path] = self._after[path] = content
        draft = self._after[path]
        return None if draft is None else draft.decode("utf-8", "surrogateescape")

    def note(self, path: str) -> Note:
        """Return a file as a note; one that is not there is empty."""
        return parse_note(self.find(path) or "", path)

    def write(self, path: str, text: str) -> Note:
        """Set what a file is to hold, and return it as a note."""
        self.find(path)
        self._after[path] = to_bytes(text)
        return parse_note(text, path)

    def edit(self, path: str, *splices: Splice) -> Note:
        """Make edits in a file as it is to be, and return it as a note."""
        return self.write(path, apply_edits(self.find(path) or "", splices))

    def remove(self, path: str) -> None:
        """Let a file go to the trash."""
        self.find(path)
        self._after[path] = None

    def move(self, path: str, to: str) -> None:
        """Let a file lie elsewhere, as it is to be; nothing is read or written under its old path afterwards."""
        self.find(path)
        self._moved[path] = to

    def kept(self, paths: Iterable[str]) -> list[str]:
        """Return those of some paths under which something will lie."""
        return [path for path in paths if path not in self._moved and self.find(path) is not None]

    def written(self) -> Iterator[tuple[str, bytes, str]]:
        """Yield what was edited or moved: its path, what it is to hold, and where it is to lie if elsewhere."""
        for path, after in self._after.items():
            if after is not None and (after != self._before[path] or path in self._moved):
                yield path, after, self._moved.get(path, "")

    def changes(self, reason: str = "") -> tuple[Change, ...]:
        """Return the changes that make of the files what they are to be; a file that stays as it is has none."""
        found = (self._change(path, reason) for path in self._after)
        return tuple(change for change in found if change is not None)

    def _change(self, path: str, reason: str) -> Change | None:
        before, after = self._before[path], self._after[path]
        if path in self._moved and before is not None and after is not None:
            edited = files.plan_replace(path, before, after, reason)
            return files.plan_move(path, before, self._moved[path], edited.edits if edited else (), reason)
        if after is not None:
            return files.plan_replace(path, before, after, reason)
        return None if before is None else files.plan_remove(path, before, reason)
