"""The jobs of upkeep, when each last ran, and which are due.

A job is due when its moment has come since it last began; however many moments were missed, it runs once. A job that
was never begun waits for its next moment. A stamp that lies in the future, because a clock went back, counts as none.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mneme.consolidate.schedule.times import Recurrence, parse_recurrence
from mneme.keys import JOB_TIMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

VERSION = 1
# A job that began and never ended is running for so long at most; then whoever ran it is taken for dead.
LONGEST_RUN_HOURS = 2
OK, FAILED, RUNNING, WAITING = "ok", "failed", "running", "waiting"


@dataclass(frozen=True, slots=True)
class Job:
    """A row: what is done, and what that means; the table of settings says when."""

    name: str
    summary: str

    @property
    def when(self) -> str:
        """Return when it comes again unless settings say otherwise."""
        return dict(JOB_TIMES)[self.name]


# In the order in which they run when several are due: what is captured is dreamt over, what is dreamt is refined.
JOBS = (
    Job("capture", "propose what was said in recent notes and sessions"),
    Job("dream", "light, REM and deep: themes, and what to keep for good"),
    Job("refine", "verify what was dreamt, and classify what is new"),
    Job("review", "the week: decisions and lessons home, friction, repairs"),
    Job("synthesize", "rewrite each entity's summary from its facts"),
    Job("sublimate", "what projects and feedback came to, as proposals"),
    Job("decay", "mark stale what nobody has seen for long"),
    Job("archive", "move old days to the archive"),
    Job("palace", "write the palace's views"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """When a job last began and ended, and what came of it."""

    began: str = ""
    ended: str = ""
    outcome: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A job as it stands: when it comes again, what came of it last, and whether it is due."""

    name: str
    summary: str
    when: Recurrence | None
    last: Run
    state: str
    due: bool
    coming: str

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "job": self.name,
            "due": self.due,
            "state": self.state,
            "next": self.coming,
            "last": asdict(self.last),
            "summary": self.summary,
        }


def recurrences(said: Mapping[str, str]) -> dict[str, Recurrence | None]:
    """Return when each job comes again, by default or as settings say."""
    return {job.name: parse_recurrence(str(said.get(job.name) or job.when), job.name) for job in JOBS}


def parse_runs(content: bytes | None) -> dict[str, Run]:
    """Read what ran; anything unreadable counts as nothing ran."""
    try:
        record: Any = json.loads(content or b"{}")
        if record.get("version") == VERSION:
            return {
                str(name): Run(**{key: str(value) for key, value in run.items()})
                for name, run in record["runs"].items()
            }
    except (ValueError, TypeError, AttributeError, KeyError):
        pass
    return {}


def print_runs(runs: Mapping[str, Run]) -> bytes:
    """Return what ran as it is kept."""
    return json.dumps(
        {"version": VERSION, "runs": {name: asdict(run) for name, run in runs.items()}}, indent=1
    ).encode()


def standings(
    now: datetime, zone: tzinfo, when: Mapping[str, Recurrence | None], runs: Mapping[str, Run]
) -> tuple[Standing, ...]:
    """Return how every job stands, in the order in which they run."""
    return tuple(_standing(job, now, zone, when[job.name], runs.get(job.name, Run())) for job in JOBS)


def _standing(job: Job, now: datetime, zone: tzinfo, when: Recurrence | None, last: Run) -> Standing:
    began = _moment(last.began, now)
    running = last.outcome == RUNNING and began is not None and (now - began).total_seconds() < LONGEST_RUN_HOURS * 3600
    due = when is not None and began is not None and not running and began < when.latest(now, zone)
    state = RUNNING if running else WAITING if last.outcome in ("", WAITING, RUNNING) else last.outcome
    coming = when.coming(now, zone).astimezone(zone).isoformat(timespec="minutes") if when else ""
    return Standing(job.name, job.summary, when, last, state, due, coming)


def _moment(stamp: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    if moment.tzinfo is None or moment > now:
        return None
    return moment


def begun(runs: Mapping[str, Run], names: Iterable[str], now: datetime) -> dict[str, Run]:
    """Return the stamps in which some jobs begin, and those that were never begun wait from now on."""
    stamp = now.astimezone(UTC).isoformat(timespec="seconds")
    fresh = {job.name: Run(stamp, "", WAITING) for job in JOBS if _moment(runs.get(job.name, Run()).began, now) is None}
    return {**runs, **fresh, **{name: Run(stamp, "", RUNNING) for name in names}}


def ended(runs: Mapping[str, Run], name: str, now: datetime, fault: str = "") -> dict[str, Run]:
    """Return the stamps in which a job has ended, well or with a fault."""
    stamp = now.astimezone(UTC).isoformat(timespec="seconds")
    run = replace(runs.get(name, Run(stamp)), ended=stamp, outcome=FAILED if fault else OK, message=fault)
    return {**runs, name: run}
