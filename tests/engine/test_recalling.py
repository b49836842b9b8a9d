"""Recall from an open workspace: what was just written is found, what is private stays so, and what was found is logged."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory, open_memory
from mneme.errors import BadInputError, NotFoundError
from mneme.formats.recalled import parse_recalled, query_hash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CELLS = """@DEC-0001 storage/cache
gist  Cache entries are kept as JSON files
state superseded  conf high  since 2025-05-02  seen 2025-06-01
link  superseded-by DEC-0002

@DEC-0002 storage/cache
gist  The local cache uses SQLite
state live  conf high  since 2025-09-01  seen 2026-01-20
link  supersedes DEC-0001
# audience: shared

@GOT-0001 import/windows
gist  Backslashes in paths break the importer
state stale  conf med  since 2025-03-01  seen 2025-03-01
"""


def opened(root: Path, *, shared: bool = False) -> Memory:
    """Return the memory in a folder, on a day of January."""
    return open_memory(str(root), now=lambda: NOW, shared=shared)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace with three cells and two days."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "mneme.toml").write_text('profile = "default"\n[embedder]\nkind = "none"\n', "utf-8")
    (tmp_path / "memory/project.mneme").write_text(CELLS, "utf-8")
    (tmp_path / "memory/2026-01-27.md").write_text("# 2026-01-27\n\n- Moved the servers to the cellar\n", "utf-8")
    (tmp_path / "memory/2026-01-29.md").write_text("# 2026-01-29\n\n- Ann repaired the printer\n", "utf-8")
    return tmp_path


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    """Return the workspace, open."""
    with opened(root) as memory:
        yield memory


def ids(memory: Memory, question: str, **more: object) -> list[str]:
    """Return the ids of a recall's hits."""
    return [hit.id for hit in memory.recall(question, **more)]


def test_a_question_finds_what_answers_it(memory: Memory) -> None:
    """The hit has its place, its trust and a score that its reasons sum to."""
    (hit, *_) = memory.recall("what does the local cache use?")
    assert (hit.id, hit.source) == ("DEC-0002", "memory/project.mneme:6-10")
    assert hit.log_odds == pytest.approx(sum(value for _, value in hit.why), abs=1e-12)


def test_the_end_of_a_long_entry_is_found_by_its_meaning(root: Path) -> None:
    """A vector stands for a stretch, not for the beginning: what a long entry ends with is as near as a short one."""
    (root / "mneme.toml").write_text('profile = "default"\n', "utf-8")
    steps = " ".join(f"Step {n} of the build copies the archives into place." for n in range(60))
    hens = " ".join(f"Hen number {n} laid an egg and was well." for n in range(60))
    ending = "Our pony caught a cold and coughs, and its fever will not go down. " * 6
    note = f"# 2026-01-30\n\n- {hens}\n- {steps} {ending}\n"
    (root / "memory/2026-01-30.md").write_text(note, "utf-8")
    with opened(root) as memory:
        assert memory.recall("sem: which animal is ill?", k=1)[0].record.line == 4


def test_what_was_just_written_is_found(memory: Memory, root: Path) -> None:
    """A recall brings in what changed since the one before, and says that it is not behind."""
    assert ids(memory, "zebra stripes") == []
    (root / "memory/2026-01-30.md").write_text("# 2026-01-30\n\n- Painted zebra stripes on the gate\n", "utf-8")
    answer = memory.recall("zebra stripes")
    assert answer.hits[0].record.path == "memory/2026-01-30.md"
    assert (answer.fresh, answer.behind_files) == (True, 0)
    (root / "memory/2026-01-30.md").unlink()
    assert ids(memory, "zebra stripes") == []


def test_history_is_shown_on_request_and_never_before_what_replaced_it(memory: Memory) -> None:
    """Superseded records are left out, found by state or by id, and stand below their successors."""
    assert "DEC-0001" not in ids(memory, "cache entries JSON files")
    found = memory.recall("cache entries kept as JSON files", state="any")
    assert [hit.id for hit in found][:2] == ["DEC-0002", "DEC-0001"]
    assert found[1].trust == "history"
    assert "superseded by DEC-0002" in found[1].note
    assert ids(memory, "DEC-0001") == ["DEC-0002", "DEC-0001"]


def test_as_of_a_day_shows_what_was_believed_then(memory: Memory) -> None:
    """Before the successor came, the old belief was live; nothing of what came later is told."""
    (hit,) = memory.recall("how are cache entries kept", as_of="2025-06-15")
    assert (hit.id, hit.record.state, hit.record.links, hit.trust) == ("DEC-0001", "live", (), "not authoritative")
    assert ids(memory, "local cache", as_of="2025-10-01")[:1] == ["DEC-0002"]
    assert ids(memory, "servers to the cellar", as_of="2025-12-31") == []


def test_private_records_stay_private(root: Path) -> None:
    """In a shared context only what is shared is found, by words, by id, by link and by topic."""
    with opened(root, shared=True) as memory:
        for question in (
            "cache",
            "DEC-0001",
            "backslashes importer",
            "memory/2026-01-27.md",
            "printer",
            "last Tuesday",
        ):
            assert {*ids(memory, question, state="any")} <= {"DEC-0002"}
        assert memory.related("DEC-0002").beside == ()
        with pytest.raises(NotFoundError):
            memory.related("DEC-0001")


def test_a_question_about_nothing_is_not_answered(memory: Memory) -> None:
    """Silence is better than the least bad hit, most of all where nobody asked."""
    assert ids(memory, "how long do I boil an egg?") == []
    assert ids(memory, "", point="injection") == []


def test_days_are_understood(memory: Memory) -> None:
    """A question about a day alone is answered with that day; a day beside other words narrows them."""
    assert [hit.text for hit in memory.recall("what happened last Tuesday?")] == ["- Moved the servers to the cellar"]
    assert memory.recall("what happened last Tuesday?").window == ("2026-01-27", "2026-01-27")
    after = memory.recall("who repaired something after we moved the servers?")
    assert after.window == ("2026-01-27", "2026-01-31")
    assert "printer" in after.hits[0].text


def test_a_query_may_be_taken_apart(memory: Memory) -> None:
    """Words, ids, what must be there and what must not; and syntax of others is text."""
    assert ids(memory, "lex: cache -sqlite") == []
    assert ids(memory, "id: GOT-0001 id: DEC-0002") == ["DEC-0002", "GOT-0001"]
    assert ids(memory, '"local cache"') == ["DEC-0002"]
    assert ids(memory, '"cache local"') == []
    assert ids(memory, 'NEAR(cache sqlite) AND body:"')[:1] == ["DEC-0002"]


def test_what_was_found_is_logged_without_its_words(memory: Memory, root: Path) -> None:
    """A recall leaves the hash of its question and its hits; one that found nothing, or of upkeep, leaves nothing."""
    memory.recall("Local cache")
    memory.recall("how long do I boil an egg?")
    memory.recall("local cache", origin="upkeep")
    memory.recall("local cache", origin="injected", session="s1", point="injection")
    log = list(parse_recalled((root / ".mneme.d/recall.jsonl").read_text("utf-8")))
    assert [(one.origin, one.session) for one in log] == [("asked", ""), ("injected", "s1")]
    assert log[0].query == query_hash(" local CACHE")
    assert log[0].hits[0].id == "DEC-0002"
    assert "cache" not in (root / ".mneme.d/recall.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"budget": 0}, {"state": "dead"}, {"layer": "icy"}, {"since": "soon"}, {"origin": "me"}]
)
def test_what_cannot_be_asked_is_refused(memory: Memory, wrong: dict[str, object]) -> None:
    """A value that means nothing is an error, not an empty answer."""
    with pytest.raises(BadInputError):
        memory.recall("cache", **wrong)


def test_a_budget_holds(memory: Memory) -> None:
    """Only as many hits as fit; where none does, the best one cut."""
    (hit,) = memory.recall("local cache", budget=2)
    assert (hit.text, hit.cut) == ("The loca", True)


def test_related_follows_links_and_topics(memory: Memory) -> None:
    """Links both ways come first, then what shares a topic."""
    assert [(one.record.id, one.how) for one in memory.related("DEC-0002").beside] == [("DEC-0001", "supersedes")]
