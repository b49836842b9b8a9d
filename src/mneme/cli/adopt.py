"""Adopt a folder of memory as it stands: say what is in it, and add `mneme.toml`.

No file is moved and none is changed; `.mneme.d/` is added for what the machine keeps. The profile is told by the marks
that each layout leaves; --profile overrules them. The folder's word is not taken until you trust it, with --trust or
later with `mneme trust`: what somebody else wrote should be read first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from mneme.cli.context import IO
    from mneme.engine.setup import Adoption

EXAMPLES = """
mneme adopt
mneme adopt ~/.openclaw/workspace --dry-run
mneme adopt --profile never-forget --trust
"""
_MOST_PROBLEMS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.cli.options import complete_as

    complete_as(
        parser.add_argument("path", metavar="PATH", nargs="?", help="the folder (default: the one you stand in)"), "dir"
    )
    parser.add_argument(
        "--profile", metavar="P", help="the layout: default, openclaw, v4, never-forget, protocol or cells"
    )
    parser.add_argument("--trust", action="store_true", help="take the folder's word from now on")


def run(args: argparse.Namespace, io: IO) -> int:
    """Plan, apply, print."""
    from mneme.engine.setup import adopt_workspace
    from mneme.errors import RefusedError

    if io.shared:
        message = "adopting a folder tells what is in it, and that is private"
        raise RefusedError(message, "mneme adopt --context main")
    asked = args.path or io.workspace
    adoption = adopt_workspace(asked, now=io.clock, profile=args.profile, trust=args.trust, dry_run=io.dry_run)
    if io.json:
        io.print_json((), adoption.survey.problems, **adoption.as_json())
        return 0
    io.print("\n".join(_lines(adoption)))
    _print_problems(adoption, io)
    io.print_diff(adoption.done.diff)
    if adoption.done.n:
        io.say(f"adopted '{adoption.root}': mneme.toml is new, nothing else was changed")
    elif not io.dry_run:
        io.say(f"'{adoption.root}' is a workspace already")
    if not adoption.trusted and not io.dry_run:
        io.say("its word is not taken yet: mneme trust")
    return 0


def _lines(adoption: Adoption) -> list[str]:
    from mneme.render import one_line, problem_counts

    layout, survey = adoption.layout, adoption.survey
    days = f"{len(survey.days)}, {survey.days[0]} to {survey.days[-1]}" if survey.days else "none"
    rows = [
        ("profile", f"{layout.profile}: {layout.why}"),
        *(("place", f'{name} = "{place}"') for name, place in layout.places.items()),
        ("files", f"{sum(survey.kinds.values())}{_counts(survey.kinds)}"),
        ("days", days),
        ("cells", str(survey.cells)),
        ("facts", f"{survey.facts} about {len(survey.entities)} entities" if survey.facts else "0"),
        ("tiers", _counts(survey.tiers).removeprefix(": ") or "none"),
        ("left out", f"{sum(survey.left_out.values())}{_counts(survey.left_out)}"),
        ("problems", problem_counts(survey.problems)),
    ]
    return [one_line(f"{name:<10}{value}") for name, value in rows]


def _counts(counts: Mapping[str, int]) -> str:
    return ": " * bool(counts) + ", ".join(f"{number} {name}" for name, number in counts.items())


def _print_problems(adoption: Adoption, io: IO) -> None:
    from mneme.errors import INFO
    from mneme.render import problem_text

    problems = [one for one in adoption.survey.problems if one.severity != INFO]
    for problem in problems[:_MOST_PROBLEMS]:
        io.print(problem_text(problem, colour=io.colour))
    if len(adoption.survey.problems) > min(len(problems), _MOST_PROBLEMS):
        io.say("every problem, with all of its kind: mneme check --all")
