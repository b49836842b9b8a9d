"""What is installed: locked by hash, from no particular index, with the command and the types in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCKS = ("run.txt", "dev.txt")


def locked(text: str) -> dict[str, list[str]]:
    """Return the requirements of a lock with their hashes."""
    entries = re.findall(r"^([a-z0-9][a-z0-9._-]*)==[^\n\\]*((?:\\\n[^\n]*)*)", text, re.MULTILINE)
    return {name: re.findall(r"--hash=sha256:[0-9a-f]{64}", rest) for name, rest in entries}


def lock_faults(text: str) -> list[str]:
    """Find what a lock must not hold: an address, a choice of index, a requirement without a hash."""
    faults = re.findall(r"^.*(?:://|--index|--find-links|-i |@ ).*$", text, re.MULTILINE)
    return faults + [name for name, hashes in locked(text).items() if not hashes]


def required(name: str) -> set[str]:
    """Return the names that the project asks for, to run or to develop."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(project["project"]["dependencies"])
    if name == "dev.txt":
        wanted += project["dependency-groups"]["dev"]
    return {re.match(r"[\w.-]+", one)[0].lower() for one in wanted}  # type: ignore[index]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_hashes_and_no_address(name: str) -> None:
    """It can be installed from any index that has the same files, and from no other files."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    assert lock_faults(text) == []
    assert required(name) <= set(locked(text))


def test_a_loose_lock_is_found() -> None:
    """The twin: an address, an index option and a missing hash are faults."""
    sound = f"a==1 \\\n    --hash=sha256:{'0' * 64}\n"
    assert lock_faults(sound) == []
    for loose in ("--index-url https://example.org\n", "b @ file:///b.whl\n", "b==1\n", "--find-links wheels\n"):
        assert lock_faults(sound + loose) != []


def test_what_runs_is_the_same_when_developing() -> None:
    """The development lock has every requirement of the other, with the same hashes."""
    run, dev = (locked((ROOT / "requirements" / name).read_text(encoding="utf-8")) for name in LOCKS)
    assert {name: dev.get(name) for name in run} == run


def test_the_code_names_no_index() -> None:
    """No source, test, tool or page holds the address of a package index."""
    index = re.compile(r"[p]ypi\.(org|python)|/[s]imple/?\b|[f]iles\.pythonhosted", re.IGNORECASE)  # not itself
    places = [ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / "README.md", ROOT / ".ci" / "run"]
    for folder in ("src", "tests", "tools", "docs", "bench", "requirements"):
        places += [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".sh", ".txt", ".toml"}]
    assert [str(path) for path in places if path.exists() and index.search(path.read_text("utf-8", "replace"))] == []
