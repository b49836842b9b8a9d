"""What must hold of any answer from any files: filters only take away, reasons sum, the past knows nothing of the future.

And nothing private reaches a shared context, whatever is asked. Workspaces are real files, drawn at random: cells that
supersede each other, days' notes, facts of entities. Every record says a word of its own by which a leak is known.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import string
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.engine import Memory, open_memory
from mneme.errors import MnemeError
from mneme.formats.record import STATES, TIERS

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
WORDS = ("cache", "printer", "deploy", "harbour", "invoice", "garden", "sqlite", "花生过敏", "Ann", "running")
TOPICS = ("storage/cache", "storage", "office", "garden/beds")
DAYS = tuple(date(2025, 11, 1) + timedelta(7 * number) for number in range(12))
SHARED_SETTINGS = '[audience]\nshared = ["memory/open/*"]\n'
OPEN, CLOSED = "memory/open/cells.mneme", "memory/closed/cells.mneme"


@dataclass(frozen=True)
class Cell:
    """A cell as it is drawn: its number, what it says beside its own word, when, how, and what it takes the place of."""

    number: int
    words: tuple[str, ...]
    topic: str
    day: date
    state: str
    shared: bool
    instead_of: int | None = None
    replaced_by: int | None = None
    beside: int | None = None

    @property
    def id(self) -> str:
        """The id in the file."""
        return f"FACT-{self.number:04}"

    @property
    def mark(self) -> str:
        """The word that no other record says."""
        return f"qzmark{string.ascii_lowercase[self.number]}x"

    def print(self) -> str:
        """Return the cell as its file has it."""
        links = f"link  supersedes FACT-{self.instead_of:04}\n" if self.instead_of is not None else ""
        links += f"link  superseded-by FACT-{self.replaced_by:04}\n" if self.replaced_by is not None else ""
        links += f"link  relates FACT-{self.beside:04}\n" if self.beside is not None else ""
        said = " ".join(self.words)
        return (
            f"@{self.id} {self.topic}\ngist  {self.mark} {said}\ncue   {said} / {self.mark}\n"
            f"state {self.state}  conf med  since {self.day}  seen {self.day}\n> body of {self.mark}\n{links}\n"
        )


@dataclass(frozen=True)
class World:
    """A workspace as it is drawn: cells, and entries of days' notes by their day."""

    cells: tuple[Cell, ...]
    notes: tuple[tuple[date, str], ...] = field(default=())

    def write(self, root: Path, *, private: bool = True) -> None:
        """Write it as files; without what is private, if that is wanted."""
        put(root / "mneme.toml", f'profile = "default"\n[embedder]\nkind = "none"\n{SHARED_SETTINGS}')
        put(root / OPEN, "".join(cell.print() for cell in self.cells if cell.shared))
        if private:
            put(root / CLOSED, "".join(cell.print() for cell in self.cells if not cell.shared))
            for place, (day, text) in enumerate(self.notes):
                mark = f"qzday{string.ascii_lowercase[place]}x"
                put(root / f"memory/{day}-{place}.md", f"# {day}\n\n- {mark} {text}\n")


def put(place: Path, text: str) -> None:
    """Write a file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw cells of which some took the place of others, and days."""
    said = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
    cells: list[Cell] = []
    for number in range(draw(st.integers(2, 9))):
        state = draw(st.sampled_from(("live", "live", "stale", "proposed", "retired")))
        cell = Cell(
            number, draw(said), draw(st.sampled_from(TOPICS)), draw(st.sampled_from(DAYS)), state, draw(st.booleans())
        )
        old = draw(st.sampled_from([None, *range(len(cells))]))
        if old is not None and cells[old].state == "live" and cells[old].day < cell.day:
            cell = replace(cell, words=cells[old].words, topic=cells[old].topic, state="live", instead_of=old)
            cells[old] = replace(cells[old], state="superseded", replaced_by=number)
        cells.append(replace(cell, beside=draw(st.one_of(st.none(), st.integers(0, 9)))))
    notes = draw(st.lists(st.tuples(st.sampled_from(DAYS), said.map(" ".join)), max_size=3))
    return World(tuple(cells), tuple(notes))


WORDED = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
QUESTIONS = st.one_of(
    WORDED,
    st.sampled_from(("what about the cache?", "FACT-0001", "last Tuesday", "in December", "after the deploy", "*", "")),
)


@contextmanager
def opened(world: World, *, shared: bool = False, private: bool = True) -> Iterator[Memory]:
    """Open a world that was written to a folder of its own."""
    root = Path(tempfile.mkdtemp(prefix="mneme-")).resolve()
    try:
        world.write(root, private=private)
        with open_memory(str(root), now=lambda: NOW, shared=shared) as memory:
            yield memory
    finally:
        shutil.rmtree(root)


FILTERED = {
    "kind": st.sampled_from(("fact", "day", "decision")),
    "layer": st.sampled_from((*TIERS, "episodic", "semantic")),
    "topic": st.sampled_from((*TOPICS, "sto", "%")),
    "tag": st.sampled_from(("red", "*")),
    "state": st.sampled_from((*STATES, "any")),
    "since": st.sampled_from(("2025-12", "2026-01-10")),
    "until": st.sampled_from(("2025-12", "2026-01-10")),
}
FILTERS = st.sets(st.sampled_from(sorted(FILTERED)), min_size=1, max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: FILTERED[name] for name in sorted(names)})
)


@settings(max_examples=80)
@given(world=worlds(), question=WORDED, filters=FILTERS)
def test_filters_only_take_away(world: World, question: str, filters: dict[str, str]) -> None:
    """With a filter nothing is found that is not found among everything, nor anything where everybody finds nothing."""
    with opened(world) as memory:
        everything = memory.recall(question, k=1000, state="any")
        usual = memory.recall(question, k=1000)
        found = memory.recall(question, k=1000, **filters)
        known = {name for hit in (*everything, *usual) for name in (hit.id, *hit.same)}
        assert {hit.id for hit in found} <= known
        assert not (found.hits and not usual.hits and "state" not in filters)
        for hit in found:
            assert (
                "topic" not in filters or hit.topic == filters["topic"] or hit.topic.startswith(f"{filters['topic']}/")
            )
            assert filters.get("state", "any") in ("any", hit.record.state)
            assert hit.record.since[:7] >= filters.get("since", "")[:7]


@settings(max_examples=30)
@given(world=worlds(), question=QUESTIONS, as_of=st.sampled_from((None, *DAYS)))
def test_reasons_sum_to_the_score(world: World, question: str, as_of: date | None) -> None:
    """The terms of a hit sum to its log-odds, their sigmoid is its score, and the best score comes first."""
    with opened(world) as memory:
        answer = memory.recall(question, k=1000, state="any", as_of=as_of and as_of.isoformat())
        for hit in answer:
            total = math.fsum(value for _, value in hit.why)
            assert hit.log_odds == pytest.approx(total, abs=1e-9)
            assert hit.score == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-9)
            told = hit.as_json()
            assert sum(term["log_odds"] for term in told["why"]) == pytest.approx(
                total, abs=1e-5 * (1 + len(told["why"]))
            )
        odds = [hit.log_odds for hit in answer]
        assert odds == sorted(odds, reverse=True)


@settings(max_examples=40)
@given(world=worlds(), question=QUESTIONS, then=st.sampled_from(DAYS), state=st.sampled_from((None, "any")))
def test_the_past_knows_nothing_of_the_future(world: World, question: str, then: date, state: str | None) -> None:
    """As of a day no word, id, link, note or state of what came later is told, even to who asks for it by name."""
    later = [cell for cell in world.cells if cell.day > then]
    questions = (question, *(cell.mark for cell in later[:2]), *(cell.id for cell in later[:2]))
    with opened(world) as memory:
        for one in questions:
            answer = memory.recall(one, k=1000, as_of=then.isoformat(), state=state)
            told = json.dumps([hit.as_json() for hit in answer])
            assert [cell.id for cell in later if cell.mark in told or cell.id in told] == []
            assert all(hit.record.since[:10] <= then.isoformat() for hit in answer)
            assert all(hit.record.seen[:10] <= then.isoformat() for hit in answer)


@settings(max_examples=25)
@given(world=worlds(), question=QUESTIONS, data=st.data())
def test_the_order_of_indexing_changes_no_answer(world: World, question: str, data: st.DataObject) -> None:
    """Files brought in one by one, in any order, with answers between, come to what all at once comes to."""
    with opened(world) as memory:
        at_once = [hit.as_json() for hit in memory.recall(question, k=1000, state="any")]
    root = Path(tempfile.mkdtemp(prefix="mneme-")).resolve()
    try:
        with tempfile.TemporaryDirectory() as other:
            world.write(Path(other))
            shutil.copy(Path(other) / "mneme.toml", root)
            files = (path for path in Path(other).rglob("*.m*") if path.suffix in {".md", ".mneme"})
            paths = sorted(path.relative_to(other) for path in files)
            with open_memory(str(root), now=lambda: NOW) as memory:
                for path in data.draw(st.permutations(paths)):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(Path(other) / path, root / path)
                    memory.recall(question)
                assert [hit.as_json() for hit in memory.recall(question, k=1000, state="any")] == at_once
    finally:
        shutil.rmtree(root)


# --- what attackers type ------------------------------------------------------------------------------------------------

ATTACKS = (
    "' OR '1'='1", '"', "*", "%", "FACT-000?", "FACT-%", "audience:private", "audience: shared", "-qzmark", "lex: cache",
    "sem: cache", "id: FACT-0000", "id: FACT-0001 id: FACT-0002", '"qzmarkax"', "NEAR(cache printer)", "body:cache", "\x00",
    "../../closed/cells.mneme", "memory/closed/cells.mneme", "memory/closed/cells.mneme#L1-L9", "memory/open/../closed/cells.mneme",
    "./memory/closed/cells.mneme", "memory//closed/cells.mneme", "MEMORY/closed/cells.mneme", "memory/closed", "/", "..", ".mneme.d/index.sqlite",
    "memory/2025-11-01-0.md", "2025-11-01", "yesterday", "--context main", "supersedes", "superseded-by FACT-0000", "file:///", "~",
)  # fmt: skip
TYPED = st.one_of(
    st.sampled_from(ATTACKS),
    st.integers(0, 9).map(lambda number: f"FACT-{number:04}"),
    st.integers(0, 9).map(lambda number: f"qzmark{string.ascii_lowercase[number]}x"),
    QUESTIONS,
    st.text(max_size=12),
)


def said(root: Path, do: object, *given: object, **more: object) -> str:
    """Return everything that a verb tells, errors included, as one text without the folder's name."""
    try:
        told = repr(do(*given, **more))
    except (MnemeError, ValueError) as error:
        told = f"{type(error).__name__}: {error} {getattr(error, 'hint', '')}"
    return told.replace(str(root), "ROOT")


@settings(max_examples=60)
@given(world=worlds(), typed=TYPED, data=st.data())
def test_a_shared_context_learns_nothing_private(world: World, typed: str, data: st.DataObject) -> None:
    """No verb, filter, id, path or phrase brings back a private word that was not typed."""
    marks = [cell.mark for cell in world.cells if not cell.shared]
    marks += [f"qzday{string.ascii_lowercase[place]}x" for place in range(len(world.notes))]
    secrets = [mark for mark in marks if mark not in typed.lower()]
    with opened(world, shared=True) as memory:
        filters = data.draw(FILTERS) | data.draw(
            st.fixed_dictionaries({}, optional={"entity": TYPED, "as_of": st.just("2026-01-20")})
        )
        told = [
            said(memory.root, memory.recall, typed, k=1000, **filters),
            said(memory.root, memory.recall, typed, k=1000, state="any", point="injection"),
            said(memory.root, memory.related, typed),
            said(memory.root, memory.show, typed),
            said(memory.root, memory.show, typed, as_of="2026-01-20"),
            said(memory.root, memory.read_lines, typed),
            said(memory.root, lambda: list(memory.list(topic=typed))),
            said(memory.root, lambda: list(memory.list(state="any", entity=typed))),
            said(memory.root, lambda: list(memory.tags())),
            said(memory.root, lambda: list(memory.entities())),
            said(memory.root, memory.boot),
            said(memory.root, memory.index),
        ]
        assert [mark for mark in secrets for one in told if mark in one.lower()] == []


@settings(max_examples=40)
@given(world=worlds(), typed=TYPED)
def test_what_is_private_might_as_well_not_be_there(world: World, typed: str) -> None:
    """To a shared context, showing, listing and following a record is the same with and without private files."""

    def asked(memory: Memory) -> list[str]:
        return [
            said(memory.root, memory.show, typed),
            said(memory.root, memory.related, typed),
            said(memory.root, lambda: list(memory.list(topic=typed))),
            said(memory.root, lambda: list(memory.list())),
        ]

    with opened(world, shared=True) as memory, opened(world, shared=True, private=False) as without:
        assert asked(memory) == asked(without)


# --- what is hard to read -------------------------------------------------------------------------------------------------

LONGEST_SECONDS = 2.0
HARD = {
    "empty": "",
    "blank": " \n\t ",
    "words": "cache printer deploy " * 5000,
    "one word": "x" * 100_000,
    "quotes": '"' * 100_000,
    "brackets": "(" * 50_000 + "NEAR/" * 5000,
    "binary": bytes(range(256)).decode("latin-1") * 400,
    "surrogates": "\udc80\ud800 cache" * 2000,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 5000,
    "marks": "a" + "\u0301" * 50_000,
    "chinese": "花生过敏" * 25_000,
    "dates": "last Tuesday in May after the deploy " * 2500,
    "labels": "lex: sem: id: -a " * 6000,
    "numbers": "2026-01-31 " * 9000,
}
NOTHING_KNOWN = World((Cell(0, ("cache", "sqlite"), "storage", DAYS[0], "live", shared=True),))


@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_to_read_is_answered_in_time(name: str) -> None:
    """Whatever is typed, 100 kB of it too, is text: it is answered, and soon."""
    with opened(NOTHING_KNOWN) as memory:
        memory.recall("cache")
        started = time.process_time()
        answer = memory.recall(HARD[name])
        assert time.process_time() - started < LONGEST_SECONDS
        assert all(re.fullmatch(r"FACT-\d{4}", hit.id) for hit in answer)


@settings(max_examples=30)
@given(
    typed=st.one_of(
        st.text(max_size=80), st.sampled_from(ATTACKS), st.binary(max_size=60).map(lambda raw: raw.decode("latin-1"))
    )
)
def test_anything_typed_is_text(typed: str) -> None:
    """Quotes, operators, column names and half of anything are words or nothing, never an error."""
    with opened(NOTHING_KNOWN) as memory:
        memory.recall(typed)
        memory.recall(typed, point="injection")
        assert [hit.id for hit in memory.recall("cache sqlite")] == ["FACT-0000"]
