"""The verbs that show what is remembered: one record, an entity or a day in full; lists of records, tags, entities."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.errors import ERROR, UNREADABLE, BadInputError, MnemeError, NotFoundError, Problem
from mneme.formats.record import LIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.engine.memory import Memory
    from mneme.formats.fact import Fact
    from mneme.formats.piece import Piece
    from mneme.formats.record import Record
    from mneme.formats.when import When
    from mneme.memory.graph.entities import Entity


@dataclass(frozen=True, slots=True)
class Shown:
    """One thing in full: its record and its text as written; for an entity the facts that hold, and those that did."""

    record: Record
    text: str
    active: tuple[Record, ...] | None = None
    history: tuple[Record, ...] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """Return every record that is shown, the one that was asked for first."""
        return (self.record, *(self.active or ()), *self.history)


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag: the group that allows it, if one does, and how many files and records it is on."""

    tag: str
    group: str
    files: int
    records: int

    def as_json(self) -> dict[str, object]:
        """Return the row's JSON form."""
        return {"tag": self.tag, "group": self.group, "files": self.files, "records": self.records}

    def __str__(self) -> str:
        return f"{self.tag:<20}  {self.group:<16}  {_count(self.files, 'file')}, {_count(self.records, 'record')}"


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity in a line: its slug, the names it goes by, its facts, and the day of the newest."""

    entity: str
    names: tuple[str, ...]
    active: int
    facts: int
    newest: str
    path: str

    def as_json(self) -> dict[str, object]:
        """Return the row's JSON form."""
        names = {"entity": self.entity, "names": list(self.names)}
        return names | {"active": self.active, "facts": self.facts, "newest": self.newest, "path": self.path}

    def __str__(self) -> str:
        called = f" ({', '.join(self.names)})" if self.names else ""
        ended = f", {self.facts - self.active} superseded" if self.facts > self.active else ""
        return f"{self.entity}{called}  {_count(self.active, 'fact')}{ended}, {self.newest or 'undated'}  {self.path}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def show(memory: Memory, wanted: str, *, as_of: str | None = None) -> tuple[Shown, ...]:
    """Return what a name stands for: a record, lines of a file, an entity, or the notes of the days it names."""
    from mneme.engine.naming import find_named, named_entity
    from mneme.formats.when import find_when

    if as_of is None and (found := find_named(memory, wanted)) is not None:
        return (Shown(found.record, found.text),)
    when = None if as_of else find_when(wanted, memory.today)
    if when is not None and (notes := tuple(_notes_of(memory, when))):
        return notes
    try:
        return (_shown_entity(memory, named_entity(memory, wanted), as_of),)
    except MnemeError:
        if when is None:
            raise
    raise _no_note(wanted, when)


def _no_note(wanted: str, when: When) -> MnemeError:
    days = when.first.isoformat() + (f" to {when.last.isoformat()}" if when.last > when.first else "")
    said = f"'{wanted}', that is {days}" if wanted != days else f"'{wanted}'"
    return NotFoundError(f"there is no note of {said}", f"mneme recall '...' --since {when.first.isoformat()}")


def _notes_of(memory: Memory, when: When) -> Iterator[Shown]:
    """Yield the notes of a day; of the days around it, where that one has none and the words allow it."""
    from mneme.engine.naming import find_named

    profile = memory.workspace.profile
    days = [(path, day.date) for path in memory.workspace.note_files() if (day := profile.find_day(path))]
    exact = [path for path, day in days if day == when.day.isoformat()]
    around = [path for path, day in sorted(days, key=lambda pair: pair[1]) if when.covers(day)]
    narrow = when.size == "day" or when.counted
    for path in exact if narrow and exact else around:
        try:
            found = find_named(memory, path)
        except MnemeError:  # gone meanwhile, or not for whoever asks
            continue
        if found is not None:
            yield Shown(found.record, found.text)


def _shown_entity(memory: Memory, entity: Entity, as_of: str | None) -> Shown:
    """Return an entity's summary, the facts that hold or held on a day, and the ones that no longer did."""
    from mneme.formats.fact import as_of as facts_as_of
    from mneme.formats.fact import fact_record

    day = _day(memory, as_of)
    facts = entity.file.facts
    held = facts_as_of(facts, day) if day else entity.active
    gone = tuple(fact for fact in facts if fact not in held and (not day or fact.date <= day))
    workspace = memory.workspace
    audience, tier = workspace.audience_of(entity.items_path), workspace.tier_of(entity.items_path)

    def record(fact: Fact) -> Record:
        one = fact_record(fact, entity.slug, entity.items_path, audience=audience, tier=tier)
        return replace(one, state=LIVE) if day and fact in held else one

    whole = _summary_record(memory, entity)
    return Shown(whole, "" if day else entity.summary.text, tuple(map(record, held)), tuple(map(record, gone)))


def _summary_record(memory: Memory, entity: Entity) -> Record:
    from mneme.formats.note import note_records
    from mneme.formats.record import FILE

    workspace, path = memory.workspace, entity.summary_path
    return note_records(
        entity.summary,
        kind="entity",
        grain=FILE,
        tier=workspace.tier_of(path),
        audience=workspace.audience_of(entity.items_path),
    )[0]


def _day(memory: Memory, words: str | None) -> str:
    """Return the ISO day that `--as-of` names; empty without one."""
    from mneme.formats.when import find_when

    if words is None:
        return ""
    when = find_when(words, memory.today)
    if when is None:
        message = f"'{words}' is no date"
        raise BadInputError(message, "mneme show ENTITY --as-of 2026-01-31")
    return when.day.isoformat()


def list_records(
    memory: Memory,
    *,
    state: str | None = None,
    topic: str | None = None,
    prefix: str | None = None,
    kind: str | None = None,
    tag: str | None = None,
    entity: str | None = None,
    tier: str | None = None,
) -> Sequence[Record]:
    """Return the records of every kind that fit, in order of file and line."""
    slug = None if entity is None else _entity_slug(memory, entity)
    said = None if tag is None else tag.lstrip("#").lower()
    return [
        piece.record
        for piece in visible_pieces(memory)
        if state in (None, piece.record.state)
        and kind in (None, piece.record.kind)
        and tier in (None, piece.record.tier)
        and prefix in (None, piece.record.id.rpartition("-")[0])
        and slug in (None, piece.entity)
        and (said is None or said in map(str.lower, piece.tags))
        and (topic is None or piece.topic == topic or piece.topic.startswith(topic.rstrip("/") + "/"))
    ]


def _entity_slug(memory: Memory, name: str) -> str:
    from mneme.engine.naming import named_entity

    return named_entity(memory, name).slug


def visible_pieces(memory: Memory) -> Iterator[Piece]:
    """Yield every piece of memory that whoever asks may see; a file that cannot be read is a problem beside the rest."""
    from mneme.memory import all_paths, load_pieces

    for path in all_paths(memory.workspace):
        try:
            pieces = tuple(load_pieces(memory.workspace, [path]))
        except MnemeError as error:
            memory.problems.append(Problem(path, 0, UNREADABLE, ERROR, error.message, error.hint))
            continue
        yield from (piece for piece in pieces if memory.sees(piece.record))


def tags(memory: Memory) -> tuple[TagRow, ...]:
    """Return the tags in use, the most used first, then those that may be used and are not."""
    groups = {name.lower(): group for group, names in memory.workspace.profile.tags.items() for name in names}
    records: Counter[str] = Counter()
    paths: dict[str, set[str]] = defaultdict(set)
    for piece in visible_pieces(memory):
        if piece.record.kind == "fact" and piece.entity:  # what a fact is about is its category, not a tag
            continue
        for tag in {one.lower() for one in piece.tags}:
            records[tag] += 1
            paths[tag].add(piece.record.path)
    names = sorted({*records, *groups}, key=lambda name: (-records[name], name))
    return tuple(TagRow(name, groups.get(name, ""), len(paths[name]), records[name]) for name in names)


def entities(memory: Memory) -> tuple[EntityRow, ...]:
    """Return the entities that facts are kept about."""
    from mneme.engine.naming import sees_entity
    from mneme.memory.graph.entities import load_entities

    found = [one for one in load_entities(memory.workspace) if sees_entity(memory, one)]
    for one in found:
        memory.problems += one.file.problems
    return tuple(
        EntityRow(
            one.slug,
            tuple(name for name in dict.fromkeys(one.names[1:]) if name.lower() != one.slug.replace("-", " ")),
            len(one.active),
            len(one.file.facts),
            max((fact.date for fact in one.file.facts), default=""),
            one.folder,
        )
        for one in found
    )
