"""What a file system can hold: each thing that stands in the way is one clear problem, and the rest goes on."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.check import whole
from mneme.engine import Memory
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.errors import Problem

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)
BAD_LINK = "# Notes\n\n- [gone](nowhere.md)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace with one note that has one fault, to see whether the rest goes on."""
    folder = tmp_path / "ws"
    (folder / "memory").mkdir(parents=True)
    (folder / "mneme.toml").touch()
    (folder / "memory" / "notes.md").write_text(BAD_LINK)
    return folder


def check(root: Path) -> list[Problem]:
    """Return the problems of a workspace besides the one that is always there, which must be."""
    problems = list(Memory(open_workspace(root), lambda: NOW).check().problems)
    rest = [one for one in problems if (one.path, one.rule) != ("memory/notes.md", "dead-link")]
    assert len(rest) == len(problems) - 1
    return rest


def rules(problems: list[Problem]) -> list[tuple[str, str]]:
    """Return where each problem lies and under which rule."""
    return [(one.path, one.rule) for one in problems]


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("memory/a.md", b"---\nname: x\nno key\n---\n\nText.\n", "broken-frontmatter"),
        ("brain/areas/acme/items.json", b"[{]", "invalid-json"),
        ("memory/a.md", b"\xef\xbb\xbf# A\n\nText.\n", "byte-order-mark"),
        ("memory/a.md", b"# A\r\n\r\nText.\r\n", "carriage-returns"),
        ("memory/a.md", b"# Caf\xe9\n\nna\xefve r\xe9sum\xe9\n", "not-utf-8"),
        ("memory/a\nb.md", b"# A\n", "odd-file-name"),
        ("memory/a\x1b[31m.md", b"# A\n", "odd-file-name"),
        ("memory/caf\udce9.md", b"# A\n", "odd-file-name"),
    ],
)
def test_a_file_that_is_odd_is_one_problem(root: Path, name: str, content: bytes, rule: str) -> None:
    """One problem for each, with a hint, and on one line whatever the name is."""
    place = root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    problems = check(root)
    assert rules(problems) == [(name, rule)]
    assert problems[0].hint
    assert "\n" not in problems[0].hint


def test_what_is_no_file_is_not_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe would never end, a socket can't be read: each is told, and a folder with a note's name is a folder."""
    import socket

    os.mkfifo(root / "memory" / "pipe.md")
    (root / "memory" / "folder.md").mkdir()
    with socket.socket(socket.AF_UNIX) as one:
        monkeypatch.chdir(root / "memory")  # a socket's path is short
        one.bind("socket.md")
        assert rules(check(root)) == [("memory/pipe.md", "unreadable-file"), ("memory/socket.md", "unreadable-file")]


def test_names_with_two_dots(root: Path) -> None:
    """`..` in a name is a name; in a link it leads out, and what is there is not read."""
    (root / "memory" / "a..b.md").write_text(
        "# A\n\n- [up](../../outside.md)\n- [passwords](../../../../../../etc/passwd)\n"
    )
    (root.parent / "outside.md").write_text("# Outside\n\n- [x](y.md)\n")
    assert rules(check(root)) == []
    (root.parent / "outside.md").unlink()
    assert rules(check(root)) == [("memory/a..b.md", "dead-link")]


def test_a_note_of_200_megabytes(root: Path) -> None:
    """It is one problem, and not read: what it would take to hold is not taken."""
    with (root / "memory" / "2026-07-19.md").open("wb") as file:
        file.write(b"# Sunday\n")
        file.truncate(200 * 1024 * 1024)
    import tracemalloc

    tracemalloc.start()
    problems = check(root)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rules(problems) == [("memory/2026-07-19.md", "large-file")]
    assert "200 MB" in problems[0].message
    assert peak < 32 * 1024 * 1024


def test_a_file_that_vanishes_while_it_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was listed and is gone when it is opened."""
    (root / "memory" / "a.md").write_text("# A\n")
    (root / "brain" / "areas" / "acme").mkdir(parents=True)
    (root / "brain" / "areas" / "acme" / "items.json").write_text("[]\n")
    whole_init = whole.Whole.__init__

    def lose(self: whole.Whole, *args: object, **named: object) -> None:
        whole_init(self, *args, **named)
        (root / "memory" / "a.md").unlink()
        (root / "brain" / "areas" / "acme" / "items.json").unlink()

    monkeypatch.setattr(whole.Whole, "__init__", lose)
    assert sorted(rules(check(root))) == [
        ("brain/areas/acme/items.json", "vanished-file"),
        ("memory/a.md", "vanished-file"),
    ]


def test_links_that_lead_out_or_round(root: Path) -> None:
    """A symbolic link out of the workspace, one that leads to itself, a folder that does, and one that leads nowhere."""
    outside = root.parent / "secret.md"
    outside.write_text("# Secret\n\n- [x](y.md)\n")
    memory = root / "memory"
    (memory / "out.md").symlink_to(outside)
    (memory / "loop.md").symlink_to("loop.md")
    (memory / "one.md").symlink_to("two.md")
    (memory / "two.md").symlink_to("one.md")
    (memory / "loop").symlink_to("loop")
    (memory / "up").symlink_to("..")
    (memory / "nowhere.md").symlink_to("gone.md")
    problems = sorted(check(root))
    assert {one.rule for one in problems} == {"unfollowed-link"}
    told = {one.path: one.message for one in problems}
    assert sorted(told) == [
        f"memory/{name}" for name in ("loop", "loop.md", "nowhere.md", "one.md", "out.md", "two.md")
    ]
    assert "leads out of the workspace" in told["memory/out.md"]
    assert "goes round in a circle" in told["memory/loop.md"]
    assert "leads nowhere" in told["memory/nowhere.md"]


def test_a_link_to_a_note_is_that_note(root: Path) -> None:
    """A symbolic link within the workspace is another name: nothing is told twice."""
    (root / "memory" / "same.md").symlink_to("notes.md")
    assert check(root) == []


def test_a_read_only_file(root: Path) -> None:
    """It is read like any other, and told once."""
    (root / "memory" / "a.md").write_text("# A\n")
    (root / "memory" / "a.md").chmod(0o444)
    assert rules(check(root)) == [("memory/a.md", "read-only-file")]


def test_what_may_not_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file and a folder that the system refuses; whoever is root is refused nothing, so the refusal is ours."""
    (root / "memory" / "a.md").write_text("# A\n")
    (root / "memory" / "closed").mkdir()
    if os.geteuid():
        (root / "memory" / "a.md").chmod(0)
        (root / "memory" / "closed").chmod(0)
    else:
        scandir, content = os.scandir, whole.Whole._content

        def refuse_folder(place: str) -> object:
            if str(place).rstrip("/").endswith("closed"):
                raise PermissionError(13, "Permission denied", place)
            return scandir(place)

        def refuse_file(self: whole.Whole, path: str) -> bytes:
            if path == "memory/a.md":
                raise PermissionError(13, "Permission denied", path)
            return content(self, path)

        monkeypatch.setattr(os, "scandir", refuse_folder)
        monkeypatch.setattr(whole.Whole, "_content", refuse_file)
    found = [one for one in check(root) if one.rule == "unreadable-file"]
    assert rules(found) == [("memory/a.md", "unreadable-file"), ("memory/closed/", "unreadable-file")]
    assert all("permission denied" in one.message for one in found)


@pytest.mark.campaign
def test_a_hundred_thousand_files(root: Path) -> None:
    """All of them are looked at, and nothing grows out of hand."""
    fill(root, 100_000)


def test_a_few_thousand_files(root: Path) -> None:
    """The bounded neighbour of the above."""
    fill(root, 3_000)


def fill(root: Path, count: int) -> None:
    """Make so many notes, every hundredth with a fault, and check that each fault is found."""
    for number in range(count):
        folder = root / "memory" / f"{number // 1000:03}"
        folder.mkdir(exist_ok=True)
        target = "gone.md" if number % 100 == 0 else "../notes.md"
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nSee [it]({target}).\n")
    problems = check(root)
    assert {one.rule for one in problems} == {"dead-link"}
    assert len(problems) == count / 100
