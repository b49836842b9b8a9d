"""QMD is refreshed after each write about entities, as the protocol says, and a refresh that fails or never came is told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import make, now, put

from mneme.engine import open_memory
from mneme.workspace import set_trust

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine import Memory
    from mneme.errors import Problem

# Notes how it was called, and fails where it is told to; it waits where somebody is to see that nobody waits for it.
QMD = """#!/bin/sh
echo "$1 $STATE_DIR $XDG_CONFIG_HOME $XDG_CACHE_HOME $MNEME_HOOKS" >> "$HOME/calls"
if [ -e "$HOME/gate" ]; then read word < "$HOME/gate"; fi
if [ -e "$HOME/fail-$1" ]; then echo "no model" >&2; exit 3; fi
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a person's own folder, with a program named qmd on their path."""
    home = tmp_path / "home"
    put(home, "bin/qmd", QMD)
    (home / "bin/qmd").chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("OPENCLAW_STATE_DIR", raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return home


def opened(tmp_path: Path, profile: str = "protocol", *, trusted: bool = True) -> Memory:
    """Return a workspace in which the word of its owner counts."""
    root = tmp_path / "workspace"
    make(root, profile)
    put(root, "mneme.toml", f'profile = "{profile}"\n[embedder]\nkind = "none"\n')
    set_trust(root, trusted=trusted)
    return open_memory(str(root), now=now)


def calls(home: Path) -> list[str]:
    """Return how the program was called, and forget it."""
    place = home / "calls"
    lines = place.read_text().splitlines() if place.exists() else []
    place.unlink(missing_ok=True)
    return lines


def behind(problems: tuple[Problem, ...]) -> list[str]:
    """Return what is said about QMD."""
    return [one.message for one in problems if one.rule == "qmd-behind"]


def test_a_write_about_an_entity_refreshes(home: Path, tmp_path: Path) -> None:
    """Both commands run, in their order, with the environment of the protocol; nothing else starts them."""
    memory = opened(tmp_path)
    done = memory.remember("Acme moved to Bern", kind="fact", about="acme")
    state = home / ".openclaw"
    where = f"{state} {state}/agents/main/qmd/xdg-config {state}/agents/main/qmd/xdg-cache off"
    assert calls(home) == [f"update {where}", f"embed {where}"]
    assert behind(done.problems) == behind(memory.check().problems) == []
    memory.note("Lunch was late")
    memory.remember("Acme closed", kind="fact", about="acme", dry_run=True)
    assert calls(home) == []
    memory.undo(1)
    assert len(calls(home)) == 2


def test_the_state_folder_is_openclaws(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OpenClaw keeps its state elsewhere, QMD's lies there too."""
    monkeypatch.setenv("OPENCLAW_STATE_DIR", "/srv/claw")
    opened(tmp_path).remember("Acme moved to Bern", kind="fact", about="acme")
    assert calls(home)[0].split()[1:3] == ["/srv/claw", "/srv/claw/agents/main/qmd/xdg-config"]


@pytest.mark.parametrize("command", ["update", "embed"])
def test_a_failed_refresh_is_told_until_one_succeeds(home: Path, tmp_path: Path, command: str) -> None:
    """The write stands; it says that QMD is behind and why, so does every check, and `index` catches up."""
    memory = opened(tmp_path)
    put(home, f"fail-{command}", "")
    done = memory.remember("Acme moved to Bern", kind="fact", about="acme")
    why = f"what was written is not known to QMD: 'qmd {command}' ended with code 3: no model"
    assert behind(done.problems) == behind(memory.check().problems) == behind(memory.index().problems) == [why]
    assert len(memory.list(entity="acme")) == 1
    (home / f"fail-{command}").unlink()
    calls(home)
    again = open_memory(str(memory.root), now=now)
    assert behind(again.index().problems) == behind(memory.check().problems) == []
    assert [line.split()[0] for line in calls(home)] == ["update", "embed"]
    open_memory(str(memory.root), now=now).index()
    assert calls(home) == []


@pytest.mark.usefixtures("home")
def test_a_write_by_hand_is_missed_and_told(tmp_path: Path) -> None:
    """What somebody wrote with an editor was shown to QMD by nobody."""
    memory = opened(tmp_path)
    memory.remember("Acme moved to Bern", kind="fact", about="acme")
    put(memory.root, "brain/areas/acme/summary.md", "# Acme\n\nIn Bern, by hand.\n")
    assert "not refreshed since" in behind(memory.check().problems)[0]
    memory.index()
    assert behind(memory.check().problems) == []


def test_where_it_is_not_in_use_nothing_is_run_or_said(home: Path, tmp_path: Path) -> None:
    """In another profile, without the program, or in a stranger's folder, it is not run; where it is due, that is told."""
    memory = opened(tmp_path, "default")
    memory.remember("Acme moved to Bern", kind="entity", about="acme")
    assert behind(memory.check().problems) == []
    stranger = opened(tmp_path / "b", trusted=False)
    done = stranger.remember("Acme moved to Bern", kind="fact", about="acme")
    assert "not trusted" in behind(done.problems)[0]
    assert calls(home) == []
    (home / "bin/qmd").unlink()
    without = opened(tmp_path / "c")
    without.remember("Acme moved to Bern", kind="fact", about="acme")
    assert behind(without.check().problems) == []
    put(without.root, "mneme.toml", 'profile = "protocol"\nqmd = true\n')
    assert "no program 'qmd'" in behind(open_memory(str(without.root), now=now).check().problems)[0]


def test_a_slow_refresh_holds_up_no_write(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write is answered; the refresh goes on by itself, sees what came meanwhile, and is not behind while it runs."""
    monkeypatch.setattr("mneme.engine.qmd.WAIT_SECONDS", 0.05)
    os.mkfifo(home / "gate")
    memory = opened(tmp_path)
    assert behind(memory.remember("Acme moved to Bern", kind="fact", about="acme").problems) == []
    gate = (home / "gate").open("w")
    assert behind(memory.check().problems) == []
    assert behind(memory.remember("Acme has ten people", kind="fact", about="acme").problems) == []
    # Whoever reads from the gate goes on when it closes; nobody waits at one that is gone.
    (home / "gate").unlink()
    gate.close()
    assert behind(memory.index().problems) == behind(memory.check().problems) == []
    assert [line.split()[0] for line in calls(home)] == ["update", "embed"] * 2
