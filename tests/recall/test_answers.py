"""What an answer is made of: states, days, duplicates, quarrels, documents, budgets, and what never changes it."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mneme.engine import Memory, open_memory
from mneme.formats.record import RETIRED, SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CELLS = """@ DEC-0001  ops/deploy
gist  Deploys of the shop go out on Fridays
state superseded  conf med  since 2025-02-01  seen 2025-03-01
link  superseded-by DEC-0002

@ DEC-0002  ops/deploy
gist  Deploys of the shop go out on Mondays
state live  conf high  since 2025-06-01  seen 2026-01-20
link  supersedes DEC-0001

@ DEC-0003  ops/deploy
gist  Deploys of the shop never go out on Mondays
state live  conf low  since 2025-07-01  seen 2026-01-10

@ GOTCHA-0001  ops/tls
gist  The certificate of the mail server expires in March
cue   outage of mail
state live  conf high  since 2025-01-05  seen 2026-01-25

@ FACT-0001  people/ann
gist  Ann keeps the keys of the cellar
state live  conf high  since 2025-01-05  seen 2026-01-25

@ FACT-0002  people/ann
gist  Ann keeps the keys of the cellar.
state live  conf high  since 2025-01-06  seen 2026-01-24
"""
OLD_DAY = "# 2025-09-02\n\n- Ann: I painted the blue boat in the harbour\n"
NEW_DAY = "# 2026-01-29\n\n- Ann: I painted the blue boat in the harbour again\n- Bob: the printer is broken\n"
MANUAL = """# Manual

## Boats

Boats are painted in spring, after the harbour has been cleaned and before the sailing school begins.

## Paint

The blue paint for boats stands in the cellar; it wants two days to dry.

## Masts

Masts of boats are oiled in autumn.
"""
QUESTIONS = ("deploys of the shop", "who painted the blue boat?", "certificate mail server", "keys cellar", "printer")


def lay_out(root: Path) -> None:
    """Write a workspace of cells, two days and a document."""
    (root / "memory").mkdir(exist_ok=True)
    (root / "mneme.toml").write_text('profile = "default"\n[embedder]\nkind = "none"\n', "utf-8")
    (root / "memory/project.mneme").write_text(CELLS, "utf-8")
    (root / "memory/2025-09-02.md").write_text(OLD_DAY, "utf-8")
    (root / "memory/2026-01-29.md").write_text(NEW_DAY, "utf-8")
    (root / "memory/manual.md").write_text(MANUAL, "utf-8")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return the workspace, open on the last day of January."""
    lay_out(tmp_path)
    with open_memory(str(tmp_path), now=lambda: NOW) as memory:
        yield memory


def ids(memory: Memory, question: str, **more: object) -> list[str]:
    """Return the ids of a recall's hits."""
    return [hit.id for hit in memory.recall(question, **more)]


def test_every_hit_says_what_it_is(memory: Memory) -> None:
    """A hit has its id, place, state, dates, trust and score, and its reasons sum to the score's log-odds."""
    for question in QUESTIONS:
        for hit in memory.recall(question, k=10, state="any"):
            told = hit.as_json()
            assert {
                "id",
                "path",
                "line",
                "end_line",
                "text",
                "state",
                "since",
                "seen",
                "trust",
                "score",
                "why",
            } <= told.keys()
            assert sum(value for _, value in hit.why) == pytest.approx(hit.log_odds, abs=1e-9)


def test_what_is_called_by_its_name_comes_first(memory: Memory) -> None:
    """An id, a title, a gist or a cue, word for word, stands above whatever else the words bring."""
    assert ids(memory, "FACT-0001")[0] == "FACT-0001"
    assert ids(memory, "outage of mail")[0] == "GOTCHA-0001"
    assert ids(memory, "Masts")[0] == "memory/manual.md#masts"
    assert ids(memory, "The certificate of the mail server expires in March")[0] == "GOTCHA-0001"


def test_the_first_memory_is_found(tmp_path: Path) -> None:
    """Where there is only one, a question about it finds it, likelier than the same would be among many; another does not."""
    (tmp_path / "mneme.toml").touch()
    with open_memory(str(tmp_path), now=lambda: NOW) as memory:
        memory.remember("Local cache uses SQLite, not JSON", kind="decision", topic="storage/cache", why="lost writes")
        (hit,) = memory.recall("which database does the cache use?")
        assert hit.id == "DEC-0001"
        assert dict(hit.why)["few"] == pytest.approx(math.log(10))
        assert not memory.recall("how do I bake bread?")


def test_a_belief_never_stands_above_what_replaced_it(memory: Memory) -> None:
    """Asked in the very words of the old one, the new one comes first; without history the old one does not come."""
    assert ids(memory, "Deploys of the shop go out on Fridays")[0] == "DEC-0002"
    assert "DEC-0001" not in ids(memory, "Deploys of the shop go out on Fridays", k=10)
    found = ids(memory, "Deploys of the shop go out on Fridays", state="any", k=10)
    assert found.index("DEC-0002") < found.index("DEC-0001")


def test_two_that_contradict_each_other_name_the_winner_and_the_loser(memory: Memory) -> None:
    """The one that is surer wins and stands above; each of the two names the other."""
    hits = {hit.id: hit for hit in memory.recall("when do deploys of the shop go out?", k=10)}
    (won,), (lost,) = hits["DEC-0002"].conflicts, hits["DEC-0003"].conflicts
    assert (won.id, won.wins, won.by) == ("DEC-0003", True, "conf")
    assert (lost.id, lost.wins, lost.by) == ("DEC-0002", False, "conf")
    assert hits["DEC-0002"].score > hits["DEC-0003"].score


def test_what_is_said_twice_is_shown_once(memory: Memory) -> None:
    """A near-duplicate is left out and named; what happened again on another day is none."""
    hits = [hit for hit in memory.recall("who keeps the keys of the cellar?", k=10) if hit.id.startswith("FACT")]
    assert [(hit.id, hit.same) for hit in hits] in ([("FACT-0001", ("FACT-0002",))], [("FACT-0002", ("FACT-0001",))])
    days = [hit.record.path for hit in memory.recall("who painted the blue boat?", k=10) if "harbour" in hit.text]
    assert {"memory/2025-09-02.md", "memory/2026-01-29.md"} <= set(days)


def test_only_what_was_noted_as_it_happened_fades(memory: Memory) -> None:
    """An old day counts less than a new one, by a third at most; a decision as old as it does not fade, nor on a question of time."""
    hits = {hit.record.path: dict(hit.why) for hit in memory.recall("blue boat in the harbour", k=10)}
    assert hits["memory/2025-09-02.md"]["recency"] == pytest.approx(-0.6931 * 151 / 365, abs=1e-3)
    assert hits["memory/2025-09-02.md"]["recency"] < hits["memory/2026-01-29.md"]["recency"]
    (hit, *_) = memory.recall("certificate of the mail server")
    assert "recency" not in dict(hit.why)
    assert all("recency" not in dict(hit.why) for hit in memory.recall("what did Ann paint in September?", k=10))


def test_parts_of_one_document_give_way_to_others(memory: Memory) -> None:
    """The best section of a document comes as it is; the next of the same document pays for it."""
    sections = [hit for hit in memory.recall("boats and paint", k=10) if hit.record.path == "memory/manual.md"]
    assert len(sections) > 1
    assert "diversity" not in dict(sections[0].why)
    assert all(dict(hit.why)["diversity"] < 0 for hit in sections[1:])


def test_days_after_something_that_memory_knows(memory: Memory) -> None:
    """What happened after an event that was noted is looked for from that day on."""
    answer = memory.recall("what is broken after the boat was painted again?")
    assert answer.window == ("2026-01-29", "2026-01-31")
    assert "printer" in answer[0].text


def test_a_word_left_out_and_a_phrase_asked_for(memory: Memory) -> None:
    """`-word` takes away what holds it; quoted phrases alone must be there word for word."""
    assert all("Monday" not in hit.text for hit in memory.recall("deploys of the shop -mondays", k=10))
    assert ids(memory, '"keys of the cellar"')[0].startswith("FACT")
    assert ids(memory, '"cellar of the keys"') == []


FILTERS: tuple[dict[str, object], ...] = (
    {"kind": "decision"},
    {"kind": ["day", "fact"]},
    {"layer": "episodic"},
    {"layer": "warm"},
    {"topic": "ops"},
    {"tag": "none-such"},
    {"entity": "ann"},
    {"state": SUPERSEDED},
    {"state": RETIRED},
    {"since": "2025-06"},
    {"until": "2025-06"},
    {"as_of": "2025-04-01"},
)
asked = st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40), st.text("ab\"'*()-: NEARlexid", max_size=30))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(question=asked, one=st.sampled_from(FILTERS), other=st.sampled_from(FILTERS))
def test_filters_never_add_hits(
    memory: Memory, question: str, one: dict[str, object], other: dict[str, object]
) -> None:
    """Whatever is asked, one more filter takes hits away or leaves them; it never brings one that was not there."""
    if set(one) & set(other):
        return
    states = {} if {"state", "as_of"} & {*one, *other} else {"state": "any"}
    wide = set(ids(memory, question, k=100, **states, **one))
    narrow = set(ids(memory, question, k=100, **states, **one, **other))
    if not {"state", "as_of"} & set(other):
        assert narrow <= wide


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(question=asked, day=st.dates(datetime(2024, 12, 1, tzinfo=UTC).date(), NOW.date()))
def test_as_of_never_shows_what_came_later(memory: Memory, question: str, day: object) -> None:
    """As of a day nothing is shown that began after it, and nothing points to what did."""
    for hit in memory.recall(question, k=100, as_of=str(day)):
        assert "" < hit.record.since[:10] <= str(day)
        assert all(link.target != "DEC-0002" for link in hit.record.links) or str(day) >= "2025-06-01"
        assert "DEC-0002" not in hit.note or str(day) >= "2025-06-01"


@pytest.mark.parametrize(
    "question",
    ["", " ", "\0\0", "🦓🦓🦓", "\ud800", '"', "-", "id:", "lex:", "x" * 100_000, "a b " * 25_000, "\x01\x02\x7f\x9b"],
)
def test_whatever_is_typed_is_a_question(memory: Memory, question: str) -> None:
    """What means nothing finds nothing, and is no error."""
    assert ids(memory, question) == []


def test_a_budget_keeps_the_best(memory: Memory) -> None:
    """As many hits as fit, best first; their texts are no longer than was allowed."""
    every = memory.recall("deploys of the shop", k=10)
    some = memory.recall("deploys of the shop", k=10, budget=12)
    assert [hit.id for hit in some] == [hit.id for hit in every][: len(some)]
    assert 0 < sum(len(hit.text) for hit in some) <= 12 * 4


def test_a_day_is_told_by_its_headings(tmp_path: Path) -> None:
    """Asked for nothing but a day, memory tells something of each heading before it tells more of one."""
    headings = ("Boats", "Printer", "Cellar")
    entries = "".join(f"## {one}\n\n" + "".join(f"- {one} {n}\n" for n in range(4)) + "\n" for one in headings)
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n", "utf-8")
    (tmp_path / "memory/2026-01-15.md").write_text(f"# 2026-01-15\n\n{entries}", "utf-8")
    with open_memory(str(tmp_path), now=lambda: NOW) as memory:
        told = [hit.text.split()[-2] for hit in memory.recall("what happened on 15 January 2026?", k=6, words=True)]
    assert set(told[:3]) == set(headings)
    assert sorted(told) == sorted(headings * 2)
