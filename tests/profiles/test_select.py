"""What counts as memory in a folder where much else lies, and in layouts nobody planned for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.profiles import MemoryFiles, profile_of, select_memory
from mneme.settings import parse_settings


def selected(*paths: str, settings: str = "") -> MemoryFiles:
    """Sort paths under some settings."""
    return select_memory(paths, profile_of(parse_settings(settings)))


@pytest.mark.parametrize(
    "path",
    [
        *(
            "MEMORY.md",
            "memory.md",
            "MEMORY-2025.md",
            "USER.md",
            "SOUL.md",
            "TOOLS.md",
            "todos.md",
            "TODO.md",
            "记忆.md",
        ),
        *("memory/anything.md", "memory/deep/er/note.md", "memory/2026-03-01-ping.md", "memory/日记/随笔.md"),
        *("agents/ann/MEMORY.md", "agents/ann/memory/x.md", "Memory/x.MD", "memory/x.markdown"),
        *("记忆/想法.md", "памЯть/мысль.md", "me\u0301moire/x.md", "日记/2026年3月1日.md"),
        *("notes/2026-03-01.md", "2026-03-01.md", "log/2026年3月1日.md", "journal/thoughts.md"),
        *("brain/areas/acme/summary.md", "brain/readings.md", "life/index.md", "knowledge/project-tracker.md"),
        *("memory/line\nbreak.md", "memory/ .md", "memory/caf\udce9.md", "memory/[x].md"),
    ],
)
def test_this_is_memory(path: str) -> None:
    """By its name, or by the folder it lies in, in any script and with any characters."""
    assert selected(path) == MemoryFiles(notes=(path,))


@pytest.mark.parametrize(
    "path",
    [
        *("README.md", "AGENTS.md", "CHANGELOG.md", "memory/README.md", "memory/SKILL.md", "memory/memory-types.md"),
        *("skills/memory/usage.md", "src/memory/README.md", "src/app/memory/pool.md", "docs/memory.md"),
        *("docs/2026-03-01.md", "skills/diary/2026-03-01.md", "research/2026-03-01-router.md", "cron/nightly.md"),
        *("memory/TEMPLATE.md", "memory/TEMPLATE-daily-notes.md", "templates/MEMORY.md", "memory/templates/day.md"),
        *("memorybank.md", "research/notes.md", "skills/x/summary.md", "examples/USER.md"),
    ],
)
def test_this_is_not(path: str) -> None:
    """Manuals, templates, programs, research: told as left out, never as memory."""
    assert selected(path) == MemoryFiles(left_out=(path,))


def test_what_lies_beside_a_memory_belongs_to_it() -> None:
    """An odd place of MEMORY.md makes a home of its folder, even inside an example."""
    found = selected(
        "config/MEMORY.md", "config/USER.md", "config/BOOT.md", "examples/a/MEMORY.md", "examples/a/memory/x.md"
    )
    assert found.notes == ("config/MEMORY.md", "config/USER.md", "examples/a/MEMORY.md", "examples/a/memory/x.md")
    assert found.left_out == ("config/BOOT.md",)


def test_facts_are_those_of_entities() -> None:
    """By their place, by a summary beside them, or in a folder of areas; other items.json are data."""
    paths = [
        "brain/areas/acme/items.json",
        "life/areas/people/ann/items.json",
        "crm/bob/items.json",
        "crm/bob/summary.md",
    ]
    found = selected(*paths, "data/items.json", "items.json", "memory/my-items.json")
    assert found.facts == ("brain/areas/acme/items.json", "crm/bob/items.json", "life/areas/people/ann/items.json")
    assert found.notes == ("crm/bob/summary.md",)


def test_cells_are_cells_anywhere() -> None:
    """Both suffixes; and each kind comes in order of name."""
    assert selected("z.mneme", "src/a.mn", "memory/b.mneme").cells == ("memory/b.mneme", "src/a.mn", "z.mneme")


def test_settings_add_memory() -> None:
    """Globs of `files.notes`, places and homes."""
    settings = '[files]\nnotes = ["research/*"]\n[homes]\ngoal = "plans/goals.md"\n[places]\npalace = "views/"\n'
    found = selected("research/2026/x.md", "plans/goals.md", "plans/x.md", "views/timeline.md", settings=settings)
    assert (found.notes, found.left_out) == (
        ("plans/goals.md", "research/2026/x.md", "views/timeline.md"),
        ("plans/x.md",),
    )


@given(st.lists(st.text(alphabet="aM/.md\n2026-0é", max_size=20).map(lambda name: f"{name}.md"), unique=True))
def test_every_markdown_file_is_one_or_the_other(paths: list[str]) -> None:
    """No name makes it fail, and none is lost or told twice."""
    found = selected(*paths)
    assert sorted((*found.notes, *found.left_out)) == sorted(paths)
