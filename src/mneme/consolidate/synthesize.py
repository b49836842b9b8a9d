"""An entity's summary, rewritten from its active facts, and what changed since the last time.

The summary's region is the one that every new fact draws anew; what changed has a region of its own below it, with the day of the
synthesis. Where nothing changed since then, both stay as they are. Pure: texts in, text out.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme.formats.edit import set_region
from mneme.formats.fact import parse_facts
from mneme.formats.note import parse_note
from mneme.formats.span import apply_edits
from mneme.memory.graph.plan import summarised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.formats.fact import Fact

CHANGES = "changes"
FIRST_DAYS = 7
_SINCE = re.compile(r"^## Changed from (?P<since>\d{4}-\d\d-\d\d) to (?P<day>\d{4}-\d\d-\d\d)$", re.MULTILINE)
_NAMED = re.compile(r"\((?:[^()]*, )?(?P<id>[\w-]+-\d+)\)$", re.MULTILINE)


def synthesized(summary: str, path: str, title: str, facts: str, today: date) -> tuple[str, list[str]]:
    """Return an entity's summary as it should be, and the lines that say what changed."""
    text = summarised(summary, path, title, facts)
    note = parse_note(text, path)
    region = note.find_region(CHANGES)
    told = note.text[region.inner_start : region.inner_end] if region else ""
    last = _SINCE.search(told)
    since = last["day"] if last else (today - timedelta(days=FIRST_DAYS)).isoformat()
    known = {match["id"] for match in _NAMED.finditer(told)} if last else set()
    rows = list(_rows(parse_facts(facts).facts, since, known))
    if not rows:
        return text, []
    again = last is not None and since == today.isoformat()  # a second time on one day, what the first told stays
    earlier = [row for row in told.splitlines() if row.startswith("- ")] if again else []
    begun = last["since"] if last and again else since
    content = "\n".join((f"## Changed from {begun} to {today.isoformat()}", "", *earlier, *rows))
    return apply_edits(text, [set_region(note, CHANGES, content)]), rows


def _rows(facts: tuple[Fact, ...], since: str, known: set[str]) -> Iterator[str]:
    """Yield what came since a day; of that day itself, what was not told then."""
    by_id = {fact.id: fact for fact in facts}
    replaced = {fact.superseded_by: fact for fact in facts if fact.superseded_by}
    for fact in facts:
        fresh = fact.date > since or (fact.date == since and fact.id not in known)
        if not fresh or fact.id not in by_id:
            continue
        old = replaced.get(fact.id)
        said = " ".join(fact.fact.split())
        before = f"; it was: {' '.join(old.fact.split())}" if old else ""
        yield f"- {'changed' if old else 'new'}: {said}{before} ({fact.date}, {fact.id})"
