"""The table of rules, and one fixture for each: what it finds, what it leaves alone, what `--fix` makes of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.check.web import server

from mneme.check.cell import check_cells, check_transitions, fix_cells
from mneme.check.rules import RULES, in_report_order, make_problem, with_severities
from mneme.engine import Memory
from mneme.errors import ERROR, INFO, WARN
from mneme.formats.cell import parse_cells
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mneme.errors import Problem

FIXTURES = Path(__file__).parent.parent / "fixtures" / "rules"
TODAY = date(2026, 7, 20)
NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)

FENCE = re.compile(r"^```([\w-]+) path=(\S+)( escapes)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PART = re.compile(r"^## (Before|Bad|Good)\n(.*?)(?=^## (?:Before|Bad|Good)\n|\Z)", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"(?:^|  )<-- ([a-z0-9 -]+)$", re.MULTILINE)

# What the text of a file begins with that is no ordinary one: by the word that its fence begins with.
KINDS = ("link", "read-only", "pipe", "large", "vanishing", "repeated", "indexed", "workspace")
LINK, READ_ONLY, PIPE, LARGE, VANISHING, REPEATED, INDEXED, WORKSPACE = (f"\0{kind} " for kind in KINDS)
LARGE_BYTES = 9 * 1024 * 1024
REPEATS = 20_001
SERVER = "http://server.test"

# Files that go away in the moment before they are opened; an audit hook can't be taken back, so there is one for all.
vanishing: set[str] = set()


def lose(event: str, arguments: tuple[object, ...]) -> None:
    """Take a file away that is about to be opened."""
    if event == "open" and vanishing and str(arguments[0]) in vanishing:
        vanishing.discard(str(arguments[0]))
        Path(str(arguments[0])).unlink()


sys.addaudithook(lose)

Files = dict[str, str]
Expected = set[tuple[str, int, str]]


@dataclass(frozen=True)
class Fixture:
    """One rule's file: its parts by heading, whether they are cells alone, and what is expected of the bad part."""

    kind: str
    before: Files
    bad: Files
    good: Files
    expected: list[tuple[str, int, str]]


def read_fixture(text: str) -> Fixture:
    """Read a rule's fixture; see the README beside the fixtures."""
    parts: dict[str, Files] = {"Before": {}, "Bad": {}, "Good": {}}
    expected: list[tuple[str, int, str]] = []
    kinds: set[str] = set()
    for heading, section in PART.findall(text):
        for kind, name, escapes, body in FENCE.findall(section):
            path = unescaped(name) if escapes else name
            kinds.add(kind)
            lines, number = [], 0
            for line in body.splitlines(keepends=True):
                marks = MARK.search(line.rstrip("\n"))
                whole = line.startswith("<-- ")
                number += not whole
                if marks:
                    expected += [(path, 0 if whole else number, rule) for rule in marks[1].split()]
                if not whole:
                    lines.append(MARK.sub("", line.rstrip("\n")) + "\n")
            content = "".join(lines)
            special = f"\0{kind} " if kind in KINDS else ""
            parts[heading][path] = special + (unescaped(content) if escapes else content)
    return Fixture(
        "mneme" if kinds == {"mneme"} else "workspace", parts["Before"], parts["Bad"], parts["Good"], sorted(expected)
    )


def unescaped(text: str) -> str:
    r"""Return a text whose `\xe9` are bytes and whose `\ufeff` are characters, decoded as files are."""
    content = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text).encode()
    content = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), content)
    return content.decode("utf-8", "surrogateescape")


def check_mneme(before: Files, files: Files) -> list[Problem]:
    """Return the problems of cell files, and of how they became what they are."""
    problems = check_cells([parse_cells(text, path) for path, text in files.items()], today=TODAY)
    for path, text in before.items():
        problems += check_transitions(parse_cells(text, path), parse_cells(files[path], path))
    return problems


def fix_mneme(files: Files) -> Files:
    """Return cell files with everything mended that is mechanical."""
    for _ in range(5):
        parsed = {path: parse_cells(text, path) for path, text in files.items()}
        edits = {path: fix_cells(file, list(parsed.values())) for path, file in parsed.items()}
        if not any(edits.values()):
            break
        for path, spans in edits.items():
            for start, end, new in reversed(spans):
                files = {**files, path: files[path][:start] + new + files[path][end:]}
    return files


def write_files(root: Path, files: Files) -> None:
    """Put files into a folder, as they are on disk."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        end = text.index(" ") + 1 if text.startswith("\0") else 0
        kind, body = text[:end], text[end:]
        if kind == LINK:
            place.symlink_to(body.strip())
        elif kind == PIPE:
            os.mkfifo(place)
        elif kind != WORKSPACE:
            rows = [body.replace("{n}", str(n)) for n in range(REPEATS)] if kind == REPEATED else [body]
            place.write_bytes("".join(rows).encode("utf-8", "surrogateescape").ljust(LARGE_BYTES * (kind == LARGE)))
            place.chmod(0o444 if kind == READ_ONLY else 0o644)
        if kind == VANISHING:
            vanishing.add(str(place))


def git(root: Path, *words: str) -> None:
    """Run git in a folder, as nobody in particular."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, "-C", root, *words], check=True, capture_output=True)


@contextmanager
def opened(before: Files, files: Files) -> Iterator[Memory]:
    """Give an open workspace with some files, and with what they were before as its last commit."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        memory = Memory(open_workspace(root), lambda: NOW)
        if any(text.startswith(INDEXED) for text in before.values()):
            write_files(root, before)
            memory.index(words=True)
        elif before:
            write_files(root, before)
            git(root, "init", "-q")
            git(root, "add", ".")
            git(root, "commit", "-q", "-m", "before")
            for path in before.keys() - files.keys():
                (root / path).unlink()
        write_files(root, files)
        yield Memory(open_workspace(root), lambda: NOW)
        memory.close()


def check_everything(before: Files, files: Files) -> list[Problem]:
    """Return the problems of a workspace; looked at a second time, it has the same ones."""
    online = any(SERVER in text for text in files.values())
    with server() if online else nullcontext((SERVER, [])) as (address, _):
        files = {path: text.replace(SERVER, address) for path, text in files.items()}
        vanishes = any(text.startswith(VANISHING) for text in files.values())
        with opened(before, files) as memory:
            problems = list(memory.check(online=online).problems)
            assert vanishes or list(memory.check(online=online).problems) == problems
            return problems


def fix_everything(files: Files) -> Files:
    """Return the files of a workspace with everything mended that is mechanical."""
    with opened({}, files) as memory:
        memory.check(fix=True)
        assert memory.check(fix=True).done.n == 0
        walked = [path for path in memory.root.rglob("*") if path.is_file() and ".mneme.d" not in path.parts]
        return {
            path.relative_to(memory.root).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
            for path in walked
        }


# By kind of fixture: what checks it, what mends it.
CHECKS: dict[str, tuple[Callable[[Files, Files], list[Problem]], Callable[[Files], Files]]] = {
    "mneme": (check_mneme, fix_mneme),
    "workspace": (check_everything, fix_everything),
}

# What a hint begins with: programs that are there wherever Mneme runs.
COMMANDS = {"mneme", "${{EDITOR:-vi}}", "mv", "chmod", "ls", "sed", "git", "iconv", "split", "diff"}


def found_in(problems: list[Problem]) -> list[tuple[str, int, str]]:
    """Return where each problem lies and under which rule, in a fixed order."""
    return sorted((problem.path, problem.line, problem.rule) for problem in problems)


def test_every_rule_has_a_fixture() -> None:
    """A rule without a fixture, or a fixture without a rule, is a mistake."""
    assert {path.stem for path in FIXTURES.glob("*.md")} - {"README"} == set(RULES)


def fixture_of(rule: str) -> Fixture:
    """Return the fixture of a rule."""
    return read_fixture((FIXTURES / f"{rule}.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", RULES)
def test_the_bad_file_has_the_problems_beside_its_lines(rule: str) -> None:
    """A bad file has exactly the problems written beside its lines, the rule's own among them."""
    fixture = fixture_of(rule)
    check, _ = CHECKS[fixture.kind]
    assert rule in {expected for _, _, expected in fixture.expected}
    assert found_in(check(fixture.before, fixture.bad)) == fixture.expected


@pytest.mark.parametrize("rule", RULES)
def test_the_good_file_has_no_problem(rule: str) -> None:
    """A good file has no problem at all."""
    fixture = fixture_of(rule)
    check, _ = CHECKS[fixture.kind]
    assert fixture.good
    assert found_in(check(fixture.before, fixture.good)) == []


@pytest.mark.parametrize("rule", sorted(name for name, rule in RULES.items() if rule.fixable))
def test_what_can_be_fixed_is_fixed(rule: str) -> None:
    """After the fixes the rule finds no more than what cannot be mended: an impossible day."""
    fixture = fixture_of(rule)
    check, fix = CHECKS[fixture.kind]
    before = [name for _, _, name in found_in(check(fixture.before, fixture.bad))]
    after = [name for _, _, name in found_in(check(fixture.before, fix(fixture.bad)))]
    assert after.count(rule) == (1 if rule == "invalid-date" else 0) < before.count(rule)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_is_worded_as_the_others_are(rule: object) -> None:
    """Names are kebab-case, summaries are sentences, messages begin in lower case and end without a full stop."""
    entry = RULES[rule.name]
    assert entry is rule
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.name)
    assert entry.severity in {ERROR, WARN, INFO}
    assert re.fullmatch(r"[A-Z].*\.", entry.summary)
    assert re.fullmatch(r".*[.]", entry.why)
    assert not entry.message.endswith(".")
    assert not entry.message[0].isupper()
    assert entry.hint.split()[0] in COMMANDS


def test_settings_regrade_a_rule() -> None:
    """A severity from the settings takes the place of the rule's own, and ignore leaves the problem out."""
    problems = [make_problem("decayed", "a", 1, id="A", value=46), make_problem("missing-topic", "a", 2, id="A")]
    graded = with_severities(problems, {"decayed": "error", "missing-topic": "ignore"})
    assert [(problem.rule, problem.severity) for problem in graded] == [("decayed", "error")]


def test_the_report_begins_with_warnings() -> None:
    """All warnings come first, then all errors, then the rest; within each, the order they were found in."""
    rules = ["missing-body", "self-link", "decayed", "missing-cue", "dangling-link", "duplicate-id"]
    values = {"id": "A", "value": "x", "prefix": "DEC"}
    ordered = in_report_order([make_problem(rule, "a", 1, **values) for rule in rules])
    expected = ["decayed", "dangling-link", "self-link", "duplicate-id", "missing-body", "missing-cue"]
    assert [problem.rule for problem in ordered] == expected


def test_a_long_subject_is_cut_short() -> None:
    """A message stays one readable line, whatever stood in the file."""
    problem = make_problem("unknown-state", "a", 1, id="A", value="x" * 500)
    assert len(problem.message) < 100
