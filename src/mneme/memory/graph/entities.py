"""The entities of a workspace: what each is called, and the facts that are kept about it.

A name leads to an entity by the name of its folder, by the title and the `name` of its summary, and by the `aliases`
in the summary's frontmatter.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.formats.fact import FactFile, heads, parse_facts
from mneme.formats.note import parse_note
from mneme.memory.graph.names import is_same_name, may_be_same_name, name_words
from mneme.profiles import entity_of
from mneme.profiles.profile import ITEMS, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.fact import Fact
    from mneme.formats.note import Note
    from mneme.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity: its slug, its folder, its facts, its summary, and every name it goes by."""

    slug: str
    folder: str
    file: FactFile
    summary: Note
    names: tuple[str, ...]

    @property
    def items_path(self) -> str:
        """Return the path of its facts."""
        return posixpath.join(self.folder, ITEMS)

    @property
    def summary_path(self) -> str:
        """Return the path of its summary, which need not be there."""
        return posixpath.join(self.folder, SUMMARY)

    @property
    def title(self) -> str:
        """Return what to call it."""
        return self.names[1] if len(self.names) > 1 else self.slug.replace("-", " ")

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return the other names that its summary gives it."""
        return self.names[2:]

    @property
    def active(self) -> tuple[Fact, ...]:
        """Return the facts that hold."""
        return heads(self.file.facts)


@dataclass(frozen=True, slots=True)
class Match:
    """The entities that a name surely stands for, and those that it may stand for."""

    sure: tuple[Entity, ...] = ()
    possible: tuple[Entity, ...] = ()


def load_entities(workspace: Workspace) -> tuple[Entity, ...]:
    """Read every entity of a workspace, in order of path."""
    found = workspace.memory_files()
    summaries = (path for path in found.notes if posixpath.basename(path) == SUMMARY)
    told = (path for path in summaries if workspace.kind_of(path) == "entity")
    folders = sorted({posixpath.dirname(path) for path in (*found.facts, *told)})
    return tuple(load_entity(workspace, folder) for folder in folders)


def load_entity(workspace: Workspace, folder: str) -> Entity:
    """Read the entity of a folder, which may not be there yet."""
    items, summary = posixpath.join(folder, ITEMS), posixpath.join(folder, SUMMARY)
    note = parse_note(_text(workspace, summary), summary)
    own = entity_of(items)
    return Entity(own, folder, parse_facts(_text(workspace, items), items), note, _names(own, note))


def _names(own: str, note: Note) -> tuple[str, ...]:
    """Return its slug, its title where the summary has one, and its aliases."""
    front, title = note.front, next((heading.text for heading in note.headings if heading.level == 1), "")
    said = (front.text("name") if front else "") or title or own.replace("-", " ")
    return (own, said, *(front.listed("aliases") if front else ()))


def _text(workspace: Workspace, path: str) -> str:
    content = files.find_file(files.place_of(workspace.root, path))
    return (content or b"").decode("utf-8", "surrogateescape")


def match_entities(entities: Sequence[Entity], name: str) -> Match:
    """Find the entities that a name stands for; one whose folder is called so is meant before all others."""
    exact = tuple(entity for entity in entities if entity.slug == name or entity.folder == name.rstrip("/"))
    if exact:
        return Match(exact)
    sure = tuple(entity for entity in entities if any(is_same_name(name, one) for one in entity.names))
    rest = (entity for entity in entities if entity not in sure)
    return Match(sure, tuple(one for one in rest if any(may_be_same_name(name, said) for said in one.names)))


def entity_slug(name: str) -> str:
    """Return what the folder of an entity with this name is called; empty where nothing of the name can stand."""
    return "-".join(name_words(name))
