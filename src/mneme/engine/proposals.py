"""The verbs about what waits for somebody's word: propose, look through, accept, reject.

Capture, refinement, sublimation and outcomes all propose through `propose`, so that there is one queue, one rule for
what was said before, and nothing is proposed twice, least of all what was rejected.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import INFO, BadInputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.proposal import Proposal
    from mneme.memory.cells.proposals import Queue

# Files of what happened: a claim is found in them, which makes it no memory yet.
_QUOTED_KINDS = frozenset({"day", "buffer"})


def propose(
    memory: Memory, wanted: Iterable[Proposal], *, verb: str = "propose", dry_run: bool = False
) -> tuple[Done, tuple[Proposal, ...]]:
    """Put into the queue what is neither remembered nor was ever proposed; return what was put there with its ids."""
    from mneme.formats.proposal import PREFIX, print_proposal
    from mneme.memory.cells.proposals import load_queue, plan_propose

    with memory.writing(verb, dry_run=dry_run):
        queue = load_queue(memory.workspace)
        fresh, problems = _fresh(memory, queue, wanted)
        named = _named(memory, fresh, PREFIX, take=not dry_run)
        day = memory.today.isoformat()
        blocks = [print_proposal(one, one.id, day) for one in named]
        note = f"{len(named)} proposals"
        changes = (plan_propose(queue, blocks, note),) if blocks else ()
        done = memory.apply(files.Plan(verb, changes, note), dry_run=dry_run)
    return dataclasses.replace(done, problems=(*problems, *done.problems)), named


def _fresh(memory: Memory, queue: Queue, wanted: Iterable[Proposal]) -> tuple[list[Proposal], list[Problem]]:
    """Return what nobody said before, and what was left out for its secret; the rest is left out without a word."""
    from mneme.check.asked import claims_of, duplicate_claim, settled_claims
    from mneme.check.secret import find_secrets
    from mneme.formats.cell import Cell
    from mneme.memory import load_pieces
    from mneme.memory.cells.proposals import PATH

    wanted = list(wanted)
    if not wanted:  # a heartbeat that found nothing reads nothing else
        return [], []
    pieces = (piece for piece in load_pieces(memory.workspace) if piece.record.kind not in _QUOTED_KINDS)
    claims = claims_of(piece for piece in pieces if piece.record.path != PATH) + settled_claims(queue.file.cells)
    fresh, problems = [], []
    for one in wanted:
        quotes = (source.quote for source in one.sources)
        if found := find_secrets("\n".join((one.text, *one.said.values(), *quotes))):
            message = f"a proposal was left out: it looks like a secret ({found[0].kind})"
            problems.append(Problem(one.sources[0].anchor if one.sources else "", 0, "secret", INFO, message))
        elif not duplicate_claim(one.text, one.topic, claims):
            fresh.append(one)
            claims.append(Cell("new", one.topic, one.text, "live"))
    return fresh, problems


def _named(memory: Memory, fresh: Sequence[Proposal], prefix: str, *, take: bool) -> tuple[Proposal, ...]:
    """Give each proposal its id; without taking them, those that would be next."""
    from mneme.engine.cells import free_id
    from mneme.formats.cell_edit import numbered_id

    if take:
        return tuple(dataclasses.replace(one, id=free_id(memory, prefix, take=True)) for one in fresh)
    first = int(free_id(memory, prefix, take=False).rpartition("-")[2])
    return tuple(dataclasses.replace(one, id=numbered_id(prefix, first + n)) for n, one in enumerate(fresh))


def proposals(memory: Memory, *, by: str = "", kind: str = "", settled: bool = False) -> tuple[Proposal, ...]:
    """Return the proposals that wait, or with `settled` those that were accepted or rejected; private ones are kept."""
    from mneme.memory.cells.proposals import load_queue

    if memory.shared:  # what waits for a person's word is private, whatever it would become
        return ()
    queue = load_queue(memory.workspace)
    return tuple(
        one for one in queue.proposals if bool(one.fate) == settled and by in ("", one.by) and kind in ("", one.kind)
    )


def reject(memory: Memory, wanted: Sequence[str], *, why: str = "", dry_run: bool = False) -> Done:
    """Retire proposals with the reason; what they claim is not proposed again."""
    from mneme.formats.proposal import rejected_line
    from mneme.memory.cells.proposals import load_queue, plan_settle

    if not wanted:
        raise BadInputError("which proposals are rejected?", "mneme proposals")
    with memory.writing("reject", dry_run=dry_run):
        queue = load_queue(memory.workspace)
        found = [queue.get_waiting(one) for one in dict.fromkeys(wanted)]
        change = plan_settle(queue, [(one.id, rejected_line(why)) for one in found], memory.today.isoformat())
        note = " ".join(one.id for one in found)
        return memory.apply(files.Plan("reject", (change,), note), dry_run=dry_run)
