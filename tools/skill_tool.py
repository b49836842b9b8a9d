"""The command of the agent skill: `spine`, `lint` and `new-id` on cell files, with nothing to install.

`tools/build_skill.py` makes one file of this module and of what it uses from the sources of mneme, so that the tool
and the `mneme` command can only say the same. It reads files, writes none, and runs on Python 3.9 and later.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

from mneme.check.cell import check_cells
from mneme.check.rule import in_report_order
from mneme.engine.results import Report
from mneme.errors import EXIT_CLEAN, EXIT_FAILED
from mneme.formats.cell import CELL_SUFFIXES, is_date, parse_cells
from mneme.formats.cell_edit import numbered_id
from mneme.formats.columns import strict_columns
from mneme.formats.spine import spine_lines
from mneme.memory.cells.ids import highest_in
from mneme.render import problem_text, safe_text

EXIT_BROKEN_PIPE = 141

USAGE = """\
usage: python3 mneme_tool.py spine [FILE ...]           the live and stale cells, one line each
       python3 mneme_tool.py lint [FILE ...]            check the cells; exit code 1 if there is an error
       python3 mneme_tool.py new-id PREFIX [FILE ...]   the next free id of a prefix

Without FILE: the first *.mneme or *.mn file here by name, else the first one below. --today DATE counts as today.
"""


class _CannotGoOnError(Exception):
    """What is wrong, and what to do about it."""


def read_columns(text):  # noqa: ANN001, ANN201 - stands in for the bulk reader, whose pattern older Pythons refuse
    """Read all cells of a text into columns, one by one."""
    return strict_columns(text)


def pairwise(items):  # noqa: ANN001, ANN201 - stands in for the one of itertools, which older Pythons lack
    """Yield every two neighbours."""
    listed = list(items)
    return zip(listed, listed[1:])  # noqa: B905, RUF007 - `strict` is newer as well


def no_library():  # noqa: ANN201 - stands in for the patterns of a package, which the tool does not ask for
    """Return no pattern."""
    return ()


def in_any_company(active, _gists, _topics):  # noqa: ANN001, ANN201 - stands in for what sorts a crowd out with numpy
    """Return all cells."""
    return active


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 clean, 1 errors in the cells, 2 could not do it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(*_without_today(arguments))
    except _CannotGoOnError as error:
        sys.stderr.write(f"mneme_tool: {safe_text(str(error))}\n")
        return EXIT_FAILED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_BROKEN_PIPE


def _run(words: list[str], today: date) -> int:
    command, *rest = words or ["lint"]
    if command == "spine":
        return _print_spine(rest)
    if command == "lint":
        return _print_lint(rest, today)
    if command == "new-id":
        return _print_new_id(rest)
    sys.stderr.write(USAGE)
    return EXIT_CLEAN if command in {"-h", "--help"} else EXIT_FAILED


def _without_today(arguments: list[str]) -> tuple[list[str], date]:
    words = list(arguments)
    if "--today" not in words:
        return words, date.today()  # noqa: DTZ011 - the day where the person is
    at = words.index("--today")
    value = words[at + 1] if at + 1 < len(words) else ""
    if not is_date(value):
        raise _CannotGoOnError(f"'{value}' is not a date\n  hint: --today 2026-01-31")
    return words[:at] + words[at + 2 :], date.fromisoformat(value)


def _print_spine(names: list[str]) -> int:
    for name, content in _contents(names):
        for line in spine_lines(parse_cells(_decoded(content), name)):
            sys.stdout.write((safe_text(line) if sys.stdout.isatty() else line) + "\n")
    return EXIT_CLEAN


def _print_lint(names: list[str], today: date) -> int:
    files = [parse_cells(_decoded(content), name) for name, content in _contents(names)]
    problems = in_report_order(check_cells(files, today=today))
    report = Report(tuple(problems), sum(len(file.columns) for file in files))
    for problem in report.problems:
        sys.stdout.write(problem_text(problem) + "\n")
    sys.stdout.write(("\n" if report.problems else "") + report.summary + "\n")
    return report.exit_code


def _print_new_id(words: list[str]) -> int:
    if not words or not re.fullmatch(r"[A-Z][A-Z0-9]*", words[0]):
        given = f"'{words[0]}' is no prefix" if words else "which prefix is it?"
        raise _CannotGoOnError(f"{given}\n  hint: python3 mneme_tool.py new-id DEC")
    prefix, *names = words
    highest = max(highest_in(content).get(prefix, 0) for _, content in _contents(names))
    sys.stdout.write(numbered_id(prefix, highest + 1) + "\n")
    return EXIT_CLEAN


def _contents(names: list[str]) -> list[tuple[str, bytes]]:
    found = []
    for name in names or [_default_file()]:
        try:
            found.append((name, Path(name).read_bytes()))
        except OSError as error:
            raise _CannotGoOnError(f"cannot read '{name}': {error.strerror or error}") from error
    return found


def _default_file() -> str:
    here = Path()
    for pattern in ("*", "**/*"):
        found = sorted(place.as_posix() for place in here.glob(pattern) if place.name.endswith(CELL_SUFFIXES))
        if found:
            return found[0]
    return "project.mneme"


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
