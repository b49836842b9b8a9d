"""Whether something is remembered already, as a memory of any kind: asked before a new one is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine import results
from mneme.profiles.profile import ITEMS
from mneme.workspace import CELL_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mneme.engine.memory import Memory
    from mneme.formats.record import Record

# What is logged, planned or drawn by programs is no home of a durable memory, so nothing there is a twin of one.
_NO_HOMES = frozenset({"day", "buffer", "dream", "palace", "report", "reminder", "index"})
_WORD = re.compile(r"[a-z0-9]{3,}|[\u3400-\u9fff]{2}")
_STEM_CHARS = 5
_SHARE = 2


def find_twin(
    memory: Memory, text: str, topic: str, contents: Mapping[str, bytes], *, about: str = ""
) -> results.Done | None:
    """Return what to answer where a memory that means the same is there already; cells are read by the caller.

    What is said `about` an entity, whose facts lie at this path, is no twin of what is said about another.
    """
    from mneme.check.known import EXISTS

    found = [*_among_cells(memory, text, topic, contents), *_among_notes(memory, text, topic, about)]
    best = min(found, key=lambda one: one[0] != EXISTS, default=None)
    if best is None:
        return None
    verdict, record = best
    return results.Done((record,), status=verdict, paths=(record.path,))


def _among_cells(memory: Memory, text: str, topic: str, contents: Mapping[str, bytes]) -> Iterable[tuple[str, Record]]:
    from mneme.check.known import NEW, duplicate_in_bytes
    from mneme.formats.spine import cell_record
    from mneme.memory.cells.proposals import PATH

    for path, content in contents.items():
        if path == PATH:  # what waits for a word is not remembered yet
            continue
        verdict, cell = duplicate_in_bytes(text, topic, content)
        if verdict != NEW and cell is not None:
            record = cell_record(cell, path)
            if not memory.shared or (cell.audience or memory.workspace.audience_of(path)) == "shared":
                yield verdict, record


def _among_notes(memory: Memory, text: str, topic: str, about: str) -> Iterable[tuple[str, Record]]:
    """Yield what the nearest memory of each note and file of facts is; files without its words are not cut up."""
    from mneme.check.asked import claims_of
    from mneme.check.known import NEW, duplicate_of
    from mneme.memory import read_pieces

    words = _needles(text)
    for path in _homes(memory):
        if about and path != about and path.endswith(ITEMS):
            continue
        content = files.find_file(files.place_of(memory.root, path))
        if content is None or not _shares(content, words):
            continue
        pieces = [piece for piece in read_pieces(memory.workspace, path, content) if memory.sees(piece.record)]
        verdict, claim = duplicate_of(text, topic, claims_of(pieces))
        if verdict != NEW and claim is not None:
            yield verdict, next(piece.record for piece in pieces if piece.record.id == claim.id)


def _homes(memory: Memory) -> Iterable[str]:
    from mneme.memory import all_paths

    profile = memory.workspace.profile
    for path in all_paths(memory.workspace):
        if path.endswith(CELL_SUFFIXES) or profile.is_archived(path) or profile.kind_of(path) in _NO_HOMES:
            continue
        yield path


def _needles(text: str) -> list[bytes]:
    """Return the beginnings of a text's words: what a text that says the same has most of."""
    words = _WORD.findall(text.lower())
    return [word[:_STEM_CHARS].encode() for word in dict.fromkeys(words)]


def _shares(content: bytes, words: list[bytes]) -> bool:
    if not words:
        return True
    low = content.lower()
    return sum(word in low for word in words) * _SHARE >= len(words)
