"""The store as we left it, read and printed the quick way: nothing differs from the way that looks at every field."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.consolidate.dream.nights import Place, after

from mneme.consolidate.dream.entry import Entries, Entry, parse_entries, print_entries
from mneme.consolidate.dream.kept import parse_kept, print_kept

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 4, 1, tzinfo=UTC)
AT = "2026-04-01T00:00:00.000Z"


def stored(many: int) -> Entries:
    """Return a store of several entries, with what is hard to print."""
    words = ('says "so"\\ }, {', "备份 🔑", "} ‖ and more", "plain words of a note")
    found = {}
    for number in range(many):
        path = f"memory/2026-04-{number % 28 + 1:02d}.md"
        one = Entry(f"memory:{path}:{number + 1}:{number + 1}", path, number + 1, number + 1, words[number % 4])
        found[one.key] = replace(
            one, recalls=number, total_score=number / 3, max_score=1.0, first_at=AT, last_at=AT,
            queries=("a", "b")[: number % 3], days=("2026-04-01",), tags=("x",)[: number % 2],
            claim="c" * (number % 2), promoted_at=AT if number % 5 == 0 else "",
        )  # fmt: skip
    return Entries(found, AT)


@pytest.mark.parametrize("many", [0, 1, 9])
def test_both_ways_read_and_print_the_same(many: int) -> None:
    """Whole, and after one entry has changed, one has gone, and one is new."""
    content = print_entries(stored(many))
    quick, slow = parse_kept(content), parse_entries(content, NOW)
    assert dict(quick.by_key) == dict(slow.by_key)
    assert print_kept(quick) == content
    changed = dict(quick.by_key)
    for key in list(changed)[:1]:
        changed[key] = replace(changed[key], recalls=99)
    for key in list(changed)[1:2]:
        del changed[key]
    changed["new"] = Entry("new", "memory/2026-04-09.md", 1, 1, "something new was noted")
    assert print_kept(replace(quick, by_key=changed)) == print_entries(Entries(changed, AT))


def test_a_store_that_somebody_else_wrote_is_looked_at(tmp_path: Path) -> None:
    """One more entry without lines, put in by hand: it is dropped, and the night goes on."""
    place = Place(tmp_path)
    place.write("memory/2026-04-01.md", "# 2026-04-01\n\n- Move backups to S3 Glacier every night.\n")
    place.dream(after(0))
    name = "memory/.dreams/short-term-recall.json"
    tree = json.loads(place.read(name))
    tree["entries"]["odd"] = {"path": "memory/2026-04-01.md", "source": "memory", "snippet": "x"}
    place.write(name, json.dumps(tree))
    place.ask("memory/2026-04-01.md", 3, after(0.5), "where do backups go")
    assert place.dream(after(1)).status == "dreamt"
    assert "odd" not in json.loads(place.read(name))["entries"]
