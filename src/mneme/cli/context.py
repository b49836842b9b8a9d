"""What a verb may know of the outside: two streams, how to print, what time it is, which workspace was asked for.

Made once per command from the options that work everywhere, then handed to the verb. Results go to stdout, messages to
stderr with the prefix `mneme: `. It never decides what is printed, only how it reaches the reader unharmed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING

from mneme import render
from mneme.errors import INFO, UNREADABLE, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from mneme.engine import Memory
    from mneme.engine.home import Home
    from mneme.engine.results import Done, Report
    from mneme.errors import Problem, UnsureError


@dataclass(frozen=True, slots=True)
class IO:
    """The surroundings of one command."""

    stdout: TextIO
    stderr: TextIO
    now: datetime = field(default_factory=lambda: datetime.now().astimezone())
    workspace: str | None = None
    shared: bool = False
    json: bool = False
    quiet: bool = False
    dry_run: bool = False
    colour: bool = False
    live: bool = False  # the time is the clock's own, as it is for whoever else is asked
    alarms: list[str] = field(default_factory=list)
    doubts: list[bool] = field(default_factory=list, init=False)
    told: list[render.Jsonable] = field(default_factory=list, init=False)  # the problems that were shown

    @property
    def missed_some(self) -> bool:
        """Say whether a problem was shown that means something could not be read."""
        return any(getattr(problem, "rule", "") == UNREADABLE for problem in self.told)

    @property
    def doubted(self) -> bool:
        """Say whether no record of what was opened may be taken at its word."""
        return any(self.doubts)

    @property
    def today(self) -> date:
        """Return the day that counts as today: from `--today`, else from the clock."""
        return self.now.date()

    def clock(self) -> datetime:
        """Return the moment that counts as now, as the engine asks for it."""
        return self.now

    def open(self, *, make: bool = False, tell_alarm: bool = True) -> Memory:
        """Open the workspace that is meant, in the context and at the time that were given; tell its alarm first."""
        from mneme.engine import open_memory

        memory = open_memory(self.workspace, now=self.clock, make=make, shared=self.shared)
        self.doubts.append(not memory.authoritative)
        if tell_alarm and (alarm := memory.alarm):
            self.alarms.append(alarm)
            self.warn(alarm, "mneme check")
        return memory

    def open_home(self) -> Home:
        """Open the user's home of capabilities; `--workspace` names another folder for it."""
        from pathlib import Path

        from mneme.engine.home import open_home

        return open_home(now=self.clock, root=Path(self.workspace).absolute() if self.workspace else None)

    def print(self, text: str) -> None:
        """Write a rendered result and a line end to stdout; what comes from memory was made harmless by `render`."""
        self.stdout.write(f"{text}\n" if not text.endswith("\n") else text)

    def print_raw(self, text: str) -> None:
        """Write somebody's text to stdout: byte for byte into a pipe or file, made harmless on a terminal."""
        self.stdout.write(render.safe_text(text) if self.stdout.isatty() else text)

    def print_json(
        self,
        records: Iterable[render.Jsonable] = (),
        problems: Iterable[render.Jsonable] = (),
        **more: object,
    ) -> None:
        """Write the published envelope; `more` adds keys beside `records` and `problems`."""
        if self.alarms:
            more = {"alarm": self.alarms[-1], **more}
        problems = list(problems)
        self.told.extend(problems)
        encoding = (getattr(self.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
        self.print(render.json_text(records, problems, ascii_only=encoding != "utf8", **more))

    def print_diff(self, diff: str) -> None:
        """Write a unified diff, coloured where colour is wanted."""
        if diff:
            self.print(render.diff_text(diff, colour=self.colour))

    def print_done(self, done: Done) -> None:
        """Write what a writing verb did: the records it is about, or the diff of what it would do."""
        if self.json:
            self.print_json(done.records, done.problems, status=done.status, plan=done.n, diff=done.diff)
            return
        self.print_diff(done.diff)
        if done.records:
            self.print(render.records_text(done.records, colour=self.colour, doubted=self.doubted))
        self.warn_problems(done.problems)

    def print_report(self, report: Report, *, most_of_a_rule: int = 0) -> None:
        """Write the problems that a check found, as its result, and the line that counts them.

        `--quiet` hides notes. Of one rule no more than so many are written, if a number is given, and how many more there are.
        """
        self.told.extend(report.problems)
        shown = [problem for problem in report.problems if not (self.quiet and problem.severity == INFO)]
        told: dict[str, int] = {}
        for problem in shown:
            told[problem.rule] = told.get(problem.rule, 0) + 1
            if not most_of_a_rule or told[problem.rule] <= most_of_a_rule:
                self.print(render.problem_text(problem, colour=self.colour))
        for rule, count in told.items():
            if most_of_a_rule and count > most_of_a_rule:
                self.print(f"... and {count - most_of_a_rule} more of {rule}: mneme check --all")
        if shown:
            self.print("")
        self.print(report.summary)

    def confirm(self, question: str, instead: str) -> bool:
        """Ask a person; without a terminal to ask on, refuse and say how to go on."""
        if not sys.stdin.isatty():
            message = f"{question} there is nobody here to ask"
            raise RefusedError(message, instead)
        self.stdout.flush()
        self.stderr.write(f"mneme: {render.safe_text(question)} [y/N] ")
        self.stderr.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def choose(self, unsure: UnsureError) -> str:
        """Ask a person which of several answers is meant; an empty one takes the first, another word stands for itself.

        Without a terminal to ask on, or without anything to choose from, the error goes on.
        """
        if not sys.stdin.isatty() or not unsure.choices:
            raise unsure
        self.stdout.flush()
        self.stderr.write(f"mneme: {render.safe_text(unsure.message)}\n")
        for number, choice in enumerate(unsure.choices, 1):
            self.stderr.write(f"  {number}  {render.safe_text(choice)}\n")
        self.stderr.write(f"which? [1: {render.safe_text(unsure.choices[0])}] ")
        self.stderr.flush()
        answer = sys.stdin.readline().strip()
        if answer.isdigit():
            if not 0 < int(answer) <= len(unsure.choices):
                raise unsure
            return unsure.choices[int(answer) - 1]
        return answer or unsure.choices[0]

    def say(self, message: str) -> None:
        """Tell the reader what was done, on stderr; `--quiet` hides it."""
        if not self.quiet:
            self._tell(message)

    def warn(self, message: str, hint: str = "") -> None:
        """Tell the reader what needs attention, on stderr, even under `--quiet`."""
        self._tell(message, hint)

    def warn_problems(self, problems: Iterable[Problem]) -> None:
        """Show faults met on the way to a result, on stderr; a check prints its problems as the result instead."""
        for problem in problems:
            self.told.append(problem)
            self.stderr.write(render.problem_text(problem, colour=self.colour and self.stderr.isatty()) + "\n")

    def _tell(self, message: str, hint: str = "") -> None:
        self.stdout.flush()
        self.stderr.write(render.message_text(message, hint) + "\n")
