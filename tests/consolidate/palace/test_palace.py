"""The palace says what is remembered, from where, and nothing else; a person's text stays, and twice changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.consolidate.palace.dimension import parse_dimension
from mneme.engine.memory import Memory
from mneme.errors import BadInputError
from mneme.formats.note import parse_note
from mneme.formats.piece import Piece
from mneme.formats.record import Record
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CELLS = """\
@ DEC-0001  cache/local
gist  The cache uses SQLite
state superseded   conf med   since 2026-01-02   seen 2026-01-02
> because
link  superseded-by DEC-0002

@ DEC-0002  cache/local
gist  The cache uses Docker and Redis [fast] <b>
state live   conf med   since 2026-02-03   seen 2026-02-03
> because
link  supersedes DEC-0001

@ GOTCHA-0001  cache/docker
gist  Redis needs 2 GB
state stale   conf med   since 2026-02-04   seen 2026-02-04
> because
"""
DAY = """\
# 2026-02-05

- looked at logs

Updated: 2026-02-05 18:00
Decisions: ship the importer on Monday
Signal: none
Open: none
"""
PROJECT = "---\nname: Importer\ndescription: reads old notes\ntype: project\ncreated: 2026-02-01\n---\n\nFact: reads.\n"
TOML = 'profile = "default"\n\n[palace.dimensions]\n"What bites" = "kind:gotcha"\n'


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory of a bit of everything."""
    for path, text in (
        ("mneme.toml", TOML),
        ("memory/project.mneme", CELLS),
        ("memory/2026-02-05.md", DAY),
        ("memory/project/importer.md", PROJECT),
        ("knowledge/setup.md", "# Setup\n\n## Servers (2026-01-09)\n\nThe importer runs in docker.\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    with Memory(open_workspace(tmp_path), lambda: datetime(2026, 2, 6, tzinfo=UTC)) as opened:
        yield opened


def page(memory: Memory, name: str) -> list[str]:
    """Return the rows of a page, its headings with them."""
    text = (memory.root / f"memory/palace/{name}.md").read_text("utf-8")
    return [line for line in text.splitlines() if line.startswith(("- ", "## "))]


def test_time_is_told_by_what_is_in_force_and_by_closures(memory: Memory) -> None:
    """Newest first; what was superseded is gone, a day is what it came to, and markup of others stays text."""
    memory.palace()
    assert page(memory, "timeline") == [
        "## 2026-02",
        "- 2026-02-05 ship the importer on Monday [2026-02-05.md](../2026-02-05.md#055bf4da)",
        "- 2026-02-04 Redis needs 2 GB (stale) [GOTCHA-0001](../project.mneme)",
        "- 2026-02-03 The cache uses Docker and Redis \\[fast\\] \\<b\\> [DEC-0002](../project.mneme)",
        "- 2026-02-01 reads old notes [importer.md](../project/importer.md)",
        "## 2026-01",
        "- 2026-01-09 Servers (2026-01-09) [setup.md](../../knowledge/setup.md#servers-2026-01-09)",
    ]


def test_a_project_has_what_is_filed_under_it_and_what_names_it(memory: Memory) -> None:
    """A topic that several cells share is a project as well."""
    memory.palace()
    rows = page(memory, "projects")
    assert rows[0] == "## cache"
    assert [row for row in rows if row.startswith("##")] == ["## cache", "## Importer"]
    assert any("setup.md" in row for row in rows[rows.index("## Importer") :])


def test_technology_and_dimensions_of_ones_own(memory: Memory) -> None:
    """By tag, topic or name; a dimension by its query."""
    memory.palace()
    assert page(memory, "technology")[0] == "## docker"
    assert len(page(memory, "technology")) == 4
    assert page(memory, "custom") == [
        "## What bites",
        "- 2026-02-04 Redis needs 2 GB (stale) [GOTCHA-0001](../project.mneme)",
    ]


def test_the_second_time_changes_nothing_and_undo_takes_it_back(memory: Memory) -> None:
    """Law 12."""
    assert len(memory.palace().paths) == 4
    assert memory.palace().paths == ()
    memory.undo()
    assert not (memory.root / "memory/palace/timeline.md").exists()


def test_what_a_person_wrote_around_the_marks_stays(memory: Memory) -> None:
    """And one memory more changes only the pages that it is on."""
    memory.palace()
    place = memory.root / "memory/palace/custom.md"
    place.write_text("mine\n" + place.read_text("utf-8") + "mine too\n", "utf-8")
    memory.remember("Ports below 1024 need root", kind="gotcha", topic="ops")
    assert set(memory.palace().paths) == {"memory/palace/timeline.md", "memory/palace/custom.md"}
    text = place.read_text("utf-8")
    assert text.startswith("mine\n")
    assert text.endswith("mine too\n")
    assert "Ports below 1024" in text


def test_every_link_leads_to_its_source(memory: Memory) -> None:
    """Links are relative to the page and resolve on disk."""
    memory.palace()
    folder = memory.root / "memory/palace"
    targets = [
        link.target for name in folder.iterdir() for link in parse_note(name.read_text("utf-8"), name.name).links
    ]
    assert len(targets) > 8
    assert all((folder / target.partition("#")[0]).resolve().is_file() for target in targets)


def test_a_shared_page_holds_nothing_private(memory: Memory) -> None:
    """Where settings share a page, only shared records are on it."""
    toml = TOML + '\n[audience]\nshared = ["memory/palace/timeline.md"]\n'
    (memory.root / "mneme.toml").write_text(toml, "utf-8")
    cells = memory.root / "memory/project.mneme"
    cells.write_text(CELLS + "# audience: shared\n", "utf-8")
    again = Memory(open_workspace(memory.root), memory.now)
    again.palace()
    assert [row for row in page(again, "timeline") if row.startswith("- ")] == [
        "- 2026-02-04 Redis needs 2 GB (stale) [GOTCHA-0001](../project.mneme)"
    ]
    assert len(page(again, "projects")) > 4


@pytest.mark.parametrize(
    ("query", "takes"),
    [
        ("kind:fact", True),
        ("kind:decision kind:fact", True),
        ("kind:decision", False),
        ("topic:a", True),
        ("topic:a/b/c", False),
        ("tag:X -state:stale", True),
        ("-tag:x", False),
        ("path:memory/* since:2026-01-01 until:2026-01-31", True),
        ("since:2026-02-01", False),
        ('"two words" kind:fact', True),
        ("words missing", False),
    ],
)
def test_a_dimension_takes_what_fits_every_key(query: str, takes: bool) -> None:  # noqa: FBT001 - a table
    """Several values of one key are alternatives."""
    record = Record("F-1", "fact", "memory/a.md", 1, 1, "", since="2026-01-05")
    piece = Piece(record, body="here are two words", topic="a/b", tags=("x",))
    assert parse_dimension(query, "d").takes(piece) is takes


@pytest.mark.parametrize("query", ["colour:red", 'a "b'])
def test_a_query_that_cannot_be_read_is_told(query: str) -> None:
    """With the name of the dimension."""
    with pytest.raises(BadInputError, match="the dimension 'mine'"):
        parse_dimension(query, "mine")


def test_a_memory_of_nothing_but_signs_is_no_event_of_a_diagram() -> None:
    """An empty event would keep a reader from drawing any of them."""
    from mneme.consolidate.palace.page import print_view
    from mneme.consolidate.palace.views import Group, Row, View

    rows = (Row("2026-01-05", "🦞🦞", "a.md", "a.md", "live", "project"),)
    more = (*rows, Row("2026-01-06", "moved", "b.md", "b.md", "live", "project"))
    view = View("timeline", "Timeline", (Group("2026-02", rows), Group("2026-01", more)))
    told = print_view(view, "memory/palace").partition("```\n")[0]
    assert "    2026-01 : moved\n    2026-02 : \u2026\n" in told
