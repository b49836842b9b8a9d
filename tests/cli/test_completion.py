"""Completion in real shells, from the script that the command prints."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from mneme.cli.completion import SHELLS
from mneme.cli.verbs import VERBS

COMMAND = Path(sys.executable).with_name("mneme")
PATIENCE_SECONDS = 30
HERE = [shell for shell in SHELLS if shutil.which(shell)]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the script of each shell."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        (folder / shell).write_bytes(
            subprocess.run([COMMAND, "completion", shell], capture_output=True, check=True).stdout
        )
    return folder


def complete(shell: str, line: str, script: Path) -> set[str]:
    """Return what a real shell offers after a line."""
    return {"bash": _complete_bash, "zsh": _complete_zsh, "fish": _complete_fish}[shell](line, script)


def _complete_bash(line: str, script: Path) -> set[str]:
    words = " ".join(f"'{word}'" for word in line.split(" "))
    program = f"source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
    program += "$(complete -p mneme | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def _complete_fish(line: str, script: Path) -> set[str]:
    home = {**os.environ, "HOME": str(script.parent)}
    program = f"source {script}; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", program], capture_output=True, text=True, check=True, env=home)
    return {row.partition("\t")[0] for row in done.stdout.splitlines()}


def _complete_zsh(line: str, script: Path) -> set[str]:
    """Type into an interactive zsh, because its completion works nowhere else; the key lists and inserts nothing."""
    functions = script.parent / "functions"
    functions.mkdir(exist_ok=True)
    shutil.copy(script, functions / "_mneme")
    child, screen = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", HOME=str(script.parent), PS1="", LISTMAX="9999")
        os.execvp("zsh", ["zsh", "-f", "-i"])  # noqa: S606 -- a terminal of its own is the point
    try:
        # Room for every match: zsh asks before it lists more than the screen holds.
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 500, 0, 0))
        setup = f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^T' list-choices"
        os.write(screen, f"stty -echo columns 500; {setup}; print RE''ADY\n".encode())
        _read_until(screen, "READY")
        os.write(screen, f"{line}\x14".encode())
        return set(_read_until(screen, line, times=2).split())  # as typed, then again under the list
    finally:
        os.close(screen)
        os.waitpid(child, 0)


def _read_until(screen: int, mark: str, times: int = 1) -> str:
    seen = b""
    while seen.count(mark.encode()) < times:
        ready, _, _ = select.select([screen], [], [], PATIENCE_SECONDS)
        assert ready, f"the shell did not answer: {seen!r}"
        seen += os.read(screen, 65536)
    return seen.decode("utf-8", "replace")


@pytest.mark.parametrize("shell", HERE)
def test_verbs_are_completed(shell: str, scripts: Path) -> None:
    """Every verb of the table is offered, and a beginning narrows them down."""
    assert {verb.name for verb in VERBS} <= complete(shell, "mneme ", scripts / shell)
    some = complete(shell, "mneme comple", scripts / shell)
    assert "completion" in some
    assert "remember" not in some


@pytest.mark.parametrize("shell", HERE)
def test_options_of_the_verb_are_completed(shell: str, scripts: Path) -> None:
    """After a verb its own options are offered, beside those that work everywhere."""
    assert "--workspace" in complete(shell, "mneme completion --w", scripts / shell)


@pytest.mark.parametrize("shell", HERE)
def test_values_are_completed(shell: str, scripts: Path) -> None:
    """Where an argument has choices, they are what is offered."""
    offered = complete(shell, "mneme --json completion ", scripts / shell)
    assert set(SHELLS) <= offered


@pytest.mark.parametrize("shell", HERE)
def test_folders_are_completed(shell: str, scripts: Path) -> None:
    """A workspace is a folder."""
    (scripts / "a-folder").mkdir(exist_ok=True)
    offered = complete(shell, f"mneme --workspace {scripts}/a-fo", scripts / shell)
    assert any("a-folder" in one for one in offered)
