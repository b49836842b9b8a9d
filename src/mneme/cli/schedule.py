"""See when upkeep is due, run what is, and have it run by itself.

Without an argument the jobs are listed: when each comes again, and what came of it last. `run` runs the jobs named, or
with `--due` those whose time has come; what was missed while the machine slept runs once. `install` has the system ask
every few minutes (systemd, launchd, cron, or OpenClaw's own cron); the resident service asks by itself. When a job
runs is a setting: `[schedule]` in `mneme.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, BadInputError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine.schedule import Ran

EXAMPLES = """
mneme schedule
mneme schedule run --due
mneme schedule run palace archive
mneme schedule install systemd --dry-run
mneme schedule uninstall systemd
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "what", metavar="WHAT", nargs="?", choices=("list", "run", "install", "uninstall"), default="list",
        help="list (the default), run, install or uninstall",
    )  # fmt: skip
    parser.add_argument("names", metavar="NAME", nargs="*", help="jobs to run, or what to install into")
    parser.add_argument("--due", action="store_true", help="run the jobs whose time has come")


def run(args: argparse.Namespace, io: IO) -> int:
    """List, run or install."""
    if args.what == "run":
        return _run(args, io)
    if args.what == "list":
        return _list(io)
    return _install(args, io)


def _list(io: IO) -> int:
    with io.open() as memory:
        jobs = memory.schedule()
    if io.json:
        io.print_json(jobs)
        return EXIT_CLEAN
    width = max(len(job.name) for job in jobs)
    for job in jobs:
        due = "due now" if job.due else job.coming.replace("T", " ")[:16] or "off"
        message = f": {job.last.message}" if job.last.message else ""
        io.print(f"{job.name:<{width}}  {due:<16}  {job.state}{message}".rstrip())
    return EXIT_CLEAN


def _run(args: argparse.Namespace, io: IO) -> int:
    if not args.names and not args.due:
        message = "which jobs shall run? name them, or say --due"
        raise BadInputError(message, "mneme schedule run --due")
    if io.dry_run:
        message = "a run of the schedule has no dry run; each job has one of its own"
        raise BadInputError(message, f"mneme {args.names[0] if args.names else 'dream'} --dry-run")
    with io.open() as memory:
        done = memory.run_due(args.names, told=None if io.json else lambda ran: _tell(ran, io))
    if io.json:
        io.print_json(done)
    elif not done:
        io.say("nothing is due")
    return EXIT_PROBLEMS if any(ran.fault for ran in done) else EXIT_CLEAN


def _tell(ran: Ran, io: IO) -> None:
    if ran.fault:
        io.warn(f"{ran.job} failed: {ran.fault}", f"mneme {ran.job}")
    else:
        io.print(f"{ran.job}: {', '.join(ran.paths) or 'nothing to do'}")


def _install(args: argparse.Namespace, io: IO) -> int:
    from mneme.engine.hosts import TIMERS, plan_timer, put_timer

    if len(args.names) != 1 or args.names[0] not in TIMERS:
        message = f"into what? one of {', '.join(TIMERS)}"
        raise BadInputError(message, f"mneme schedule {args.what} {TIMERS[0]}")
    with io.open() as memory:
        crons = {job.name: job.when.cron for job in memory.schedule() if job.when}
        zone = str(memory.workspace.settings["schedule.timezone"])
        timer = plan_timer(args.names[0], memory.root, away=args.what == "uninstall", crons=crons, zone=zone)
    names = () if io.dry_run else put_timer(timer)
    if io.json:
        io.print_json(paths=list(names), diff=timer.diff())
        return EXIT_CLEAN
    io.print_diff(timer.diff())
    if not io.dry_run:
        done = "taken away from" if args.what == "uninstall" else "installed into"
        io.say(f"{done} {args.names[0]}")
    return EXIT_CLEAN
