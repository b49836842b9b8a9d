"""A workspace to dream in: notes, a recall log, and nights."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mneme.engine import Memory, open_memory
from mneme.formats.entry import entry_hash
from mneme.formats.recalled import query_hash

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mneme.engine.dream import Dreamt

FIRST = datetime(2026, 4, 1, 23, tzinfo=UTC)


@dataclass
class Place:
    """A workspace on disk."""

    root: Path

    def write(self, path: str, text: str) -> None:
        """Write a file as a person would."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """Read a file; empty where there is none."""
        place = self.root / path
        return place.read_text(encoding="utf-8") if place.exists() else ""

    def open(self, now: datetime) -> Memory:
        """Open the workspace at a moment."""
        return open_memory(str(self.root), now=lambda: now)

    def dream(self, now: datetime, phases: Sequence[str] = (), **more: object) -> Dreamt:
        """Dream a night."""
        with self.open(now) as memory:
            return memory.dream(phases, **more)

    def ask(
        self,
        path: str,
        line: int,
        at: datetime,
        query: str,
        *,
        origin: str = "asked",
        session: str = "s",
        score: float = 0.9,
    ) -> None:
        """Write down a recall of one place, as the recall log has it."""
        log = self.root / ".mneme.d" / "recall.jsonl"
        log.parent.mkdir(exist_ok=True)
        hit = {"id": self.id_of(path, line), "path": path, "line": line, "end_line": line, "score": score}
        row = {"at": at.isoformat(), "origin": origin, "query": query_hash(query), "session": session, "hits": [hit]}
        with log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    def id_of(self, path: str, line: int) -> str:
        """Return the id of the record on a line, as recall would give it."""
        written = self.read(path).splitlines()[line - 1 : line]
        return f"{path}#{entry_hash(written[0])}" if written else ""

    def ask_thrice(self, path: str, line: int, first: datetime = FIRST, words: str = "") -> None:
        """Ask for a place on three days, differently each time."""
        for number in range(3):
            self.ask(path, line, first + timedelta(days=number, hours=-3), f"question {number} {words}{path}{line}")

    def files(self) -> dict[str, bytes]:
        """Return everything that is memory or the state of dreaming."""
        found = (each for each in self.root.rglob("*") if each.is_file())
        return {str(each.relative_to(self.root)): each.read_bytes() for each in found if ".mneme.d" not in each.parts}


def after(days: float) -> datetime:
    """Return a moment some days after the first night."""
    return FIRST + timedelta(days=days)
