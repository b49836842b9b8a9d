"""A full-text index of some stretches of text, in memory, that is thrown away with what it was asked."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def ranked_passages(texts: Iterable[str], queries: Iterable[str], most: int) -> list[list[tuple[int, float]]]:
    """Return for each full-text query the places of the texts that match, each with its rank, best first."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE passages USING fts5(text)")
        connection.executemany("INSERT INTO passages(rowid, text) VALUES (?, ?)", enumerate(texts))
        asked = "SELECT rowid, bm25(passages) AS rank FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?"
        return [connection.execute(asked, (query, most)).fetchall() for query in queries]
