"""Dream over the last days: weigh what was asked for, keep the little that lasts, let go of what nobody needs.

Light and REM write the diary, DREAMS.md. Deep promotes what was recalled often, by different questions, into its own
region of MEMORY.md: one sentence each, with its day and its source. Without a phase all three run, as one change that
`mneme undo` takes back. A night in which nothing is new changes nothing. Daily notes are never touched. Before anything is
written, recent questions are asked of memory as it would be: a night that answers one worse is shown and held back.

`status` tells how dreaming stands, `explain` why a memory was promoted or what it lacks, `on` and `off` say whether
nights happen at all. Where OpenClaw dreams in the same folder, this stays off and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, BadInputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from mneme.cli.context import IO
    from mneme.engine.dream import Dreamt, Explained
    from mneme.engine.memory import Memory

EXAMPLES = """
mneme dream --dry-run
mneme dream
mneme dream light rem
mneme dream status
mneme dream explain "gateway port"
mneme dream off
"""
WORDS = ("light", "rem", "deep", "status", "explain", "on", "off")
MOST_TOLD = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    parser.add_argument(
        "words",
        metavar="light|rem|deep|status|explain|on|off",
        nargs="*",
        help="phases to run (default: all), or what else to do; `explain` takes a text",
    )
    parser.add_argument("--since", metavar="DATE", help="look back as far as this day, instead of a week")
    complete_as(
        parser.add_argument(
            "--sessions", metavar="DIR", action="append", default=[], help="a folder of transcripts to read as well"
        ),
        "dir",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="dream although it is off, the check finds errors, or a question would be answered worse",
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    first, *rest = args.words or [""]
    if first not in ("", *WORDS):
        message = f"'{first}' is none of {', '.join(WORDS)}"
        raise BadInputError(message, "mneme dream --help")
    with io.open() as memory:
        if first == "status":
            return _tell_status(memory, io)
        if first == "explain":
            return _tell_why(memory, io, " ".join(rest))
        if first in ("on", "off"):
            return _switch(memory, io, on=first == "on")
        dreamt = memory.dream(
            args.words, since=args.since, sessions=args.sessions, force=args.force, dry_run=io.dry_run
        )
    code = EXIT_PROBLEMS if dreamt.worse else EXIT_CLEAN
    if io.json:
        io.print_json((), dreamt.problems, **dreamt.as_json())
        return code
    if dreamt.done is not None and dreamt.done.diff:
        io.print_diff(dreamt.done.diff)
    if dreamt.worse:
        _tell_worse(dreamt, io)
        return code
    _tell_night(dreamt, io)
    io.warn_problems(dreamt.problems)
    return code


def _tell_worse(dreamt: Dreamt, io: IO) -> None:
    """Tell which questions would be answered worse: the night is held back, and its diff stands above."""
    for one in dreamt.worse:
        io.print(f"{'pinned' if one.pinned else 'asked '}  {one}")
    io.warn("the night is held back, because memory would answer worse", "mneme dream --force")


def _tell_night(dreamt: Dreamt, io: IO) -> None:
    if dreamt.message:
        io.say(dreamt.message)
    report = dreamt.report
    if report is None or report.idle_since:
        return
    for row in _rows(dreamt):
        io.print(row)
    if len(report.skipped) > MOST_TOLD:
        io.say(f"{len(report.skipped) - MOST_TOLD} more wait; --json tells all")
    if report.waiting:
        io.say(f"{len(report.waiting)} more notes are taken in by the next nights")
    if report.undreamt:
        many = len(report.undreamt)
        io.say(f"{many} older note{'' if many == 1 else 's'} never dreamt over, first '{report.undreamt[0]}'")
    if dreamt.done is not None and dreamt.done.n:
        io.say(f"dreamt {', '.join(report.phases)}; take the night back with: mneme undo {dreamt.done.n}")


def _rows(dreamt: Dreamt) -> Iterator[str]:
    """Yield a line for each memory that something happened to, and for the first that wait."""
    from mneme.render import one_line

    report = dreamt.report
    if report is None:
        return
    if decision := report.decision:
        for promotion, candidate, _ in decision.added:
            yield one_line(f"promoted  {candidate.score:.3f}  {promotion.text}  [{promotion.source}]")
        for promotion in decision.stale:
            yield one_line(f"stale     {promotion.text}  [{promotion.source}]")
        for left in decision.left:
            yield one_line(f"archived  {left.promotion.text}  ({left.reason})")
    for path, what in report.faded:
        yield one_line(f"{path} {what}")
    for skipped in report.skipped[:MOST_TOLD]:
        yield one_line(f"waits     {skipped.score:.3f}  {skipped.text[:80]}  ({skipped.reason})")


def _tell_status(memory: Memory, io: IO) -> int:
    status = memory.dream_status()
    if io.json:
        io.print_json((), (), **status.as_json())
        return EXIT_CLEAN
    io.print(status.message or f"dreaming is {status.state}")
    for phase, at in status.last.items():
        io.print(f"  {phase:<6} last on {at}")
    io.print(f"  {status.entries} snippets known, {status.recalled} of them recalled, {status.promoted} promoted")
    io.print(f"  {status.standing} promotions stand in MEMORY.md, {status.waiting} candidates pass the gates")
    io.print("  " + ", ".join(f"{name} {value}" for name, value in status.rules.items()))
    if status.undreamt:
        many = f"{len(status.undreamt)} older note{'' if len(status.undreamt) == 1 else 's'}"
        io.print(f"  {many} never dreamt over, first '{status.undreamt[0]}'; mneme dream --since DATE looks back")
    return EXIT_CLEAN


def _tell_why(memory: Memory, io: IO, wanted: str) -> int:
    explained = memory.dream_explain(wanted)
    if io.json:
        io.print_json((), (), candidates=[one.as_json() for one in explained])
        return EXIT_CLEAN
    for number, one in enumerate(explained):
        if number:
            io.print("")
        _tell_one(one, io)
    return EXIT_CLEAN


def _tell_one(one: Explained, io: IO) -> None:
    from mneme.render import one_line

    io.print(one_line(f"{one.key}"))
    io.print(one_line(f"  {one.text}"))
    terms = [f"{name} {value:.3f}" for name, value in one.terms.items()]
    io.print(f"  score {one.score:.6f} = {' + '.join(terms)} + phases {one.boost:.3f}")
    for name, have, need, passed in one.checks:
        io.print(f"  {'passes' if passed else 'fails '}  {name}: {have:g} of {need:g}")
    io.print(one_line(f"  {one.verdict}"))


def _switch(memory: Memory, io: IO, *, on: bool) -> int:
    done = memory.dream_switch(on=on, dry_run=io.dry_run)
    if io.json:
        io.print_json((), done.problems, status="on" if on else "off", plan=done.n, diff=done.diff)
        return EXIT_CLEAN
    io.print_diff(done.diff)
    io.say(f"dreaming is {'on' if on else 'off'}")
    return EXIT_CLEAN
