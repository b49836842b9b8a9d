"""The archive: which notes go there, that none is lost, and that every link follows."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.files.workbench import tree

from mneme.engine import Memory, open_memory
from mneme.errors import RefusedError
from mneme.formats.note import parse_note

OLD, NEW = "memory/2026-01-05.md", "memory/archive/2026/01/2026-01-05.md"


def at(root: Path, moment: str = "2026-03-02T09:30", *, shared: bool = False) -> Memory:
    """Open the workspace at a moment."""
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return open_memory(str(root), now=lambda: now, shared=shared)


def put(root: Path, path: str, text: str) -> None:
    """Write a file by hand."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace with an old day and a young one, and links in every direction."""
    put(tmp_path, "mneme.toml", 'profile = "default"\n')
    put(
        tmp_path,
        OLD,
        "# 2026-01-05\n\nSee [style](user/style.md#rule), [todos](../todos.md) and [us](2026-01-06.md).\n",
    )
    put(tmp_path, "memory/2026-01-06-standup.md", "# Standup\n\n- [the day before](2026-01-05.md)\n")
    put(tmp_path, "memory/2026-02-20.md", "# 2026-02-20\n\n- since [then](./2026-01-05.md#top) and [[2026-01-05]]\n")
    put(
        tmp_path,
        "MEMORY.md",
        "# Memory\n\n- [Day](memory/2026-01-05.md) — it began\n- [x][d]\n\n[d]: <memory/2026-01-05.md>\n",
    )
    put(
        tmp_path,
        "memory/user/style.md",
        "---\nname: Style\n---\n\nFrom [[memory/2026-01-05|that day]], not `2026-01-05.md`.\n",
    )
    put(tmp_path, "todos.md", "# Todos\n\n- read [it](memory/2026-01-05.md)\n")
    return tmp_path


def test_notes_go_by_the_date_in_their_name(root: Path) -> None:
    """More than 30 days old, whatever the disk says; a slug belongs to its day; a second run finds nothing."""
    archived = at(root).archive()
    assert archived.moved == (
        (OLD, NEW),
        ("memory/2026-01-06-standup.md", "memory/archive/2026/01/2026-01-06-standup.md"),
    )
    assert not (root / OLD).exists()
    assert at(root).archive().done.n == 0
    assert at(root).archive(10).done.n == 0  # ten days ago is not more than ten days ago
    assert at(root).archive(9).moved == (("memory/2026-02-20.md", "memory/archive/2026/02/2026-02-20.md"),)


def test_every_link_leads_where_it_led(root: Path) -> None:
    """In the index, in other notes, in the moved notes themselves; written the way it was."""
    put(root, "memory/2026-01-06.md", "# 2026-01-06\n")
    at(root).archive()
    assert (root / "MEMORY.md").read_text() == (f"# Memory\n\n- [Day]({NEW}) — it began\n- [x][d]\n\n[d]: <{NEW}>\n")
    assert (root / "todos.md").read_text().endswith(f"- read [it]({NEW})\n")
    text = (root / NEW).read_text()
    assert "[style](../../../user/style.md#rule), [todos](../../../../todos.md) and [us](2026-01-06.md)" in text
    standup = (root / "memory/archive/2026/01/2026-01-06-standup.md").read_text()
    assert "[the day before](2026-01-05.md)" in standup
    assert "[then](archive/2026/01/2026-01-05.md#top) and [[2026-01-05]]" in (root / "memory/2026-02-20.md").read_text()
    style = (root / "memory/user/style.md").read_text()
    assert "[[memory/archive/2026/01/2026-01-05|that day]], not `2026-01-05.md`" in style


def test_no_link_is_broken_after_any_archiving(root: Path) -> None:
    """Whatever resolved before resolves afterwards."""
    put(root, "memory/2026-01-06.md", "# 2026-01-06\n")
    for days in (40, 30, 5):
        at(root).archive(days)
        for path in at(root).workspace.note_files():
            for link in parse_note((root / path).read_text(), path).links:
                if link.kind != "wiki":
                    assert (root / path).parent.joinpath(link.path).exists(), (path, link.target)


def test_a_note_is_never_put_onto_another(root: Path) -> None:
    """What stands in the archive already stays; the note stays too, and that is told."""
    put(root, NEW, "# another\n")
    archived = at(root).archive()
    assert [(one.rule, one.path) for one in archived.problems] == [("archive-name-taken", OLD)]
    assert (root / OLD).exists()
    assert (root / NEW).read_text() == "# another\n"


def test_only_the_folder_of_days_is_emptied(root: Path) -> None:
    """Days of another workspace inside this one, reports and linked files are not ours to move."""
    put(root, "agents/ann/memory/2026-01-01.md", "# hers\n")
    put(root, "memory/dreaming/verify/2026-01-01.md", "# report\n")
    (root / "memory/2026-01-02.md").symlink_to(root / "memory/dreaming/verify/2026-01-01.md")
    assert [old for old, _ in at(root).archive().moved] == [OLD, "memory/2026-01-06-standup.md"]


def test_undo_brings_everything_back_byte_for_byte(root: Path) -> None:
    """Moves and links are one plan."""
    before = tree(root)
    assert at(root).archive(dry_run=True).done.diff
    assert tree(root) == before
    at(root).archive()
    assert tree(root) != before
    at(root).undo()
    assert tree(root) == before


def test_a_broken_memory_is_not_moved_about(root: Path) -> None:
    """Errors of the check stop it, whatever file they are in, unless that is insisted on."""
    put(root, "memory/a.mneme", "@ DEC-0001  a\ngist  one\nstate sideways\n")
    with pytest.raises(RefusedError, match="Memory integrity check failed: memory/a"):
        at(root).archive()
    assert at(root).archive(force=True).moved


def test_a_shared_context_does_not_learn_the_names(root: Path) -> None:
    """Days' notes are private."""
    assert at(root, shared=True).archive().moved == ()


def test_write_replaces_a_file_whole(root: Path) -> None:
    """New content, the same again, and back."""
    before = (root / "todos.md").read_bytes()
    assert at(root).write("todos.md", b"# Todos\n").n == 1
    assert at(root).write("todos.md", b"# Todos\n").n == 0
    assert at(root).write("new/deep.md", b"\xff\r\n").n == 2
    assert (root / "new/deep.md").read_bytes() == b"\xff\r\n"
    at(root).undo(1)
    assert (root / "todos.md").read_bytes() == before


def test_write_refuses_what_was_hardly_meant(root: Path) -> None:
    """A broken pipe empties nothing; a new secret is refused, one that stands there is none of its business."""
    with pytest.raises(RefusedError, match="nothing on standard input"):
        at(root).write("todos.md", b"\n")
    token = b"key AKIAIOSFODNN7EXAMPLA\n"
    with pytest.raises(RefusedError, match="line 1 looks like a secret"):
        at(root).write("todos.md", token)
    assert at(root).write("todos.md", token, force=True).n == 1
    assert at(root).write("todos.md", token + b"more\n").n == 2
    with pytest.raises(RefusedError, match="machine's own folder"):
        at(root).write(".mneme.d/alarm", b"x")


def test_write_keeps_to_the_law_that_content_is_immutable(root: Path) -> None:
    """Not even a whole new file rewrites what a cell says."""
    at(root).remember("Lunch is at noon", kind="fact")
    path = "memory/project.mneme"
    content = (root / path).read_bytes()
    with pytest.raises(RefusedError, match="content is immutable"):
        at(root).write(path, content.replace(b"noon", b"one"))


def test_the_scripts_of_v4_call_the_command(tmp_path: Path) -> None:
    """As the layout documents them: through `bash`, with a path of any kind and a number of days."""
    command = str(Path(sys.executable).parent)
    env = {"PATH": f"{command}:/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}

    def run(*words: str, given: str = "") -> None:
        subprocess.run(words, input=given, env=env, cwd=root, check=True, text=True, capture_output=True)

    root = tmp_path / "v4"
    root.mkdir()
    run("mneme", "init", "--profile", "v4")
    put(root, "memory/episodic/2020-01-05.md", "# 2020-01-05\n")
    run("bash", "memory/scripts/archive-old-episodic.sh", "30")
    assert (root / "memory/archive/2020/01/2020-01-05.md").read_text() == "# 2020-01-05\n"
    run("bash", "memory/scripts/atomic-write.sh", str(root / "memory/semantic/new.md"), given="# New\n")
    assert (root / "memory/semantic/new.md").read_text() == "# New\n"
