"""Mneme inside a real git: merges by the driver, commits that are refused, and a way back to the byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mneme.errors import NotFoundError, RefusedError
from mneme.formats.cell import parse_cells
from mneme.hosts import HOSTS, Installation, Wish, plan_host
from mneme.hosts.marked import END, START, with_block, without_block

COMMANDS = Path(sys.executable).parent
TODAY = "2026-06-10"


def block(cell_id: str, gist: str, status: str = "live   conf high   since 2026-06-03   seen 2026-06-05") -> str:
    """Return a cell as text."""
    return f"@ {cell_id}  storage/cache\ngist  {gist}\nstate {status}\ncue   cache\n> a reason\n"


OLD = block("DEC-0001", "Settings live in TOML")


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own git configuration and workspace out, and put the command on the path."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "MNEME_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PATH", f"{COMMANDS}{os.pathsep}{os.environ['PATH']}")
    for person in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{person}_NAME", "Somebody")
        monkeypatch.setenv(f"GIT_{person}_EMAIL", "somebody@example.org")


def run(folder: Path, *words: str, code: int = 0) -> str:
    """Run a command in a folder, hold its exit code, and return all it printed."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    assert (done.returncode == 0) == (code == 0), printed
    return printed


def git(folder: Path, *words: str, code: int = 0) -> str:
    """Run git in a folder."""
    return run(folder, "git", *words, code=code)


def mneme(folder: Path, *words: str) -> str:
    """Run the installed command in a folder."""
    return run(folder, "mneme", *words)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a repository with one commit of one cell."""
    folder = tmp_path / "one"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "memory").mkdir()
    (folder / "memory" / "team.mneme").write_text(OLD)
    (folder / "mneme.toml").write_text("")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and content of every file that installing could touch."""
    kept = ("config", "hooks/", "info/")
    found = {}
    for place in sorted(folder.rglob("*")):
        name = place.relative_to(folder).as_posix()
        inside = name.removeprefix(".git/")
        if place.is_file() and (inside == name or inside.startswith(kept)):
            found[name] = (place.stat().st_mode & 0o7777, place.read_bytes())
    return found


def install(folder: Path) -> Installation:
    """Install into the repository of a folder."""
    done = plan_host("git", Wish(folder))
    done.put_in_place()
    return done


def uninstall(folder: Path) -> Installation:
    """Take it away again."""
    done = plan_host("git", Wish(folder), away=True)
    done.put_in_place()
    return done


# The driver


def test_two_clones_that_gave_one_id_twice_merge_without_a_conflict(repository: Path, tmp_path: Path) -> None:
    """Both new cells are there, one of them under a new id, and neither status change is lost."""
    mneme(repository, "install", "git", "--quiet")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "--quiet", "-m", "attributes")
    git(tmp_path, "clone", "--quiet", str(repository), "two")
    other = tmp_path / "two"
    mneme(other, "install", "git", "--quiet")
    (repository / "memory/team.mneme").write_text(
        OLD.replace("conf high", "conf low") + "\n" + block("DEC-0002", "Backups are weekly")
    )
    (other / "memory/team.mneme").write_text(
        OLD.replace("seen 2026-06-05", "seen 2026-06-09") + "\n" + block("DEC-0002", "The cache is SQLite")
    )
    for folder in (repository, other):
        git(folder, "commit", "--quiet", "--no-verify", "-am", "more")
    git(other, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    cells = {cell.id: cell for cell in parse_cells((other / "memory/team.mneme").read_text()).cells}
    assert sorted(cells) == ["DEC-0001", "DEC-0002", "DEC-0003"]
    assert (cells["DEC-0001"].conf, cells["DEC-0001"].seen) == ("low", "2026-06-09")
    assert {cells["DEC-0002"].gist, cells["DEC-0003"].gist} == {"Backups are weekly", "The cache is SQLite"}
    assert cells["DEC-0003"].was == ("DEC-0002",)
    git(repository, "pull", "--quiet", "--no-rebase", "--no-edit", str(other), "main")
    assert (repository / "memory/team.mneme").read_text() == (other / "memory/team.mneme").read_text()


def test_a_contradiction_stops_the_merge_and_names_the_file(repository: Path) -> None:
    """Git sees a conflict; the message has the path that the person knows, not git's temporary one."""
    install(repository)
    for branch, gist in (("left", "Settings live in YAML"), ("right", "Settings live in JSON")):
        git(repository, "checkout", "--quiet", "-b", branch, "main")
        (repository / "memory/team.mneme").write_text(OLD.replace("Settings live in TOML", gist))
        git(repository, "commit", "--quiet", "--no-verify", "-am", branch)
    printed = git(repository, "merge", "left", code=1)
    assert "memory/team.mneme:1: error conflict-marker" in printed
    text = (repository / "memory/team.mneme").read_text()
    assert text.count("<<<<<<< DEC-0001") == text.count(">>>>>>> DEC-0001") == 1
    assert "memory/team.mneme" in git(repository, "diff", "--name-only", "--diff-filter=U")


def test_a_link_in_another_file_is_mended_after_the_merge(repository: Path) -> None:
    """The driver sees one file; what a supersession of the other file meant can still be told."""
    from mneme.memory.merge import fix_links

    install(repository)
    (repository / "memory/old.mneme").write_text(block("FACT-0001", "Backups are monthly"))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--no-verify", "-m", "base")
    for branch, gist in (("left", "Backups are weekly"), ("right", "The cache is SQLite")):
        git(repository, "checkout", "--quiet", "-b", branch, "main")
        supersedes = "link  supersedes FACT-0001\n" if branch == "left" else ""
        (repository / "memory/team.mneme").write_text(OLD + "\n" + block("DEC-0002", gist) + supersedes)
        if branch == "left":
            old = block("FACT-0001", "Backups are monthly").replace("state live", "state superseded")
            (repository / "memory/old.mneme").write_text(old + "link  superseded-by DEC-0002\n")
        git(repository, "commit", "--quiet", "--no-verify", "-am", branch)
    git(repository, "merge", "--quiet", "--no-edit", "left")
    texts = {name: (repository / "memory" / name).read_text() for name in ("team.mneme", "old.mneme")}
    weekly = next(cell.id for cell in parse_cells(texts["team.mneme"]).cells if cell.gist == "Backups are weekly")
    edits = fix_links([parse_cells(text, name) for name, text in texts.items()])
    for start, end, new in edits.get("old.mneme", []):
        texts["old.mneme"] = texts["old.mneme"][:start] + new + texts["old.mneme"][end:]
    assert f"link  superseded-by {weekly}\n" in texts["old.mneme"]


# The hook


def test_a_commit_with_a_bad_cell_is_refused(repository: Path) -> None:
    """The reason is told with the path from the top, and nothing is committed until it is mended."""
    install(repository)
    place = repository / "memory/team.mneme"
    place.write_text(OLD + "\n@ DEC-0001  storage/cache\ngist  The same id again\n")
    printed = git(repository, "commit", "-qam", "bad", code=1)
    assert "memory/team.mneme:7: error duplicate-id" in printed
    assert "mneme: nothing was committed" in printed
    place.write_text(OLD + "\n" + block("DEC-0002", "Another id"))
    git(repository, "commit", "-qam", "good")
    assert git(repository, "log", "--format=%s").split() == ["good", "first"]


def test_what_is_staged_is_checked_and_not_the_work_tree(repository: Path) -> None:
    """A good file staged passes though the file in the folder is bad by now, and the other way round."""
    install(repository)
    place = repository / "memory/team.mneme"
    good, bad = OLD + "\n" + block("DEC-0002", "Another id"), OLD + "\n" + block("DEC-0001", "The same id")
    place.write_text(good)
    git(repository, "add", ".")
    place.write_text(bad)
    git(repository, "commit", "-qm", "good")
    git(repository, "add", ".")
    place.write_text(good)
    assert "duplicate-id" in git(repository, "commit", "-qm", "bad", code=1)
    assert place.read_text() == good


def test_content_edited_since_the_last_commit_is_refused(repository: Path) -> None:
    """The staged files are compared with the commit they follow."""
    install(repository)
    (repository / "memory/team.mneme").write_text(OLD.replace("TOML", "YAML"))
    assert "edited-content" in git(repository, "commit", "-qam", "bad", code=1)


def test_a_commit_without_cells_is_left_alone(repository: Path) -> None:
    """Nothing is checked, and nothing is said, even where a cell in the folder is bad."""
    install(repository)
    (repository / "memory/team.mneme").write_text("@")
    (repository / "notes.txt").write_text("x")
    git(repository, "add", "notes.txt")
    assert git(repository, "commit", "-qm", "notes") == ""


def test_names_with_spaces_and_commits_of_named_files_are_checked(repository: Path) -> None:
    """`git commit FILE` has an index of its own; the hook looks at that one."""
    install(repository)
    place = repository / "memory" / "our team's $cells.mn"
    place.write_text("@ DEC-0009  a\n")
    git(repository, "add", ".")
    (repository / "memory/team.mneme").write_text(OLD + "\n" + block("DEC-0002", "Another id"))
    git(repository, "commit", "-qm", "only the good one", "--", "memory/team.mneme")
    assert "our team's $cells.mn:1: error missing-field" in git(repository, "commit", "-qm", "bad", code=1)


def test_a_workspace_below_the_top_keeps_its_settings(tmp_path: Path) -> None:
    """The settings that hold are those of the workspace it was installed from, as they are staged."""
    folder = tmp_path / "whole"
    (folder / "notes of mine").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "notes of mine" / "mneme.toml").write_text('[rules]\nduplicate-id = "warn"\n')
    (folder / "notes of mine" / "team.mneme").write_text(OLD + "\n" + block("DEC-0001", "The same id"))
    git(folder, "add", ".")
    install(folder / "notes of mine")
    git(folder, "commit", "-qm", "allowed by the settings")
    (folder / "notes of mine" / "mneme.toml").write_text("")
    (folder / "notes of mine" / "team.mneme").write_text(OLD + "\n" + block("DEC-0001", "The same id once more"))
    git(folder, "add", ".")
    assert "team.mneme:7: error duplicate-id" in git(folder, "commit", "-qm", "bad", code=1)


def test_without_the_command_a_commit_is_not_held_up(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that starts git without the usual path must still be able to commit; it is told so."""
    install(repository)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (repository / "memory/team.mneme").write_text("@")
    assert "mneme: not found" in git(repository, "commit", "-qam", "unchecked")


def test_a_hook_that_was_there_still_runs_after_ours(repository: Path) -> None:
    """Even one that ends with `exit`; and it is not reached when the cells are bad."""
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho theirs ran >&2\nexit 0\n")
    hook.chmod(0o755)
    install(repository)
    place = repository / "memory/team.mneme"
    place.write_text("@ DEC-0001  a\n")
    assert "theirs ran" not in git(repository, "commit", "-qam", "bad", code=1)
    place.write_text(OLD + "\n" + block("DEC-0002", "Another id"))
    assert "theirs ran" in git(repository, "commit", "-qam", "good")


def test_a_linked_work_tree_shares_the_hook_and_the_driver(repository: Path, tmp_path: Path) -> None:
    """Installed once from a linked work tree, both trees are checked, and the link to it stays sound."""
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", str(tree))
    pointer = (repository / ".git/worktrees/tree/gitdir").read_text()
    install(tree)
    assert (repository / ".git/hooks/pre-commit").exists()
    assert (tree / ".gitattributes").exists()
    for folder in (repository, tree):
        (folder / "memory/team.mneme").write_text(OLD + "\n" + block("DEC-0001", "The same id"))
        assert "duplicate-id" in git(folder, "commit", "-qam", "bad", code=1)
    assert (repository / ".git/worktrees/tree/gitdir").read_text() == pointer


def test_hooks_are_found_where_git_looks_for_them(repository: Path) -> None:
    """`core.hooksPath` decides; a folder that husky writes itself gives way to the one a person writes."""
    (repository / ".githooks").mkdir()
    git(repository, "config", "core.hooksPath", ".githooks")
    install(repository)
    assert START in (repository / ".githooks/pre-commit").read_bytes()
    uninstall(repository)
    generated = repository / ".husky/_"
    generated.mkdir(parents=True)
    (generated / "h").write_text("")
    git(repository, "config", "core.hooksPath", ".husky/_")
    (repository / ".husky/pre-commit").write_text("npm test\n")
    install(repository)
    assert (repository / ".husky/pre-commit").read_bytes().startswith(START)
    assert list(generated.iterdir()) == [generated / "h"]


def test_hooks_of_all_repositories_are_not_changed_without_a_word(repository: Path, tmp_path: Path) -> None:
    """A global hook folder gets the block, which does nothing elsewhere, and the person is told."""
    git(repository, "config", "--global", "core.hooksPath", str(tmp_path / "hooks"))
    done = install(repository)
    assert any("other repositories" in note for note in done.notes)
    assert START in (tmp_path / "hooks/pre-commit").read_bytes()


# Putting it in, taking it out


FORMS = {
    "nothing there": {},
    "all there": {
        ".gitattributes": b"*.png binary\n",
        ".git/hooks/pre-commit": b"#!/usr/bin/env bash\nset -e\nmake lint\n",
    },
    "no line break at the end": {".gitattributes": b"*.png binary", ".git/hooks/pre-commit": b"#!/bin/sh"},
    "empty files": {".gitattributes": b"", ".git/hooks/pre-commit": b""},
    "carriage returns": {".gitattributes": b"*.png binary\r\n*.jpg binary"},
    "a hook without a shell line": {".git/hooks/pre-commit": b"make lint\n"},
}


@pytest.mark.parametrize("form", FORMS)
def test_taking_it_out_gives_every_file_back_to_the_byte(repository: Path, form: str) -> None:
    """Whatever was there, and also what was not; putting it in twice is the same as once."""
    for name, content in FORMS[form].items():
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_bytes(content)
        (repository / name).chmod(0o755 if "hooks" in name else 0o600)
    config = repository / ".git/config"
    config.write_bytes(config.read_bytes().rstrip(b"\n") if "break" in form else config.read_bytes())
    before = snapshot(repository)
    done = install(repository)
    inside = snapshot(repository)
    assert {file.name for file in done.changed()} == {".git/config", ".gitattributes", ".git/hooks/pre-commit"}
    assert inside[".git/hooks/pre-commit"][0] & 0o100
    assert git(repository, "config", "merge.mneme.driver").startswith("mneme merge %O %A %B")
    assert "merge: mneme" in git(repository, "check-attr", "merge", "memory/team.mneme", "x.mn")
    assert install(repository).diff() == ""
    assert snapshot(repository) == inside
    uninstall(repository)
    assert snapshot(repository) == before
    assert uninstall(repository).diff() == ""


def test_lines_that_others_added_meanwhile_stay(repository: Path) -> None:
    """A file that we made but somebody wrote into is theirs by now."""
    install(repository)
    for name, line in ((".gitattributes", "*.png binary\n"), (".git/hooks/pre-commit", "make lint\n")):
        with (repository / name).open("a") as file:
            file.write(line)
    git(repository, "config", "user.name", "Somebody Else")
    uninstall(repository)
    assert (repository / ".gitattributes").read_text() == "*.png binary\n"
    assert (repository / ".git/hooks/pre-commit").read_text() == "#!/bin/sh\nmake lint\n"
    assert git(repository, "config", "user.name") == "Somebody Else\n"
    assert "mneme" not in (repository / ".git/config").read_text()


def test_what_was_set_up_by_hand_is_left_as_it_is(repository: Path) -> None:
    """Neither a driver of the same name nor attributes that are there already are written twice."""
    git(repository, "config", "merge.mneme.driver", "nice mneme merge %O %A %B")
    (repository / ".gitattributes").write_text("*.mneme   merge=mneme\n*.mn merge=mneme\n")
    done = install(repository)
    assert [file.name for file in done.changed()] == [".git/hooks/pre-commit"]


def test_an_older_block_is_renewed_in_its_place(repository: Path) -> None:
    """An update changes our lines and nothing around them."""
    install(repository)
    hook = repository / ".git/hooks/pre-commit"
    new = hook.read_bytes()
    hook.write_bytes(
        with_block(new, b"mneme lint || exit 1\n").replace(b"#!/bin/sh\n", b"#!/bin/sh\nset -u\n") + b"make\n"
    )
    install(repository)
    assert hook.read_bytes() == new.replace(b"#!/bin/sh\n", b"#!/bin/sh\nset -u\n") + b"make\n"


def test_a_hook_in_another_language_is_refused(repository: Path) -> None:
    """Shell lines in a Python script would break it; nothing at all is written."""
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/usr/bin/env python3\nprint('x')\n")
    before = snapshot(repository)
    with pytest.raises(RefusedError, match="is not a shell script"):
        install(repository)
    assert snapshot(repository) == before


def test_a_block_that_lost_its_end_is_refused(repository: Path) -> None:
    """Where our lines end can't be known, so none is taken away."""
    install(repository)
    hook = repository / ".git/hooks/pre-commit"
    hook.write_bytes(hook.read_bytes().replace(END, b""))
    for change in (install, uninstall):
        with pytest.raises(RefusedError, match="without its"):
            change(repository)


def test_a_symbolic_link_stays_one(repository: Path) -> None:
    """A hook that is kept in the repository and linked from `.git` is changed where it is kept."""
    kept = repository / "tools-pre-commit"
    kept.write_text("#!/bin/sh\nmake lint\n")
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(kept)
    install(repository)
    assert hook.is_symlink()
    assert START in kept.read_bytes()
    uninstall(repository)
    assert kept.read_text() == "#!/bin/sh\nmake lint\n"


def test_outside_a_repository_there_is_nothing_to_install_into(tmp_path: Path) -> None:
    """The message says so, with what to run."""
    with pytest.raises(NotFoundError, match="not in the work tree") as caught:
        plan_host("git", Wish(tmp_path))
    assert caught.value.hint.startswith("git init ")


def test_the_command_shows_every_change_and_a_dry_run_makes_none(repository: Path) -> None:
    """The diff names each file; a second run says that there is nothing to do."""
    before = snapshot(repository)
    shown = mneme(repository, "install", "git", "--dry-run")
    assert snapshot(repository) == before
    assert "--- /dev/null\n+++ b/.gitattributes" in shown
    assert '+[merge "mneme"]' in shown
    assert "+mneme_check() (" in shown
    assert mneme(repository, "install", "git").startswith(shown)
    assert "already installed" in mneme(repository, "install", "git")
    assert "+++ /dev/null" in mneme(repository, "uninstall", "git")
    assert "not installed" in mneme(repository, "uninstall", "git")
    assert snapshot(repository) == before


def test_every_host_of_the_table_keeps_the_contract() -> None:
    """A host has a summary for the help, and both plans."""
    for host in HOSTS:
        module = host.load()
        assert callable(module.plan_install)
        assert callable(module.plan_uninstall)
        assert host.summary[0].islower()


@pytest.mark.parametrize("content", [None, b"", b"x", b"x\n", b"x\ny", b"#!/bin/sh", b"x\r\n", b"\n"])
@pytest.mark.parametrize("at", [None, 0])
def test_a_block_goes_in_and_out(content: bytes | None, at: int | None) -> None:
    """At the end or at the top, the text is the same afterwards; in the meantime it holds the block once."""
    inside = with_block(content, b"ours\n", at=at)
    assert inside.count(START) == inside.count(END) == 1
    assert with_block(inside, b"ours\n", at=at) == inside
    assert without_block(inside) == content
