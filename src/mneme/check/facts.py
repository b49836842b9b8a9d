"""The checks of entity facts: each by itself, the chains they form, how they changed, and the summary drawn from them."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.found import Found, find, of_problem
from mneme.check.graph import find_cycles
from mneme.check.relative import relative_time
from mneme.check.secret import find_secrets
from mneme.formats.entry import normal_text
from mneme.formats.fact import ACTIVE, CATEGORIES, KEYS, SOURCES, STATUSES, chains
from mneme.formats.record import SUPERSEDED
from mneme.formats.region import MNEME, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mneme.formats.fact import Fact, FactFile
    from mneme.formats.note import Note

    Words = tuple[str, str, str, str]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
# A superseded fact names its successor; an active one has none and need not have the key.
_NEEDED = tuple(key for key in KEYS if key != "supersededBy")
_WORDS = ("fact", "category", "timestamp", "source")


def check_facts(file: FactFile, today: date) -> list[Found]:
    """Return every fault of a file of facts by itself, by line."""
    found = [of_problem(problem) for problem in dict.fromkeys(file.problems)]
    lines = {fact.id: fact.line for fact in reversed(file.facts)}
    for fact in file.facts:
        found += _check_fact(fact, lines, today)
    found += _check_chains(file.facts, lines)
    found += [find("exposed-secret", secret.line, value=secret.kind) for secret in find_secrets(file.text)]
    if file.text.startswith("\ufeff"):
        found.append(find("byte-order-mark", 1))
    return sorted(found, key=lambda one: one.line)


def _check_fact(fact: Fact, lines: Mapping[str, int], today: date) -> Iterator[Found]:
    at, name = fact.line, fact.id
    if missing := [key for key in _NEEDED if not getattr(fact, key)]:
        yield find("incomplete-fact", at, id=name or "?", value=", ".join(f"'{key}'" for key in missing))
    if name and lines[name] != at:
        yield find("duplicate-fact-id", at, id=name, value=lines[name])
    if fact.status and fact.status not in STATUSES:
        yield find("unknown-status", at, id=name, value=fact.status)
    if fact.category and fact.category not in CATEGORIES:
        yield find("unknown-category", at, id=name, value=fact.category, other=", ".join(CATEGORIES))
    if fact.source and fact.source not in SOURCES:
        yield find("unknown-source", at, id=name, value=fact.source, other=", ".join(SOURCES))
    if fact.timestamp and (fault := _day_fault(fact.timestamp, today)):
        yield find("invalid-timestamp", at, id=name, value=fact.timestamp, other=fault)
    if said := relative_time(fact.fact):
        yield find("relative-date", at, value=said)


def _day_fault(text: str, today: date) -> str:
    if not _DAY.fullmatch(text):
        return "is not written as 2026-06-05"
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return "is no day of the calendar"
    return "lies in the future" if day > today else ""


def _check_chains(facts: Sequence[Fact], lines: Mapping[str, int]) -> Iterator[Found]:
    for fact in facts:
        by = fact.superseded_by
        if not by:
            if fact.status == SUPERSEDED:
                yield find("fact-without-successor", fact.line, id=fact.id)
        elif by == fact.id:
            yield find("fact-cycle", fact.line, id=fact.id, value=f"{by} -> {by}")
        elif by not in lines:
            yield find("dangling-successor", fact.line, id=fact.id, value=by)
    circles = find_cycles((fact.id, fact.superseded_by) for fact in facts if fact.superseded_by)
    round_about = {name for circle in circles for name in circle}
    for circle in circles:
        yield find("fact-cycle", lines[circle[0]], id=circle[0], value=" -> ".join((*circle, circle[0])))
    for chain in chains(facts):
        active = [fact for fact in chain if fact.status == ACTIVE]
        late = [
            fact for fact in active if fact.superseded_by in lines and fact.id not in round_about | {fact.superseded_by}
        ]
        if late and len(active) > 1:
            yield find("several-active-heads", late[0].line, value=", ".join(f"'{one.id}'" for one in active))
        elif late:
            yield find("active-yet-superseded", late[0].line, id=late[0].id, value=late[0].superseded_by)


def check_fact_changes(was: Mapping[str, Words], file: FactFile, elsewhere: frozenset[str]) -> Iterator[Found]:
    """Yield the facts that were edited where nothing may be edited, and those that are gone."""
    now = {fact.id: fact for fact in reversed(file.facts)}
    for name, words in was.items():
        fact = now.get(name)
        if fact is None:
            if name not in elsewhere and not file.broken:
                yield find("vanished-fact", 0, id=name)
            continue
        told = (fact.fact, fact.category, fact.timestamp, fact.source)
        changed = [key for key, old, new in zip(_WORDS, words, told, strict=True) if old != new]
        if changed:
            yield find("edited-fact", fact.line, id=name, value=" and the ".join(changed))


# --- the summary of an entity -------------------------------------------------------------------------------------


def check_summary(note: Note, facts: Sequence[Fact]) -> Iterator[Found]:
    """Yield where a summary leaves out a fact that holds, or still says one that does not.

    Of a summary in a person's own words only the second can be told: it repeats word for word what was superseded.
    """
    region = note.find_region(SUMMARY, MNEME) if "<!--" in note.text else None
    first = region.line if region else 1
    text = note.text[region.inner_start : region.inner_end] if region else note.text
    said = _plain(text)
    active = [fact for fact in facts if fact.status == ACTIVE and not fact.superseded_by]
    holding = Counter(_plain(fact.fact) for fact in active)
    if region is not None:
        for fact in active:
            if _plain(fact.fact) not in said:
                yield find("summary-out-of-step", first, value=f"the summary does not say '{fact.id}': {fact.fact}")
    for fact in facts:
        words = _plain(fact.fact)
        old = fact.status == SUPERSEDED and len(words) > len(fact.id) and words not in holding
        if old and words in said and not any(words in other for other in holding):
            value = f"the summary still says '{fact.id}', which was superseded"
            yield find("summary-out-of-step", first, value=value)


def _plain(text: str) -> str:
    return normal_text(text).lower().rstrip(".\u3002")
