"""Each job runs once when its time has come, whatever was missed, and one that fails is in nobody's way."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.engine.results import Done
from mneme.errors import BadInputError, RefusedError
from mneme.hosts import timers
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)  # a Monday
JOBS = ("capture", "dream", "refine", "review", "synthesize", "sublimate", "decay", "archive", "palace")


OPENCLAW_CRON = """
import json, pathlib, sys
place = pathlib.Path("JOBS")
jobs = json.loads(place.read_text())
verb, words = sys.argv[2], sys.argv[3:]
if verb == "list":
    print("Config warnings: none")
    print(json.dumps({"jobs": jobs}))
elif verb == "rm":
    jobs = [job for job in jobs if job["id"] != words[0]]
elif verb == "add":
    jobs.append({"id": f"id-{words[1]}", "name": words[1], "rest": words[2:]})
place.write_text(json.dumps(jobs))
"""


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return a clock."""
    return Clock()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put a note in the place of each job's verb, and return the list that they are noted in."""
    done: list[str] = []

    def job(name: str) -> Callable[[Memory], Done]:
        def run(_: Memory) -> Done:
            done.append(name)
            if name == "refine":
                message = "there is nothing to refine"
                raise RefusedError(message)
            if name == "archive":
                raise ZeroDivisionError
            return Done(paths=(f"{name}.md",))

        return run

    for name in JOBS:
        monkeypatch.setattr(Memory, name, job(name), raising=False)
    return done


def memory_at(root: Path, clock: Clock, toml: str = "") -> Memory:
    """Return a memory with settings."""
    (root / "mneme.toml").write_text(toml, "utf-8")
    return Memory(open_workspace(root), clock)


@pytest.mark.usefixtures("ran")
def test_nothing_is_due_before_anything_was_begun(tmp_path: Path, clock: Clock) -> None:
    """A workspace that was just made does not dream at once; its first look starts the waiting."""
    memory = memory_at(tmp_path, clock)
    assert memory.run_due() == ()
    assert [job.name for job in memory.schedule() if job.due] == []
    clock.now += timedelta(minutes=31)
    assert [job.name for job in memory.schedule() if job.due] == ["capture"]


def test_what_was_missed_runs_once_and_in_order(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """Three days asleep are one dream; a job that fails is told, and the others run."""
    memory = memory_at(tmp_path, clock)
    memory.run_due()
    clock.now += timedelta(days=3, hours=6)
    told = []
    done = memory.run_due(told=told.append)
    assert ran == ["capture", "dream", "refine", "review", "synthesize", "sublimate", "decay", "archive", "palace"]
    assert list(done) == told
    assert {one.job: one.fault for one in done if one.fault} == {
        "refine": "there is nothing to refine",
        "archive": "ZeroDivisionError: ",
    }
    ran.clear()
    assert memory.run_due() == ()
    assert ran == []
    states = {job.name: job.state for job in memory.schedule()}
    assert (states["dream"], states["refine"]) == ("ok", "failed")


def test_weekly_jobs_wait_for_their_day(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """The review comes on Monday at nine."""
    memory = memory_at(tmp_path, clock)
    memory.run_due()
    clock.now = datetime(2026, 3, 2, 8, 59, tzinfo=UTC)
    memory.run_due()
    assert "review" not in ran
    clock.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    memory.run_due()
    clock.now = datetime(2026, 3, 8, 23, 0, tzinfo=UTC)
    memory.run_due()
    assert ran.count("review") == 1
    clock.now = datetime(2026, 3, 9, 9, 1, tzinfo=UTC)
    memory.run_due()
    assert ran.count("review") == 2


def test_settings_say_when_and_where(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """A job may be off, at another hour, and in another zone."""
    toml = '[schedule]\ntimezone = "Asia/Tokyo"\ndream = "18:00"\ncapture = "off"\n'
    memory = memory_at(tmp_path, clock, toml)
    memory.run_due()
    clock.now = datetime(2026, 3, 2, 8, 59, tzinfo=UTC)
    memory.run_due()
    assert "dream" not in ran
    clock.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    memory.run_due()
    assert "dream" in ran
    assert "capture" not in ran
    assert next(job for job in memory.schedule() if job.name == "dream").coming == "2026-03-03T18:00+09:00"


@pytest.mark.parametrize("line", ['timezone = "Moon/Sea"', 'dream = "at night"'])
@pytest.mark.usefixtures("ran")
def test_settings_that_make_no_sense_are_told(tmp_path: Path, clock: Clock, line: str) -> None:
    """With the line to write."""
    memory = memory_at(tmp_path, clock, f"[schedule]\n{line}\n")
    with pytest.raises(BadInputError, match="no time"):
        memory.schedule()


def test_a_clock_that_goes_back_holds_nothing_up(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """A stamp from the future counts as none: the job waits for its next moment, not for years."""
    memory = memory_at(tmp_path, clock)
    clock.now += timedelta(days=900)
    memory.run_due()
    clock.now = START
    memory.run_due()
    clock.now = START + timedelta(days=1)
    memory.run_due()
    assert ran.count("dream") == 1


def test_another_time_zone_moves_the_moments_with_it(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """Whoever flies west has half past twelve once more that day, and then not until tomorrow."""
    zone = '[schedule]\ntimezone = "{}"\n'
    memory = memory_at(tmp_path, clock, zone.format("Europe/Berlin"))
    memory.run_due()
    clock.now = datetime(2026, 3, 2, 11, 31, tzinfo=UTC)
    memory.run_due()
    assert ran.count("dream") == 1
    memory = memory_at(tmp_path, clock, zone.format("America/New_York"))
    for hour in range(12, 24):
        clock.now = datetime(2026, 3, 2, hour, 45, tzinfo=UTC)
        memory.run_due()
    assert ran.count("dream") == 2
    assert next(job for job in memory.schedule() if job.name == "dream").coming == "2026-03-03T12:30-05:00"


def test_a_job_that_runs_elsewhere_is_left_to_it(tmp_path: Path, clock: Clock, ran: list[str]) -> None:
    """Until it has run for so long that whoever ran it must be dead."""
    memory = memory_at(tmp_path, clock)
    stamp = (START - timedelta(days=2)).isoformat()
    runs = {"dream": {"began": START.isoformat(), "ended": "", "outcome": "running", "message": ""}}
    runs |= {name: {"began": stamp, "ended": stamp, "outcome": "ok", "message": ""} for name in ("palace",)}
    place = tmp_path / ".mneme.d/schedule.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"version": 1, "runs": runs}), "utf-8")
    clock.now = START + timedelta(hours=1)
    memory.run_due(["dream", "palace"])
    assert ran == ["palace"]
    clock.now = START + timedelta(hours=3)
    memory.run_due(["dream"])
    assert ran == ["palace", "dream"]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 1, "runs": {"dream": 7}}', b'{"version": 9}'])
def test_broken_stamps_count_as_none(tmp_path: Path, clock: Clock, content: bytes) -> None:
    """They are machine state; losing them costs one wait."""
    memory = memory_at(tmp_path, clock)
    (tmp_path / ".mneme.d").mkdir()
    (tmp_path / ".mneme.d/schedule.json").write_bytes(content)
    assert not any(job.due for job in memory.schedule())


def test_an_unknown_job_is_told(tmp_path: Path, clock: Clock) -> None:
    """With those that there are."""
    with pytest.raises(BadInputError, match="there is no job 'nap'; there are capture"):
        memory_at(tmp_path, clock).run_due(["nap"])


def test_systemd_is_asked_with_files_that_can_be_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two units of this workspace's own name; taking them away leaves nothing."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(timers, "_run", lambda command, given=None: commands.append(tuple(command)))  # noqa: ARG005
    root = tmp_path / "my 100% memory"
    timers.put_in_place(timers.plan_timer("systemd", root))
    folder = tmp_path / "home/.config/systemd/user"
    service, timer = sorted(folder.iterdir())
    assert service.stem == timer.stem
    assert '100%% memory"' in service.read_text("utf-8")
    assert "Persistent=true" in timer.read_text("utf-8")
    assert commands[-1] == ("systemctl", "--user", "enable", "--now", timer.name)
    timers.put_in_place(timers.plan_timer("systemd", root, away=True))
    assert list(folder.iterdir()) == []


def test_cron_keeps_the_jobs_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real `crontab` command of a table in a file: installed twice is installed once, and gone to the byte."""
    table, tool = tmp_path / "table", tmp_path / "bin/crontab"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\n[ "$1" = -l ] && exec cat {table}\nexec cat >{table}\n', "utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    table.write_text("5 4 * * * backup", "utf-8")
    for _ in range(2):
        timers.put_in_place(timers.plan_timer("cron", tmp_path))
    assert table.read_text("utf-8").count("schedule run --due") == 1
    assert table.read_text("utf-8").startswith("5 4 * * * backup\n")
    timers.put_in_place(timers.plan_timer("cron", tmp_path, away=True))
    assert table.read_text("utf-8") == "5 4 * * * backup"


def test_openclaw_is_told_each_job_once_with_the_published_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that speaks as OpenClaw's cron does: installed twice there is one of each, and then none."""
    tool, jobs = tmp_path / "bin/openclaw", tmp_path / "jobs.json"
    tool.parent.mkdir()
    tool.write_text(f"#!{sys.executable}\n{OPENCLAW_CRON.replace('JOBS', str(jobs))}", "utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    jobs.write_text(json.dumps([{"id": "1", "name": "somebody's", "rest": []}]), "utf-8")
    for _ in range(2):
        timers.put_in_place(timers.plan_timer("openclaw", tmp_path, crons={"dream": "15 3 * * *"}, zone="Asia/Tokyo"))
    names = [job["name"].partition(": ")[2] or job["name"] for job in json.loads(jobs.read_text("utf-8"))]
    assert names == ["somebody's", "dream", "refine", "review"]
    dream, refine, review = (job["rest"] for job in json.loads(jobs.read_text("utf-8"))[1:])
    assert dream[:6] == ["--cron", "15 3 * * *", "--tz", "Asia/Tokyo", "--session", "main"]
    assert dream[6:] == ["--system-event", "__openclaw_memory_core_short_term_promotion_dream__"]
    assert (refine[1], refine[5], review[1]) == ("0 13 * * *", "isolated", "0 9 * * 1")
    timers.put_in_place(timers.plan_timer("openclaw", tmp_path, away=True))
    assert [job["name"] for job in json.loads(jobs.read_text("utf-8"))] == ["somebody's"]
