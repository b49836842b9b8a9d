"""SQLite keeps the contract, and stays whole when files are damaged, foreign, old, shared or killed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.contract.backend import MODEL, BackendContract, ids, piece, vector

from mneme.errors import StorageError
from mneme.index.backend import ANY
from mneme.index.sqlite import APPLICATION_ID, SCHEMA_VERSION, SqliteBackend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestSqlite(BackendContract):
    """Every promise, on SQLite."""

    @pytest.fixture
    def backend(self, tmp_path: Path) -> Iterator[SqliteBackend]:
        """Return an empty one."""
        opened = SqliteBackend(tmp_path / "index.sqlite")
        yield opened
        opened.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where an index may be made."""
    return tmp_path / "deep" / "index.sqlite"


def filled(path: Path) -> SqliteBackend:
    """Return an index of two pieces with vectors."""
    backend = SqliteBackend(path)
    backend.put("a.md", "1", [piece("F-1", "zebra"), piece("F-2", "horse")])
    backend.put_vectors(MODEL, {row: [vector(1, len(text), 0)] for row, text in backend.unembedded(MODEL, 9)})
    return backend


def test_what_was_put_is_there_when_opened_again(path: Path) -> None:
    """Closing keeps pieces, vectors and stamps."""
    filled(path).close()
    again = SqliteBackend(path)
    assert again.known() == {"a.md": "1"}
    assert len(again.by_vector(MODEL, vector(1, 5, 0), 5, ANY).hits) == 2
    assert again.notice == ""
    again.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be looked at" * 40, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    """What is no index is kept under another name, an empty index takes its place, and one line says so."""
    path.parent.mkdir()
    path.write_bytes(content)
    backend = SqliteBackend(path)
    assert backend.known() == {}
    assert "aside-1" in backend.notice
    assert path.with_name("index.sqlite.aside-1").read_bytes() == content
    backend.close()


def test_a_foreign_database_is_set_aside_whole(path: Path) -> None:
    """Another program's database is moved, never emptied."""
    path.parent.mkdir()
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE precious (thing)")
        foreign.execute("INSERT INTO precious VALUES ('kept')")
    foreign.close()
    backend = SqliteBackend(path)
    backend.close()
    kept = sqlite3.connect(path.with_name("index.sqlite.aside-1"))
    assert kept.execute("SELECT thing FROM precious").fetchall() == [("kept",)]
    kept.close()


def test_another_version_is_emptied(path: Path) -> None:
    """An index of another version is dropped and made again, where it lies; its vectors go with it."""
    filled(path).close()
    old = sqlite3.connect(path)
    old.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    old.close()
    backend = SqliteBackend(path)
    assert backend.known() == {}
    assert backend.notice == ""
    backend.put("a.md", "1", [piece("F-3", "cow"), piece("F-4", "goat")])
    ((row, _),) = backend.get(["F-4"], ANY)
    backend.put_vectors(MODEL, {row: [vector(0, 0, 1)]})
    assert [one for one, _ in backend.by_vector(MODEL, vector(1, 5, 0), 5, ANY).hits] == [row]
    backend.close()


def test_damaged_vectors_are_made_again(path: Path) -> None:
    """A damaged vector file costs its vectors and nothing else: the texts wait to be embedded once more."""
    filled(path).close()
    (held,) = path.parent.glob("index.sqlite-vectors-*")
    held.write_bytes(held.read_bytes()[:5000])
    backend = SqliteBackend(path)
    assert backend.by_vector(MODEL, vector(1, 5, 0), 5, ANY).hits == ()
    assert "vectors" in backend.notice
    assert len(backend.unembedded(MODEL, 9)) == 2
    backend.put_vectors(MODEL, {row: [vector(1, len(text), 0)] for row, text in backend.unembedded(MODEL, 9)})
    assert len(backend.by_vector(MODEL, vector(1, 5, 0), 5, ANY).hits) == 2
    backend.close()


def test_readers_read_while_one_writes(path: Path) -> None:
    """A reader sees the last finished step while another connection is in the middle of the next, and then that one."""
    writer, reader = filled(path), SqliteBackend(path)
    with writer._writing() as cursor:
        writer._put(cursor, b"b.md", "1", [piece("F-3", "zebra")])
        assert len(reader.by_words(["zebra"], 9, ANY)) == 1
    assert len(reader.by_words(["zebra"], 9, ANY)) == 2
    writer.put_vectors(MODEL, {row: [vector(0, 0, 1)] for row, _ in writer.unembedded(MODEL, 9)})
    assert len(reader.by_vector(MODEL, vector(0, 0, 1), 9, ANY).hits) == 3
    writer.drop(["a.md"])
    assert len(reader.by_vector(MODEL, vector(0, 0, 1), 9, ANY).hits) == 1
    writer.close()
    reader.close()


def test_two_open_an_index_that_is_not_there(path: Path) -> None:
    """Of two that make an index at once, both end with the same one."""
    found: list[SqliteBackend] = []
    threads = [Thread(target=lambda: found.append(SqliteBackend(path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found[0].put("a.md", "1", [piece("F-1", "zebra")])
    assert [len(one.by_words(["zebra"], 9, ANY)) for one in found] == [1] * 4
    for one in found:
        one.close()


def test_a_killed_writer_leaves_the_last_step(path: Path) -> None:
    """Killed in the middle of a put, an index holds what was there before."""
    filled(path).close()
    script = (
        "import os, sys; from pathlib import Path; from mneme.index.sqlite import SqliteBackend;"
        "from tests.contract.backend import piece\n"
        "backend = SqliteBackend(Path(sys.argv[1]))\n"
        "with backend._writing() as cursor:\n"
        "    backend._put(cursor, b'a.md', '2', [piece('F-9', 'cow')]); os._exit(9)\n"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", script, str(path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(("src", "."))},
            check=False,
        ).returncode
        == 9
    )
    backend = SqliteBackend(path)
    assert backend.known() == {"a.md": "1"}
    assert ids(backend.get(["F-1", "F-2", "F-9"], ANY)) == ["F-1", "F-2"]
    backend.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Where no index can be made, the error says where and what to run."""
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(StorageError, match="cannot be opened"):
        SqliteBackend(tmp_path / "index.sqlite")


def test_the_file_says_whose_it_is(path: Path) -> None:
    """The database carries our application id, so that no other program's is taken for it."""
    filled(path).close()
    opened = sqlite3.connect(path)
    assert opened.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert opened.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    opened.close()
