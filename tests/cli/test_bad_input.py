"""What a person may throw at the command: each gets one clear line with a hint and its exit code, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mneme import files

MNEME = str(Path(sys.executable).with_name("mneme"))
CELL = "@ DEC-0001  a/b\ngist  one thing\nstate live   conf med   since 2026-01-01   seen 2026-01-01\ncue   x\n> why\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace with one cell, and a home of its own."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "project.mneme").write_text(CELL)
    return folder


def mneme(root: Path, *args: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run the command as a person does."""
    env = {**os.environ, "HOME": str(root.parent), "XDG_CONFIG_HOME": str(root.parent / "config")}
    command = [*before, MNEME, "--today", "2026-01-02", *args]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=60, check=False)


def assert_one_line(done: subprocess.CompletedProcess[str], words: str, code: int = 2) -> None:
    """Check for one message, at most one hint, and no traceback."""
    lines = done.stderr.splitlines()
    assert done.returncode == code, done.stderr
    assert lines[0].startswith("mneme: ")
    assert words in lines[0]
    assert len(lines) <= 2
    assert all(line.startswith("  hint: ") for line in lines[1:])


@pytest.mark.parametrize("verb", ["spine", "lint"])
def test_files_that_are_none(root: Path, verb: str) -> None:
    """A missing file, and a folder."""
    assert_one_line(mneme(root, verb, "nowhere.mneme"), "no such file: 'nowhere.mneme'")
    assert_one_line(mneme(root, verb, "."), "cannot read '.': it is a folder")


UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")


def test_files_and_folders_that_may_not_be_read(root: Path) -> None:
    """Readers show the rest, say what they missed and end with 2; nothing is forgotten that was not seen whole."""
    for name in ("closed/a.mneme", "b.mneme"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(CELL.replace("0001", "0002"))
    (root / "b.mneme").chmod(0)
    (root / "closed").chmod(0)
    before = () if os.geteuid() else UNPRIVILEGED
    try:
        for verb in ("spine", "list", "lint"):
            done = mneme(root, verb, before=before)
            said = done.stdout + done.stderr
            assert done.returncode == 2
            assert ("1 cell, 2 errors" if verb == "lint" else "DEC-0001") in done.stdout
            assert "closed/: error unreadable-file: the folder cannot be listed" in said
            assert "b.mneme: error unreadable-file: cannot read" in said
        forgotten = mneme(root, "forget", "one thing", "--yes", before=before)
        assert_one_line(forgotten, "the folder 'closed/' cannot be listed")
    finally:
        (root / "closed").chmod(0o755)
    assert (root / "project.mneme").read_text() == CELL


def test_a_file_of_a_gigabyte(root: Path) -> None:
    """It is not read into memory: told where it was named, a problem beside the others where it was found."""
    with (root / "huge.mneme").open("wb") as place:
        place.truncate(1_000_000_000)
    assert_one_line(mneme(root, "spine", "huge.mneme"), "'huge.mneme' has 1.0 GB")
    done = mneme(root, "lint")
    assert "huge.mneme: error unreadable-file" in done.stdout
    assert done.returncode == 2
    assert "DEC-0001" in mneme(root, "spine").stdout


def test_a_body_of_ten_megabytes(root: Path) -> None:
    """It is read, reported as too long, and kept."""
    text = CELL + "> " + "x" * 10_000_000 + "\n"
    (root / "project.mneme").write_text(text)
    assert "overlong-body" in mneme(root, "lint").stdout
    assert mneme(root, "mark", "DEC-0001", "stale").returncode == 0
    assert (root / "project.mneme").read_text() == text.replace("state live", "state stale")


def test_a_binary_file(root: Path) -> None:
    """Bytes that are no text are reported by line, and survive."""
    content = CELL.encode() + bytes(range(256)) + b"\n\xff\xfe\x00\n"
    (root / "project.mneme").write_bytes(content)
    done = mneme(root, "lint")
    assert "error not-utf-8" in done.stdout
    assert done.returncode == 1
    assert mneme(root, "affirm", "DEC-0001").returncode == 0
    assert (root / "project.mneme").read_bytes() == content.replace(b"seen 2026-01-01", b"seen 2026-01-02")


def test_a_workspace_that_somebody_holds(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the process that holds it; readers do not wait."""
    monkeypatch.chdir(root)
    with files.locked(root, "decay"):
        began = time.monotonic()
        done = mneme(root, "remember", "another thing", "--kind", "fact")
        assert time.monotonic() - began >= 10
        assert_one_line(done, f"is being written by process {os.getpid()} ('mneme decay', since ")
        assert "DEC-0001" in mneme(root, "spine").stdout


def test_a_reader_that_leaves(root: Path) -> None:
    """A closed pipe ends the command quietly."""
    (root / "project.mneme").write_text("\n".join(CELL.replace("0001", f"{n:04d}") for n in range(1, 3000)))
    done = mneme(root, "--quiet", "lint")
    assert done.returncode in (0, 1)
    shell = f"set -o pipefail; '{MNEME}' list | head -1; echo ${{PIPESTATUS[0]}}"
    piped = subprocess.run(["bash", "-c", shell], cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert piped.stderr == ""
    assert piped.stdout.splitlines()[0].startswith("DEC-0001")


def test_a_full_disk(root: Path) -> None:
    """Nothing is written, the reason is told, and the cell file is as it was."""
    if not Path("/dev/full").exists():
        pytest.fail("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([MNEME, "spine"], cwd=root, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "no space left" in done.stderr


def test_ctrl_c_in_the_middle_of_a_write(root: Path) -> None:
    """Interrupted anywhere, the file is wholly old or wholly new, the code is 130, and the next command works."""
    for wait in (0.02, 0.05, 0.08, 0.1, 0.12, 0.14, 0.16, 0.2):
        before = (root / "project.mneme").read_text()
        env = {**os.environ, "HOME": str(root.parent), "XDG_CONFIG_HOME": str(root.parent / "config")}
        command = [MNEME, "remember", f"interrupted after {wait} seconds or not at all", "--kind", "fact", "--force"]
        with subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
            time.sleep(wait)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=30)
        after = (root / "project.mneme").read_text()
        assert after == before or after.count("\n@ ") == before.count("\n@ ") + 1
        if running.returncode == 130:
            assert said in (b"mneme: interrupted\n", b"")
        assert mneme(root, "lint").returncode == 0
