"""Which folder is the workspace, what belongs to it, and whose word may be taken."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from mneme.errors import BadInputError, MnemeError, NotFoundError, StorageError
from mneme.settings import Settings
from mneme.workspace import (
    Workspace,
    config_folder,
    find_marker,
    find_workspace,
    open_workspace,
    personal_folder,
    set_trust,
    trusted_paths,
)


def put(place: Path, content: bytes = b"") -> Path:
    """Write a file with its folders."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return an environment with folders of its own."""
    return {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }


# Finding


def test_the_order_of_finding(tmp_path: Path, env: dict[str, str]) -> None:
    """What was asked for, then the environment, then the nearest marked ancestor, then the personal one."""
    for name in ("asked", "said"):
        (tmp_path / name).mkdir()
    put(tmp_path / "near/mneme.toml")
    here = tmp_path / "near/deep/er"
    here.mkdir(parents=True)
    said = env | {"MNEME_WORKSPACE": str(tmp_path / "said")}

    def found(asked: str | None, env: dict[str, str], here: Path) -> tuple[Path, str]:
        workspace = find_workspace(asked, here=here, env=env)
        return workspace.root, workspace.found_by

    assert found(str(tmp_path / "asked"), said, here) == (tmp_path / "asked", "--workspace")
    assert found(None, said, here) == (tmp_path / "said", "MNEME_WORKSPACE")
    assert found("", said, here) == (tmp_path / "said", "MNEME_WORKSPACE")
    assert found(None, env | {"MNEME_WORKSPACE": ""}, here) == (tmp_path / "near", "mneme.toml")
    assert found(None, env, Path("/")) == (tmp_path / "data/mneme", "personal")
    assert find_workspace(here=Path("/"), env=env).trusted


@pytest.mark.parametrize(
    ("paths", "marker"),
    [
        (["mneme.toml"], "mneme.toml"),
        (["team.mneme"], "team.mneme"),
        (["team.mn"], "team.mn"),
        (["z.mneme", "a.mn"], "a.mn"),
        (["MEMORY.md", "memory/x.md"], "MEMORY.md"),
        (["mneme.toml", "a.mneme", "MEMORY.md", "memory/x.md"], "mneme.toml"),
        (["a.mneme", "MEMORY.md", "memory/x.md"], "a.mneme"),
        (["MEMORY.md"], None),
        (["memory/x.md"], None),
        (["MEMORY.md", "memory"], None),
        ([".mneme.d/lock"], None),
        (["folder.mneme/x"], None),
        (["mneme.toml/x"], None),
        (["a.mneme.md", "mneme", "README.md"], None),
        ([".mneme", ".hidden.mneme", "._a.mneme"], None),
        ([], None),
    ],
)
def test_what_makes_a_folder_a_workspace(tmp_path: Path, paths: list[str], marker: str | None) -> None:
    """A settings file, a cell *file*, or MEMORY.md beside the folder memory; never the machine's own folder."""
    for path in paths:
        put(tmp_path / path)
    assert find_marker(tmp_path) == marker


def test_the_nearest_ancestor_wins(tmp_path: Path, env: dict[str, str]) -> None:
    """Whatever marks it."""
    put(tmp_path / "mneme.toml")
    put(tmp_path / "a/b/x.mneme")
    (tmp_path / "a/b/c").mkdir()
    assert find_workspace(here=tmp_path / "a/b/c", env=env).root == tmp_path / "a/b"
    assert find_workspace(here=tmp_path / "a", env=env).root == tmp_path


def test_a_link_that_leads_nowhere_is_no_marker(tmp_path: Path) -> None:
    """Neither a dangling link nor one that goes round in a circle, and neither stops anybody."""
    (tmp_path / "round.mneme").symlink_to("round.mneme")
    (tmp_path / "gone.mneme").symlink_to("no-such-file")
    (tmp_path / "gone.mneme.lock").symlink_to("no-such-file")
    assert find_marker(tmp_path) is None
    assert Workspace(tmp_path).cell_files() == []


def test_a_workspace_that_is_none(tmp_path: Path, env: dict[str, str]) -> None:
    """A folder that was named has to be there; the error says who named it and what to run."""
    with pytest.raises(NotFoundError, match=r"'.*/no' \(from --workspace\) does not exist") as caught:
        find_workspace(str(tmp_path / "no"), env=env)
    assert caught.value.hint == f"mneme init --workspace {tmp_path / 'no'}"
    place = put(tmp_path / "file")
    with pytest.raises(NotFoundError, match=r"\(from MNEME_WORKSPACE\) is not a folder"):
        find_workspace(env=env | {"MNEME_WORKSPACE": str(place)})


def test_names_of_a_workspace(tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative name, one with `..`, and the home folder's sign."""
    (tmp_path / "ws/sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "ws")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("sub", "sub/../sub", "~/ws/sub", f"{tmp_path}/ws/sub/"):
        assert find_workspace(name, env=env).root == tmp_path / "ws/sub"


def test_a_folder_that_is_gone_from_under_us(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standing in a deleted folder, a workspace that was named is found all the same."""
    (tmp_path / "gone").mkdir()
    (tmp_path / "ws").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert find_workspace(str(tmp_path / "ws"), env=env).root == tmp_path / "ws"
    monkeypatch.chdir(tmp_path)


def test_settings_are_read_from_the_root(tmp_path: Path, env: dict[str, str]) -> None:
    """Its own file, or the defaults; a bad one is one clear error; a folder of that name is none."""
    assert open_workspace(tmp_path, env=env).settings == Settings()
    put(tmp_path / "mneme.toml", b"[cells]\nstale_after_days = 3\n# caf\xe9\n")
    assert open_workspace(tmp_path, env=env).settings["cells.stale_after_days"] == 3
    put(tmp_path / "mneme.toml", b"x = 1\n")
    with pytest.raises(BadInputError, match=r"^mneme\.toml:1: "):
        open_workspace(tmp_path, env=env)
    (tmp_path / "mneme.toml").unlink()
    (tmp_path / "mneme.toml").mkdir()
    with pytest.raises(StorageError, match="folder"):
        open_workspace(tmp_path, env=env)


def test_the_user_s_own_folders() -> None:
    """By the XDG variables where they are set, by HOME where not."""
    env = {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "HOME": "/h"}
    assert (personal_folder(env), config_folder(env)) == (Path("/d/mneme"), Path("/c/mneme"))
    del env["XDG_DATA_HOME"]
    env["XDG_CONFIG_HOME"] = ""
    if sys.platform == "darwin":
        wanted = (Path("/h/Library/Application Support/mneme"), Path("/h/Library/Preferences/mneme"))
    else:
        wanted = (Path("/h/.local/share/mneme"), Path("/h/.config/mneme"))
    assert (personal_folder(env), config_folder(env)) == wanted
    assert personal_folder({}).is_absolute()


# Trust


def test_trust_is_set_and_taken_back(tmp_path: Path, env: dict[str, str]) -> None:
    """Per absolute path, in the user's configuration, nowhere in the workspace; the personal one is trusted."""
    root = tmp_path / "cloned"
    put(root / "mneme.toml")
    assert not find_workspace(str(root), env=env).trusted
    set_trust(root, trusted=True, env=env)
    set_trust(tmp_path / "other", trusted=True, env=env)
    set_trust(root, trusted=True, env=env)
    assert find_workspace(str(root), env=env).trusted
    assert (tmp_path / "config/mneme/trusted").read_text() == f"{root}\n{tmp_path / 'other'}\n"
    assert os.listdir(root) == ["mneme.toml"]
    assert not find_workspace(str(tmp_path), env=env).trusted
    set_trust(root, trusted=False, env=env)
    set_trust(root, trusted=False, env=env)
    assert not find_workspace(str(root), env=env).trusted
    assert trusted_paths(env) == {str(tmp_path / "other")}
    put(tmp_path / "other/a.mneme")
    assert find_workspace(here=tmp_path / "other", env=env).trusted


def test_a_workspace_cannot_trust_itself(tmp_path: Path, env: dict[str, str]) -> None:
    """No setting of a cloned folder makes it trusted, nor does trust in its parent or in a longer name."""
    root = tmp_path / "cloned"
    put(root / "mneme.toml")
    put(root / ".mneme.d/trusted", f"{root}\n".encode())
    set_trust(tmp_path, trusted=True, env=env)
    set_trust(tmp_path / "cloned-and-more", trusted=True, env=env)
    assert not open_workspace(root, env=env).trusted


def test_the_list_may_be_edited(tmp_path: Path, env: dict[str, str]) -> None:
    """Comments and blank lines are passed over."""
    put(tmp_path / "config/mneme/trusted", b"# mine\n\n/one\n/two\n")
    assert trusted_paths(env) == {"/one", "/two"}


@pytest.mark.parametrize(
    "name", ["with space", " edge ", "caf\udce9", "字", "form\x0cfeed", "line\u2028sep", "back\\slash"]
)
def test_odd_paths_are_trusted_exactly(tmp_path: Path, env: dict[str, str], name: str) -> None:
    """A path of any bytes is trusted, and no other is by it."""
    set_trust(tmp_path / name, trusted=True, env=env)
    assert trusted_paths(env) == {str(tmp_path / name)}
    set_trust(tmp_path / name, trusted=False, env=env)
    assert trusted_paths(env) == set()


def test_a_line_break_in_a_name_does_not_trust_another_folder(tmp_path: Path, env: dict[str, str]) -> None:
    """A folder whose name holds a line break cannot bring a second path into the list."""
    with suppress(MnemeError):
        set_trust(Path(f"{tmp_path}/x\n/home/somebody"), trusted=True, env=env)
    assert "/home/somebody" not in trusted_paths(env)


# What belongs to it


def test_cell_files_in_order(tmp_path: Path) -> None:
    """Both suffixes, anywhere; hidden folders, installed packages and the machine's own are passed."""
    for path in ("z.mneme", "memory/b.mn", "memory/a.mneme", "memory/deep/c.mneme", "a.mneme"):
        put(tmp_path / path)
    for path in (
        ".git/x.mneme",
        ".mneme.d/x.mneme",
        "node_modules/p/x.mneme",
        "a/venv/x.mn",
        ".hidden.mneme",
        "x.mneme.bak",
    ):
        put(tmp_path / path)
    (tmp_path / "folder.mneme").mkdir()
    put(tmp_path / "folder.mneme/inside.mneme")
    assert Workspace(tmp_path).cell_files() == [
        "a.mneme", "folder.mneme/inside.mneme", "memory/a.mneme", "memory/b.mn", "memory/deep/c.mneme", "z.mneme",
    ]  # fmt: skip


def test_ignored_places(tmp_path: Path) -> None:
    """Globs of files and folders."""
    for path in ("a.mneme", "drafts/b.mneme", "memory/old-c.mneme", "memory/d.mneme"):
        put(tmp_path / path)
    settings = Settings({"files.ignore": ["drafts", "*/old-*"]})
    assert Workspace(tmp_path, settings).cell_files() == ["a.mneme", "memory/d.mneme"]


def test_links(tmp_path: Path) -> None:
    """A linked file inside counts, one that leads out does not; linked folders are not entered, so no circle is walked."""
    root = tmp_path / "ws"
    put(root / "memory/a.mneme")
    put(tmp_path / "outside/b.mneme")
    (root / "out.mneme").symlink_to("../outside/b.mneme")
    (root / "outside").symlink_to("../outside")
    (root / "memory/up").symlink_to("..")
    (root / "round").symlink_to("round")
    assert Workspace(root).cell_files() == ["memory/a.mneme"]
    (root / "in.mneme").symlink_to("memory/a.mneme")
    assert "in.mneme" in Workspace(root).cell_files()


def test_odd_names(tmp_path: Path) -> None:
    """Line breaks and bytes that are no UTF-8 are names like any other."""
    names = ["line\nbreak.mneme", "caf\udce9.mneme", "字.mn"]
    for name in names:
        put(tmp_path / name)
    found = Workspace(tmp_path).cell_files()
    assert found == sorted(names)
    assert all((tmp_path / path).is_file() for path in found)


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    """It is passed over; the rest is found."""
    put(tmp_path / "a.mneme")
    put(tmp_path / "closed/b.mneme")
    (tmp_path / "closed").chmod(0)
    try:
        readable = os.access(tmp_path / "closed", os.R_OK | os.X_OK)
        assert Workspace(tmp_path).cell_files() == ["a.mneme", *(["closed/b.mneme"] if readable else [])]
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert Workspace(tmp_path / "no-such-folder").cell_files() == []


def test_the_default_cell_file(tmp_path: Path) -> None:
    """The one that is set, else the only one there is, else memory/project.mneme."""
    assert Workspace(tmp_path).default_cell_file() == "memory/project.mneme"
    put(tmp_path / "team.mneme")
    assert Workspace(tmp_path).default_cell_file() == "team.mneme"
    put(tmp_path / "other.mn")
    assert Workspace(tmp_path).default_cell_file() == "memory/project.mneme"
    assert Workspace(tmp_path, Settings({"cells.default": "x/y.mneme"})).default_cell_file() == "x/y.mneme"


def test_paths_that_a_person_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to where they stand, absolute, or through a link to the workspace; what lies outside is told."""
    root = tmp_path / "ws"
    put(root / "memory/a.mneme")
    (tmp_path / "door").symlink_to("ws")
    monkeypatch.chdir(root / "memory")
    for name in (
        "a.mneme",
        "./a.mneme",
        "../memory/a.mneme",
        root / "memory/a.mneme",
        tmp_path / "door/memory/a.mneme",
    ):
        assert Workspace(root).relative(name) == "memory/a.mneme"
        assert Workspace(tmp_path / "door").relative(name) == "memory/a.mneme"
    assert Workspace(root).relative("new.md") == "memory/new.md"
    with pytest.raises(NotFoundError, match=r"'\.\./\.\./x' is not in the workspace"):
        Workspace(root).relative("../../x")
    with pytest.raises(NotFoundError):
        Workspace(root).relative("/etc/passwd")
