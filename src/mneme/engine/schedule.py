"""Running upkeep when it is due: each job once, in order, one failing job never in the way of the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import BadInputError, MnemeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import tzinfo
    from pathlib import Path

    from mneme.consolidate.schedule.jobs import Run, Standing
    from mneme.consolidate.schedule.times import Recurrence
    from mneme.engine.memory import Memory

STAMPS = "schedule.json"
_KEPT_UPKEEP = "upkeep"


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one job: nothing to complain of, or why it failed."""

    job: str
    fault: str = ""
    paths: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {"job": self.job, "failed": bool(self.fault), "message": self.fault, "paths": list(self.paths)}


def schedule(memory: Memory) -> tuple[Standing, ...]:
    """Return how every job of upkeep stands; looking at it changes nothing."""
    from mneme.consolidate.schedule.jobs import standings

    return standings(memory.now(), _zone(memory), _when(memory), _runs(memory))


def run_due(memory: Memory, names: Sequence[str] = (), *, told: Callable[[Ran], None] | None = None) -> tuple[Ran, ...]:
    """Run the jobs that are due, or those named whatever the hour; one that runs elsewhere is left to it."""
    from mneme.consolidate.schedule.jobs import JOBS, RUNNING, begun, standings

    unknown = [name for name in names if name not in {job.name for job in JOBS}]
    if unknown:
        message = f"there is no job '{unknown[0]}'; there are " + ", ".join(job.name for job in JOBS)
        raise BadInputError(message, "mneme schedule")
    when = _when(memory)
    with files.locked(memory.root, "schedule"):
        runs = _runs(memory)
        every = standings(memory.now(), _zone(memory), when, runs)
        chosen = [one.name for one in every if (one.name in names if names else one.due) and one.state != RUNNING]
        _keep(memory, begun(runs, chosen, memory.now()))
    done = []
    for name in chosen:
        ran = _run(memory, name)
        done.append(ran)
        _note(memory, ran)
        if told is not None:
            told(ran)
    return tuple(done)


def start_due(memory: Memory) -> None:
    """Have what is due run in a process of its own, so that nobody who asks meanwhile waits for it.

    For whoever stays resident: a job that was never begun waits from now on, and a workspace that is not trusted is
    left alone.
    """
    from mneme.consolidate.schedule.jobs import RUNNING, begun

    running: _Apart | None = memory.kept.get(_KEPT_UPKEEP)
    if not memory.workspace.trusted or (running is not None and running.is_running()):
        return
    every = schedule(memory)
    if not all(one.last.began for one in every):
        with files.locked(memory.root, "schedule"):
            _keep(memory, begun(_runs(memory), (), memory.now()))
    elif any(one.due and one.state != RUNNING for one in every):
        memory.kept[_KEPT_UPKEEP] = _Apart(memory.root)


class _Apart:
    """A run of the schedule in a process that outlives us."""

    def __init__(self, root: Path) -> None:
        import subprocess
        import sys

        command = (sys.executable, "-m", "mneme", "--workspace", str(root), "--quiet", "schedule", "run", "--due")
        none = subprocess.DEVNULL
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=none, stdout=none, stderr=none, cwd=root, start_new_session=True
        )

    def is_running(self) -> bool:
        """Say whether it still runs."""
        return self._process.poll() is None


def _run(memory: Memory, name: str) -> Ran:
    try:
        done = getattr(memory, name)()  # a job is the verb of its name
    except MnemeError as error:
        return Ran(name, error.message)
    except Exception as error:  # noqa: BLE001 - whatever one job stumbles over, the others run
        return Ran(name, f"{type(error).__name__}: {error}")
    return Ran(name, getattr(done, "fault", ""), tuple(done.paths))


def _note(memory: Memory, ran: Ran) -> None:
    from mneme.consolidate.schedule.jobs import ended

    with files.locked(memory.root, "schedule"):
        _keep(memory, ended(_runs(memory), ran.job, memory.now(), ran.fault))


def _runs(memory: Memory) -> dict[str, Run]:
    from mneme.consolidate.schedule.jobs import parse_runs

    return parse_runs(files.find_file(memory.root / files.WORKPLACE / STAMPS))


def _keep(memory: Memory, runs: Mapping[str, Run]) -> None:
    from mneme.consolidate.schedule.jobs import print_runs

    files.write_derived(memory.root / files.WORKPLACE / STAMPS, print_runs(runs))


def _when(memory: Memory) -> dict[str, Recurrence | None]:
    from mneme.consolidate.schedule.jobs import recurrences

    return recurrences(memory.workspace.settings.table("schedule"))


def _zone(memory: Memory) -> tzinfo:
    """Return the time zone that settings name, else the one that this machine is in."""
    name = str(memory.workspace.settings["schedule.timezone"])
    if name:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            message = f"there is no time zone '{name}'"
            raise BadInputError(message, 'edit mneme.toml: [schedule] timezone = "Europe/Berlin"') from error
    return memory.now().tzinfo or UTC
