"""What Python compiles is kept from one process to the next, and is the same."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "import sys; from mneme import compiled; place = sys.argv[1]; compiled.keep(place); "
MODULE = """
import re
from dataclasses import dataclass, field

NAMED = re.compile(r"(?P<word>[a-zé]+)(?:-(\\d{2,3}))?$", re.IGNORECASE)

@dataclass(frozen=True, slots=True, order=True)
class Point:
    x: int
    y: int = 2
    z: list = field(default_factory=list, compare=False)

def made_of(text):
    return re.compile(f"^{text}$")
"""
SAYS = (
    "from point import *; made_of('secret'); compiled.save(place); "
    "print(NAMED.match('Été-42').groupdict(), NAMED.groups, NAMED.pattern, NAMED.flags, Point(1), Point(1) < Point(2), "
    "hash(Point(3)), Point(1) == Point(1), Point.__match_args__)"
)
PLAIN = "from types import SimpleNamespace; compiled, place = SimpleNamespace(save=str), ''; "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a module in it that has a pattern and a class."""
    (tmp_path / "point.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def run(folder: Path, program: str, *words: str) -> str:
    """Run a program in a process of its own and return what it prints."""
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def counting(program: str) -> str:
    """Return the program, printing as well how many patterns and methods were compiled in it."""
    before = (
        "import builtins, re, dataclasses; from re import _parser; made = []; parse = _parser.parse; "
        "_parser.parse = lambda *words: made.append(words[0]) or parse(*words); "
    )
    return before + WORDS + program + "; print([one for one in made if 'word' in str(one)])"


def test_what_was_compiled_once_is_not_compiled_again_and_is_the_same(folder: Path) -> None:
    """The second process says what the first did, and what one without all this does, without parsing anything."""
    place = str(folder / "kept")
    plain = run(folder, PLAIN + SAYS).strip()
    first, second = (run(folder, counting(SAYS), place).splitlines() for _ in range(2))
    assert first[0] == second[0] == plain
    assert (len(first[1]) > 2, second[1]) == (True, "[]")


def test_nothing_that_was_made_of_data_is_kept(folder: Path) -> None:
    """A pattern that a function makes of what it is given stays in its process."""
    run(folder, WORDS + SAYS, str(folder / "kept"))
    content = (folder / "kept").read_bytes()
    assert b"secret" not in content
    assert b"<word>" in content


@pytest.mark.parametrize("left", [slice(0), slice(-1), slice(None, None, -1)])
def test_a_damaged_file_is_done_without_and_made_again(folder: Path, left: slice) -> None:
    """Cut short, emptied or turned round, it changes nothing but the time."""
    place = folder / "kept"
    said = run(folder, WORDS + SAYS, str(place))
    whole = place.read_bytes()
    place.write_bytes(whole[left])
    assert run(folder, WORDS + SAYS, str(place)) == said
    assert len(place.read_bytes()) == len(whole)


def test_another_interpreters_file_is_not_read(folder: Path) -> None:
    """What it was compiled for stands in it."""
    place = str(folder / "kept")
    other = "compiled._version = lambda: 'another'; "
    run(folder, "import sys; from mneme import compiled; " + other + WORDS + SAYS, place)
    assert len(run(folder, counting(SAYS), place).splitlines()[1]) > 2


def test_patterns_of_our_own_are_those_that_the_library_makes(folder: Path) -> None:
    """They are equal, flags, groups and code, whether they come from the file or not."""
    program = (
        "import importlib, re; made = re._compiler.compile; " + WORDS + "[importlib.import_module(name) for name in "
        "('mneme.check.mask', 'mneme.index.words', 'mneme.capture.statement', 'mneme.recall.moment')]; compiled.save(place); "
        "pairs = [pair for known in compiled._known.values() for pair in known if isinstance(pair, tuple)]; "
        "find = lambda pair: compiled._known[next(name for name, known in compiled._known.items() if pair in known)][pair]; "
        "same = lambda pair, said, code, *rest: compiled.__dict__['_compile'](*pair) == (said, code, *rest) and "
        "made(*pair).flags == said; print(len(pairs) > 20, all(same(pair, *find(pair)) for pair in pairs))"
    )
    for _ in range(2):
        assert run(folder, program, str(folder / "kept")) == "True True\n"


def test_a_command_leaves_few_to_the_engine(folder: Path) -> None:
    """Where nothing can be kept, all goes on as it would."""
    missing = str(folder / "no" / "kept")
    assert run(folder, WORDS + SAYS, missing) == run(folder, PLAIN + SAYS)
    run(folder, WORDS + "import point; compiled.save(place, least=compiled.MANY)", str(folder / "kept"))
    assert not (folder / "kept").exists()
