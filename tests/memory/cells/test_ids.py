"""Ids: what counts as remembered, and that no two processes are ever given the same one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import NotFoundError
from mneme.memory.cells.ids import check_targets, highest_in, load_ledger, next_number
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CELL = "@ {id}  a/b\ngist  something\nstate live   conf med   since 2026-01-01   seen 2026-01-01\n"


def make(root: Path, *ids: str, name: str = "project.mneme") -> Workspace:
    """Write a cell file with these ids and return its workspace."""
    (root / name).write_text("\n".join(CELL.format(id=one) for one in ids))
    return Workspace(root)


def git(root: Path, *args: str) -> None:
    """Run git as somebody."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@ DEC-0007 a\n", {"DEC": 7}),
        ("@ DEC-3 a\n@ DEC-10000 b\n@ DEC-0042-x c\n@ dec-0099 d\n", {"DEC": 10000}),
        ("@ SUBDEC-0500 a\n", {"SUBDEC": 500}),
        ("@ GOTCHA-000123456 a\n", {"GOTCHA": 123456}),
        ("link  depends-on DEC-0012\n", {"DEC": 12}),
        ("# was DEC-0012\n", {"DEC": 12}),
        ("# forgotten DEC-0012 2026-01-01\n", {"DEC": 12}),
        ("  @ DEC-0012 lost\n", {"DEC": 12}),
        ("\ufeff@ DEC-0012 marked\n", {"DEC": 12}),
        ("@ DEC-0001 a\r@ DEC-0002 b\r\n", {"DEC": 2}),
        ("> as DEC-9999 says\ngist see DEC-8888\n", {}),
        ("@ DEC-\u0660\u0660\u0664\u0662 a\n", {}),
        ("", {}),
    ],
)
def test_what_counts_as_an_id(text: str, expected: dict[str, int]) -> None:
    """Headers, link targets and tombstones count; prose and other alphabets' digits do not."""
    assert highest_in(text.encode()) == expected


@given(st.text(alphabet="@#> \n\rDECwaslink-0123456789x", max_size=80))
def test_one_prefix_is_read_as_all_are(text: str) -> None:
    """Asking for one prefix gives what asking for all of them gives for it."""
    content = text.encode()
    assert highest_in(content, "DEC").get("DEC") == highest_in(content).get("DEC")


def test_the_newest_cell_deleted_by_hand_keeps_its_number(tmp_path: Path) -> None:
    """Once seen, a number is not given again, though nothing on disk has it any more."""
    workspace = make(tmp_path, "DEC-0001", "DEC-0002")
    (tmp_path / ".mneme.d").mkdir()
    assert next_number(workspace, "DEC", take=True) == 3
    make(tmp_path, "DEC-0001")
    assert next_number(workspace, "DEC", take=False) == 4


def test_a_look_takes_nothing(tmp_path: Path) -> None:
    """Asking twice without taking gives the same number and writes nothing."""
    workspace = make(tmp_path, "DEC-0001")
    assert next_number(workspace, "DEC", take=False) == next_number(workspace, "DEC", take=False) == 2
    assert not (tmp_path / ".mneme.d").exists()


def test_git_remembers_what_was_deleted(tmp_path: Path) -> None:
    """A number that only an earlier commit has is not given again, even in a fresh clone without our state."""
    git(tmp_path, "init", "-q")
    workspace = make(tmp_path, "DEC-0001", "DEC-0041")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    make(tmp_path, "DEC-0001")
    git(tmp_path, "commit", "-qam", "two")
    assert next_number(workspace, "DEC", take=False) == 42


def test_every_cell_file_counts(tmp_path: Path) -> None:
    """Ids are unique in the workspace, not in the file."""
    make(tmp_path, "DEC-0001")
    workspace = make(tmp_path, "DEC-0009", name="team.mn")
    assert next_number(workspace, "DEC", take=False) == 10


def test_a_torn_ledger_is_made_again(tmp_path: Path) -> None:
    """The ledger is derived: unreadable counts as empty."""
    workspace = make(tmp_path, "DEC-0005")
    (tmp_path / ".mneme.d").mkdir()
    (tmp_path / ".mneme.d" / "ids.json").write_text('{"version": 1, "fi')
    assert next_number(workspace, "DEC", take=True) == 6
    assert load_ledger(tmp_path).given == {"DEC": 6}


def test_a_link_to_nothing_is_told_with_the_nearest() -> None:
    """A target must be a header somewhere; prose that names it is not enough."""
    contents = {"a.mneme": b"@ DEC-0042 a/b\n> unlike DEC-0024\n"}
    check_targets(["DEC-0042"], contents)
    with pytest.raises(NotFoundError, match=r"DEC-0024.*DEC-0042"):
        check_targets(["DEC-0024"], contents)


WRITER = """
import datetime, sys
from mneme.engine import open_memory
with open_memory(sys.argv[1], now=lambda: datetime.datetime(2026, 1, 1)) as memory:
    for number in range(int(sys.argv[3])):
        memory.remember(f"claim {sys.argv[2]} {number} of its own kind", kind="fact", force=True)
"""


def write_together(root: Path, processes: int, each: int) -> list[str]:
    """Let several processes remember at once; return the ids in the file."""
    (root / "project.mneme").write_text("")
    command = [sys.executable, "-c", WRITER, str(root)]
    running = [subprocess.Popen([*command, str(number), str(each)]) for number in range(processes)]
    assert [one.wait() for one in running] == [0] * processes
    text = (root / "project.mneme").read_text()
    assert text.count("gist  claim") == processes * each
    return [line.split()[1] for line in text.splitlines() if line.startswith("@")]


def test_processes_that_write_at_once_get_ids_of_their_own(tmp_path: Path) -> None:
    """No id twice, no cell lost."""
    ids = write_together(tmp_path, processes=8, each=6)
    assert sorted(ids) == [f"FACT-{number:04d}" for number in range(1, 49)]


@pytest.mark.campaign
def test_thirty_two_processes_of_fifty_cells(tmp_path: Path) -> None:
    """The same at the size that was promised: 1,600 distinct ids, no cell lost."""
    ids = write_together(tmp_path, processes=32, each=50)
    assert len(set(ids)) == len(ids) == 1600
