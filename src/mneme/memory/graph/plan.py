"""What happens to facts: a new one, one in the place of another, one found to hold; and the summary drawn from them.

Text in, text out: the facts of an entity are given as they are written, and the new text of `items.json` comes back.
What a fact says is never touched.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, RefusedError
from mneme.formats.edit import set_region
from mneme.formats.fact import (
    ACTIVE,
    CATEGORIES,
    ID_DIGITS,
    SOURCES,
    append_fact,
    confirm_fact,
    heads,
    next_fact_id,
    parse_facts,
    summary_groups,
    supersede_fact,
)
from mneme.formats.note import parse_note
from mneme.formats.record import SUPERSEDED
from mneme.formats.region import SUMMARY
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from mneme.formats.fact import Fact, FactFile
    from mneme.formats.note import Note

# The region of what a language model wrote about an entity.
PROSE = "prose"


def fact_values(fact_id: str, text: str, category: str, source: str, day: date) -> dict[str, object]:
    """Return the seven keys of a new fact, in their order; refuses what no fact can say."""
    said = " ".join(text.split())
    if not said:
        raise BadInputError(
            "there is nothing to remember: the text is empty", "mneme remember 'Acme pays yearly' --about acme"
        )
    for name, value, known in (("category", category, CATEGORIES), ("source", source, SOURCES)):
        if value not in known:
            raise BadInputError(
                f"there is no {name} '{value}'; there are {', '.join(known)}", f"mneme remember ... --{name} {known[0]}"
            )
    return {
        "id": fact_id,
        "fact": said,
        "category": category,
        "timestamp": day.isoformat(),
        "source": source,
        "status": ACTIVE,
        "supersededBy": None,
    }


def highest_number(file: FactFile, entity: str) -> int:
    """Return the highest number that an entity's facts have."""
    return int(next_fact_id(entity, [fact.id for fact in file.facts]).rpartition("-")[2]) - 1


def numbered_fact(entity: str, number: int) -> str:
    """Return the id of a fact."""
    return f"{entity}-{number:0{ID_DIGITS}d}"


def added(text: str, path: str, values: dict[str, object]) -> str:
    """Return the facts with a new one at the end."""
    return apply_edits(text, [append_fact(parse_facts(text, path), values)])


def replaced(text: str, path: str, fact_id: str, values: dict[str, object]) -> str:
    """Return the facts with a new one at the end, and an old one marked superseded by it."""
    file = parse_facts(text, path)
    check_holds(file.get(fact_id))
    return apply_edits(text, [append_fact(file, values), *supersede_fact(file, fact_id, str(values["id"]))])


def confirmed(text: str, path: str, fact_id: str, day: date) -> str:
    """Return the facts with one of them affirmed."""
    file = parse_facts(text, path)
    check_holds(file.get(fact_id))
    return apply_edits(text, confirm_fact(file, fact_id, day.isoformat()))


def check_holds(fact: Fact) -> None:
    """Refuse to revise a fact that something else has taken the place of."""
    if fact.status == SUPERSEDED or fact.superseded_by:
        by = f"; '{fact.superseded_by}' replaced it" if fact.superseded_by else ""
        raise RefusedError(f"'{fact.id}' is superseded{by}", f"mneme show {fact.superseded_by or fact.id}")


def summarised(text: str, path: str, title: str, facts: str) -> str:
    """Return an entity's summary with its region drawn anew from its facts; what people wrote around it stays."""
    text = text if text.strip() else f"# {title}\n"
    known = parse_facts(facts).facts
    content = summary_text(known)
    note = parse_note(text, path)
    if note.find_region(PROSE) and not is_told(note, heads(known)):  # made from facts that are not what holds now
        text = apply_edits(text, [set_region(note, PROSE, "")])
        note = parse_note(text, path)
    region = note.find_region(SUMMARY)
    if region and note.text[region.inner_start : region.inner_end].strip() == content.strip():
        return text
    return apply_edits(text, [set_region(note, SUMMARY, content)])


def prose_mark(facts: Sequence[Fact]) -> str:
    """Return the mark of the facts that sentences were made from."""
    said = "\n".join(sorted(f"{fact.id} {fact.fact}" for fact in facts))
    return f"<!-- of {len(facts)} facts, {sha256(said.encode('utf-8', 'surrogateescape')).hexdigest()[:12]} -->"


def is_told(note: Note, facts: Sequence[Fact]) -> bool:
    """Say whether a summary has sentences that were made from these very facts."""
    region = note.find_region(PROSE)
    return region is not None and prose_mark(facts) in note.text[region.inner_start : region.inner_end]


def summary_text(facts: tuple[Fact, ...]) -> str:
    """Return what a summary says: the facts that hold, by category, oldest first."""
    groups = (
        "\n".join([f"## {(category or 'other').capitalize()}", "", *map(_line, held)])
        for category, held in summary_groups(facts)
    )
    return "\n\n".join(groups)


def _line(fact: Fact) -> str:
    days = [fact.date] if fact.date else []
    days += [f"confirmed {fact.confirmed}"] if fact.confirmed else []
    said = " ".join(fact.fact.split())
    return f"- {said} ({', '.join(days)})" if days else f"- {said}"
