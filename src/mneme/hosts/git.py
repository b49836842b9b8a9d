"""Mneme in a git repository: its merge driver for cell files, and a check of what a commit would hold.

The driver is named in the repository's own configuration and bound to cell files in `.gitattributes`; the check is a
block in the `pre-commit` hook that git really runs, wherever `core.hooksPath` puts it, beside whatever else is there.
It checks the files as they are staged, not as they lie in the folder.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from mneme import files, git
from mneme.errors import NotFoundError, RefusedError
from mneme.hosts import HostFile, Installation, Wish
from mneme.hosts.marked import find_block, with_block, without_block
from mneme.workspace import CELL_SUFFIXES, find_workspace

DRIVER = "mneme merge %O %A %B --path %P"
_CONFIG = f'[merge "mneme"]\n\tname = cell by cell, by what each says and how it stands\n\tdriver = {DRIVER}\n'
_ATTRIBUTES = tuple(f"*{suffix} merge=mneme" for suffix in CELL_SUFFIXES)
_SHEBANG = b"#!/bin/sh\n"
_SHELL = re.compile(rb"#![^\n]*\b(?:sh|bash|dash|ash|ksh|zsh)\b[^\n]*")
_OWN_DRIVER = re.compile(rb'^[ \t]*\[merge "mneme"\]', re.MULTILINE)

# POSIX shell; runs in a process of its own, so that nothing of it reaches the rest of the hook. The staged files are
# laid out beside the repository's own `.git`, so that they can also be compared with the last commit.
_HOOK = """\
# Checks the cells of this commit as they are staged. `mneme uninstall git` takes these lines away.
mneme_check() (
    git diff --cached --quiet --diff-filter=d -- {globs} && exit 0
    command -v mneme >/dev/null || {{ echo "mneme: not found, so the staged cells are not checked" >&2; exit 0; }}
    staged=$(mktemp -d "${{TMPDIR:-/tmp}}/mneme.XXXXXX") && trap 'rm -rf "$staged"' EXIT || exit 1
    mkdir "$staged/.git" && git ls-files -z -- {globs} '*mneme.toml' |
        git checkout-index -z --stdin --prefix="$staged/" || exit 1
    memory="$staged"/{below}
    [ -d "$memory" ] || memory="$staged"
    GIT_DIR=$(git rev-parse --absolute-git-dir) && GIT_WORK_TREE=$staged && export GIT_DIR GIT_WORK_TREE
    git diff --cached --name-only -z --diff-filter=d -- {globs} >"$staged/.git/names"
    cd "$staged" && xargs -0 mneme --workspace "$memory" --quiet lint -- <.git/names >&2 || {{
        echo "mneme: nothing was committed" >&2
        exit 1
    }}
)
mneme_check || exit 1
"""


def plan_install(wish: Wish) -> Installation:
    """Return what has to change so that git merges and checks the cell files of the repository around a folder."""
    repository = _get_repository(wish.asked, wish.here)
    changes = [
        _configured(repository),
        _attributed(repository),
        _hooked(repository, _hook_lines(repository, wish.asked, wish.here)),
    ]
    return Installation(tuple(changes), tuple(_notes(repository)))


def plan_uninstall(wish: Wish) -> Installation:
    """Return what has to change so that git knows nothing of mneme any more."""
    repository = _get_repository(wish.asked, wish.here)
    places = (repository.config, repository.top / ".gitattributes", repository.hook)
    firsts = (b"", b"", _SHEBANG)
    changes = []
    for place, first in zip(places, firsts, strict=True):
        before = files.find_file(place)
        after = None if before is None else without_block(before, first=first)
        changes.append(HostFile(place, repository.name_of(place), before, after))
    return Installation(tuple(changes))


@dataclass(frozen=True, slots=True)
class _Repository:
    """Where a repository keeps what matters here: the work tree, its configuration, the hook that git runs."""

    top: Path
    config: Path
    hook: Path

    def name_of(self, place: Path) -> str:
        """Return a place as a person knows it: from the top of the work tree, where it lies below."""
        return place.relative_to(self.top).as_posix() if place.is_relative_to(self.top) else str(place)


def _get_repository(asked: str | None, here: Path) -> _Repository:
    folder = Path(asked) if asked else here
    printed = git.run_git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    lines = [] if printed is None else printed.decode("utf-8", "surrogateescape").splitlines()
    if len(lines) != 2:  # noqa: PLR2004 - the two that were asked for
        raise NotFoundError(
            f"'{folder}' is not in the work tree of a git repository", f"git init {shlex.quote(str(folder))}"
        )
    top, common = map(Path, lines)
    return _Repository(top, common / "config", _hooks_folder(top, common) / "pre-commit")


def _hooks_folder(top: Path, common: Path) -> Path:
    """Return where the hooks lie that a person writes; a folder that husky generates belongs to the one above it."""
    printed = git.run_git(top, "config", "--null", "--type=path", "--get-all", "core.hooksPath") or b""
    # The last value is the empty folder that every question of ours is asked with.
    values = printed.decode("utf-8", "surrogateescape").split("\0")[:-2]
    if not values:
        return common / "hooks"
    folder = top / values[-1]
    generated = folder.name == "_" and ((folder / "h").exists() or (folder / "husky.sh").exists())
    return folder.parent if generated else folder


def _configured(repository: _Repository) -> HostFile:
    before = files.find_file(repository.config)
    rest = without_block(before) if before is not None else None
    by_hand = rest is not None and _OWN_DRIVER.search(rest)
    after = before if by_hand else with_block(before, _CONFIG.encode())
    return HostFile(repository.config, repository.name_of(repository.config), before, after)


def _attributed(repository: _Repository) -> HostFile:
    place = repository.top / ".gitattributes"
    before = files.find_file(place)
    rest = without_block(before) if before is not None else None
    told = {b" ".join(line.split()) for line in (rest or b"").splitlines()}
    missing = [line for line in _ATTRIBUTES if line.encode() not in told]
    after = with_block(before, "".join(f"{line}\n" for line in missing).encode()) if missing else before
    return HostFile(place, ".gitattributes", before, after)


def _hooked(repository: _Repository, lines: bytes) -> HostFile:
    before = files.find_file(repository.hook)
    at = None
    if before is not None:
        _check_shell(repository, before)
        # First, because what is there may end the script; but never above the line that names the shell.
        at = before.find(b"\n") + 1 or len(before) if before.startswith(b"#!") else 0
    after = with_block(before, lines, first=_SHEBANG, at=at)
    return HostFile(repository.hook, repository.name_of(repository.hook), before, after, runs=True)


def _check_shell(repository: _Repository, content: bytes) -> None:
    """Refuse a hook that is no shell script: our lines would be something else in it."""
    if b"\0" in content or (content.startswith(b"#!") and not _SHELL.match(content)):
        name = repository.name_of(repository.hook)
        raise RefusedError(
            f"the hook '{name}' is not a shell script, so nothing is put into it", "mneme lint, run by that hook"
        )


def _hook_lines(repository: _Repository, asked: str | None, here: Path) -> bytes:
    root = Path(find_workspace(asked, here=here).root).resolve()
    top = repository.top.resolve()
    below = root.relative_to(top).as_posix() if root.is_relative_to(top) else "."
    globs = " ".join(f"'*{suffix}'" for suffix in CELL_SUFFIXES)
    return _HOOK.format(globs=globs, below=shlex.quote(below)).encode("utf-8", "surrogateescape")


def _notes(repository: _Repository) -> list[str]:
    notes = []
    content = files.find_file(repository.hook)
    if content is not None and not repository.hook.stat().st_mode & 0o111:
        notes.append(f"git does not run '{repository.hook}' until it may be executed: chmod +x {repository.hook}")
    if not repository.hook.is_relative_to(repository.top) and not repository.hook.is_relative_to(
        repository.config.parent
    ):
        notes.append(f"core.hooksPath leads to '{repository.hook.parent}', which other repositories may use too")
    if content is not None and find_block(content) is None and b"mneme lint" in content:
        notes.append(
            f"'{repository.hook}' already runs `mneme lint`; the work tree is checked there, what is staged here"
        )
    if shutil.which("mneme") is None:
        notes.append("git will not find the command `mneme`: it is not on the path")
    return notes
