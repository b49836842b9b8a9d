"""The weekly synthesis: each entity's summary rewritten from its active facts, in one plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.check import refuse_shared

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done


@dataclass(frozen=True, slots=True)
class Synthesized:
    """What came of a synthesis: the plan, and what changed for each entity since the last one."""

    done: Done
    changed: tuple[tuple[str, tuple[str, ...]], ...] = ()

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
    changed = []
    with memory.writing("synthesize", dry_run=dry_run):
        drafts = Drafts(memory.root)
        for entity in load_entities(memory.workspace):
            facts = drafts.find(entity.items_path)
            if not facts or not entity.file.facts or not sees_entity(memory, entity):
                continue
            before = drafts.find(entity.summary_path) or ""
            after, rows = synthesized(before, entity.summary_path, entity.title, facts, memory.today)
            if after != before:
                drafts.write(entity.summary_path, after)
                changed.append((entity.slug, tuple(rows)))
        plan = files.Plan("synthesize", drafts.changes("summaries"), f"{len(changed)} summaries")
        done = memory.apply(plan, dry_run=dry_run)
    return Synthesized(done, tuple(changed))
