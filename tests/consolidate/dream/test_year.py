"""Many nights in a row: each is idle the second time, and one that was killed anywhere and run again is the same night.

The crash is a real one: a child process is killed before one of its calls that change the disk. In full, under
`MNEME_CAMPAIGN`, every such call of every night of a season is a crash; else a few of a few nights. `MNEME_NIGHTS`, such
as `4-7`, says on which nights of the season to crash (`make nights NIGHTS=4-7`), so that a season can be run in parts.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from tests.consolidate.dream.nights import Place, after

if TYPE_CHECKING:
    from pathlib import Path

FULL = bool(os.environ.get("MNEME_CAMPAIGN"))
NIGHTS, CRASHES = (20, 1000) if FULL else (12, 2)
FROM, TO = map(int, os.environ.get("MNEME_NIGHTS", f"0-{NIGHTS - 1}").split("-"))
THINGS = ("gateway", "printer", "router", "cellar", "archive", "garden", "kitchen", "server")
CHANGING = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.link", "os.truncate", "os.rmdir"})


def live(place: Place, day: int, dice: random.Random) -> None:
    """Note a few things, one of which changes what was noted before, and ask for some of what was noted."""
    path = f"memory/{after(day).date()}.md"
    rows = [f"The {dice.choice(THINGS)} of house {dice.randrange(9)} has code {dice.randrange(1000, 9999)}."]
    rows += [f"Walked {dice.randrange(2, 30)} km along the {dice.choice(THINGS)} road, day {day} of the season."]
    place.write(path, f"# {after(day).date()}\n\n" + "".join(f"- {row}\n" for row in rows))
    for back in range(min(day, 4) + 1):
        noted = f"memory/{after(day - back).date()}.md"
        if dice.random() < 0.8:
            place.ask(noted, 3, after(day - 0.1), f"question {day} {back}")


def dream_until_killed(place: Place, day: int, at: int) -> bool:
    """Dream in a child that is killed before its call number `at` that changes the disk; say whether it was."""
    child = os.fork()
    if child == 0:
        left = [at]

        def count(event: str, words: tuple[object, ...]) -> None:
            writes = event != "open" or (isinstance(words[2], int) and words[2] & (os.O_WRONLY | os.O_RDWR))
            if event in CHANGING and writes:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            place.dream(after(day))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_every_night_is_idle_the_second_time_and_survives_a_crash(tmp_path: Path) -> None:
    """Byte for byte: memory, diary and the state of dreaming."""
    place, dice = Place(tmp_path / "ws"), random.Random(20260401)  # noqa: S311 - a season that is the same each time
    place.write("mneme.toml", "[dream]\nstale_days = 6\narchive_days = 4\n")
    crashes: dict[int, int] = {}
    for day in range(min(NIGHTS, TO + 1)):
        live(place, day, dice)
        before = Place(tmp_path / "before")
        shutil.rmtree(before.root, ignore_errors=True)
        shutil.copytree(place.root, before.root)
        place.dream(after(day))
        expected = place.files()
        assert place.dream(after(day)).status == "idle"
        assert place.files() == expected
        for at in points(dice) if day >= FROM else ():
            twin = Place(tmp_path / "twin")
            shutil.copytree(before.root, twin.root)
            killed = dream_until_killed(twin, day, at)
            twin.dream(after(day))
            found = twin.files()
            shutil.rmtree(twin.root)
            assert found == expected, (day, at)
            crashes[day] = crashes.get(day, 0) + killed
            if not killed:
                break
    print(f"crashes by night: {crashes}, {sum(crashes.values())} in all")  # noqa: T201 - what a season run in parts is for
    assert sum(crashes.values()) >= len(crashes) > 0


def points(dice: random.Random) -> list[int]:
    """Return before which calls to crash: every one, or a few that the dice choose."""
    return list(range(1, CRASHES)) if FULL else sorted(dice.sample(range(1, 40), CRASHES))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no child can be killed here")
def test_the_harness_kills(tmp_path: Path) -> None:
    """The first call that changes the disk is a crash, and nothing was written then."""
    place = Place(tmp_path / "ws")
    place.write("memory/2026-04-01.md", "# 2026-04-01\n\n- The gateway stays on port 18789.\n")
    assert dream_until_killed(place, 1, 1)
    assert set(place.files()) == {"memory/2026-04-01.md"}
    assert not dream_until_killed(place, 1, 1_000_000)
    assert "DREAMS.md" in place.files()
