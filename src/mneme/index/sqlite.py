"""The index in one SQLite file, with mapped vectors beside it: what a workspace uses unless told otherwise.

Readers never wait for a writer (WAL), two writers take turns, and a process killed at any moment leaves the last
finished step. A file of another version is emptied, a damaged or foreign one is set aside, and `notice` says so; no
extension is loaded. Text reaches the engine as terms of letters and digits alone, so nothing typed is syntax.
"""

# ruff: noqa: S608 - statements are put together from constants of this module; what comes from outside is bound

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import time
from array import array
from contextlib import contextmanager
from itertools import islice, takewhile
from operator import mul
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from mneme.errors import StorageError
from mneme.formats.piece import COLUMNS
from mneme.formats.record import SHARED
from mneme.index.backend import (
    COLUMN_WEIGHTS,
    SAMPLED,
    BusyIndexError,
    DamagedIndexError,
    Near,
    Outline,
    Tally,
    Wanted,
    draw_of,
    outline_of,
    piece_as_json,
    piece_from_json,
    targets_of,
)
from mneme.index.stretch import MOST_STRETCHES
from mneme.index.words import Traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mneme.formats.piece import Piece
    from mneme.index.vectors import VectorFile

APPLICATION_ID = 0x4D4E454D
SCHEMA_VERSION = 5
BUSY_SECONDS, TURN_SECONDS = 30.0, 0.01
# Pages that are kept at hand: what one question reads twice is not fetched twice.
CACHE_KIB = 16_384
# Primary result codes of SQLite: the pages make no sense, or it is no database; and what it says of tables amiss.
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_AMISS = ("no such table", "no such column", "malformed")
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF
# How many words' numbers of pieces are kept between questions.
MOST_SPREADS = 10_000
# The best are looked up before it is known which of them are wanted: mostly, nearly all are. First a quarter more than
# are asked for, then four times as many, then all.
SPARE = 4
_SEPARATOR = "\x1f"
# A piece's terms lie beside it, column by column: the words' own table holds nothing but where they are.
_TERMS = ", ".join(f"{name}_terms" for name in COLUMNS)

_SCHEMA = f"""
CREATE TABLE piece (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, path BLOB NOT NULL, line INTEGER NOT NULL,
    kind TEXT NOT NULL, tier TEXT NOT NULL, state TEXT NOT NULL, shared INTEGER NOT NULL, since TEXT NOT NULL,
    topic TEXT NOT NULL, tags TEXT NOT NULL, entity TEXT NOT NULL, party TEXT NOT NULL, place INTEGER NOT NULL,
    speaker TEXT NOT NULL, asks REAL NOT NULL, timed INTEGER NOT NULL, counted INTEGER NOT NULL, named REAL NOT NULL,
    length REAL NOT NULL, draw INTEGER NOT NULL, digest BLOB NOT NULL,
    {", ".join(f"{name}_terms TEXT NOT NULL" for name in COLUMNS)}, content TEXT NOT NULL
);
CREATE INDEX piece_id ON piece (id);
CREATE INDEX piece_place ON piece (path, party, place);
CREATE INDEX piece_draw ON piece (draw);
CREATE TABLE file (path BLOB PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pointer (
    target BLOB NOT NULL, alias INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (target, alias, row)
) WITHOUT ROWID;
CREATE INDEX pointer_row ON pointer (row);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE total (pieces INTEGER NOT NULL, length REAL NOT NULL);
INSERT INTO total VALUES (0, 0);
CREATE TABLE embedded (embedder TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (embedder, row)) WITHOUT ROWID;
CREATE TABLE vectors (
    embedder TEXT PRIMARY KEY, dims INTEGER NOT NULL, changes INTEGER NOT NULL, held INTEGER NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 ({_TERMS}, content = 'piece', content_rowid = 'row', tokenize = 'ascii');
CREATE VIRTUAL TABLE spread USING fts5vocab (words, row);
"""
_KEPT_COLUMNS = (
    "id, path, line, kind, tier, state, shared, since, topic, tags, entity, party, place, speaker, asks, timed, counted,"
    " named, length, draw, digest, content"
)
_RELEVANCE = f"-bm25(words, {', '.join(map(str, COLUMN_WEIGHTS))})"
_BEST_BY_WORDS = (
    f"SELECT rowid, {_RELEVANCE} AS relevance FROM words WHERE words MATCH ? ORDER BY relevance DESC, rowid LIMIT ?"
)
_OUTLINED = (
    f"SELECT row, id, path, line, {_TERMS}, party, place, speaker, since, asks, timed, counted, named, length FROM piece"
    " WHERE row IN (SELECT value FROM json_each(?))"
)


class SqliteBackend:
    """The index of one workspace, at a path of its own; the vectors of each embedder lie beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = RLock()
        self._files: dict[str, tuple[int, VectorFile]] = {}
        self._orphans: dict[str, list[int]] = {}
        self._samples: dict[str, tuple[int, list[int], tuple[list[int], Any]]] = {}
        # What was read of the tables and need not be read again until somebody writes.
        self._version = 0
        self._stamps: dict[str, str] | None = None
        self._spreads: dict[str, int] = {}
        self._patience = BUSY_SECONDS
        self.notice = ""
        self._connection = self._opened()

    # --- writing ------------------------------------------------------------------------------------------------------

    def put(self, path: str, stamp: str, pieces: Sequence[Piece]) -> None:
        """Make these the pieces of a file; a row whose texts are the same keeps its words and its vector."""
        with self._writing() as cursor:
            self._put(cursor, _bytes(path), stamp, pieces)

    def put_many(self, files: Iterable[tuple[str, str, Sequence[Piece]]], *, anew: bool = False) -> None:
        """Put several files in one step: all of them are found afterwards, or none."""
        with self._writing() as cursor:
            for path, stamp, pieces in files:
                if anew:
                    self._drop(cursor, _bytes(path))
                self._put(cursor, _bytes(path), stamp, pieces)

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files and their pieces."""
        with self._writing() as cursor:
            for path in map(_bytes, paths):
                self._drop(cursor, path)

    def restamp(self, stamps: Mapping[str, str]) -> None:
        """Give known files another stamp."""
        with self._writing() as cursor:
            pairs = [(stamp, _bytes(path)) for path, stamp in stamps.items()]
            cursor.executemany("UPDATE file SET stamp = ? WHERE path = ?", pairs)

    def put_vectors(self, embedder: str, vectors: Mapping[int, Sequence[bytes]]) -> None:
        """Keep vectors of rows that are there: in the mapped file first, then on the list of what is embedded."""
        from mneme.index.embed.protocol import FLOAT_BYTES, Vectors

        if not vectors:
            return
        dims = len(next(iter(vectors.values()))[0]) // FLOAT_BYTES
        with self._writing() as cursor:
            rows = [
                row for (row,) in cursor.execute(f"SELECT row FROM piece WHERE row IN ({_EACH})", (_list(vectors),))
            ]
            if cursor.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?, 0, 0)", (embedder, dims)).rowcount:
                # Whatever lies there belongs to an index that is no more, and its rows to other pieces.
                self._vector_path(embedder).unlink(missing_ok=True)
            held = self._vector_file(cursor, embedder, sole=True)
            if held is not None:
                held.drop([key for row in rows for key in _keys_of(held, row)[len(vectors[row]) :]])
                keys = [row * MOST_STRETCHES + place for row in rows for place in range(len(vectors[row]))]
                held.put(keys, Vectors(dims, b"".join(one for row in rows for one in vectors[row])))
                cursor.executemany("INSERT OR IGNORE INTO embedded VALUES (?, ?)", [(embedder, row) for row in rows])
                self._count_change(cursor, embedder, cursor.rowcount)

    def forget_embedder(self, embedder: str) -> None:
        """Drop one embedder's vectors and their file."""
        with self._writing() as cursor:
            cursor.execute("DELETE FROM embedded WHERE embedder = ?", (embedder,))
            cursor.execute("DELETE FROM vectors WHERE embedder = ?", (embedder,))
            self._let_go(embedder)
            self._samples.pop(embedder, None)
            self._vector_path(embedder).unlink(missing_ok=True)

    def set_meta(self, name: str, value: str) -> None:
        """Keep a note about the index."""
        with self._writing() as cursor:
            cursor.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (name, value)
            )

    def wait_at_most(self, seconds: float) -> None:
        """Say how long a write may wait for another process."""
        if seconds != self._patience:
            self._patience = seconds
            with self._lock, _told(self._path):
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")

    def is_current(self) -> bool:
        """Say whether the path still leads to the file that is open here."""
        return self._inode == _inode(self._path)

    def set_aside(self) -> None:
        """Put a damaged file aside and begin an empty one; what another process began meanwhile is only opened."""
        with self._lock:
            current = self.is_current()
            self.close()
            self._forget()
            self._samples.clear()
            self._orphans.clear()
            if current:
                self._set_aside()
            self._connection = self._opened()

    def close(self) -> None:
        """Close the connection and let go of the vectors."""
        with self._lock:
            for embedder in list(self._files):
                self._let_go(embedder)
            self._connection.close()

    # --- looking up ---------------------------------------------------------------------------------------------------

    def known(self) -> dict[str, str]:
        """Return each file with its stamp."""
        with self._reading() as cursor:
            self._forget_if_changed(cursor)
            if self._stamps is None:
                lines = cursor.execute("SELECT path, stamp FROM file")
                self._stamps = {_text(path): stamp for path, stamp in lines}
            return dict(self._stamps)

    def by_words(self, terms: Sequence[str], limit: int, wanted: Wanted) -> list[tuple[int, float]]:
        """Return the pieces with any of the terms by FTS5's BM25."""
        if not terms or limit < 1:
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        where, values = _conditions(wanted)
        with self._reading() as cursor:
            some = cursor.execute(_BEST_BY_WORDS, (match, SPARE * limit)).fetchall()
            # Mostly, the first ones and what is as good as the last of them are all that need be looked at.
            for end in sorted({_after_ties(some, limit + limit // SPARE), len(some)}):
                part, whole = some[:end], len(some) < SPARE * limit
                found = _best(part, self._allowed(cursor, part, wanted), limit, whole=whole and end == len(some))
                if found is not None:
                    return found
            return cursor.execute(
                f"SELECT piece.row, {_RELEVANCE} AS relevance FROM words JOIN piece ON piece.row = words.rowid WHERE"
                f" words MATCH ?{where} ORDER BY relevance DESC, path, line, id, piece.row LIMIT ?",
                (match, *values, limit),
            ).fetchall()

    def by_vector(self, embedder: str, vector: bytes, limit: int, wanted: Wanted) -> Near:
        """Return the nearest pieces, widening the search until enough of them are wanted."""
        with self._reading() as cursor:
            return (
                self._with_vectors(cursor, embedder, lambda held: self._near(cursor, held, vector, limit, wanted))
                or Near()
            )

    def similar(self, embedder: str, vector: bytes, rows: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each row that has a vector."""
        with self._reading() as cursor:
            return self._with_vectors(cursor, embedder, lambda held: _similar(held, vector, rows)) or {}

    def beside(self, rows: Sequence[int], reach: int, wanted: Wanted) -> list[int]:
        """Return the rows within so many places in the same groups."""
        where, values = _conditions(wanted, "near.")
        with self._reading() as cursor:
            found = cursor.execute(
                "SELECT DISTINCT near.row FROM piece AS one JOIN piece AS near ON near.party = one.party AND near.path ="
                f" one.path AND near.place BETWEEN one.place - ? AND one.place + ? WHERE one.row IN ({_EACH}) AND"
                f" one.party <> '' AND near.party <> ''{where} ORDER BY near.row",
                (reach, reach, _list(rows), *values),
            )
            asked = set(rows)
            return [row for (row,) in found if row not in asked]

    def outlines(self, rows: Sequence[int]) -> list[Outline]:
        """Return what ranking reads of each row."""
        with self._reading() as cursor:
            found = {line[0]: _outline(line) for line in cursor.execute(_OUTLINED, (_list(rows),))}
        return [found[row] for row in rows if row in found]

    def pieces(self, rows: Sequence[int], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return whole pieces."""
        where, values = _conditions(wanted)
        with self._reading() as cursor:
            lines = cursor.execute(
                f"SELECT row, content FROM piece WHERE row IN ({_EACH}){where}", (_list(rows), *values)
            )
            found = dict(lines.fetchall())
        return [(row, piece_from_json(json.loads(found[row]))) for row in rows if row in found]

    def get(self, ids: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces with these ids."""
        where, values = _conditions(wanted)
        found: list[tuple[int, Piece]] = []
        with self._reading() as cursor:
            for one in map(_bytes, ids):
                lines = cursor.execute(f"{_WHOLE} WHERE id = ?{where} ORDER BY row", (one, *values)).fetchall()
                found += _whole(lines or cursor.execute(f"{_WHOLE}{_CALLED}{where} ORDER BY row", (one, *values)))
        return found

    def linking(self, targets: Sequence[str], wanted: Wanted) -> list[tuple[int, Piece]]:
        """Return the pieces that link to any of these."""
        where, values = _conditions(wanted)
        asked = [_bytes(one) for one in targets]
        linking = (
            f" WHERE row IN (SELECT row FROM pointer WHERE target IN ({', '.join('?' * len(asked))}) AND alias = 0)"
        )
        with self._reading() as cursor:
            return _whole(cursor.execute(f"{_WHOLE}{linking}{where} ORDER BY path, line, row", (*asked, *values)))

    def listed(self, wanted: Wanted, limit: int) -> list[tuple[int, Piece]]:
        """Return the pieces that are wanted."""
        where, values = _conditions(wanted)
        with self._reading() as cursor:
            return _whole(
                cursor.execute(f"{_WHOLE} WHERE true{where} ORDER BY path, line, row LIMIT ?", (*values, limit))
            )

    def tally(self, terms: Sequence[str]) -> Tally:
        """Return how many pieces there are, how long, and how many have each term."""
        with self._reading() as cursor:
            pieces, length = cursor.execute("SELECT pieces, length FROM total").fetchone()
            return Tally(pieces, length / pieces if pieces else 0.0, self._spread(cursor, terms))

    def unembedded(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Return rows without a vector, with their texts; those after the last one that has a vector come first."""
        with self._reading() as cursor:
            (last,) = cursor.execute("SELECT max(row) FROM embedded WHERE embedder = ?", (embedder,)).fetchone()
            lines = cursor.execute(
                "SELECT row, content FROM piece WHERE row > ? ORDER BY row LIMIT ?", (last or 0, limit)
            ).fetchall()
            if last and len(lines) < limit:
                # Holes are seldom, and to look for them is to look at every row.
                lines += cursor.execute(
                    "SELECT row, content FROM piece WHERE row < ? AND NOT EXISTS (SELECT 1 FROM embedded WHERE embedder"
                    " = ? AND embedded.row = piece.row) ORDER BY row LIMIT ?",
                    (last, embedder, limit - len(lines)),
                ).fetchall()
        return [(row, piece_from_json(json.loads(content)).spoken) for row, content in lines]

    def embedded(self, embedder: str) -> int:
        """Return how many pieces have a vector."""
        with self._reading() as cursor:
            line = cursor.execute("SELECT held FROM vectors WHERE embedder = ?", (embedder,)).fetchone()
            return int(line[0]) if line else 0

    def meta(self, name: str) -> str:
        """Return a note about the index."""
        with self._reading() as cursor:
            line = cursor.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            return str(line[0]) if line else ""

    def _allowed(
        self, cursor: sqlite3.Cursor, some: Iterable[tuple[int, float]], wanted: Wanted
    ) -> dict[int, tuple[bytes, int, bytes]]:
        """Return those of some rows that are wanted, each with what ties are settled by."""
        where, values = _conditions(wanted)
        rows = _list(row for row, _ in some)
        lines = cursor.execute(f"SELECT row, path, line, id FROM piece WHERE row IN ({_EACH}){where}", (rows, *values))
        return {row: (path, line, identity) for row, path, line, identity in lines}

    # --- pieces ------------------------------------------------------------------------------------------------------

    def _put(self, cursor: sqlite3.Cursor, path: bytes, stamp: str, pieces: Sequence[Piece]) -> None:
        before: dict[object, list[tuple[int, float]]] = {}
        for digest, row, length in cursor.execute(
            "SELECT digest, row, length FROM piece WHERE path = ? ORDER BY row DESC", (path,)
        ):
            before.setdefault(digest, []).append((row, length))
        fresh: list[tuple[tuple[object, ...], Outline, Piece]] = []
        for piece in pieces:
            outline = outline_of(0, _text(path), piece)
            line = _line(path, piece, outline)
            same = before.get(line[_DIGEST_AT])
            if same:
                row = same.pop()[0]
                cursor.execute(f"UPDATE piece SET ({_KEPT_COLUMNS}) = ({_MARKS}) WHERE row = ?", (*line, row))
                cursor.execute("DELETE FROM pointer WHERE row = ?", (row,))
                _point(cursor, row, piece)
            else:
                fresh.append((line, outline, piece))
        self._remove(cursor, dict(row for rows in before.values() for row in rows))
        self._insert(cursor, fresh)
        cursor.execute("INSERT OR REPLACE INTO file VALUES (?, ?)", (path, stamp))

    def _drop(self, cursor: sqlite3.Cursor, path: bytes) -> None:
        rows = cursor.execute("SELECT row, length FROM piece WHERE path = ?", (path,)).fetchall()
        self._remove(cursor, dict(rows))
        cursor.execute("DELETE FROM file WHERE path = ?", (path,))

    def _insert(self, cursor: sqlite3.Cursor, fresh: Sequence[tuple[tuple[object, ...], Outline, Piece]]) -> None:
        (last,) = cursor.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'piece'").fetchone()
        numbered = list(enumerate(fresh, last + 1))
        terms = [(row, *map(" ".join, outline.terms)) for row, (_, outline, _) in numbered]
        cursor.executemany(
            f"INSERT INTO piece (row, {_TERMS}, {_KEPT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, {_MARKS})",
            [(*told, *line) for told, (_, (line, _, _)) in zip(terms, numbered, strict=True)],
        )
        cursor.executemany(f"INSERT INTO words (rowid, {_TERMS}) VALUES (?, ?, ?, ?, ?, ?)", terms)
        for row, (_, _, piece) in numbered:
            _point(cursor, row, piece)
        length = math.fsum(outline.length for _, outline, _ in fresh)
        cursor.execute("UPDATE total SET pieces = pieces + ?, length = length + ?", (len(fresh), length))

    def _remove(self, cursor: sqlite3.Cursor, rows: Mapping[int, float]) -> None:
        if not rows:
            return
        gone = _list(rows)
        touched = cursor.execute(
            f"SELECT embedder, count(*) FROM embedded WHERE row IN ({_EACH}) GROUP BY embedder", (gone,)
        ).fetchall()
        cursor.execute(
            f"INSERT INTO words (words, rowid, {_TERMS}) SELECT 'delete', row, {_TERMS} FROM piece WHERE row IN ({_EACH})",
            (gone,),
        )
        for table in ("embedded", "pointer", "piece"):
            cursor.execute(f"DELETE FROM {table} WHERE row IN ({_EACH})", (gone,))
        cursor.execute(
            "UPDATE total SET pieces = pieces - ?, length = length - ?", (len(rows), sum(sorted(rows.values())))
        )
        for embedder, count in touched:
            cursor.execute("UPDATE vectors SET held = held - ? WHERE embedder = ?", (count, embedder))
            self._orphans.setdefault(embedder, []).extend(rows)

    def _spread(self, cursor: sqlite3.Cursor, terms: Sequence[str]) -> dict[str, int]:
        """Return how many pieces have each term; to count those of a common word takes as long as there are many."""
        self._forget_if_changed(cursor)
        known = self._spreads
        for term in terms:
            if term not in known:
                line = cursor.execute("SELECT doc FROM spread WHERE term = ?", (term,)).fetchone()
                known[term] = line[0] if line else 0
        found = {term: known[term] for term in terms if known[term]}
        if len(known) > MOST_SPREADS:
            known.clear()
        return found

    def _forget_if_changed(self, cursor: sqlite3.Cursor) -> None:
        """Forget what is kept of the tables where another connection wrote: its number changes then."""
        (version,) = cursor.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._forget()
            self._version = version

    def _forget(self) -> None:
        self._stamps = None
        self._spreads.clear()

    # --- vectors ------------------------------------------------------------------------------------------------------

    def _near(self, cursor: sqlite3.Cursor, held: VectorFile, vector: bytes, limit: int, wanted: Wanted) -> Near:
        counts, matrix = self._sample(cursor, held)
        every = iter(_cosines(matrix, vector))
        cosines = [max(islice(every, count)) for count in counts]
        if not cosines:
            return Near()
        mean = sum(cosines) / len(cosines)
        deviation = (sum((cosine - mean) ** 2 for cosine in cosines) / len(cosines)) ** 0.5
        # Mostly, nearly all are wanted; where they are not, more are looked at.
        reach = limit + limit // SPARE
        while True:
            compared = held.search(vector, reach)
            nearest = list(_by_row(compared).items())
            allowed = self._allowed(cursor, nearest, wanted)
            hits = _best(nearest, allowed, limit, whole=len(compared) < reach)
            if hits is not None:
                return Near(tuple(hits), len(cosines), mean, deviation)
            reach *= 8

    def _sample(self, cursor: sqlite3.Cursor, held: VectorFile) -> tuple[list[int], Any]:
        """Return the vectors of the rows that stand for all, and how many each has; read again only when they changed."""
        for embedder, (changes, file) in self._files.items():
            if file is held:
                kept = self._samples.get(embedder)
                if kept is None or kept[0] != changes:
                    lines = cursor.execute(
                        "SELECT row FROM piece WHERE EXISTS (SELECT 1 FROM embedded WHERE embedder = ? AND embedded.row ="
                        " piece.row) ORDER BY draw, id, row LIMIT ?",
                        (embedder, SAMPLED),
                    )
                    drawn = [row for (row,) in lines]
                    # A row's vector never changes, so the same rows stand for all with the same vectors.
                    same = kept is not None and kept[1] == drawn
                    kept = self._samples[embedder] = (changes, drawn, kept[2] if kept and same else _drawn(held, drawn))
                return kept[2]
        return [], ()

    def _with_vectors(self, cursor: sqlite3.Cursor, embedder: str, use: Any) -> Any:  # noqa: ANN401 - what `use` returns
        """Use one embedder's vectors; where they look damaged, wait for whoever may be writing, and look once more."""
        from mneme.index.vectors import DamagedVectorsError

        try:
            held = self._vector_file(cursor, embedder, sole=False)
            return use(held) if held is not None else None
        except DamagedVectorsError:
            self._let_go(embedder)
        with self._writing() as sole:
            try:
                held = self._vector_file(sole, embedder, sole=True)
                return use(held) if held is not None else None
            except DamagedVectorsError:
                self._start_again(sole, embedder)
                return None

    def _vector_file(self, cursor: sqlite3.Cursor, embedder: str, *, sole: bool) -> VectorFile | None:
        """Return the mapped file as it is now; the one writer sets a damaged one aside and starts it again."""
        from mneme.index.vectors import DamagedVectorsError, VectorFile

        line = cursor.execute("SELECT dims, changes FROM vectors WHERE embedder = ?", (embedder,)).fetchone()
        if line is None:
            return None
        dims, changes = line
        kept = self._files.get(embedder)
        if kept and kept[0] == changes:
            return kept[1]
        self._let_go(embedder)
        try:
            held = VectorFile(self._vector_path(embedder), embedder, dims)
        except DamagedVectorsError:
            if not sole:
                raise
            self._start_again(cursor, embedder)
            held = VectorFile(self._vector_path(embedder), embedder, dims)
        self._files[embedder] = (changes, held)
        return held

    def _start_again(self, cursor: sqlite3.Cursor, embedder: str) -> None:
        """Empty one embedder's vectors: they are made from the texts once more."""
        self._let_go(embedder)
        self._samples.pop(embedder, None)
        self._vector_path(embedder).unlink(missing_ok=True)
        cursor.execute("DELETE FROM embedded WHERE embedder = ?", (embedder,))
        cursor.execute("UPDATE vectors SET held = 0 WHERE embedder = ?", (embedder,))
        self._count_change(cursor, embedder)
        self.notice = f"the vectors of '{embedder}' were damaged and are made again"

    def _count_change(self, cursor: sqlite3.Cursor, embedder: str, more: int = 0) -> None:
        cursor.execute("UPDATE vectors SET changes = changes + 1, held = held + ? WHERE embedder = ?", (more, embedder))
        kept = self._files.get(embedder)
        if kept:
            self._files[embedder] = (kept[0] + 1, kept[1])

    def _let_go(self, embedder: str) -> None:
        kept = self._files.pop(embedder, None)
        if kept:
            kept[1].close()

    def _vector_path(self, embedder: str) -> Path:
        digest = hashlib.sha256(embedder.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return self._path.with_name(f"{self._path.name}-vectors-{digest}")

    # --- the file -----------------------------------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._prepared()
        except sqlite3.OperationalError as fault:
            message = f"the index '{self._path}' cannot be opened: {fault}"
            raise StorageError(message, "mneme index --rebuild") from fault
        except (sqlite3.DatabaseError, _ForeignError):
            self._set_aside()
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._inode = _inode(self._path)
        return connection

    def _set_aside(self) -> None:
        number = 1
        while (aside := self._path.with_name(f"{self._path.name}.aside-{number}")).exists():
            number += 1
        for ending in ("", "-wal", "-shm"):
            part = Path(f"{self._path}{ending}")
            if part.exists():
                part.rename(f"{aside}{ending}")
        self.notice = f"the index was damaged or not ours: it is kept as '{aside.name}' and built again"

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with self._lock, _told(self._path):
            yield self._connection.cursor()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        with self._lock, _told(self._path):
            cursor = self._connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            self._forget()
            try:
                yield cursor
            except BaseException:
                self._orphans.clear()
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")
            self._drop_orphans(cursor)

    def _drop_orphans(self, cursor: sqlite3.Cursor) -> None:
        """Overwrite the vectors of rows that are gone, after they are gone: a vector too many is never found."""
        orphans, self._orphans = self._orphans, {}
        for embedder, rows in orphans.items():
            cursor.execute("BEGIN IMMEDIATE")
            held = self._vector_file(cursor, embedder, sole=True)
            if held is not None:
                held.drop([key for row in rows for key in _keys_of(held, row)])
                self._count_change(cursor, embedder)
            cursor.execute("COMMIT")


class _ForeignError(Exception):
    """The file is a database of some other program."""


_DIGEST_AT = -2
_EACH = "SELECT value FROM json_each(?)"
_WHOLE = "SELECT row, content FROM piece"
_CALLED = " WHERE row IN (SELECT row FROM pointer WHERE target = ? AND alias = 1)"
_MARKS = ", ".join("?" * len(_KEPT_COLUMNS.split(",")))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as fault:
        message = f"the index '{path}' cannot be used: {fault}"
        raise _kind_of(fault)(message, "mneme index --rebuild") from fault


def _kind_of(fault: sqlite3.Error) -> type[StorageError]:
    code = getattr(fault, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code in _DAMAGED or str(fault).startswith(_AMISS):
        return DamagedIndexError
    return BusyIndexError if code in _BUSY else StorageError


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _after_ties(some: Sequence[tuple[int, float]], first: int) -> int:
    """Return how many rows come before the first one that is worse than all that are as good as so many first ones."""
    end = min(first, len(some))
    while 0 < end < len(some) and some[end][1] == some[first - 1][1]:
        end += 1
    return min(end + 1, len(some))


def _best(
    some: Sequence[tuple[int, float]], allowed: Mapping[int, tuple[bytes, int, bytes]], limit: int, *, whole: bool
) -> list[tuple[int, float]] | None:
    """Return the best of some rows that are in order, ties by place; None where more must be seen to tell them."""
    held = sorted((-score, allowed[row], row) for row, score in some if row in allowed)
    if not whole and limit > 0 and (len(held) < limit or -held[limit - 1][0] <= some[-1][1]):
        return None
    return [(row, -cost) for cost, _, row in held[:limit]]


def _whole(lines: Iterable[tuple[int, str]]) -> list[tuple[int, Piece]]:
    return [(row, piece_from_json(json.loads(content))) for row, content in lines]


def _point(cursor: sqlite3.Cursor, row: int, piece: Piece) -> None:
    """Note what a piece links to, and which ids it had before."""
    if piece.record.links or piece.aliases:
        pointers = [(_bytes(target), 0, row) for target in targets_of(piece)]
        pointers += [(_bytes(alias), 1, row) for alias in piece.aliases]
        cursor.executemany("INSERT OR IGNORE INTO pointer VALUES (?, ?, ?)", pointers)


def _prepare(connection: sqlite3.Connection) -> None:
    """Make sure that the tables are there and ours; of two processes that find none, one makes them."""
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    if _version(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version != SCHEMA_VERSION:
            if version:
                _empty(connection)
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Turn a file to write-ahead logging; of two that do so at once SQLite refuses one, without waiting as it does else."""
    ends = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) or time.monotonic() > ends:
                raise
            time.sleep(TURN_SECONDS)
        else:
            return


def _version(connection: sqlite3.Connection) -> int:
    """Return the version of our tables, 0 for a new file; another program's tables are no version at all."""
    (program,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if program != APPLICATION_ID:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables or program or version:
            raise _ForeignError
        return 0
    return int(version)


def _empty(connection: sqlite3.Connection) -> None:
    """Drop every table of another version; what they held is made again from the files."""
    names = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
        )
    ]
    for name in names:
        connection.execute(f'DROP TABLE "{name}"')
    rest = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (name,) in rest.fetchall():
        connection.execute(f'DROP TABLE "{name}"')


def _matrix(rows: Sequence[bytes]) -> Any:  # noqa: ANN401 - a matrix in double precision, or rows where numpy is missing
    try:
        import numpy as np
    except ImportError:
        return [array("f", row) for row in rows]
    return np.frombuffer(b"".join(rows), "<f4").reshape(len(rows), -1).astype(float) if rows else ()


def _keys_of(held: VectorFile, row: int) -> list[int]:
    """Return the keys under which the vectors of a row lie, in the order of its stretches."""
    first = row * MOST_STRETCHES
    return list(takewhile(held.keys().__contains__, range(first, first + MOST_STRETCHES)))


def _by_row(compared: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Return each row with the cosine of its nearest vector, from hits that are best first."""
    nearest: dict[int, float] = {}
    for key, cosine in compared:
        nearest.setdefault(key // MOST_STRETCHES, cosine)
    return nearest


def _similar(held: VectorFile, vector: bytes, rows: Sequence[int]) -> dict[int, float]:
    known = held.keys()
    keys: list[int] = []
    for row in rows:
        key = row * MOST_STRETCHES
        if key in known:
            keys.append(key)
            # Nearly all texts are short, and have one vector.
            if key + 1 in known:
                keys += _keys_of(held, row)[1:]
    return _by_row(held.search(vector, len(keys), keys))


def _drawn(held: VectorFile, rows: Sequence[int]) -> tuple[list[int], Any]:
    """Return how many vectors each of these rows has, of those that have any, and all of them."""
    owned = [[found for key in _keys_of(held, row) if (found := held.find(key))] for row in rows]
    return [len(own) for own in owned if own], _matrix([one for own in owned for one in own])


def _cosines(matrix: Any, vector: bytes) -> list[float]:  # noqa: ANN401 - as `_matrix` returns it
    """Return the cosine of each row of a matrix with a vector."""
    if not len(matrix):
        return []
    if isinstance(matrix, list):
        question = array("f", vector)
        return [math.fsum(map(mul, question, row)) for row in matrix]
    import numpy as np

    cosines: list[float] = (matrix @ np.frombuffer(vector, "<f4").astype(float)).tolist()
    return cosines


def _conditions(wanted: Wanted, table: str = "piece.") -> tuple[str, list[object]]:
    """Return what a look-up may return, as SQL that begins with AND, and its values: the meaning of `Wanted.allows`."""
    clauses: list[str] = []
    values: list[object] = []
    if wanted.shared_only:
        clauses.append(f"{table}shared = 1")
    for column, chosen in (("kind", wanted.kinds), ("tier", wanted.tiers), ("state", wanted.states)):
        if chosen:
            clauses.append(f"{table}{column} IN ({', '.join('?' * len(chosen))})")
            values.extend(map(_storable, chosen))
    if wanted.topic:
        topic = _storable(wanted.topic)
        clauses.append(f"({table}topic = ? OR substr({table}topic, 1, ?) = ?)")
        values.extend((topic, len(topic) + 1, f"{topic}/"))
    for tag in wanted.tags:
        clauses.append(f"instr({table}tags, ?)")
        values.append(f"{_SEPARATOR}{_storable(tag)}{_SEPARATOR}")
    if wanted.entity:
        clauses.append(f"{table}entity = ?")
        values.append(_storable(wanted.entity))
    if wanted.since:
        clauses.append(f"substr({table}since, 1, 10) >= ?")
        values.append(_storable(wanted.since))
    if wanted.until:
        clauses.append(f"{table}since <> '' AND substr({table}since, 1, 10) <= ?")
        values.append(_storable(wanted.until))
    return "".join(f" AND {clause}" for clause in clauses), values


def _line(path: bytes, piece: Piece, outline: Outline) -> tuple[object, ...]:
    """Return a piece as the values of `_KEPT_COLUMNS`."""
    record, traits = piece.record, outline.traits
    tags = _SEPARATOR.join(("", *piece.tags, "")) if piece.tags else ""
    texts = (record.kind, record.tier, record.state)
    return (
        _bytes(record.id),
        path,
        record.line,
        *map(_storable, texts),
        int(record.audience == SHARED),
        _storable(record.since),
        *map(_storable, (piece.topic, tags, piece.entity, piece.group)),
        piece.place,
        " ".join(outline.speaker),
        traits.asks,
        traits.timed,
        traits.counted,
        traits.named,
        outline.length,
        draw_of(record.id),
        _digest(piece),
        json.dumps(piece_as_json(piece), separators=(",", ":")),
    )


def _outline(line: tuple[Any, ...]) -> Outline:
    row, identity, path, number, *terms, party, place, speaker, since, asks, timed, counted, named, length = line
    return Outline(
        row=row,
        id=_text(identity),
        path=_text(path),
        line=number,
        terms=tuple([tuple(column.split()) if column else () for column in terms]),
        group=party,
        place=place,
        speaker=tuple(speaker.split()),
        date=since[:10],
        traits=Traits(asks, bool(timed), bool(counted), named),
        length=length,
    )


def _digest(piece: Piece) -> bytes:
    texts = "\x00".join((piece.record.id, *piece.columns))
    return hashlib.blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _list(rows: Iterable[int]) -> str:
    return json.dumps(list(rows))


def _bytes(text: str) -> bytes:
    """Return a path or an id as the bytes it was read from."""
    if text.isascii():
        return text.encode("ascii")
    return text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "surrogatepass")


def _is_escaped(text: str) -> bool:
    return all("\udc80" <= letter <= "\udcff" for letter in text if "\ud800" <= letter <= "\udfff")


def _text(packed: bytes) -> str:
    return packed.decode("utf-8", "surrogateescape")


def _storable(text: str) -> str:
    """Return a text that the engine takes: a lone surrogate becomes its escape, in what is kept and what is asked."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
