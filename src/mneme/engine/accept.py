"""Accepting a proposal: it becomes a memory in the home of its kind, and says what it became, in one plan.

What a proposal says beyond its text is handed on as far as its home takes it, so that one that was found under one
profile can be accepted under another.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.proposal import Proposal

_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
# Whom a statement of the user's own is about, where its home is an entity's.
SELF = "user"
# What refinement suggests for MEMORY.md itself.
PROMOTION = "promotion"

# What a kind becomes where the profile has no home for it, in order.
FALLBACKS = {
    "todo": ("task", "goal"),
    "task": ("todo", "goal"),
    "gotcha": ("lesson", "feedback"),
    "lesson": ("gotcha", "feedback"),
    "feedback": ("preference", "gotcha"),
    "preference": ("user", "feedback"),
    "user": ("preference", "fact"),
    "entity": ("fact", "reference", "project"),
    "fact": ("reference", "project"),
    "project": ("decision", "fact"),
    "reference": ("fact",),
    PROMOTION: ("project", "decision", "fact"),
}


@dataclass(frozen=True, slots=True)
class Accepted:
    """What came of one proposal: the record that it became, or the one that said the same already."""

    id: str
    became: str
    done: Done

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {"id": self.id, "became": self.became, "plan": self.done.n, "diff": self.done.diff}


def accept(
    memory: Memory,
    wanted: Sequence[str],
    *,
    kind: str = "",
    about: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> tuple[Accepted, ...]:
    """Make memories of proposals, each in a plan of its own; `kind` and `about` say otherwise than they do."""
    from mneme.memory.cells.proposals import load_queue

    if not wanted:
        raise BadInputError("which proposals are accepted?", "mneme proposals")
    queue = load_queue(memory.workspace)
    found = [queue.get_waiting(one) for one in dict.fromkeys(wanted)]
    memory.check_first("accept", force=force)
    return tuple(_accept_one(memory, _as_wished(one, kind, about), force=force, dry_run=dry_run) for one in found)


def _as_wished(one: Proposal, kind: str, about: str) -> Proposal:
    said = {**one.said, "about": about} if about else one.said
    return dataclasses.replace(one, kind=kind or one.kind, said=said)


def _accept_one(memory: Memory, one: Proposal, *, force: bool, dry_run: bool) -> Accepted:
    """Remember a proposal and settle it, both in the plan of the memory that it becomes."""

    def joined(plan: files.Plan) -> files.Plan:
        became.append(_named(plan))
        settle = _settled(memory, one, became[-1])
        return dataclasses.replace(plan, verb="accept", changes=(*plan.changes, settle), note=f"{one.id} {plan.note}")

    from mneme.consolidate.sublimate import KNOWLEDGE
    from mneme.engine.sublimate import merge

    became: list[str] = []
    memory.joined = joined
    try:
        if one.kind == KNOWLEDGE:
            merged = merge(memory, one, dry_run=dry_run)
            return Accepted(one.id, became[-1], merged)
        if one.kind == PROMOTION and (promoted := _promoted(memory, one, dry_run=dry_run)) is not None:
            return Accepted(one.id, became[-1], promoted)
        done = memory.remember(
            one.text, kind=home_kind(memory, one.kind), **_said(memory, one), force=force, dry_run=dry_run
        )
    finally:
        memory.joined = None
    record = done.records[0].id if done.records else became[-1] if became else ""
    return Accepted(one.id, record, done) if became else _known(memory, one, done, record, dry_run=dry_run)


def _promoted(memory: Memory, one: Proposal, *, dry_run: bool) -> Done | None:
    """Put what dreaming did not promote by itself into MEMORY.md; None where that file is but an index."""
    from mneme.check.kind import guess_kinds
    from mneme.memory.notes.classified import Saying
    from mneme.memory.notes.drafts import Drafts
    from mneme.memory.notes.entries import print_entry, put_curated

    profile = memory.workspace.profile
    path = profile.places.memory
    if not path or profile.name == "never-forget":
        return None
    kind = guess_kinds(one.text)[0].kind
    day = date.fromisoformat(_day_said(memory, one) or memory.today.isoformat())
    with memory.writing("accept", dry_run=dry_run):
        drafts = Drafts(memory.root)
        name = put_curated(drafts, path, print_entry(Saying(one.text), kind, day), kind)
        return memory.apply(files.Plan("accept", drafts.changes("a promotion"), f"{path}#{name}"), dry_run=dry_run)


def _known(memory: Memory, one: Proposal, done: Done, record: str, *, dry_run: bool) -> Accepted:
    """Settle a proposal that says what is remembered already."""
    with memory.writing("accept", dry_run=dry_run):
        plan = files.Plan("accept", (_settled(memory, one, record),), f"{one.id} {record}")
        settled = memory.apply(plan, dry_run=dry_run)
    return Accepted(one.id, record, dataclasses.replace(settled, records=done.records))


def _settled(memory: Memory, one: Proposal, became: str) -> files.Change:
    from mneme.formats.proposal import accepted_line
    from mneme.memory.cells.proposals import load_queue, plan_settle

    queue = load_queue(memory.workspace)
    queue.get_waiting(one.id)  # somebody else may have settled it meanwhile
    return plan_settle(queue, [(one.id, accepted_line(became))], memory.today.isoformat())


def _named(plan: files.Plan) -> str:
    """Return the id or the path of what a plan remembers."""
    return plan.note or next((change.path for change in plan.changes), "")


def home_kind(memory: Memory, kind: str) -> str:
    """Return the kind itself where the profile has a home for it, else the nearest one that has."""
    homes = memory.workspace.profile.homes
    return next((one for one in (kind, *FALLBACKS.get(kind, ())) if one in homes), kind)


def _day_said(memory: Memory, one: Proposal) -> str:
    """Return the day on which it was said, or was proposed; when it was accepted is in the queue and in history."""
    day = one.said.get("day") or one.since
    return day if _DAY.fullmatch(day) and day <= memory.today.isoformat() else ""


def _said(memory: Memory, one: Proposal) -> dict[str, Any]:
    """Return the options of a proposal that the home of its kind takes."""
    from mneme.engine.remember import FACT, STATUS, TAKEN_BY, Wish, form_of

    form = form_of(memory, Wish(one.text, home_kind(memory, one.kind)))
    given: dict[str, Any] = {**one.said, "topic": one.topic, "since": _day_said(memory, one)}
    given["tags"] = tuple(one.said.get("tags", "").replace(",", " ").split())
    if form == FACT:
        given["about"] = one.said.get("about") or SELF
    if form == STATUS:
        given["project"] = one.said.get("project") or one.topic
    if one.topic == "general":
        given.pop("topic")
    return {name: value for name, value in given.items() if value and form in TAKEN_BY.get(name, ())}
