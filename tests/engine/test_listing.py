"""Showing and listing what is remembered: every kind by every name, and nothing private in a shared context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import make, put, shared

from mneme.errors import BadInputError, NotFoundError, RefusedError, UnsureError

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine import Memory

CELLS = """\
@ DEC-0001  storage/cache
gist  Local cache uses SQLite, not JSON
state live   conf high   since 2026-01-02   seen 2026-01-02
"""
DAY = "# 2026-01-27\n\n- 09:10 met Ann about #docker\n- 11:00 moved the cache\n"
SEMANTIC = """\
# Infrastructure
#tags: docker, ssh
> last_verified: 2026-01-20

- The index runs on port 6333
- Backups go to the attic <!-- mneme: stale, conf low, seen 2026-01-25 -->
"""
FACTS = """\
[
  {"id": "acme-001", "fact": "Acme pays monthly", "category": "status", "timestamp": "2025-11-01",
   "source": "conversation", "status": "superseded", "supersededBy": "acme-002"},
  {"id": "acme-002", "fact": "Acme pays yearly", "category": "status", "timestamp": "2026-01-10",
   "source": "conversation", "status": "active", "supersededBy": null}
]
"""
SUMMARY = "---\naliases: [ACME Inc., 阿克米]\n---\n# Acme Widgets\n\nOur largest customer.\n"
PRIVATE_CELL = CELLS.replace("DEC-0001", "DEC-0002").replace("Local", "Remote") + "# audience: private\n"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Give a workspace with a bit of every kind."""
    found = make(tmp_path)
    put(tmp_path, "memory/project.mneme", CELLS)
    put(tmp_path, "memory/2026-01-27.md", DAY)
    put(tmp_path, "memory/2026-01-09.md", "# 2026-01-09\n\n- planned the year\n")
    put(tmp_path, "memory/semantic/infrastructure.md", SEMANTIC)
    put(tmp_path, "brain/areas/acme/items.json", FACTS)
    put(tmp_path, "brain/areas/acme/summary.md", SUMMARY)
    put(tmp_path, "todos.md", "# Todos\n\n- [ ] Renew the certificate\n- [x] Order a desk\n")
    return found


def texts(memory: Memory, wanted: str, as_of: str | None = None) -> list[str]:
    """Return the texts that a name is shown with."""
    return [shown.text for shown in memory.show(wanted, as_of=as_of)]


def test_an_id_of_any_kind_is_shown_as_written(memory: Memory) -> None:
    """Cells, facts, entries, sections, files and lines of them are shown by their ids."""
    assert texts(memory, "DEC-0001") == [CELLS.rstrip()]
    assert texts(memory, "acme-002")[0].lstrip().startswith('{"id": "acme-002"')
    entry = next(record for record in memory.list(tag="ssh") if "port 6333" in record.text)
    assert texts(memory, entry.id) == ["- The index runs on port 6333"]
    assert texts(memory, "memory/semantic/infrastructure.md#infrastructure") == [SEMANTIC.rstrip()]
    assert texts(memory, "memory/2026-01-27.md") == [DAY]
    assert texts(memory, "memory/2026-01-27.md#L3-L4") == ["- 09:10 met Ann about #docker\n- 11:00 moved the cache"]
    assert texts(memory, "memory/2026-01-27.md#L3") == ["- 09:10 met Ann about #docker"]


def test_lines_beyond_a_file_are_told(memory: Memory) -> None:
    """Lines that are not there are an error that says how many there are."""
    with pytest.raises(BadInputError, match="has 4 lines"):
        memory.show("memory/2026-01-27.md#L9")


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        ("last Tuesday", ["memory/2026-01-27.md"]),
        ("2026-01-27", ["memory/2026-01-27.md"]),
        ("上周二", []),
        ("3 weeks ago", ["memory/2026-01-09.md"]),
        ("this month", ["memory/2026-01-09.md", "memory/2026-01-27.md"]),
    ],
)
def test_a_date_in_words_shows_its_notes(memory: Memory, words: str, notes: list[str]) -> None:
    """A date shows the note of its day, or those around it when it only counts; a day without a note is told."""
    if notes:
        assert [shown.record.path for shown in memory.show(words)] == notes
    else:
        with pytest.raises(NotFoundError, match="2026-01-20"):
            memory.show(words)


@pytest.mark.parametrize(
    "name", ["acme", "Acme", "ACME Inc.", "acme inc", "阿克米", "Acme Widgets", "brain/areas/acme", "Acmee"]
)
def test_an_entity_is_found_by_every_name(memory: Memory, name: str) -> None:
    """Slug, title, aliases and unlike spellings lead to one entity, with the facts that hold and that held."""
    (shown,) = memory.show(name)
    assert [record.id for record in shown.active or ()] == ["acme-002"]
    assert [record.id for record in shown.history] == ["acme-001"]
    assert shown.text == SUMMARY


def test_an_entity_as_of_a_day(memory: Memory) -> None:
    """As of a day the facts are those that held then."""
    (shown,) = memory.show("acme", as_of="in December 2025")
    assert [(record.id, record.state) for record in shown.active or ()] == [("acme-001", "live")]
    assert shown.history == ()


def test_two_entities_that_fit_are_asked_about(memory: Memory) -> None:
    """A name that fits two is not guessed at."""
    for name in ("ann-smith", "ann-jones"):
        put(memory.root, f"brain/areas/{name}/items.json", "[]")
    with pytest.raises(UnsureError) as raised:
        memory.show("Ann")
    assert raised.value.choices == ("ann-jones", "ann-smith")


def test_what_is_unknown_names_the_nearest(memory: Memory) -> None:
    """A slip is told with what was probably meant."""
    with pytest.raises(NotFoundError, match="the nearest: DEC-0001"):
        memory.show("DEC-0011")


def test_a_list_holds_every_kind(memory: Memory) -> None:
    """Every record is in the list, with its own state."""
    found = {record.text.splitlines()[0]: record.state for record in memory.list()}
    assert found["Local cache uses SQLite, not JSON"] == "live"
    assert found["Acme pays monthly"] == "superseded"
    assert found["- [x] Order a desk"] == "retired"
    assert found["- Backups go to the attic"] == "stale"


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"kind": "task"}, 2),
        ({"kind": "task", "state": "live"}, 1),
        ({"kind": "decision"}, 1),
        ({"tag": "#Docker"}, 3),
        ({"entity": "ACME Inc."}, 3),
        ({"topic": "storage"}, 1),
        ({"tier": "cold"}, 3),
        ({"prefix": "DEC"}, 1),
        ({"state": "stale"}, 1),
    ],
)
def test_filters_narrow_a_list(memory: Memory, given: dict[str, str], count: int) -> None:
    """Each filter leaves the records that fit it."""
    assert len(memory.list(**given)) == count


def test_a_standing_comment_is_no_part_of_a_text(memory: Memory) -> None:
    """What a comment says of an entry is its state, confidence and day; its id is that of the words alone."""
    (record,) = memory.list(state="stale")
    assert (record.text, record.conf, record.seen) == ("- Backups go to the attic", "low", "2026-01-25")
    put(
        memory.root,
        "memory/semantic/infrastructure.md",
        SEMANTIC.replace(" <!-- mneme: stale, conf low, seen 2026-01-25 -->", ""),
    )
    assert [one.state for one in memory.list() if one.id == record.id] == ["live"]


def test_tags_are_counted_with_their_groups(memory: Memory) -> None:
    """Tags in use come first, with the files and records they are on, then the rest of the vocabulary."""
    rows = memory.tags()
    assert [(row.tag, row.group, row.files, row.records) for row in rows[:2]] == [
        ("docker", "infrastructure", 2, 3),
        ("ssh", "infrastructure", 1, 2),
    ]
    assert len(rows) == 37


def test_entities_are_listed_with_their_names(memory: Memory) -> None:
    """A row has the names an entity goes by and counts its facts."""
    assert [row.as_json() for row in memory.entities()] == [
        {
            "entity": "acme",
            "names": ["Acme Widgets", "ACME Inc.", "阿克米"],
            "active": 1,
            "facts": 2,
            "newest": "2026-01-10",
            "path": "brain/areas/acme",
        }
    ]


def test_a_file_that_cannot_be_read_hides_no_other(memory: Memory) -> None:
    """A file that is not what it should be is one problem, and the rest is listed."""
    put(memory.root, "brain/areas/acme/items.json", "[{")
    assert [record.kind for record in memory.list(prefix="DEC")] == ["decision"]
    assert [row.facts for row in memory.entities()] == [0]
    assert [problem.rule for problem in memory.problems] == ["invalid-json"]


class TestSharedContext:
    """In a shared context nothing private is told by any verb that reads."""

    @pytest.fixture
    def guest(self, memory: Memory) -> Memory:
        """Give the workspace as a guest sees it: the tagged files and the cells are shared, one cell excepted."""
        put(memory.root, "mneme.toml", '[audience]\nshared = ["memory/semantic/*", "memory/*.mneme", "memory/2026*"]\n')
        put(memory.root, "memory/project.mneme", f"{CELLS}\n{PRIVATE_CELL}")
        return shared(memory)

    def test_a_list_holds_what_is_shared(self, guest: Memory) -> None:
        """Only shared records are listed, and tags counted; no entity is told."""
        assert {record.path for record in guest.list()} == {"memory/project.mneme", "memory/semantic/infrastructure.md"}
        assert [record.id for record in guest.list(prefix="DEC")] == ["DEC-0001"]
        assert guest.entities() == ()
        assert next(row.files for row in guest.tags() if row.tag == "docker") == 1

    @pytest.mark.parametrize(
        "name",
        [
            *("DEC-0002", "acme", "acme-002", "todos.md", "memory/2026-01-27.md", "memory/2026-01-27.md#L3"),
            *("last Tuesday", "memory/project.mneme", "memory/project.mneme#L1-L9"),
        ],
    )
    def test_what_is_private_is_not_there(self, guest: Memory, name: str) -> None:
        """A private record is told as if it did not exist, and no nearest private one is named."""
        with pytest.raises(NotFoundError) as raised:
            guest.show(name)
        assert "acme-00" not in str(raised.value).replace(f"'{name}'", "")
        assert "DEC-0002" not in str(raised.value).replace(f"'{name}'", "")

    def test_what_is_shared_is_shown(self, guest: Memory) -> None:
        """Shared records are shown as ever, on the spine too."""
        assert texts(guest, "DEC-0001") == [CELLS.rstrip()]
        assert texts(guest, "memory/semantic/infrastructure.md") == [SEMANTIC]
        assert [line.split()[0] for line in guest.spine()] == ["DEC-0001"]
        assert [record.id for record in guest.spine_records(as_of="2026-01-31")] == ["DEC-0001"]

    def test_history_is_told_as_far_as_it_is_shared(self, memory: Memory, guest: Memory) -> None:
        """A plan that touched a private file is neither listed nor shown."""
        memory.remember("The attic floods in spring", kind="gotcha", file=str(memory.root / "memory/own.mneme"))
        assert guest.log() == memory.log()
        memory.remember("The cellar floods in autumn", kind="gotcha", file=str(memory.root / "memory/project.mneme"))
        assert [row.n for row in guest.log()] == [1]
        with pytest.raises(RefusedError, match="plan 2 is private"):
            guest.diff(2)
