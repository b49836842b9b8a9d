"""The weekly synthesis: each entity's summary rewritten from its active facts, in one plan.

Where a language model is set, it says in a few sentences above them what one should know first; what it says is held
against the facts that it names, and without it, or without an answer that holds, the facts stand by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.check import refuse_shared
from mneme.errors import WARN, MnemeError, Problem

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.memory.graph.entities import Entity


@dataclass(frozen=True, slots=True)
class Synthesized:
    """What came of a synthesis: the plan, and what changed for each entity since the last one."""

    done: Done
    changed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        return self.done.paths

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        changed = [{"entity": name, "changes": list(rows)} for name, rows in self.changed]
        return {"plan": self.done.n, "diff": self.done.diff, "changed": changed}


def synthesize(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Synthesized:
    """Rewrite the summaries of all entities that have facts; nothing happens where none has changed."""
    from mneme.consolidate.synthesize import synthesized
    from mneme.engine.naming import sees_entity
    from mneme.memory.graph.entities import load_entities
    from mneme.memory.notes.drafts import Drafts

    refuse_shared(memory, "synthesize")
    memory.check_first("synthesize", force=force, mends={"summary-out-of-step", "missing-summary"})
    problems: list[Problem] = []
    prose = _prose(memory, problems)
    changed = []
    with memory.writing("synthesize", dry_run=dry_run):
        drafts = Drafts(memory.root)
        for entity in load_entities(memory.workspace):
            facts = drafts.find(entity.items_path)
            if not facts or not entity.file.facts or not sees_entity(memory, entity):
                continue
            before = drafts.find(entity.summary_path) or ""
            told = _with_prose(before, entity, prose.get(entity.slug))
            after, rows = synthesized(told, entity.summary_path, entity.title, facts, memory.today)
            if after != before:
                drafts.write(entity.summary_path, after)
                changed.append((entity.slug, tuple(rows)))
        plan = files.Plan("synthesize", drafts.changes("summaries"), f"{len(changed)} summaries")
        done = memory.apply(plan, dry_run=dry_run)
    return Synthesized(done, tuple(changed), (*problems, *done.problems))


def _prose(memory: Memory, problems: list[Problem]) -> dict[str, str]:
    """Return what a model says of the entities whose facts are new since it was last asked, if there is one."""
    from mneme.consolidate import prose
    from mneme.engine.models import find_asking
    from mneme.engine.naming import sees_entity
    from mneme.formats.fact import heads
    from mneme.memory.graph.entities import load_entities

    asking, reason = find_asking(memory)
    if asking is None:
        if memory.workspace.settings["model.kind"] != "none":
            problems.append(Problem("", 0, "no-model", WARN, f"summarised without a model: {reason}"))
        return {}
    found = {}
    for entity in load_entities(memory.workspace):
        facts = heads(entity.file.facts)
        if not sees_entity(memory, entity) or not prose.needs_prose(entity.summary.text, entity.summary_path, facts):
            continue
        words = prose.question(entity.title, facts)
        try:
            answer = asking.ask("synthesize", words, prose.SCHEMA, partial(prose.faults_of, facts))
        except MnemeError as fault:
            problems.append(
                Problem("", 0, "no-model", WARN, f"summarised without a model: {fault.message}", fault.hint)
            )
            if asking.asked >= asking.limits.calls:
                break
            continue
        found[entity.slug] = prose.print_prose(answer, facts)
    return found


def _with_prose(summary: str, entity: Entity, content: str | None) -> str:
    from mneme.consolidate.prose import with_prose

    return with_prose(summary, entity.summary_path, entity.title, content) if content else summary
