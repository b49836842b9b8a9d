"""A store of documents as somebody's memory: real files in a workspace of its own, asked as everybody asks.

What was said or written at a time lies in daily notes, one entry each, in its order; what has no order lies in a file of
cells. Nothing is set but what `mneme init` sets. `Filed.ask` is `memory.recall`, and nothing else is measured.
"""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from stores import day_of

import mneme
from mneme.engine.indexing import with_index
from mneme.engine.setup import init_workspace
from mneme.formats.cell import Cell
from mneme.formats.cell_edit import print_cell
from mneme.index import rank
from mneme.index.backend import ANY
from mneme.index.search import Meaning
from mneme.index.words import parse_parts
from mneme.recall import find
from mneme.recall.question import parse_question
from mneme.recall.trust import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stores import Store
    from vectors import Kept

    from mneme.index.rank import View, Weights
    from mneme.recall.answer import Answer

# Whoever measures is asked to trust nothing: what is measured is trusted in a folder of settings that goes with it.
_SETTINGS = tempfile.TemporaryDirectory(prefix="mneme-bench-settings-")
os.environ["XDG_CONFIG_HOME"] = _SETTINGS.name

CELLS = "memory/items.mneme"
FIRST_DAY = date(2026, 1, 1)  # of what was said one after the other at no time that is known
OF_A_DAY = 300
LONGEST_GIST = 200
MOST_PIECES = 1_000_000
NO_WORDS = '[embedder]\nkind = "none"\n'


@dataclass(frozen=True, slots=True)
class Page:
    """A file of documents: its text, and the line that each of them begins on, in order."""

    text: str
    lines: tuple[int, ...]
    places: tuple[int, ...]


def pages_of(store: Store) -> dict[str, Page]:
    """Return the files that a store makes, by path."""
    if not store.is_talk:
        return {CELLS: _cells(store)}
    days: dict[str, list[int]] = {}
    for place, day in enumerate(days_of(store)):
        days.setdefault(day, []).append(place)
    return {f"memory/{day}.md": _note(store, day, places) for day, places in days.items()}


def days_of(store: Store) -> list[str]:
    """Return the day of each document; one that has none shares that of the one before it."""
    days: list[str] = []
    for place, when in enumerate(store.whens):
        if not any(store.whens):
            day = (FIRST_DAY + timedelta(place // OF_A_DAY)).isoformat()
        else:
            day = day_of(when) or (days[-1] if days else "")
        days.append(day)
    first = next((day for day in days if day), FIRST_DAY.isoformat())
    return [day or first for day in days]


def _note(store: Store, day: str, places: list[int]) -> Page:
    rows, lines, when = [f"# {day}", ""], [], ""
    for place in places:
        if store.whens[place] != when:
            when = store.whens[place]
            rows += ["", f"## {when}", ""]
        lines.append(len(rows) + 1)
        first, *rest = store.texts[place].strip().splitlines() or [""]
        rows += [f"- {first}", *(f"  {row}".rstrip() for row in rest)]
    return Page("\n".join(rows) + "\n", tuple(lines), tuple(places))


def _cells(store: Store) -> Page:
    day = FIRST_DAY.isoformat()
    blocks, lines, line = [], [], 1
    for place, text in enumerate(store.texts):
        gist, body = _parted(text)
        cell = Cell(f"FACT-{place + 1:04}", "items", gist, "live", since=day, seen=day, body=body)
        lines.append(line)
        blocks.append(print_cell(cell) + "\n")
        line += blocks[-1].count("\n")
    return Page("".join(blocks), tuple(lines), tuple(range(len(blocks))))


def _parted(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what a cell says in its one line, and the rest."""
    first, *rest = text.strip().splitlines() or ["-"]
    if len(first) > LONGEST_GIST:
        cut = first.rfind(" ", 0, LONGEST_GIST)
        cut = cut if cut > 0 else LONGEST_GIST
        first, rest = first[:cut], [first[cut:].strip(), *rest]
    return first, tuple(rest)


class Filed:
    """A store in files, indexed; the folder goes when it is closed."""

    def __init__(self, store: Store, *, words: bool = False) -> None:
        self.store = store
        self._folder = tempfile.TemporaryDirectory(prefix="mneme-bench-")
        self.root = Path(self._folder.name) / "memory"
        last = date.fromisoformat(max(days_of(store), default=FIRST_DAY.isoformat())) + timedelta(1)
        now = datetime(last.year, last.month, last.day, 9, tzinfo=UTC)
        init_workspace(str(self.root), now=lambda: now)
        if words:
            with (self.root / "mneme.toml").open("a", encoding="utf-8") as settings:
                settings.write(NO_WORDS)
        self._pages: dict[str, Page] = {}
        self.write(pages_of(store))
        self.memory = mneme.open(str(self.root), now=lambda: now)
        self.memory.index()
        listed = with_index(self.memory, lambda backend: backend.listed(ANY, MOST_PIECES))
        self._named = {one.record.id: self.place(one.record.path, one.record.line) for _, one in listed}

    def write(self, pages: Mapping[str, Page]) -> None:
        """Put files in their places, over what was there."""
        self._pages |= pages
        for path, page in pages.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(page.text, encoding="utf-8", errors="surrogatepass")

    def ask(self, question: str, k: int = 10, point: str = find.ASKED) -> Answer:
        """Ask as everybody asks; upkeep leaves no trace in the log."""
        return self.memory.recall(question, k=k, point=point, origin="upkeep")

    def order(self, answer: Answer) -> list[int]:
        """Return the documents that an answer names, best first: each hit, then what it was told to be the same as."""
        found: dict[int, None] = {}
        for hit in answer:
            found[self.place(hit.record.path, hit.record.line)] = None
            found |= {self._named[name]: None for name in hit.same if name in self._named}
        return [place for place in found if place >= 0]

    def place(self, path: str, line: int) -> int:
        """Return the document that lies on a line, or -1 for a file that is none of ours."""
        page = self._pages.get(path)
        return page.places[max(0, bisect_right(page.lines, line) - 1)] if page else -1

    def view(self, question: str, kept: Kept | None) -> tuple[View, list[int]]:
        """Return what is measured of a question's candidates, and which document each of them is."""

        def means(text: str) -> Meaning | None:
            if kept is None or not text.strip():
                return None
            whole, *parts = kept.embed_query([text, *parse_parts(text)])
            return Meaning(kept.name, whole, tuple(parts))

        request = find.Request(parse_question(question, literal=True), Standing(self.memory.today))
        view = with_index(self.memory, lambda backend: find.find_view(backend, request, means))
        return view, [self.place(one.outline.path, one.outline.line) for one in view.candidates]

    def close(self) -> None:
        """Let go of the folder."""
        self.memory.close()
        self._folder.cleanup()


@contextmanager
def weighed(weights: Mapping[str, Weights]) -> Iterator[None]:
    """Rank with these numbers instead of the shipped ones, in this process, for as long as it lasts."""
    before = rank.load_weights
    rank.load_weights = find.load_weights = lambda: weights
    try:
        yield
    finally:
        rank.load_weights = find.load_weights = before
