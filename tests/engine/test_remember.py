"""Remembering and revising memories of every kind, in every profile: each in its one home, and taken back whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import make, put, read, shared, tree

from mneme.errors import BadInputError, RefusedError, UnsureError
from mneme.formats.note import parse_note
from mneme.profiles import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine import Memory

TEXTS = {
    "decision": "Local cache uses SQLite, not JSON",
    "goal": "Serve a hundred readers by summer",
    "preference": "Answer in short sentences",
    "gotcha": "Windows paths break the importer",
    "fact": "The attic floods in spring",
    "todo": "Renew the certificate of the shop",
    "user": "Works as a gardener and codes on Sundays",
    "feedback": "Lists, never tables",
    "project": "Atlas draws maps of the old harbour",
    "reference": "The tide tables hang in the kitchen",
    "infrastructure": "The index runs on port 6333 in docker",
    "howto": "Run make env before anything else",
    "lesson": "Never deploy on the eve of a holiday",
    "task": "Order a new desk",
    "status": "Blocked on the vendor's key",
    "event": "Met Ann about the contract",
    "entity": "Acme pays yearly",
}
NEEDED = {"entity": {"about": "ACME Inc."}, "status": {"project": "Atlas"}}


def options(memory: Memory, kind: str) -> dict[str, str]:
    """Return the options without which a kind cannot be stored in this profile."""
    if kind == "fact" and memory.workspace.home_of(kind).form == "facts":
        return NEEDED["entity"]
    return NEEDED.get(kind, {})


def store(memory: Memory, kind: str) -> str:
    """Store a memory of a kind and return its id."""
    return memory.remember(TEXTS[kind], kind=kind, **options(memory, kind)).records[0].id


def homes() -> list[tuple[str, str]]:
    """Return every profile with each kind that it has a home for."""
    from mneme.profiles import profile_of
    from mneme.settings import Settings

    return [(name, kind) for name in PROFILES for kind in profile_of(Settings({"profile": name})).homes]


@pytest.mark.parametrize(("profile", "kind"), homes())
def test_every_kind_is_stored_in_its_home_and_taken_back(tmp_path: Path, profile: str, kind: str) -> None:
    """A memory lies in the home of its kind, is found by its id, is not stored twice, and leaves no trace when undone."""
    memory = make(tmp_path, profile)
    before = tree(memory)
    done = memory.remember(TEXTS[kind], kind=kind, **options(memory, kind))
    (record,) = done.records
    assert done.status == "new"
    assert (profile, TEXTS[kind] in record.text) == (profile, True)
    home = memory.workspace.home_of(kind)
    assert record.path.startswith(home.path.partition("{")[0]) or home.path == "cells"
    assert TEXTS[kind] in memory.show(record.id)[0].text
    again = memory.remember(TEXTS[kind], kind=kind, **options(memory, kind))
    assert (again.status, again.n, [one.id for one in again.records]) == ("exists", 0, [record.id])
    memory.undo()
    assert tree(memory) == before


@pytest.mark.parametrize(("profile", "kind"), homes())
def test_every_kind_is_superseded_and_taken_back(tmp_path: Path, profile: str, kind: str) -> None:
    """The new memory stands in the old one's place, the old one is kept and names it, and undo brings all back."""
    memory = make(tmp_path, profile)
    old = store(memory, kind)
    before = tree(memory)
    done = memory.supersede(old, "Something else holds from now on")
    new, was = done.records
    assert "Something else holds from now on" in new.text
    assert (was.state, TEXTS[kind] in was.text) == ("superseded", True)
    assert any(link.target == new.id for link in was.links)
    assert new.id in {record.id for record in memory.list(state="live")}
    with pytest.raises(RefusedError, match="superseded"):
        memory.supersede(was.id, "And something else again")
    memory.undo()
    assert tree(memory) == before


@pytest.mark.parametrize(("profile", "kind"), homes())
def test_every_kind_is_affirmed_and_taken_back(tmp_path: Path, profile: str, kind: str) -> None:
    """A memory that was found to hold says when; its id stays."""
    memory = make(tmp_path, profile)
    name = store(memory, kind)
    before = tree(memory)
    (record,) = memory.affirm(name).records
    assert (record.id, record.state, record.seen) == (name, "live", "2026-01-31")
    memory.affirm(name)
    while memory.log(1)[0].verb == "affirm":
        memory.undo(memory.log(1)[0].n)
    assert tree(memory) == before


@pytest.mark.parametrize(("profile", "kind"), homes())
def test_every_kind_is_marked_and_taken_back(tmp_path: Path, profile: str, kind: str) -> None:
    """State and confidence are set on every kind but a fact, which only holds or is superseded."""
    memory = make(tmp_path, profile)
    name = store(memory, kind)
    before = tree(memory)
    if memory.workspace.home_of(kind).form == "facts":
        with pytest.raises(RefusedError, match="until another takes its place"):
            memory.mark(name, "stale")
        return
    (record,) = memory.mark(name, "stale", conf="low").records
    assert (record.id, record.state, record.conf) == (name, "stale", "low")
    (record,) = memory.affirm(name, conf="high").records
    assert (record.state, record.conf) == ("live", "high")
    (record,) = memory.mark(name, "retired").records
    assert record.state == "retired"
    assert TEXTS[kind] in record.text
    for _ in range(3):
        memory.undo()
    assert tree(memory) == before


@pytest.mark.parametrize(("profile", "kind"), homes())
def test_a_dry_run_writes_nothing(tmp_path: Path, profile: str, kind: str) -> None:
    """A dry run shows the diff of all that would be written, and touches nothing."""
    memory = make(tmp_path, profile)
    before = tree(memory)
    done = memory.remember(TEXTS[kind], kind=kind, **options(memory, kind), dry_run=True)
    assert TEXTS[kind] in done.diff
    assert tree(memory) == before
    assert memory.log() == ()


@pytest.mark.parametrize("kind", ["user", "feedback", "lesson", "entity", "task"])
def test_a_twin_of_another_kind_is_found(tmp_path: Path, kind: str) -> None:
    """What is remembered as one kind is not stored again as another, unless somebody insists."""
    memory = make(tmp_path)
    name = store(memory, kind)
    done = memory.remember(TEXTS[kind], kind="gotcha", force=False)
    assert (done.status, done.records[0].id) == ("exists", name)
    assert memory.remember(TEXTS[kind], kind="gotcha", force=True).status == "new"


class TestClassified:
    """A classified memory has a file of its own, a line in the index, and a say in USER.md."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Memory:
        """Give a workspace with the four classes."""
        return make(tmp_path, "never-forget")

    def test_a_file_is_written_as_the_layout_has_it(self, memory: Memory) -> None:
        """Frontmatter, what holds, why, and how to apply it."""
        memory.remember("Don't use tables, use lists", kind="feedback", why="tables break", how="in every reply")
        assert read(memory, "memory/feedback/dont-use-tables.md") == (
            "---\nname: Don't use tables\ndescription: Don't use tables, use lists\ntype: feedback\ncreated: 2026-01-31\n"
            "---\n\n## Rule / Fact\n\nDon't use tables, use lists\n\n## Why\n\ntables break\n\n"
            "## How to apply\n\nin every reply\n"
        )

    def test_its_line_is_in_the_index_and_short(self, memory: Memory) -> None:
        """The index line stands in the region and is under 150 characters, however long the text is."""
        memory.remember("Long words " + "and more of them " * 20, kind="reference", title="A title " * 10)
        (pointer,) = parse_note(read(memory, "MEMORY.md")).pointers
        assert pointer.length < 150
        assert (memory.root / pointer.path).is_file()
        assert pointer.line > read(memory, "MEMORY.md").splitlines().index("<!-- mneme:index:start -->")

    def test_two_of_one_title_are_two_files(self, memory: Memory) -> None:
        """A name that is taken is not taken again."""
        memory.remember("Ann likes tea", kind="user", title="Tea")
        (record,) = memory.remember("Bo drinks nothing before noon", kind="user", title="Tea").records
        assert record.id == "memory/user/tea-2.md"

    def test_one_about_the_user_renews_user_md(self, memory: Memory) -> None:
        """USER.md says what holds; a person's own text in it stays."""
        put(memory.root, "USER.md", read(memory, "USER.md") + "\nMy own words.\n")
        memory.remember("Works as a gardener", kind="user")
        done = memory.remember("Speaks Danish", kind="user")
        text = read(memory, "USER.md")
        assert "- Speaks Danish\n- Works as a gardener\n" in text
        assert text.endswith("\nMy own words.\n")
        memory.mark(done.records[0].id, "retired")
        assert "Danish" not in read(memory, "USER.md")

    def test_superseding_moves_the_old_file_and_its_line(self, memory: Memory) -> None:
        """The old file lies in the archive and names the new one; the index has the new line alone."""
        old = memory.remember("Lists, never tables", kind="feedback").records[0].id
        new, was = memory.supersede(old, "Tables are fine in reports", why="the reader changed").records
        assert was.id == "memory/archive/2026/01/lists-never-tables.md"
        assert parse_note(read(memory, was.id)).front.text("superseded_by") == new.id  # type: ignore[union-attr]
        assert parse_note(read(memory, new.id)).front.text("supersedes") == was.id  # type: ignore[union-attr]
        assert not (memory.root / old).exists()
        assert [pointer.path for pointer in parse_note(read(memory, "MEMORY.md")).pointers] == [new.id]

    def test_superseding_keeps_the_place_in_the_index_and_leads_links_along(self, memory: Memory) -> None:
        """The new line stands where the old one stood; links to the old file lead to the archive, ours and a person's."""
        old = memory.remember("Lists, never tables", kind="feedback").records[0].id
        memory.remember("Speaks Danish", kind="user")
        put(memory.root, "SOUL.md", f"See [the rule]({old}).\n")
        new, was = memory.supersede(old, "Tables are fine in reports").records
        pointers = parse_note(read(memory, "MEMORY.md")).pointers
        assert [pointer.path for pointer in pointers] == [new.id, "memory/user/speaks-danish.md"]
        assert read(memory, "SOUL.md") == f"See [the rule]({was.id}).\n"
        assert "[Lists, never tables](archive/2026/01/lists-never-tables.md)" in read(memory, "memory/2026-01-31.md")
        assert not [one for one in memory.check().problems if one.rule == "dead-link"]
        gone = memory.mark(new.id, "retired").records[0]
        assert not [one for one in memory.check().problems if one.rule == "dead-link"]
        assert gone.id.startswith("memory/archive/")

    def test_an_address_is_named_by_its_host(self, memory: Memory) -> None:
        """Neither the title nor the file name is cut in the middle of a long address."""
        done = memory.remember("The board is at https://grafana.example/d/abc/atlas?x=1", kind="reference")
        assert done.records[0].id == "memory/reference/the-board-is-at-grafana-example.md"
        assert "- [The board is at grafana.example](" in read(memory, "MEMORY.md")

    def test_a_pointer_is_left_in_the_note_of_the_day(self, memory: Memory) -> None:
        """Today's note links to what was stored, from where it lies."""
        memory.remember("Lists, never tables", kind="feedback")
        assert "- 14:05 remembered [Lists, never tables](feedback/lists-never-tables.md)\n" in read(
            memory, "memory/2026-01-31.md"
        )

    def test_an_index_that_grows_too_long_moves_by_class(self, memory: Memory) -> None:
        """MEMORY.md stays within its budget: the largest class gets an index of its own, and people's words stay."""
        put(memory.root, "mneme.toml", 'profile = "never-forget"\npointers = false\n[budgets]\nmemory_lines = 14\n')
        put(memory.root, "MEMORY.md", read(memory, "MEMORY.md") + "\nMy own words.\n")
        memory = make_again(memory)
        for number in range(6):
            memory.remember(f"Rule {'abcdefgh'[number] * 6} of the house", kind="feedback")
        memory.remember("Works as a gardener", kind="user")
        text, own = read(memory, "MEMORY.md"), read(memory, "memory/feedback/INDEX.md")
        assert len(text.splitlines()) <= 14
        assert text.endswith("\nMy own words.\n")
        assert "- [Feedback](memory/feedback/INDEX.md) — 6 memories\n" in text
        pointers = parse_note(own).pointers
        assert len(pointers) == 6
        assert all((memory.root / "memory/feedback" / pointer.path).is_file() for pointer in pointers)
        memory.remember("Rule zzzzzz of the house", kind="feedback")
        assert "— 7 memories\n" in read(memory, "MEMORY.md")

    def test_a_memory_that_people_made_too_long_is_told(self, memory: Memory) -> None:
        """A person's own text is not moved; that it is too long is told."""
        put(memory.root, "MEMORY.md", "# Memory\n" + "\nA line of mine.\n" * 40)
        done = memory.remember("Works as a gardener", kind="user")
        assert [problem.rule for problem in done.problems] == ["memory-over-budget"]
        assert read(memory, "MEMORY.md").count("A line of mine.") == 40


def make_again(memory: Memory) -> Memory:
    """Open a workspace anew, so that its settings are read again."""
    from mneme.engine import open_memory

    return open_memory(str(memory.root), now=memory.now)


class TestEntries:
    """Entries of files that many memories share."""

    def test_a_tagged_file_begins_with_its_tags(self, tmp_path: Path) -> None:
        """A new file has its title, the tags that were given, and the day it was verified."""
        memory = make(tmp_path, "v4")
        memory.remember(
            "Run make env first", kind="howto", topic="setup", tags=["checklist", "#Backup"], why="it is quick"
        )
        assert read(memory, "memory/procedural/setup.md") == (
            "# Setup\n#tags: checklist, backup\n> last_verified: 2026-01-31\n\n- Run make env first\n  - Why: it is quick\n"
        )

    def test_tags_are_those_of_the_vocabulary(self, tmp_path: Path) -> None:
        """A tag of one's own is refused with the nearest that there is."""
        memory = make(tmp_path, "v4")
        with pytest.raises(BadInputError, match="the nearest is 'qdrant'"):
            memory.remember("The index is new", kind="infrastructure", tags=["quadrant"])

    def test_new_tags_join_those_there_are(self, tmp_path: Path) -> None:
        """Tags are added to the line of the file, once each."""
        memory = make(tmp_path, "v4")
        memory.remember("The index is new", kind="infrastructure", tags=["ssh", "qdrant"])
        assert "#tags: networking, systemd, ssh, qdrant\n" in read(memory, "memory/semantic/infrastructure.md")

    def test_memory_md_has_a_section_for_a_kind(self, tmp_path: Path) -> None:
        """Entries go to the section that speaks of their kind, whatever it is called exactly."""
        memory = make(tmp_path, "openclaw", **{"MEMORY.md": "# Mine\n\n## Key decisions\n\n- tea\n\n## Else\n"})
        memory.remember("We chose SQLite over JSON", kind="decision", why="JSON lost writes")
        memory.remember("Answer in short sentences", kind="preference")
        assert read(memory, "MEMORY.md") == (
            "# Mine\n\n## Key decisions\n\n- tea\n- 2026-01-31: We chose SQLite over JSON\n  - Why: JSON lost writes\n\n"
            "## Else\n\n## Preferences\n\n- Answer in short sentences\n"
        )

    def test_the_old_entry_is_kept_in_the_archive(self, tmp_path: Path) -> None:
        """What is superseded leaves its file for a page of the archive, where it is still a record."""
        memory = make(tmp_path, "v4")
        old = memory.remember("The index runs on port 6333", kind="infrastructure").records[0].id
        new, was = memory.supersede(old, "The index runs on port 7333").records
        assert was.path == "memory/archive/2026/01/superseded-infrastructure.md"
        assert was.kind == "infrastructure"
        assert "6333" not in read(memory, new.path)
        assert [record.id for record in memory.list(state="superseded")] == [was.id]

    def test_an_entry_of_a_day_stays_where_it_is(self, tmp_path: Path) -> None:
        """A day's note is a log: the old entry is marked, and the new one is today's."""
        memory = make(tmp_path, **{"memory__2026-01-20.md": "# 2026-01-20\n\n- 09:00 Ann said yes\n"})
        old = next(record.id for record in memory.list(kind="day"))
        new, was = memory.supersede(old, "Ann said no").records
        assert (new.path, was.path) == ("memory/2026-01-31.md", "memory/2026-01-20.md")
        assert was.id == old

    def test_a_section_is_superseded_in_its_place(self, tmp_path: Path) -> None:
        """A section keeps its heading; its old text goes to the archive."""
        memory = make(tmp_path, **{"memory__harbour.md": "# Harbour\n\nOld words.\n\n## Boats\n\nFew.\n"})
        memory.supersede("memory/harbour.md#harbour", "New words.")
        assert read(memory, "memory/harbour.md") == "# Harbour\n\nNew words.\n\n## Boats\n\nFew.\n"
        assert "Old words." in read(memory, "memory/archive/2026/01/superseded-harbour.md")

    def test_crlf_files_stay_crlf(self, tmp_path: Path) -> None:
        """New lines end as those of the file do."""
        memory = make(tmp_path, "v4")
        (tmp_path / "memory/semantic/decisions.md").write_bytes(
            b"# D\r\n#tags: rules\r\n> last_verified: 2026-01-01\r\n\r\n- one\r\n"
        )
        old = memory.remember("Local cache uses SQLite", kind="decision", why="JSON lost writes").records[0].id
        memory.mark(old, "stale")
        memory.supersede(old, "Local cache uses DuckDB", why="analytics")
        content = (tmp_path / "memory/semantic/decisions.md").read_bytes()
        assert content.count(b"\n") == content.count(b"\r\n")

    def test_where_a_project_stands(self, tmp_path: Path) -> None:
        """Each project has a section of its own, found in any case."""
        memory = make(tmp_path)
        memory.remember("Blocked on the key", kind="status", project="Atlas")
        memory.remember("The key arrived", kind="status", project="atlas")
        assert read(memory, "knowledge/project-tracker.md").endswith(
            "## Atlas\n\n- 2026-01-31: Blocked on the key\n- 2026-01-31: The key arrived\n"
        )


class TestTasks:
    """What is to be done."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Memory:
        """Give a workspace with two tasks."""
        memory = make(tmp_path)
        memory.remember("Order a new desk", kind="task")
        memory.remember("Order paint for the fence", kind="task")
        return memory

    def test_tasks_are_boxes_to_tick(self, memory: Memory) -> None:
        """A task goes to what is to be done now."""
        assert "## Now\n\n- [ ] Order a new desk\n- [ ] Order paint for the fence\n\n## Later" in read(
            memory, "todos.md"
        )

    def test_a_task_is_done_by_words_that_only_it_has(self, memory: Memory) -> None:
        """It is ticked, and done by its id it stays so."""
        (record,) = memory.done("DESK").records
        assert (record.state, record.text) == ("retired", "- [x] Order a new desk")
        assert memory.done(record.id).status == "unchanged"
        assert [task.text for task in memory.list(kind="task", state="live")] == ["- [ ] Order paint for the fence"]

    def test_words_of_several_are_asked_about(self, memory: Memory) -> None:
        """Two that fit are not guessed at."""
        with pytest.raises(UnsureError) as raised:
            memory.done("order")
        assert len(raised.value.choices) == 2

    def test_what_was_done_may_be_to_be_done_again(self, memory: Memory) -> None:
        """A ticked task is no twin of the next one, which has a name of its own."""
        first = memory.done("desk").records[0].id
        (again,) = memory.remember("Order a new desk", kind="task").records
        assert (again.id, again.state) == (f"{first}-1", "live")
        assert memory.done("desk").records[0].id == again.id

    def test_a_todo_cell_is_retired(self, memory: Memory) -> None:
        """A cell has no box."""
        name = memory.remember("Paint the fence", kind="todo").records[0].id
        assert memory.done(name).records[0].state == "retired"


class TestFacts:
    """Facts about entities."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Memory:
        """Give a workspace that knows a company."""
        memory = make(tmp_path, "protocol")
        memory.remember("Acme pays yearly", about="ACME Inc.")
        return memory

    def test_a_new_entity_gets_facts_and_a_summary(self, memory: Memory) -> None:
        """The summary is drawn from the facts, and titled as the name was given."""
        assert read(memory, "brain/areas/acme/summary.md") == (
            "# ACME Inc.\n\n<!-- mneme:summary:start -->\n## Status\n\n- Acme pays yearly (2026-01-31)\n<!-- mneme:summary:end -->\n"
        )

    def test_unlike_spellings_are_one_entity(self, memory: Memory) -> None:
        """Case, accents and legal forms make no other entity; what only may be one is asked about."""
        memory.remember("Ann leads the account", about="acmé corporation", category="relationship")
        with pytest.raises(UnsureError) as raised:
            memory.remember("Bo is our lawyer", about="Acmee")
        assert raised.value.choices == ("acme",)
        memory.remember("Bo is our lawyer", about="Acmee", new=True)
        assert [row.entity for row in memory.entities()] == ["acme", "acmee", "example"]

    def test_what_is_said_of_two_is_two_facts(self, memory: Memory) -> None:
        """The same words about another entity are another fact; about the same one they are there already."""
        (other,) = memory.remember("Acme pays yearly", about="Globex").records
        assert other.id == "globex-001"
        assert memory.remember("Acme pays yearly", about="acme").status == "exists"

    def test_a_persons_text_in_the_summary_stays(self, memory: Memory) -> None:
        """Only the region is drawn anew."""
        path = "brain/areas/acme/summary.md"
        put(memory.root, path, "Mine above.\n\n" + read(memory, path) + "\nMine below.\n")
        memory.supersede("acme-001", "Acme pays monthly")
        text = read(memory, path)
        assert text.startswith("Mine above.\n\n# ACME Inc.\n")
        assert text.endswith("\nMine below.\n")
        assert "monthly" in text
        assert "yearly" not in text

    def test_a_fact_that_seems_to_say_otherwise_is_told(self, memory: Memory) -> None:
        """Two facts that contradict each other are likely one that should supersede the other."""
        done = memory.remember("Acme pays monthly", about="acme")
        assert [problem.rule for problem in done.problems] == ["suspected-conflict"]

    def test_an_id_is_never_given_twice(self, memory: Memory) -> None:
        """Not even when the fact was taken back."""
        assert memory.remember("Acme sells anvils", about="acme").records[0].id == "acme-002"
        memory.undo()
        assert memory.remember("Acme sells rockets", about="acme").records[0].id == "acme-003"

    def test_old_facts_are_never_touched(self, memory: Memory) -> None:
        """Superseding and affirming change the status, the pointer and the day, and nothing else."""
        from mneme.formats.fact import immutable_facts

        path = "brain/areas/acme/items.json"
        before = immutable_facts(read(memory, path))
        memory.supersede("acme-001", "Acme pays monthly", category="decision", source="observation")
        memory.affirm("acme-002")
        after = immutable_facts(read(memory, path))
        assert {name: after[name] for name in before} == before


class TestOptions:
    """What a kind takes, what it is when nobody says, and what it must not be."""

    @pytest.mark.parametrize(
        ("kind", "given", "taker"),
        [
            ("feedback", {"about": "acme"}, "entity"),
            ("feedback", {"cue": "reply"}, "decision"),
            ("decision", {"how": "always"}, "user"),
            ("task", {"why": "because"}, "decision"),
            ("lesson", {"project": "Atlas"}, "status"),
            ("user", {"tags": ["ssh"]}, "infrastructure"),
            ("event", {"title": "T"}, "user"),
        ],
    )
    def test_a_strange_option_is_refused_with_a_kind_that_takes_it(
        self, tmp_path: Path, kind: str, given: dict[str, str], taker: str
    ) -> None:
        """Nothing is written, and the hint is a command with the right kind."""
        memory = make(tmp_path)
        before = tree(memory)
        with pytest.raises(BadInputError, match=f"'{taker}' does"):
            memory.remember(TEXTS[kind], kind=kind, **given)  # type: ignore[arg-type]
        assert tree(memory) == before

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("We decided to use SQLite", "decision"),
            ("The user prefers dark mode", "preference"),
            ("TODO: renew the certificate", "task"),
            ("The server listens on port 6333", "infrastructure"),
            ("Lesson: never deploy on Friday", "lesson"),
            ("我们决定采用SQLite", "decision"),
            ("用户喜欢深色模式", "preference"),
            ("The attic is dry", "fact"),
        ],
    )
    def test_a_kind_is_proposed_from_the_text(self, tmp_path: Path, text: str, kind: str) -> None:
        """Without a kind it is asked, the likeliest first; who does not want to be asked gets that one."""
        memory = make(tmp_path)
        with pytest.raises(UnsureError) as raised:
            memory.remember(text)
        assert raised.value.choices[0] == kind
        home = memory.workspace.home_of(kind)
        record = memory.remember(text, guess=True).records[0]
        assert home.path in ("cells", record.path, record.path.rpartition("/")[0] + "/")

    @pytest.mark.parametrize(
        ("profile", "home"),
        [("protocol", "MEMORY.md"), ("v4", "memory/episodic/2026-01-31.md"), ("openclaw", "MEMORY.md")],
    )
    def test_a_text_that_says_nothing_of_its_kind_is_no_decision(self, tmp_path: Path, profile: str, home: str) -> None:
        """It is a fact, or what comes nearest to one in a layout that keeps none; nothing is said to look like one."""
        memory = make(tmp_path, profile)
        with pytest.raises(UnsureError, match="nothing in its words says"):
            memory.remember("The attic is dry")
        (record,) = memory.remember("The attic is dry", guess=True).records
        assert record.path == home
        assert "Decision" not in read(memory, home)

    def test_an_option_that_no_kind_takes_is_refused(self, tmp_path: Path) -> None:
        """It does not become a memory of some other kind."""
        with pytest.raises(BadInputError, match="no kind of the profile 'v4' takes --about"):
            make(tmp_path, "v4").remember("Acme pays yearly", about="acme")

    def test_a_fact_or_a_project_says_its_kind_by_itself(self, tmp_path: Path) -> None:
        """`about` is for facts, `project` for where one stands."""
        memory = make(tmp_path)
        assert memory.remember("Acme pays yearly", about="Acme").records[0].id == "acme-001"
        assert memory.remember("Blocked on the key", project="Atlas").records[0].path == "knowledge/project-tracker.md"

    @pytest.mark.parametrize(
        ("text", "kind", "belongs"),
        [
            ("Remember to call Bo", "lesson", "todos.md"),
            ("Atlas is blocked on the vendor", "feedback", "knowledge/project-tracker.md"),
            ("We decided to use SQLite because JSON lost writes", "task", "memory/project/"),
            ("记得给老王打电话", "feedback", "todos.md"),
        ],
    )
    def test_each_layer_refuses_what_belongs_in_another(
        self, tmp_path: Path, text: str, kind: str, belongs: str
    ) -> None:
        """What is to be done, where things stand and what was learned have a place each; insisting helps."""
        memory = make(tmp_path, "never-forget")
        with pytest.raises(RefusedError, match=f"belongs in {belongs}"):
            memory.remember(text, kind=kind)
        assert memory.remember(text, kind=kind, force=True).status == "new"

    @pytest.mark.parametrize(
        "text",
        [
            "User: hello\nAssistant: hello, how can I help?",
            "Merged PR #12 into main",
            "The class Reader is defined in src/reader.py",
            "Fixed the crash by adding a check in reader.py",
            "As described in the README, use make",
            "The build is failing right now",
            "正在编译项目",
        ],
    )
    def test_what_is_not_worth_it_is_advised_against(self, tmp_path: Path, text: str) -> None:
        """Nothing is written, the reason is told, and whoever insists is right."""
        memory = make(tmp_path)
        before = tree(memory)
        with pytest.raises(RefusedError, match="better not remembered"):
            memory.remember(text, kind="user")
        assert tree(memory) == before
        assert memory.remember(text, kind="user", force=True).status == "new"

    def test_where_code_lies_is_no_reference(self, tmp_path: Path) -> None:
        """A reference leads outside; where a page or a service lies is what it is for."""
        memory = make(tmp_path)
        with pytest.raises(RefusedError, match="better not remembered"):
            memory.remember("The class Reader is defined in src/reader.py", kind="reference")
        assert memory.remember("The billing module is found in the wiki", kind="reference").status == "new"

    def test_a_secret_is_refused_or_masked(self, tmp_path: Path) -> None:
        """No insisting writes a secret; masked it may stand."""
        memory = make(tmp_path)
        before = tree(memory)
        for given in ({}, {"force": True}):
            with pytest.raises(RefusedError, match="looks like a secret"):
                memory.remember("The key is AKIAIOSFODNN7EXAMPLA", kind="infrastructure", **given)
        with pytest.raises(RefusedError, match="looks like a secret"):
            memory.remember("The key is in the safe", kind="user", why="it is AKIAIOSFODNN7EXAMPLA")
        assert tree(memory) == before
        done = memory.remember("The key is AKIAIOSFODNN7EXAMPLA", kind="infrastructure", redact=True)
        assert [problem.rule for problem in done.problems] == ["masked-secret"]
        assert all(b"AKIA" not in content for content in tree(memory).values())

    def test_relative_dates_are_written_as_days(self, tmp_path: Path) -> None:
        """Every text is dated, and it is told."""
        memory = make(tmp_path)
        done = memory.remember("We moved yesterday", kind="user", why="the lease ended last month")
        assert "We moved on 2026-01-30" in done.records[0].text
        assert "ended in December 2025" in done.records[0].text
        assert {problem.rule for problem in done.problems} == {"absolute-date"}


def test_a_shared_context_neither_sees_nor_revises_what_is_private(tmp_path: Path) -> None:
    """A private memory is no twin there, is not superseded, affirmed, marked or done, and no diff shows it."""
    memory = make(tmp_path, **{"mneme.toml": '[audience]\nshared = ["memory/semantic/*"]\n'})
    names = {kind: store(memory, kind) for kind in ("decision", "feedback", "entity", "task", "infrastructure")}
    guest = shared(memory)
    assert guest.remember(TEXTS["feedback"], kind="gotcha", dry_run=True).status == "dry-run"
    assert "SQLite" not in guest.remember("Another thing", kind="gotcha", dry_run=True).diff
    for kind, name in names.items():
        if kind == "infrastructure":
            assert guest.affirm(name).records[0].id == name
            continue
        for act in (
            guest.affirm,
            guest.done,
            lambda one: guest.mark(one, "stale"),
            lambda one: guest.supersede(one, "x"),
        ):
            with pytest.raises((BadInputError, Exception), match="there is no"):
                act(name)
