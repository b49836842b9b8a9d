"""QMD, the search program that OpenClaw keeps beside memory: its index is refreshed whenever what entities hold changes.

A refresh is the two commands that the agent memory protocol names, with the environment that it names. It runs in a
process of its own, one at a time however many ask, and goes on where whoever asked has no more time. What QMD has seen
is kept as a digest of the entities' files, so a write that it missed is known, whoever made it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.files.disk import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS = ("update", "embed")
TIMEOUT_SECONDS = 1800
_SEEN, _FAULT, _LOCK = "seen", "fault", "lock"
_LAST_WORDS_CHARS = 200


def find_qmd(search_path: str) -> str:
    """Return where the program is; empty where there is none."""
    return shutil.which("qmd", path=search_path) or ""


def qmd_environment(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the environment in which QMD knows OpenClaw's own collections."""
    state = environment.get("OPENCLAW_STATE_DIR") or str(home / ".openclaw")
    kept = f"{state}/agents/main/qmd"
    return {
        **environment,
        "STATE_DIR": state,
        "XDG_CONFIG_HOME": f"{kept}/xdg-config",
        "XDG_CACHE_HOME": f"{kept}/xdg-cache",
    }


def is_behind(entities: Path, kept: Path) -> bool:
    """Say whether the entities' files are others than those that QMD has seen."""
    return _digest(entities) != _seen(kept)


def is_running(kept: Path) -> bool:
    """Say whether somebody is showing QMD what there is."""
    with _only_one(kept) as alone:
        return not alone


def find_fault(kept: Path) -> str:
    """Return what went wrong with the last refresh; empty where nothing did."""
    return (files.find_file(kept / _FAULT) or b"").decode("utf-8", "replace")


def refresh_qmd(program: str, entities: Path, kept: Path, environment: Mapping[str, str], seconds: float | None) -> str:
    """Have QMD look at the entities' files, and wait for it so long at most; returns what went wrong, as far as known.

    What takes longer goes on by itself; without a limit, one that is at it already is waited for as well. `kept` is the
    folder in which the state of all this lies.
    """
    words = [sys.executable, "-m", "mneme.hosts.qmd", program, str(entities), str(kept)]
    words += ["wait"] * (seconds is None)
    try:
        process = subprocess.Popen(  # noqa: S603 - ourselves, with paths
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    try:
        return find_fault(kept) or "it ended early" if process.wait(seconds) else ""
    except subprocess.TimeoutExpired:
        # It is waited for by nobody, and says in its folder how it ended.
        process.returncode = 0
        return ""


def main(program: str, entities: str, kept: str, wait: str = "") -> int:
    """Refresh until QMD has seen everything, unless somebody else is at it: they will see to what was written since."""
    place = Path(kept)
    make_folder(place)
    while (now := _digest(Path(entities))) != _seen(place):
        with _only_one(place, wait=bool(wait)) as alone:
            if not alone:
                return 0
            fault = _run_all(program)
            files.write_derived(place / _FAULT, fault.encode("utf-8", "replace"))
            if fault:
                return 1
            files.write_derived(place / _SEEN, now.encode())
    return 0


def _run_all(program: str) -> str:
    """Run both commands, the second only after the first; returns what went wrong."""
    for command in COMMANDS:
        try:
            done = subprocess.run(  # noqa: S603 - the program on the user's own path, with fixed words
                (program, command), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"'qmd {command}' did not end within {TIMEOUT_SECONDS} seconds"
        except OSError as error:
            return f"'qmd {command}' cannot be started: {error.strerror}"
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[-_LAST_WORDS_CHARS:]
            return f"'qmd {command}' ended with code {done.returncode}{said and ': ' + said}"
    return ""


@contextmanager
def _only_one(kept: Path, *, wait: bool = False) -> Iterator[bool]:
    """Be the only one that refreshes for the block, after who does so now, or learn that another one is."""
    place = kept / _LOCK
    if not place.exists():
        if not kept.is_dir():
            yield True
            return
        files.write_derived(place, b"")
    with place.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def _seen(kept: Path) -> str:
    return (files.find_file(kept / _SEEN) or b"").decode("ascii", "replace")


def _digest(entities: Path) -> str:
    """Return a digest of what the inodes of all files of a folder say; the same for a folder that is not there."""
    lines = []
    for folder, folders, names in os.walk(entities):
        folders.sort()
        for name in sorted(names):
            place = os.path.join(folder, name)  # noqa: PTH118 - a Path for each of thousands of files costs more
            try:
                seen = os.stat(place)  # noqa: PTH116 - as above
            except OSError:
                continue
            lines.append(f"{place}\0{seen.st_size}\0{seen.st_mtime_ns}\n")
    text = "".join(lines).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=16).hexdigest() if lines else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
