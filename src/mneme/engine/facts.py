"""Facts about entities: remembered, superseded, affirmed; an entity's summary is drawn anew with each of them.

A name leads to the entity that it surely is. Where it only may be one, somebody is asked; a name that is like no other
makes a new entity.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import WARN, BadInputError, NotFoundError, Problem, UnsureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.engine.memory import Memory
    from mneme.engine.remember import Wish
    from mneme.engine.results import Done
    from mneme.memory.graph.entities import Entity
    from mneme.memory.notes.drafts import Drafts

_CATEGORY, _SOURCE = "status", "conversation"


def remember_fact(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Append a fact about an entity, which may be new, unless one that says the same is there already."""
    from mneme.engine import results, twins
    from mneme.engine.naming import sees_entity
    from mneme.memory.graph import plan

    with memory.writing("remember", dry_run=dry_run):
        entity, title = _entity_about(memory, wish)
        twin = None if wish.force else twins.find_twin(memory, wish.text, "", {}, about=entity.items_path)
        if twin is not None:
            return twin
        fact_id = _free_id(memory, entity, take=not dry_run)
        category, source = wish.category or _CATEGORY, wish.source or _SOURCE
        values = plan.fact_values(fact_id, wish.text, category, source, wish.day(memory.today))
        drafts = _drafts(memory)
        drafts.write(entity.items_path, plan.added(entity.file.text, entity.items_path, values))
        draw_summary(memory, drafts, entity, title)
        done = memory.apply(files.Plan("remember", drafts.changes(f"new {fact_id}"), fact_id), dry_run=dry_run)
    conflicts = _conflicts(entity, wish.text) if sees_entity(memory, entity) else ()
    told = dataclasses.replace(done, problems=(*conflicts, *done.problems))
    return _with_records(memory, told, entity.items_path, (fact_id,), status=results.NEW)


def supersede_fact(memory: Memory, wanted: str, wish: Wish, *, dry_run: bool) -> Done:
    """Put a new fact in the place of an old one, in one plan, and draw the summary anew."""
    from mneme.memory.graph import plan

    with memory.writing("supersede", dry_run=dry_run):
        entity = entity_of_fact(memory, wanted)
        old = entity.file.get(wanted)
        fact_id = _free_id(memory, entity, take=not dry_run)
        category, source = wish.category or old.category, wish.source or _SOURCE
        values = plan.fact_values(fact_id, wish.text, category, source, memory.today)
        drafts = _drafts(memory)
        drafts.write(entity.items_path, plan.replaced(entity.file.text, entity.items_path, wanted, values))
        draw_summary(memory, drafts, entity, entity.title)
        note = f"{wanted} -> {fact_id}"
        done = memory.apply(files.Plan("supersede", drafts.changes(note), note), dry_run=dry_run)
    return _with_records(memory, done, entity.items_path, (fact_id, wanted))


def affirm_fact(memory: Memory, wanted: str, *, dry_run: bool) -> Done:
    """Write down that a fact was found to hold today."""
    from mneme.memory.graph import plan

    with memory.writing("affirm", dry_run=dry_run):
        entity = entity_of_fact(memory, wanted)
        drafts = _drafts(memory)
        drafts.write(entity.items_path, plan.confirmed(entity.file.text, entity.items_path, wanted, memory.today))
        draw_summary(memory, drafts, entity, entity.title)
        done = memory.apply(files.Plan("affirm", drafts.changes(f"{wanted} still holds"), wanted), dry_run=dry_run)
    return _with_records(memory, done, entity.items_path, (wanted,))


def _conflicts(entity: Entity, text: str) -> Iterator[Problem]:
    """Yield the facts that hold and seem to say otherwise."""
    from mneme.check.claim import claim_of
    from mneme.check.twin import CONFLICT, judge_pair

    new = claim_of(text)
    for fact in entity.active:
        if judge_pair(claim_of(fact.fact), new, same_topic=True)[0] == CONFLICT:
            message = f"'{fact.id}' seems to say otherwise: '{fact.fact}'"
            hint = f"mneme undo\nmneme supersede {fact.id} '{text}'"
            yield Problem(entity.items_path, fact.line, "suspected-conflict", WARN, message, hint)


def _drafts(memory: Memory) -> Drafts:
    from mneme.memory.notes.drafts import Drafts

    return Drafts(memory.root)


def _entity_about(memory: Memory, wish: Wish) -> tuple[Entity, str]:
    """Return the entity that a fact is about, and what to call it."""
    from mneme.engine.naming import sees_entity
    from mneme.memory.graph.entities import entity_slug, load_entities, load_entity, match_entities

    name = " ".join(str(wish.about).split())
    slug = entity_slug(name)
    if not slug:
        raise BadInputError(f"'{name}' cannot be the name of an entity", "mneme remember ... --about acme")
    known = [one for one in load_entities(memory.workspace) if sees_entity(memory, one)]
    match = match_entities(known, name)
    if len(match.sure) == 1 and not wish.new:
        return match.sure[0], match.sure[0].title
    may_be = () if wish.new else match.sure or match.possible
    if may_be:
        named = ", ".join(f"'{one.slug}'" for one in may_be)
        first = may_be[0].slug
        message = f"'{name}' may be {named}" if len(may_be) == 1 else f"'{name}' may be any of {named}"
        hint = f"mneme remember ... --about {first}\nmneme remember ... --about '{name}' --new"
        raise UnsureError(message, hint, choices=tuple(one.slug for one in may_be))
    home = memory.workspace.home_of(wish.kind or "entity").place(entity=slug)
    entity = load_entity(memory.workspace, home.rpartition("/")[0])
    if (entity.file.facts or entity.summary.text) and sees_entity(memory, entity):
        raise BadInputError(f"there is an entity '{entity.slug}' already", f"mneme remember ... --about {entity.slug}")
    return entity, name if name != slug else slug.replace("-", " ").title()


def entity_of_fact(memory: Memory, fact_id: str) -> Entity:
    """Return the entity that has a fact."""
    from mneme.engine.naming import sees_entity
    from mneme.memory.graph.entities import load_entities

    for entity in load_entities(memory.workspace):
        if sees_entity(memory, entity) and entity.file.find(fact_id):
            return entity
    raise NotFoundError(f"there is no fact '{fact_id}'", "mneme entities")


def _free_id(memory: Memory, entity: Entity, *, take: bool) -> str:
    """Return the next id of an entity's facts; one that was taken back is not given again."""
    from mneme.memory.cells.ids import next_number
    from mneme.memory.graph import plan

    least = plan.highest_number(entity.file, entity.slug)
    return plan.numbered_fact(entity.slug, next_number(memory.workspace, entity.slug, take=take, least=least))


def draw_summary(memory: Memory, drafts: Drafts, entity: Entity, title: str) -> None:
    """Draw the region of an entity's summary anew from its facts."""
    from mneme.formats.region import SUMMARY
    from mneme.memory.graph import plan

    if SUMMARY not in memory.workspace.profile.regions:
        return
    facts = drafts.find(entity.items_path) or ""
    drafts.write(entity.summary_path, plan.summarised(entity.summary.text, entity.summary_path, title, facts))


def _with_records(memory: Memory, done: Done, path: str, ids: tuple[str, ...], status: str = "") -> Done:
    from mneme.memory import load_pieces

    if done.diff:
        return done
    known = {piece.record.id: piece.record for piece in load_pieces(memory.workspace, [path])}
    records = tuple(known[one] for one in ids if one in known and memory.sees(known[one]))
    return dataclasses.replace(done, records=records, status=status or done.status)
