"""The options that work everywhere, and an argument parser that speaks our language.

The parser accepts options and arguments in any order, before and after the verb, takes a value that begins with a
dash, names the nearest option when one is unknown, and never exits the process: what is wrong is a `BadInputError`.
"""

from __future__ import annotations

import argparse
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII)

EVERYWHERE: dict[str, dict[str, Any]] = {
    "--workspace": {"metavar": "DIR", "help": "the folder that holds the memory (default: found from here)"},
    "--today": {"metavar": "DATE", "help": "act as if it were this date or time, e.g. 2026-01-31"},
    "--context": {
        "metavar": "main|shared",
        "choices": ("main", "shared"),
        "help": "who is asking: in a shared context nothing private is shown (default: main)",
    },
    "--json": {"action": "store_true", "help": "print records and problems as JSON"},
    "--quiet": {"action": "store_true", "help": "print results, warnings and errors only"},
    "--no-color": {"action": "store_true", "help": "print without colour"},
    "--help": {"action": "store_true", "help": "show this and exit"},
}
DRY_RUN: dict[str, dict[str, Any]] = {
    "--dry-run": {"action": "store_true", "help": "print the diff and write nothing"},
}
SHORT = {"-h": "--help"}


def parse_moment(text: str) -> datetime:
    """Read a date or an ISO time; without an offset it is local time."""
    if not _DAY_OR_TIME.fullmatch(text):
        raise BadInputError(f"'{text}' is not a date or a time", "mneme --today 2026-01-31")
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise BadInputError(f"there is no such date or time as '{text}'", "mneme --today 2026-01-31") from error


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


class Parser(argparse.ArgumentParser):
    """The parser of one verb, or of the options before it."""

    def __init__(self, command: str, *, writes: bool = False) -> None:
        super().__init__(
            prog=command, add_help=False, allow_abbrev=False, exit_on_error=False, formatter_class=fixed_width
        )
        self.command = command
        add_everywhere(self, writes=writes)

    def arguments(self) -> list[argparse.Action]:
        """Return the positional arguments, in order."""
        return [action for action in self._actions if not action.option_strings]

    def own_options(self) -> list[argparse.Action]:
        """Return the options of this verb alone."""
        shared = {**EVERYWHERE, **DRY_RUN}
        return [action for action in self._actions if action.option_strings and action.option_strings[-1] not in shared]

    def shared_options(self) -> list[argparse.Action]:
        """Return the options that every verb has, and `--dry-run` where the verb writes."""
        return [action for action in self._actions if action.option_strings and action not in self.own_options()]

    def find_option(self, name: str) -> argparse.Action | None:
        """Return the action behind an option string."""
        return self._option_string_actions.get(SHORT.get(name, name))

    def option_names(self) -> list[str]:
        """Return every option string."""
        return list(self._option_string_actions)

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse, or raise `BadInputError` with our wording; `--help` wins over whatever is missing."""
        options, arguments = self._sort(words)
        if "--help" in options:
            return argparse.Namespace(help=True)
        try:
            return super().parse_args([*options, "--", *arguments] if arguments else options)
        except argparse.ArgumentError as error:
            raise self._bad(error.message, error.argument_name) from error

    def error(self, message: str) -> NoReturn:
        """Raise where argparse would exit."""
        raise self._bad(message, None)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Name the nearest choice; argparse's own wording differs from one Python to the next."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        close = nearest(str(value), choices)
        meant = f"; did you mean '{close}'?" if close else ""
        raise argparse.ArgumentError(action, f"'{value}' is none of {', '.join(choices)}{meant}")

    def _sort(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Split the words into options, each joined with its value, and arguments."""
        options: list[str] = []
        arguments: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--":
                arguments += rest
                break
            if not word.startswith("-") or word == "-" or " " in word:
                arguments.append(word)
                continue
            options.append(self._option(word, rest))
        return options, arguments

    def _option(self, word: str, rest: list[str]) -> str:
        """Return one option as a single word, taking its value from `rest` if it needs one."""
        name, equals, _value = word.partition("=")
        action = self.find_option(name)
        if action is None:
            raise self._unknown(name)
        name = SHORT.get(name, name)
        if action.nargs == 0:
            if equals:
                raise BadInputError(f"'{name}' takes no value", f"{self.command} {name}")
            return name
        if equals:
            return word
        if not rest or self.find_option(rest[0]) is not None:
            raise BadInputError(f"'{name}' needs a value", f"{self.command} {name} {placeholder(action)}")
        return f"{name}={rest.pop(0)}"

    def _unknown(self, name: str) -> BadInputError:
        if name in DRY_RUN:
            return BadInputError(f"'{self.command}' writes nothing, so it has no '{name}'", f"{self.command} --help")
        close = nearest(name, self.option_names())
        return BadInputError(f"unknown option '{name}'", f"{self.command} {close or '--help'}")

    def _bad(self, message: str, argument: str | None) -> BadInputError:
        """Turn argparse's sentence into ours."""
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            optional = {placeholder(action) for action in self.arguments() if action.nargs == "*"}
            names = [name for name in missing.split(", ") if name not in optional]
            return BadInputError(f"{' and '.join(names)} is missing", f"{self.command} --help")
        extra = message.removeprefix("unrecognized arguments: ")
        if extra != message:
            return BadInputError(f"one argument too many: '{extra.removeprefix('-- ')}'", f"{self.command} --help")
        message = re.sub(r"invalid int value: (.*)", r"\1 is not a whole number", message)
        return BadInputError(f"{argument}: {message}" if argument else message, f"{self.command} --help")


def add_everywhere(parser: argparse.ArgumentParser, *, writes: bool = False) -> None:
    """Add the options that work everywhere, and `--dry-run` where the verb writes."""
    for name, spec in {**EVERYWHERE, **(DRY_RUN if writes else {})}.items():
        action = parser.add_argument(name, **spec)
        if name == "--workspace":
            complete_as(action, "dir")


def fixed_width(prog: str) -> argparse.HelpFormatter:
    """Return argparse's formatter, which asks for the terminal's size (and imports much to ask it) unless told."""
    return argparse.HelpFormatter(prog, width=80)


def complete_as(action: argparse.Action, what: str) -> argparse.Action:
    """Say that a value is a `file` or a `dir`, so that shells complete it."""
    action.complete = what  # type: ignore[attr-defined] # the attribute that completion generators look for
    return action


def placeholder(action: argparse.Action) -> str:
    """Return what stands for an argument's value in help: its metavar, its choices or its name."""
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "|".join(str(choice) for choice in action.choices)
    return action.dest.upper().replace("_", "-")
