"""Links that lead nowhere, and sections that a link names and no file has.

Which targets a text could link to is told by a quick search; as long as all of them are there, the note is not read.
Only what seems to lead nowhere is looked at closely, because code and comments link to nothing.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from mneme.check.found import Found, find
from mneme.check.memory_file import ACTIVE_DECISIONS, sections_called
from mneme.formats.link import EMBED, WIKI
from mneme.formats.note import parse_note
from mneme.formats.region import INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from mneme.check.places import Places
    from mneme.formats.link import Link
    from mneme.formats.note import Note

_INLINE = re.compile(r"\]\([ \t]*<?([^()<>\s]*(?:\([^()\s]*\)[^()<>\s]*)*)")
_ANGLED = re.compile(r"\]\([ \t]*<([^<>\n]+)>")
_WIKI = re.compile(r"\[\[([^\[\]|\n]+)")
_DEFINED = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]*<?([^\s<>]+)", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|www\.")
_LINE_ANCHOR = re.compile(r"L?\d+(?:-L?\d+)?")
_SAMPLE = re.compile(r"YYYY|[*{}$<>]|\.\.\.|\u2026|^(?:path|url|link|file|target)$", re.IGNORECASE)
_MARKDOWN = (".md", ".markdown", ".MD")


def targets_in(text: str) -> tuple[str, ...]:
    """Return everything in a text that may be the target of a link within the workspace, each once."""
    found: list[str] = []
    if "](" in text:
        found += _INLINE.findall(text)
        if "](<" in text:
            found += _ANGLED.findall(text)
    if "[[" in text:
        found += [f"[[{name.strip()}" for name in _WIKI.findall(text)]
    if "]:" in text:
        found += _DEFINED.findall(text)
    return tuple(dict.fromkeys(target for target in found if target and not _SCHEME.match(target)))


class Links:
    """Follows the links of a workspace: `ids` are names of records, `read` gives the text of a file or None."""

    def __init__(self, places: Places, ids: Collection[str], read: Callable[[str], str | None]) -> None:
        self._places = places
        self._ids = ids
        self._read = read
        self._anchors: dict[str, frozenset[str]] = {}

    def suspects(self, path: str, targets: tuple[str, ...]) -> bool:
        """Say whether any of the targets that a note may link to leads nowhere."""
        folder, there = path.rpartition("/")[0] + "/", self._places.paths
        return any(
            self._fault(path, target) for target in targets if target not in there and folder + target not in there
        )

    def _fault(self, path: str, target: str) -> str:
        """Return what a target lacks, a file or a section; nothing when it leads somewhere."""
        if target.startswith("[["):
            name, _, anchor = target[2:].partition("#")
            place = self._wiki(path, name.strip())
        else:
            name, _, anchor = target.partition("#")
            name = unquote(name.partition("?")[0], errors="surrogateescape")
            anchor = unquote(anchor, errors="surrogateescape")
            place = self.place_of(path, name)
        if place is None:
            return "file"
        return "section" if anchor and not self._has_anchor(place, anchor.strip()) else ""

    def place_of(self, path: str, name: str) -> str | None:
        """Return where a link's path leads from a note: beside it, or else from the workspace's root."""
        if not name or _SAMPLE.search(name):
            return path
        folder = posixpath.dirname(path)
        for base in (folder, "") if not name.startswith("/") else ("",):
            place = posixpath.normpath(posixpath.join(base, name.lstrip("/")))
            for candidate in (place, place + ".md"):
                if self._places.exists(candidate):
                    return candidate
        return name if name.startswith("/") and self._places.exists(name) else None

    def _wiki(self, path: str, name: str) -> str | None:
        if not name or name in self._ids:
            return path
        place = self.place_of(path, name)
        if place is not None:
            return place
        stem = posixpath.basename(name).lower().removesuffix(".md")
        found = self._places.by_name.get(stem) or self._places.by_name.get(stem.replace(" ", "-"))
        if found:
            return found[0]
        slug = stem.replace(" ", "-")
        return next((folder for folder in self._places.folders if posixpath.basename(folder).lower() == slug), None)

    def _has_anchor(self, place: str, anchor: str) -> bool:
        if not place.endswith(_MARKDOWN) or _LINE_ANCHOR.fullmatch(anchor):
            return True
        anchors = self._anchors.get(place)
        if anchors is None:
            anchors = self._anchors[place] = self._anchors_of(place)
        return not anchors or anchor in anchors or anchor.lower() in anchors

    def _anchors_of(self, place: str) -> frozenset[str]:
        text = self._read(place)
        if text is None:
            return frozenset()
        note = parse_note(text, place)
        names = {section.slug for section in note.sections} | {section.title.lower() for section in note.sections}
        names |= {entry.hash for entry in note.entries}
        named = re.findall(r"<a\s+(?:id|name)=[\"']([^\"']+)|\{#([\w-]+)\}|\^([\w-]+)\s*$", text, re.MULTILINE)
        return frozenset(names | {one for group in named for one in group if one} | {"^" + one[2] for one in named})

    def _faults(self, note: Note) -> Iterator[tuple[Link, str]]:
        """Yield the links of a note that lead nowhere, each with what it lacks."""
        owned = [(one.line, one.end_line) for one in note.regions if one.name == INDEX]
        for link in note.links:
            if link.external or _SCHEME.match(link.target):
                continue
            if any(first <= link.line <= last for first, last in owned):
                continue  # a check of its own holds an index to its files
            wiki = link.kind in (WIKI, EMBED)
            if fault := self._fault(note.path, f"[[{link.target}" if wiki else link.target):
                yield link, fault

    def led(self, note: Note) -> Iterator[tuple[Link, str]]:
        """Yield the dead links of a note whose file can only have moved, each with its target as it should be."""
        for link, fault in self._faults(note):
            if fault == "file" and link.kind not in (WIKI, EMBED) and (near := self.moved_to(link)):
                yield link, quote(posixpath.relpath(near, posixpath.dirname(note.path) or "."), safe="/@+,=~")

    def check(self, note: Note) -> Iterator[Found]:
        """Yield the links of a note that lead nowhere; those of its active decisions under a rule of their own."""
        decided = [(one.line, one.end_line) for one in sections_called(note, ACTIVE_DECISIONS)]
        for link, fault in self._faults(note):
            if any(first <= link.line <= last for first, last in decided):
                yield find("broken-decision-link", link.line, value=link.target)
            elif fault == "section":
                yield find("dead-anchor", link.line, value=link.anchor, other=f"'{link.path or note.path}'")
            else:
                near = self.moved_to(link)
                yield find("dead-link", link.line, value=link.target, near=f"; it may be '{near}'" if near else "")

    def moved_to(self, link: Link) -> str:
        """Return the only file that is called as a dead link's target is, or nothing."""
        name = posixpath.basename(link.path.rstrip("/"))
        stem, suffix = posixpath.splitext(name)
        found = [one for one in self._places.by_name.get(stem.lower(), ()) if one.endswith(suffix or ".md")]
        return found[0] if len(found) == 1 and name else ""
