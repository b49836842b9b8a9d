"""The verb `check`: what it tells of, the alarm it leaves behind, what it mends, and what it stands in the way of."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory
from mneme.errors import ERROR, NotFoundError, RefusedError
from mneme.profiles import templates_of
from mneme.profiles.tables import V4_ERRORS
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)
EXPOSED = "# Notes\n\nThe password is Tr0ub4dor&3xyz\n"
CLEAN = "# Notes\n\nThe password is in the team's vault\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an empty workspace."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "mneme.toml").touch()
    return tmp_path


def at(root: Path) -> Memory:
    """Open a workspace at noon."""
    return Memory(open_workspace(root), lambda: NOW)


def put(root: Path, path: str, text: str) -> Path:
    """Write a file of a workspace."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def rules(memory: Memory, *paths: str) -> list[str]:
    """Return the rules that a check reports."""
    return [problem.rule for problem in memory.check(paths).problems]


def test_a_failed_check_leaves_the_alarm_and_a_clean_one_takes_it(root: Path) -> None:
    """One line, until a check of everything finds no error; warnings raise none."""
    put(root, "memory/notes.md", EXPOSED)
    report = at(root).check()
    assert report.exit_code == 1
    assert re.fullmatch(r"Memory integrity check failed: 1 error; .*'mneme check'.*", at(root).alarm)
    put(root, "memory/notes.md", "# Notes\n\nSee [it](gone.md).\n")
    assert at(root).check().exit_code == 0
    assert at(root).alarm == ""
    assert not (root / ".mneme.d" / "alarm").exists()


def test_a_check_of_a_part_raises_the_alarm_but_never_ends_it(root: Path) -> None:
    """Only a check of everything can say that all is well; a dry run says nothing at all."""
    put(root, "memory/notes.md", EXPOSED)
    put(root, "memory/other.md", CLEAN)
    at(root).check(dry_run=True)
    assert at(root).alarm == ""
    at(root).check([str(root / "memory" / "notes.md")])
    assert at(root).alarm
    at(root).check([str(root / "memory" / "other.md")])
    assert at(root).alarm


def test_paths_choose_what_is_told(root: Path) -> None:
    """A file, a folder, a file that is no memory, and one that is not there."""
    put(root, "memory/a.md", "[x](gone.md)\n")
    put(root, "memory/deep/b.md", "[x](gone.md)\n")
    put(root, "docs/manual.md", "[x](gone.md)\n")
    memory = at(root)
    assert rules(memory) == ["dead-link"] * 2
    assert rules(memory, str(root / "memory/deep")) == ["dead-link"]
    assert rules(memory, str(root / "memory/a.md")) == ["dead-link"]
    assert rules(memory, str(root / "docs/manual.md")) == ["dead-link"]
    with pytest.raises(NotFoundError, match="no such file"):
        memory.check([str(root / "memory/none.md")])


def test_important_operations_are_refused(root: Path) -> None:
    """Until the fault is mended, unless forced, or unless it is the very fault that the operation mends."""
    put(root, "memory/notes.md", EXPOSED)
    memory = at(root)
    with pytest.raises(RefusedError, match=r"Memory integrity check failed: memory/notes\.md") as refused:
        memory.check_first("dream")
    assert "mneme dream --force" in refused.value.hint
    memory.check_first("dream", force=True)
    memory.check_first("archive", mends=("exposed-secret",))
    put(root, "memory/notes.md", CLEAN)
    memory.check_first("dream")


@pytest.mark.parametrize("profile", ["default", "openclaw", "v4", "never-forget", "protocol", "cells"])
def test_a_new_workspace_is_clean(tmp_path: Path, profile: str) -> None:
    """What `mneme init` lays out has no fault, in any layout."""
    for template in templates_of(profile):
        place = tmp_path / template.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(template.content(NOW))
    assert at(tmp_path).check().problems == ()


def test_the_checks_of_v4_are_errors_there_alone(root: Path) -> None:
    """A workspace that breaks each of them: errors in v4, none in another layout; settings have the last word."""
    buffer = "# Working Buffer\ncreated: 2026-07-01T09:00+00:00\nlast_active: 2026-07-01T09:00+00:00\n\n" + "- x\n" * 90
    questions = "## Open Questions\n\n" + "".join(f"- Question {n}?\n" for n in range(6))
    put(root, "MEMORY.md", f"# Memory\n\n## Active Decisions\n\n- [a](gone.md)\n\n{questions}")
    put(root, "memory/semantic/a.md", "# A\n\n#tags: nonsense\n\nText.\n")
    put(root, "memory/semantic/b.md", "# B\n\nText.\n")
    put(root, "memory/working-buffer.md", buffer)
    put(root, "memory/episodic/2026-05-01.md", "# May\n")
    put(root, "memory/archive/2026/05/2026-05-01.md", "# May\n")
    put(root, "memory/episodic/notes.md", "# Notes\n")
    put(root, "memory/a.pending", "")
    put(root, "memory/a.lock", "")
    (root / "mneme.toml").write_text('profile = "v4"\n')
    problems = at(root).check().problems
    assert {one.rule for one in problems if one.severity == ERROR} == set(V4_ERRORS)
    (root / "mneme.toml").write_text('profile = "openclaw"\n[rules]\nlong-buffer = "error"\nstale-lock = "ignore"\n')
    problems = at(root).check().problems
    assert {one.rule for one in problems if one.severity == ERROR} == {"long-buffer"}
    assert "stale-lock" not in {one.rule for one in problems}


def test_a_second_check_sees_every_change(root: Path) -> None:
    """Whatever changes, the kept report does not outlive it: a text, a file, a target outside memory, the day, a setting."""
    note = put(root, "memory/notes.md", "# Notes\n\n- [plan](../plan.txt)\n- moved last week\n")
    assert rules(at(root)) == ["dead-link", "relative-date"]
    put(root, "plan.txt", "x")
    assert rules(at(root)) == ["relative-date"]
    (root / "plan.txt").unlink()
    assert rules(at(root)) == ["dead-link", "relative-date"]
    note.write_text("# Notes\n\n- [plan](other.md)\n")
    assert rules(at(root)) == ["dead-link"]
    put(root, "memory/other.md", "# Other\n")
    assert rules(at(root)) == []
    put(root, "memory/2026-07-19.md", "# Sunday\n")
    later = Memory(open_workspace(root), lambda: NOW.replace(month=12))
    assert rules(later) == ["expired-day"]
    (root / "mneme.toml").write_text("[budgets]\nday_ttl_days = 1000\n")
    assert rules(Memory(open_workspace(root), lambda: NOW.replace(month=12))) == []


def test_a_buffer_grows_stale_by_itself(root: Path) -> None:
    """Nothing is touched, and two hours later the answer is another one."""
    put(root, "memory/working-buffer.md", "# Working Buffer\nlast_active: 2026-07-20T11:00+00:00\n\n- a task\n")
    assert rules(at(root)) == []
    assert rules(Memory(open_workspace(root), lambda: NOW.replace(hour=14))) == ["orphaned-buffer"]


def test_fixing_is_one_plan_that_can_be_taken_back(root: Path) -> None:
    """Cells, tags, links, an index and a fact in one plan; a dry run shows it and writes nothing; undo restores it."""
    files = {
        "memory/project.mneme": "@DEC-0001  a/b\ngist  one thing\nstate live   conf med   since 2026-07-01   seen 2026-07-01\ncue   x\n> why\n",
        "memory/semantic/a.md": "# A\n\n#tags: docker\n> last_verified: 2026-01-01\n\n- [b](old/b.md#x)\n",
        "memory/new/b.md": "# B\n\n## x\n",
        "MEMORY.md": "# Memory\n\n<!-- mneme:index:start -->\n- [Gone](memory/gone.md)\n<!-- mneme:index:end -->\n",
        "memory/user/ann.md": "---\nname: Ann\ndescription: Writes Python\ntype: user\ncreated: 2026-07-01\n---\n\nText.\n",
        "brain/areas/acme/items.json": (
            '[{"id": "a-1", "fact": "Pays late", "category": "status", "timestamp": "2026-01-01", "source": "conversation",'
            ' "status": "active", "supersededBy": "a-2"}, {"id": "a-2", "fact": "Pays early", "category": "status",'
            ' "timestamp": "2026-02-01", "source": "conversation", "status": "active", "supersededBy": null}]\n'
        ),
        "brain/areas/acme/summary.md": "# Acme\n",
    }
    places = {path: put(root, path, text) for path, text in files.items()}
    memory = at(root)
    shown = memory.check(fix=True, dry_run=True)
    assert shown.done is not None
    assert "+- [Ann](memory/user/ann.md) \u2014 Writes Python" in shown.done.diff
    assert {path: place.read_text() for path, place in places.items()} == files
    done = memory.check(fix=True)
    assert done.done is not None
    assert len(done.done.paths) == 4
    assert [one.rule for one in done.problems if one.rule in ("misplaced-tags", "dead-link", "index-out-of-step")] == []
    assert [one.rule for one in done.problems if one.severity == ERROR] == []
    assert places["memory/semantic/a.md"].read_text() == (
        "# A\n#tags: docker\n\n> last_verified: 2026-01-01\n\n- [b](../new/b.md#x)\n"
    )
    assert '"status": "superseded"' in places["brain/areas/acme/items.json"].read_text()
    assert "unverified-note" in [one.rule for one in done.problems]
    again = memory.check(fix=True).done
    assert again is not None
    assert again.n == 0
    memory.undo(done.done.n)
    assert {path: place.read_text() for path, place in places.items()} == files


def test_a_memory_of_loose_entries_is_made_to_fit(root: Path) -> None:
    """Where there are no sections to move, the last entries move together, in their order; nothing more the second time."""
    rules_of_the_house = [f"- rule {n} of [the house](memory/house.md)" for n in range(70)]
    put(root, "MEMORY.md", "# Memory\n\n" + "\n".join(rules_of_the_house) + "\n")
    put(root, "memory/house.md", "# House\n")
    memory = at(root)
    done = memory.check(fix=True)
    assert [one.rule for one in done.problems] == []
    left, more = ((root / path).read_text() for path in ("MEMORY.md", "memory/more.md"))
    assert len(left.splitlines()) <= 60
    said = [line for line in (left + more.replace("(house.md)", "(memory/house.md)")).splitlines() if "- rule" in line]
    assert said == rules_of_the_house
    assert left.endswith("\n## Elsewhere\n\n- [More](memory/more.md)\n")
    assert not memory.check(fix=True).done.n  # type: ignore[union-attr] # a fix says what it did


def test_a_memory_over_its_budget_is_made_to_fit(root: Path) -> None:
    """Whole sections move, word for word, the largest first; decisions and questions stay; every link still leads on."""
    section = "## {0}\n\n" + "".join(f"- {{0}} rule {n} of the house\n" for n in range({"Small": 1}.get("", 12))) + "\n"
    parts = [section.format(name) for name in ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta")]
    decisions = "## Active Decisions\n\n" + "".join(f"- [d{n}](memory/d.md)\n" for n in range(20)) + "\n"
    linked = parts[0].replace("- Alpha rule 1 ", "- [Alpha](memory/d.md) rule 1 ")
    text = "# Memory\n\n" + decisions + linked + "".join(parts[1:])
    place = put(root, "MEMORY.md", text)
    put(root, "memory/d.md", "# D\n")
    memory = at(root)
    assert "overlong-memory" in rules(memory)
    done = memory.check(fix=True)
    assert [one.rule for one in done.problems] == []
    left = place.read_text()
    assert left.startswith("# Memory\n\n" + decisions)
    assert len(left.splitlines()) <= 60
    moved = [path for path in done.done.paths if path != "MEMORY.md"]
    assert moved
    for path in moved:
        assert f"({path})" in left
        body = (root / path).read_text().replace("(d.md)", "(memory/d.md)")
        assert body.rstrip("\n") + "\n" in text
    memory.undo(done.done.n)
    assert place.read_text() == text


def test_what_is_forgotten_is_not_quoted_by_a_kept_report(root: Path) -> None:
    """A report quotes a part of a line; forgetting the line takes the report away."""
    put(root, "memory/notes.md", "# Notes\n\n- The importer moved to the attic last week\n")
    memory = at(root)
    assert rules(memory) == ["relative-date"]
    memory.forget("The importer moved to the attic last week")
    kept = [place for place in (root / ".mneme.d").rglob("*") if place.is_file()]
    assert [place.name for place in kept if b"last week" in place.read_bytes()] == []
