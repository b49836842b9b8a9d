"""What wakes upkeep when nobody is at the keyboard: systemd, launchd, cron, or OpenClaw's own cron.

Each asks `mneme schedule run --due` every few minutes, and the schedule itself decides: a timer knows no jobs, so that
changing the schedule never means installing again. OpenClaw's cron is the exception: there each job is one of its own,
aimed as the published layouts aim it.
"""

from __future__ import annotations

import json
import plistlib
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import MnemeError, NotFoundError
from mneme.hosts import HostFile
from mneme.hosts.marked import with_block, without_block
from mneme.workspace import user_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SYSTEMD, LAUNCHD, CRON, OPENCLAW = "systemd", "launchd", "cron", "openclaw"
TIMERS = (SYSTEMD, LAUNCHD, CRON, OPENCLAW)
EVERY_MINUTES = 10
TIMEOUT_SECONDS = 30
# What OpenClaw's memory waits for when it dreams by itself.
DREAM_TOKEN = "__openclaw_memory_core_short_term_promotion_dream__"  # noqa: S105 - a message, no secret


@dataclass(frozen=True, slots=True)
class Timer:
    """Files to put in place or to take away, and the commands that make the system see it."""

    kind: str
    files: tuple[HostFile, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    crontab: bytes | None = None
    """What the person's table of cron jobs shall be; None where it is not asked for."""

    def diff(self) -> str:
        """Return the changed files as one unified diff, and the commands below it."""
        changed = "".join(file.diff() for file in self.files if file.before != file.after)
        return changed + "".join(f"$ {shlex.join(command)}\n" for command in self.commands)


def plan_timer(
    kind: str, root: Path, *, away: bool = False, crons: Mapping[str, str] | None = None, zone: str = ""
) -> Timer:
    """Return what a timer for the workspace changes, or what taking it away does.

    `crons` says when each job comes, as five fields, and `zone` in which time zone: OpenClaw's cron wants to know, the
    others ask the schedule.
    """
    if kind == OPENCLAW:
        return _openclaw(root, away, crons or {}, zone)
    maker = {SYSTEMD: _systemd, LAUNCHD: _launchd, CRON: _cron}[kind]
    return maker(root, away)


def put_in_place(timer: Timer) -> tuple[str, ...]:
    """Write the files and run the commands; return the names of the files that were changed."""
    from mneme.files.outside import put_outside

    changed = [file for file in timer.files if file.before != file.after]
    for file in changed:
        if timer.crontab is None:
            put_outside(file.place, file.after)
    if timer.crontab is not None and changed:
        _run(("crontab", "-"), timer.crontab)
    for command in timer.commands:
        _run(command)
    return tuple(file.name for file in changed)


def _asking(root: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "mneme", "--workspace", str(root), "--quiet", "schedule", "run", "--due")


def _name(root: Path) -> str:
    """Return a name for the workspace's timer that no other workspace's has."""
    word = "".join(char if char.isascii() and char.isalnum() else "-" for char in root.name.lower()).strip("-")
    return f"mneme-{word or 'memory'}-{sha256(str(root).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def _host_file(place: Path, after: bytes | None) -> HostFile:
    return HostFile(place, str(place), files.find_file(place), after)


def _systemd(root: Path, away: bool) -> Timer:  # noqa: FBT001 - as plan_timer says
    folder = user_folder() / ".config/systemd/user"
    name = _name(root)
    command = " ".join(_systemd_word(word) for word in _asking(root))
    said = " ".join(str(root).replace("%", "%%").split())
    service = f"[Unit]\nDescription=Upkeep of the memory in {said}\n\n[Service]\nType=oneshot\nExecStart={command}\n"
    timer = (
        f"[Unit]\nDescription=Wake the upkeep of the memory in {said}\n\n"
        f"[Timer]\nOnCalendar=*:0/{EVERY_MINUTES}\nPersistent=true\nRandomizedDelaySec=20\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    made = (
        _host_file(folder / f"{name}.service", None if away else service.encode("utf-8", "surrogateescape")),
        _host_file(folder / f"{name}.timer", None if away else timer.encode("utf-8", "surrogateescape")),
    )
    verb = ("disable",) if away else ("enable",)
    asked = (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", *verb, "--now", f"{name}.timer"))
    return Timer(SYSTEMD, made, asked if not away else tuple(reversed(asked)))


def _systemd_word(word: str) -> str:
    """Return a word as systemd reads it: in quotes, with what it would expand written twice."""
    doubled = word.replace("%", "%%").replace("$", "$$").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{doubled}"' if any(char.isspace() or char in "\"'\\" for char in doubled) else doubled


def _launchd(root: Path, away: bool) -> Timer:  # noqa: FBT001
    label = f"dev.mneme.{_name(root).removeprefix('mneme-')}"
    place = user_folder() / "Library/LaunchAgents" / f"{label}.plist"
    wanted = {
        "Label": label,
        "ProgramArguments": list(_asking(root)),
        "StartInterval": EVERY_MINUTES * 60,
        "RunAtLoad": True,
        "ProcessType": "Background",
    }
    verb = "unload" if away else "load"
    return Timer(
        LAUNCHD,
        (_host_file(place, None if away else plistlib.dumps(wanted)),),
        (("launchctl", verb, "-w", str(place)),),
    )


def _cron(root: Path, away: bool) -> Timer:  # noqa: FBT001
    if shutil.which("crontab") is None:
        message = "there is no cron on this machine"
        raise NotFoundError(message, f"mneme schedule install {SYSTEMD}")
    before = _printed(("crontab", "-l"))
    command = shlex.join(_asking(root)).replace("%", "\\%")
    line = f"*/{EVERY_MINUTES} * * * * {command} >/dev/null 2>&1\n".encode("utf-8", "surrogateescape")
    after = (without_block(before or b"") or b"") if away else with_block(before or b"", line)
    return Timer(CRON, (HostFile(user_folder() / "crontab", "crontab", before, after),), (), after)


def _openclaw(root: Path, away: bool, crons: Mapping[str, str], zone: str) -> Timer:  # noqa: FBT001
    if shutil.which("openclaw") is None:
        message = "there is no 'openclaw' on the PATH"
        raise NotFoundError(message, f"mneme schedule install {SYSTEMD}")
    there = _openclaw_ids()
    own = {name: f"{_name(root)}: {name}" for name, *_ in _OPENCLAW_JOBS}
    gone = tuple(("openclaw", "cron", "rm", there[name]) for name in own.values() if name in there)
    if away:
        return Timer(OPENCLAW, (), gone)
    where = shlex.quote(str(root))
    made = (
        _openclaw_job(own[name], crons.get(name, cron), zone, target, said.replace("WHERE", where))
        for name, cron, target, said in _OPENCLAW_JOBS
    )
    return Timer(OPENCLAW, (), (*gone, *made))


def _openclaw_ids() -> dict[str, str]:
    """Return the jobs of OpenClaw's cron, each with the id that it is removed by; its gateway has to answer."""
    said = _printed(("openclaw", "cron", "list", "--all", "--json")) or b""
    try:
        jobs = json.loads(said[max(said.find(b"{"), 0) :])["jobs"]
        return {str(job["name"]): str(job["id"]) for job in jobs}
    except (ValueError, TypeError, KeyError) as error:
        message = "OpenClaw's cron can't be listed"
        raise MnemeError(message, "openclaw cron list --all --json") from error


# Name, when unless settings say otherwise, in which session, and what is said there.
_OPENCLAW_JOBS = (
    ("dream", "30 12 * * *", "main", DREAM_TOKEN),
    ("refine", "0 13 * * *", "isolated", "Run `mneme --workspace WHERE refine` and report what it says."),
    ("review", "0 9 * * 1", "isolated", "Run `mneme --workspace WHERE review` and report what it says."),
)


def _openclaw_job(name: str, cron: str, zone: str, target: str, said: str) -> tuple[str, ...]:
    payload = ("--system-event", said) if target == "main" else ("--message", said)
    where = ("--tz", zone) if zone else ()
    return ("openclaw", "cron", "add", "--name", name, "--cron", cron, *where, "--session", target, *payload)


def _printed(command: Sequence[str]) -> bytes | None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _run(command: Sequence[str], given: bytes | None = None) -> None:
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"'{shlex.join(command)}' could not be run: {error}"
        raise MnemeError(message, shlex.join(command)) from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
        message = f"'{shlex.join(command)}' ended with code {done.returncode}{said and ': ' + said}"
        raise MnemeError(message, shlex.join(command))
