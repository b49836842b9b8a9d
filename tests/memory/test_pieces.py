"""Every kind of memory file is read into pieces, cut as finely as it is remembered, and never twice under one id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mneme.memory import all_paths, load_pieces, read_pieces
from mneme.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return an empty workspace of the default profile."""
    (tmp_path / "mneme.toml").write_text('profile = "default"\n', "utf-8")
    return open_workspace(tmp_path)


def read(workspace: Workspace, path: str, text: str) -> list[tuple[str, str, str]]:
    """Return id, title and body of each piece."""
    pieces = read_pieces(workspace, path, text.encode())
    return [(piece.record.id, piece.title, piece.body) for piece in pieces]


def test_a_cell_keeps_its_columns(workspace: Workspace) -> None:
    """Gist, cue, topic and body of a cell are texts of their own; its id is its own."""
    text = "@DEC-0001 storage/cache\ngist Cache in Redis\ncue why redis\nstate live conf high since 2026-01-02 seen 2026-01-02\n> because fast\n"
    (piece,) = read_pieces(workspace, "memory/project.mneme", text.encode())
    assert (piece.record.id, piece.gist, piece.topic) == ("DEC-0001", "Cache in Redis", "storage/cache")
    assert piece.columns[0] == "Cache in Redis"


def test_a_day_is_cut_into_entries_with_its_date(workspace: Workspace) -> None:
    """An entry knows the headings above it, and holds since the day of its note."""
    text = "# 2026-03-01\n\n## Deploys\n\n- 09:30 moved to #fly\n- rolled back\n"
    pieces = read_pieces(workspace, "memory/2026-03-01.md", text.encode())
    assert [(piece.title, piece.body, piece.tags) for piece in pieces] == [
        ("Deploys", "- 09:30 moved to #fly", ("fly",)),
        ("Deploys", "- rolled back", ()),
    ]
    assert {(piece.record.since, piece.record.tier, piece.record.kind) for piece in pieces} == {
        ("2026-03-01", "cold", "day")
    }
    assert [piece.place for piece in pieces] == [0, 1]


def test_what_was_promoted_is_memory_and_other_regions_are_not(workspace: Workspace) -> None:
    """A region that repeats other files is left out; the promoted ones are entries like any other."""
    text = (
        "# Memory\n\n- by hand\n\n<!-- mneme:promoted:start -->\n- by dream\n<!-- mneme:promoted:end -->\n\n"
        "<!-- mneme:index:start -->\n- [x](memory/x.md)\n<!-- mneme:index:end -->\n"
    )
    assert [body for _, _, body in read(workspace, "MEMORY.md", text)] == ["- by hand", "- by dream"]


def test_a_memory_with_a_file_of_its_own_is_one_piece(workspace: Workspace) -> None:
    """Its name and its description are what it is found by."""
    text = "---\nname: Deploys\ndescription: how we deploy\ntype: project\n---\n\n# Deploys\n\nTo Fly.\n\nOn Fridays never.\n"
    (piece,) = read_pieces(workspace, "memory/project/deploys.md", text.encode())
    assert (piece.record.id, piece.title, piece.gist) == ("memory/project/deploys.md", "Deploys", "how we deploy")
    assert "On Fridays never." in piece.body


def test_a_document_is_cut_into_sections_and_long_ones_into_parts(workspace: Workspace) -> None:
    """A section goes by its headings; a part after the first is named by its own words."""
    long = "\n\n".join(f"{number} " + "word " * 100 for number in range(8))
    text = f"before\n\n# One\n\n## Two\n\nshort\n\n## Three\n\n{long}\n"
    found = read(workspace, "knowledge/notes.md", text)
    assert [title for _, title, _ in found[:3]] == ["", "One / Two", "One / Three"]
    assert [name for name, _, _ in found[:3]] == [
        "knowledge/notes.md",
        "knowledge/notes.md#two",
        "knowledge/notes.md#three",
    ]
    assert len(found) > 4
    assert all(len(body) < 2000 for *_, body in found)
    assert "".join("".join(body.split()) for *_, body in found[2:]) == "".join(long.split())


def test_a_dated_heading_dates_what_stands_below(workspace: Workspace) -> None:
    """Where a file has no day of its own, the nearest dated heading says since when."""
    text = "# Memory\n\n## Promoted (2026-02-03)\n\n- kept\n\n## Rules\n\n- always\n"
    pieces = read_pieces(workspace, "MEMORY.md", text.encode())
    assert [piece.record.since for piece in pieces] == ["2026-02-03", ""]


def test_a_fact_says_whom_it_is_about(workspace: Workspace) -> None:
    """The entity is named by its folder."""
    text = '[{"id": "ann-001", "fact": "Prefers tea", "category": "preference", "timestamp": "2026-01-01", "status": "active"}]'
    (piece,) = read_pieces(workspace, "brain/areas/people/ann-lee/items.json", text.encode())
    assert (piece.entity, piece.title, piece.body, piece.record.state) == ("ann-lee", "ann lee", "Prefers tea", "live")


def test_the_same_words_twice_are_two_pieces(workspace: Workspace) -> None:
    """No two pieces of a file share an id."""
    ids = [name for name, *_ in read(workspace, "memory/2026-03-01.md", "- same\n\ntext\n\n- same\n")]
    assert len(set(ids)) == 3


def test_a_workspace_is_read_file_by_file(workspace: Workspace) -> None:
    """Everything that is memory is read once; a file that is gone has no pieces."""
    root = workspace.root
    (root / "memory").mkdir()
    (root / "MEMORY.md").write_text("- one\n", "utf-8")
    (root / "memory/a.mneme").write_text(
        "@FACT-0001\ngist two\nstate live conf med since 2026-01-02 seen 2026-01-02\n", "utf-8"
    )
    assert all_paths(workspace) == ("memory/a.mneme", "MEMORY.md")
    assert [piece.record.path for piece in load_pieces(workspace)] == ["memory/a.mneme", "MEMORY.md"]
    assert list(load_pieces(workspace, ["memory/gone.md"])) == []
