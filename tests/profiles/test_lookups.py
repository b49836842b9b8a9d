"""What a workspace answers about its own layout, from files that are there."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from mneme.errors import BadInputError, StorageError
from mneme.settings import Settings, parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def put(root: Path, *paths: str) -> None:
    """Make files."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n", encoding="utf-8")


def test_the_settings_choose_the_layout(tmp_path: Path) -> None:
    """Homes, kinds, tiers and paths of days come from the profile; it is made once."""
    workspace = Workspace(tmp_path, parse_settings('profile = "v4"'))
    assert workspace.profile is workspace.profile
    assert workspace.home_of("decision").path == "memory/semantic/decisions.md"
    assert workspace.kind_of("memory/semantic/decisions.md") == "decision"
    assert workspace.tier_of("memory/episodic/2026-03-01.md") == "cold"
    assert workspace.day_path(date(2026, 3, 1)) == "memory/episodic/2026-03-01.md"
    with pytest.raises(BadInputError):
        workspace.home_of("task")


def test_workspaces_with_and_without_a_profile_made_are_the_same(tmp_path: Path) -> None:
    """What is kept from an earlier question does not tell two workspaces apart."""
    asked, other = Workspace(tmp_path), Workspace(tmp_path)
    assert asked.profile.name == "default"
    assert asked == other


def test_memory_is_found_in_one_walk(tmp_path: Path) -> None:
    """Notes, cells, facts and what is left out; ignored and hidden places are passed."""
    put(tmp_path, "MEMORY.md", "memory/a.md", "memory/b.mneme", "brain/areas/x/items.json", "docs/c.md")
    put(tmp_path, ".hidden/memory/d.md", "drafts/memory/e.md", "node_modules/memory/f.md")
    workspace = Workspace(tmp_path, Settings({"files.ignore": ["drafts"]}))
    found = workspace.memory_files()
    assert (found.notes, found.cells) == (("MEMORY.md", "memory/a.md"), ("memory/b.mneme",))
    assert (found.facts, found.left_out) == (("brain/areas/x/items.json",), ("docs/c.md",))
    assert workspace.note_files() == ["MEMORY.md", "memory/a.md"]
    assert workspace.fact_files() == ["brain/areas/x/items.json"]


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    """Where somebody asks for them."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    for name, closed in (("nowhere", []), ("file", [""])):
        workspace = Workspace(tmp_path / name)
        assert not workspace.memory_files().notes
        assert workspace.closed == closed


def test_where_cells_go_is_not_guessed_from_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    """A second cell file, made because the first was not seen, would be a second home."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match=r"the folder '\.' cannot be listed"):
        Workspace(tmp_path / "file").default_cell_file()
    assert Workspace(tmp_path / "file", Settings({"cells.default": "a.mneme"})).default_cell_file() == "a.mneme"
    assert Workspace(tmp_path / "nowhere").default_cell_file() == "memory/project.mneme"


def test_a_link_shares_no_more_than_what_it_leads_to(tmp_path: Path) -> None:
    """A shared name for a private file stays private, and so does one that leads out of the workspace."""
    root = tmp_path / "ws"
    put(root, "MEMORY.md", "shared/open.md")
    put(tmp_path, "outside.md")
    (root / "shared/link.md").symlink_to("../MEMORY.md")
    (root / "shared/alias.md").symlink_to("open.md")
    (root / "shared/out.md").symlink_to("../../outside.md")
    workspace = Workspace(root, Settings({"audience.shared": ["shared/*"]}))
    answers = {name: workspace.audience_of(f"shared/{name}.md") for name in ("open", "alias", "link", "out", "new")}
    assert answers == {"open": "shared", "alias": "shared", "link": "private", "out": "private", "new": "shared"}


def test_reading_cells_needs_no_profile(tmp_path: Path) -> None:
    """`mneme spine` starts light: nothing of the profiles is imported on its way."""
    put(tmp_path, "mneme.toml")
    (tmp_path / "mneme.toml").write_text("", encoding="utf-8")
    program = (
        "import sys\nfrom mneme.cli import main\n"
        f"assert main(['--workspace', {str(tmp_path)!r}, 'spine']) == 0\n"
        "assert not [name for name in sys.modules if name.startswith('mneme.profiles')]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
