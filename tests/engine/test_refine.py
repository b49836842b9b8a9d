"""A verification says what is doubtful, with its place; once; and promotes nothing by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import RefusedError
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

REPORT = "memory/dreaming/verify/2026-01-05.md"
PROMOTED = """# Memory

<!-- mneme:promoted:start -->
## Promoted

- Backups run at 3 am on the second disk. (2026-01-02, memory/2026-01-02.md#gone0000) <!-- openclaw-memory-promotion:a -->
- Invoices go to Berta. (2026-01-02, memory/2026-01-02.md:4) <!-- openclaw-memory-promotion:b -->
- Otto likes tea. (2026-01-01, memory/2026-01-01.md:3) <!-- openclaw-memory-promotion:c -->
<!-- mneme:promoted:end -->
"""
NOTE = "# 2026-01-02\n\n- Backups run at 3 am on the second disk.\n- The printer was moved to room 5.\n"


class Clock:
    """A day that is set by hand."""

    def __init__(self) -> None:
        self.day = 5

    def __call__(self) -> datetime:
        """Return the moment."""
        return datetime(2026, 1, self.day, 13, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    """Return a clock of the test's own."""
    return Clock()


Opener = "Callable[..., Memory]"


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Memory]]:
    """Give a way to open a workspace with some files; what was opened is closed."""
    memories: list[Memory] = []

    def make(more: str = "", **texts: str) -> Memory:
        for name, text in texts.items():
            place = tmp_path / name.replace("__", "/").replace("_md", ".md").replace("DAY", "2026-01-")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        memories.append(Memory(Workspace(tmp_path, parse_settings(more), trusted=True), clock))
        return memories[-1]

    yield make
    for one in memories:
        one.close()


def told(memory: Memory, section: str) -> list[str]:
    """Return what a section of a verification says."""
    return [one.text for one in memory.refine(dry_run=True).findings if one.section == section]


def test_a_promotion_is_held_against_its_source(opened: Callable[..., Memory]) -> None:
    """One that its note supports says nothing; one that it does not say, and one whose note is gone, are told."""
    memory = opened(MEMORY_md=PROMOTED, memory__DAY02_md=NOTE)
    assert told(memory, "Unsupported promotions") == [
        "'memory/2026-01-02.md:4' does not say what was promoted from it: Invoices go to Berta.",
        "the source of a promotion, 'memory/2026-01-01.md:3', is gone: Otto likes tea.",
    ]


def test_conflicts_are_found_across_homes(opened: Callable[..., Memory]) -> None:
    """Between cells by the check, between classified memories by a second look."""
    front = "---\nname: {0}\ndescription: {0}\ntype: reference\ncreated: 2026-01-03\n---\n\n## Rule / Fact\n\n{0}\n"
    memory = opened(
        memory__reference__a_md=front.format("The staging server listens on port 8080"),
        memory__reference__b_md=front.format("The staging server listens on port 9090"),
    )
    (found,) = told(memory, "Conflicts")
    assert "'memory/reference/a.md' and 'memory/reference/b.md' seem to contradict each other" in found


def test_memory_is_held_against_the_project(opened: Callable[..., Memory], tmp_path: Path) -> None:
    """Files that were deleted, and versions that were left behind; what is allowed or told as past is not."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/old.py").write_text("def old(): ...\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.11"\ndependencies = ["django>=5.1"]\n')
    (tmp_path / ".nvmrc").write_text("22\n")
    run = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "one"],
        ["rm", "-q", "src/old.py"],
        ["commit", "-qm", "two"],
    ):
        subprocess.run([*run, *words], check=True)
    front = "---\nname: {0}\ndescription: {0}\ntype: project\ncreated: 2026-01-03\n---\n\n## Rule / Fact\n\n{1}\n"
    memory = opened(
        memory__project__a_md=front.format("Parser", "The parser lives in `src/old.py`."),
        memory__project__b_md=front.format("Runtime", "We support Python 3.9 and Node 22."),
        memory__project__c_md=front.format("Web", "The site was on Django 4.2 until spring."),
    )
    found = told(memory, "Conflicts")
    assert any("src/old.py" in one and "deleted" in one for one in found)
    assert [one for one in found if "Python" in one] == [
        "'memory/project/b.md' says Python 3.9, and pyproject.toml says >=3.11"
    ]
    assert not any("Django" in one or "Node" in one for one in found)


def test_an_id_that_is_named_wants_a_link(opened: Callable[..., Memory]) -> None:
    """A cell that speaks of another and does not link to it."""
    memory = opened()
    memory.remember("Local cache uses SQLite", kind="decision", topic="storage/cache")
    memory.remember(
        "Caches are warmed at start", kind="decision", topic="storage/warm", why="DEC-0001 is slow when cold"
    )
    assert told(memory, "Missing links") == ["'DEC-0002' names 'DEC-0001' and does not link to it"]


def test_new_memories_are_classed_with_how_sure_that_is(opened: Callable[..., Memory]) -> None:
    """By their kind where that says so, else by their words."""
    memory = opened()
    memory.remember("The user prefers short answers", kind="preference")
    memory.remember("The gateway speaks HTTP", kind="fact")
    found = {one.id: (one.kind, one.conf) for one in memory.refine(dry_run=True).classed}
    assert found == {"PREF-0001": ("user", "high"), "FACT-0001": ("reference", "low")}


def test_what_days_state_and_no_home_has_is_suggested(opened: Callable[..., Memory]) -> None:
    """As text and as a proposal; MEMORY.md is left alone."""
    memory = opened(
        MEMORY_md="# Memory\n",
        memory__DAY04_md="# 2026-01-04\n\n- Decision: invoices are sent on Mondays, because banks are closed on Sundays\n",
    )
    refined = memory.refine()
    assert [(one.by, one.kind) for one in refined.proposed] == [("refine", "decision")]
    assert [one.section for one in refined.findings if one.section == "Suggested promotions"] == [
        "Suggested promotions"
    ]
    assert (memory.root / "MEMORY.md").read_text() == "# Memory\n"
    assert "Invoices are sent on Mondays" in (memory.root / REPORT).read_text()


def test_what_was_turned_down_is_not_told_again(opened: Callable[..., Memory], tmp_path: Path) -> None:
    """Neither proposed nor so much as named in the report of another day."""
    memory = opened(memory__DAY04_md="# 2026-01-04\n\n- Decision: SQLite for the cache, JSON lost writes\n")
    (one,) = memory.refine().proposed
    memory.reject([one.id], why="no")
    memory.refine()
    assert "SQLite" not in (tmp_path / REPORT).read_text()
    assert memory.proposals() == ()


def test_what_dreaming_lacked_one_thing_to_promote_is_suggested(opened: Callable[..., Memory]) -> None:
    """Asked for three times by two questions, where three questions are wanted."""
    note = "# 2026-01-04\n\n- The harbour crane is inspected by Berta in the second week of March\n"
    memory = opened(MEMORY_md="# Memory\n", memory__DAY04_md=note)
    record = next(one for one in memory.list() if "harbour crane" in one.text)
    hit = {"id": record.id, "path": record.path, "line": 3, "end_line": 3, "score": 0.9}
    logged = (
        {"at": f"2026-01-0{day}T09:00:00+00:00", "origin": "asked", "session": "", "query": query}
        for day, query in ((4, "a1"), (5, "b2"), (5, "a1"))
    )
    (memory.root / ".mneme.d").mkdir(exist_ok=True)
    (memory.root / ".mneme.d/recall.jsonl").write_text(
        "".join(json.dumps({**row, "hits": [hit]}) + "\n" for row in logged)
    )
    memory.dream(force=True)
    (found,) = [one for one in memory.refine().proposed if one.kind == "promotion"]
    assert "harbour crane is inspected by Berta" in found.text
    assert found.said["why"].startswith("asked for again and again; dreaming lacks ")


def test_a_suggested_promotion_goes_to_memory_md_when_it_is_accepted(opened: Callable[..., Memory]) -> None:
    """A person's word, and nothing else, puts it there."""
    from mneme.formats.proposal import Proposal, Source

    memory = opened(MEMORY_md="# Memory\n")
    memory.propose([Proposal("Invoices are sent on Mondays", "promotion", "refine", sources=(Source("a.md:1"),))])
    (accepted,) = memory.accept(["PROP-0001"])
    assert accepted.became.startswith("MEMORY.md#")
    assert "Invoices are sent on Mondays" in (memory.root / "MEMORY.md").read_text()
    assert memory.proposals() == ()


def test_a_second_run_changes_nothing(opened: Callable[..., Memory], clock: Clock) -> None:
    """Neither on the same day nor on the next, and the check finds nothing new in the report."""
    memory = opened(MEMORY_md=PROMOTED, memory__DAY02_md=NOTE)
    before = {one.rule for one in memory.check().problems}
    first = memory.refine()
    assert first.paths == (REPORT,)
    assert {one.rule for one in memory.check().problems} == before
    assert memory.refine().done.n == 0
    clock.day = 6
    assert memory.refine().done.n == 0
    memory.undo()
    assert not (memory.root / REPORT).exists()


def test_a_broken_memory_is_mended_first(opened: Callable[..., Memory]) -> None:
    """Errors stop it unless it is forced."""
    memory = opened(memory__other_md="")
    (memory.root / "memory/other.mneme").write_text("@ DEC-0009\ngist: one\n\n@ DEC-0009\ngist: two\n")
    with pytest.raises(RefusedError, match="integrity check failed"):
        memory.refine()
    assert memory.refine(force=True).done.status == "unchanged"


def test_sure_classes_are_written_where_settings_allow(opened: Callable[..., Memory]) -> None:
    """To the folder of their class, in the layout that has one; never without the setting."""
    note = "# 2026-01-04\n\n- The user prefers short answers without tables\n"
    more = 'profile = "never-forget"\n[refine]\nclassify = true\n'
    memory = opened(more, memory__DAY04_md=note)
    (accepted,) = memory.refine().accepted
    assert accepted.became.startswith("memory/user/")


# With a model


def command(answer: object, keep: Path) -> str:
    """Return settings for a model that is a command; what it was asked is kept."""
    program = f"import sys; open({str(keep)!r}, 'w').write(sys.stdin.read()); print({json.dumps(json.dumps(answer))})"
    return f"[model]\nkind = 'command'\nname = 'small'\ncommand = {json.dumps([sys.executable, '-c', program])}\n"


def test_a_models_findings_are_held_against_the_memories(opened: Callable[..., Memory], tmp_path: Path) -> None:
    """It is asked in words that may be edited; what it makes up is left out."""
    good = {"kind": "outdated", "ids": ["FACT-0001"], "quote": "the gateway speaks", "why": "HTTP was replaced"}
    bad = [{**good, "ids": ["FACT-0099"]}, {**good, "quote": "the gateway sings"}]
    asked = tmp_path / "asked.txt"
    memory = opened(command({"findings": [good, *bad]}, asked))
    memory.remember("The gateway speaks HTTP", kind="fact")
    memory.refine_prompt()
    prompt = tmp_path / "prompts/refine.md"
    prompt.write_text(prompt.read_text() + "\nLook closely at gateways.\n")
    refined = memory.refine()
    assert "Look closely at gateways." in asked.read_text()
    assert [(one.text, one.by) for one in refined.findings] == [("'FACT-0001': HTTP was replaced", "small")]
    assert [one.message.partition(":")[0] for one in refined.problems] == ["2 findings of the model were left out"]
    assert "said by small" in (memory.root / REPORT).read_text()
