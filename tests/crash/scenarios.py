"""What is crashed: one row per command, with the workspace it starts from and what it may change.

To add a command, add a row to `SCENARIOS`: a function that fills an empty folder, the command, the paths that it
changes, the commands that reopen and check the workspace, and the command that takes it back. The matrices need
nothing else; they find the system calls by running the command once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = sys.executable
SAMPLE = (PYTHON, str(HERE / "sample_writer.py"))
MACHINE = ".mneme.d"

# What a crash may leave or lose under the machine folder without harm.
DERIVED = ("lock", ".gitignore", "displaced", "ids.json", "trash", "derived.txt", "recalled.jsonl")

Setup = Callable[[Path], None]


@dataclass(frozen=True)
class Scenario:
    """One command to crash, and how to tell what came of it."""

    name: str
    setup: Setup
    argv: tuple[str, ...]
    changed: frozenset[str]
    reopen: tuple[tuple[str, ...], ...]
    back: tuple[str, ...] = ()
    settles_at_once: bool = True  # a single failing call leaves no half-done plan for the next opening to mend
    forgotten: bytes = b""  # what must be in no file at all once the command has happened
    machine_varies: tuple[str, ...] = DERIVED  # names under the machine folder that may come and go
    complains: str = "mneme: "  # how its one line about a failure begins


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which nothing of the machine shows through and every run repeats the last."""
    return {
        "PATH": f"{Path(PYTHON).parent}:{os.defpath}",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_plain(argv: tuple[str, ...], workspace: Path) -> None:
    """Run a command for a setup; it has to succeed."""
    env = environment(workspace.parent / "home")
    done = subprocess.run(argv, cwd=workspace, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{' '.join(argv)} ended with {done.returncode}: {done.stderr}"
        raise AssertionError(message)


# --- the sample writer, on which the harness is tried ----------------------------------------------------------


def _two_files(workspace: Path) -> None:
    for name, text in (("one.txt", "one.txt as it was\n" * 40), ("sub/two.txt", "sub/two.txt as it was\n" * 40)):
        place = workspace / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    (workspace / "bystander.txt").write_text("not part of the plan\n")


def sample(fault: str = "") -> Scenario:
    """Return the sample writer's scenario, wrong in one way if asked."""
    return Scenario(
        name=f"sample writer {fault or 'as it should be'}",
        setup=_two_files,
        argv=(*SAMPLE, "change", fault),
        changed=frozenset({"one.txt", "sub/two.txt"}),
        reopen=((*SAMPLE, "reopen", fault),),
        back=(*SAMPLE, "back", fault),
        settles_at_once=False,
        machine_varies=(),
        complains="sample: ",
    )


# Syncs without which every power cut still ends well, as the call reads in a report, each with the reason to keep it.
NEEDLESS_SYNCS: dict[str, str] = {}

# --- the shipped command ---------------------------------------------------------------------------------------

MNEME = str(Path(PYTHON).parent / "mneme")
DAY = ("--today", "2026-01-02")
# What a worker has loaded before it forks a reopening command.
WARM = ("mneme.cli", "mneme.cli.verbs", "mneme.engine", "mneme.files", "mneme.files.forget", "mneme.memory.cells")

CELL = """@ DEC-0001  storage/cache
gist  The local cache uses JSON files
cue   cache / storage format
body  Plain to read, and there was no database at hand.
state live   conf high   since 2025-11-01   seen 2025-11-20

@ GOT-0001  build/wheel
gist  The wheel forgets files that are not listed
state live   conf med   since 2025-11-02   seen 2025-11-02
"""


def mneme(*arguments: str) -> tuple[str, ...]:
    """Return the command line of the shipped command on a fixed day."""
    return (MNEME, *arguments, *DAY)


LOOK = (mneme("log"), mneme("list"), mneme("lint"))


def _adopted(workspace: Path) -> None:
    """A folder with one cell file, in which the command has never run."""
    (workspace / "memory").mkdir()
    (workspace / "memory" / "team.mneme").write_text(CELL)
    (workspace / "MEMORY.md").write_text("# Memory\n\nWritten by a person.\n")


def _used(workspace: Path) -> None:
    """The same after some work, old contents put aside by it included."""
    _adopted(workspace)
    run_plain(mneme("remember", "Answer in short sentences", "--kind", "preference"), workspace)
    run_plain(mneme("affirm", "DEC-0001"), workspace)


def _bare(workspace: Path) -> None:
    """A folder that only its marker makes a workspace: the first cell file and its folder are still to be made."""
    (workspace / "mneme.toml").write_text("")


def _superseded(workspace: Path) -> None:
    _used(workspace)
    run_plain(SUPERSEDE, workspace)


def _spread_about(workspace: Path) -> None:
    """The same text in a file, in the history of three plans, in the trash and in something derived."""
    _superseded(workspace)
    run_plain(mneme("undo"), workspace)
    run_plain(mneme("remember", "The local cache uses SQLite", "--kind", "fact"), workspace)
    (workspace / MACHINE / "derived.txt").write_text("the local cache uses SQLite\n")
    (workspace / MACHINE / "recalled.jsonl").write_text('{"q": "cache"}\n{"hit": "uses SQLite"}\n')


def _mixed(workspace: Path) -> None:
    from .plan_runner import BEFORE

    for name, content in BEFORE.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_bytes(content)


SUPERSEDE = mneme(
    *("supersede", "DEC-0001", "The local cache uses SQLite", "--why", "JSON lost writes", "--file", "memory/new.mneme")
)
RUNNER = (PYTHON, str(HERE / "plan_runner.py"))
TWO = frozenset({"memory/team.mneme", "memory/new.mneme"})

SCENARIOS = (
    Scenario(
        name="remember in a folder never used before",
        setup=_adopted,
        argv=mneme("remember", "Backups run at four in the morning", "--kind", "fact", "--topic", "ops/backup"),
        changed=frozenset({"memory/team.mneme"}),
        reopen=LOOK,
        back=mneme("undo"),
    ),
    Scenario(
        name="remember the very first thing",
        setup=_bare,
        argv=mneme("remember", "Backups run at four in the morning", "--kind", "fact", "--topic", "ops/backup"),
        changed=frozenset({"memory", "memory/project.mneme"}),
        reopen=LOOK,
        back=mneme("undo"),
    ),
    Scenario(
        name="supersede across two files",
        setup=_used,
        argv=SUPERSEDE,
        changed=TWO,
        reopen=LOOK,
        back=mneme("undo"),
    ),
    Scenario(
        name="undo a plan over two files",
        setup=_superseded,
        argv=mneme("undo"),
        changed=TWO,
        reopen=LOOK,
        back=mneme("undo", "4"),
    ),
    Scenario(
        name="forget a cell",
        setup=_spread_about,
        argv=mneme("forget", "uses SQLite", "--yes"),
        changed=frozenset({"memory/team.mneme"}),
        reopen=LOOK,
        forgotten=b"uses SQLite",
    ),
    Scenario(
        name="create, edit, move and remove in one plan",
        setup=_mixed,
        argv=(*RUNNER, "mixed"),
        changed=frozenset(
            {
                *("archive", "archive/2026", "archive/2026/01", "archive/2026/01/new.md", "archive/moved.md"),
                *("inbox", "inbox/moved.md", "notes/short.md", "notes/long.md", "old.md"),
            }
        ),
        reopen=((*RUNNER, "log"),),
        back=(*RUNNER, "undo"),
    ),
)
