"""Search for hosts that count recalls in OpenClaw's scoring: the stretches and the scores that OpenClaw itself gives.

Only Markdown memory is searched, as there; the recall log takes down which stretches came out. Vectors come from the
workspace's embedder where it has one, as far as the time for a question reaches; else words decide alone.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from mneme import files
from mneme.recall.published.passages import cut_passages
from mneme.recall.published.ranking import (
    CANDIDATES_PER_HIT,
    HITS,
    LEAST_SCORE,
    MOST_CANDIDATES,
    SNIPPET_CHARS,
    Found,
    by_words_alone,
    cited,
    clamped,
    match_words,
    merged,
    rank_score,
    sure_enough,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.memory import Memory
    from mneme.engine.reading import Excerpt
    from mneme.index.embed import Embedder

SCORING = "openclaw"
MOST_KEPT_VECTORS = 20_000
MOST_AT_ONCE = 64
MOST_TOLD_CHARS = 12_000  # what does not fit into an answer is not shown, and so not counted
_vectors: dict[tuple[str, str], bytes] = {}


def searches_as_openclaw(memory: Memory) -> bool:
    """Say whether this workspace counts as OpenClaw does; a shared context is answered by recall, which tells what is whose."""
    return memory.workspace.settings["dream.scoring"] == SCORING and not memory.shared


def citation(path: str, line: int, end_line: int) -> str:
    """Return where something stands, as it is cited there."""
    return Found(path, line, end_line, "").citation


def going_on(excerpt: Excerpt) -> str:
    """Return what stands under an excerpt that is not all there is; nothing under one that is."""
    if not excerpt.truncated:
        return ""
    more = f"Use from={excerpt.next_line} to continue." if excerpt.next_line else "The line is longer than an excerpt."
    return f"\n\n[More content available. {more}]"


def search_as_openclaw(memory: Memory, query: str, k: int = HITS, least: float | None = None) -> list[Found]:
    """Return the stretches of memory that answer a query, best first, as many as an answer holds, and take these down."""
    from mneme.engine.recalling import log_places

    match = match_words(query)
    if match is None:
        return []
    passages = _passages(memory)
    most = min(MOST_CANDIDATES, k * CANDIDATES_PER_HIT)
    meaning = _by_meaning(memory, query, passages, most)
    words = _by_words(passages, query, match, most, alone=meaning is None)
    if meaning is None:
        found = sorted(words, key=lambda one: -one.words)[:k]
    else:
        found = sure_enough(merged(meaning, words), LEAST_SCORE if least is None else least)[:k]
    found = found[: len(clamped([cited(one) for one in found], MOST_TOLD_CHARS))]
    log_places(memory, query, [(*one.place, one.words if meaning is None else one.score) for one in found])
    return found


def _passages(memory: Memory) -> list[Found]:
    found = []
    known = {memory.workspace.profile.places.memory, "memory.md"}
    for path in memory.workspace.note_files():
        if path not in known and not path.startswith("memory/"):
            continue
        content = files.find_file(files.place_of(memory.root, path))
        text = (content or b"").decode("utf-8", "replace")
        found += [Found(path, one.line, one.end_line, one.text) for one in cut_passages(text) if one.text.strip()]
    return found


def _by_words(passages: Sequence[Found], query: str, match: str, most: int, *, alone: bool) -> list[Found]:
    """Return what holds all words; where nothing is known of meaning and nothing does, what holds any of them."""
    from mneme.index.passages import ranked_passages

    asked = re.findall(r"\w+", query.lower())
    texts = [one.snippet for one in passages]
    (rows,) = ranked_passages(texts, [match], most)
    if alone and not rows:
        each = ranked_passages(texts, [f'"{word}"' for word in dict.fromkeys(asked)], most)
        best = {place: rank for ranks in each for place, rank in sorted(ranks, key=lambda row: -row[1])}
        rows = sorted(best.items(), key=lambda row: row[1])[:most]
    found = [_scored(passages[place], words=rank_score(rank)) for place, rank in rows]
    return [_scored(one, words=by_words_alone(asked, one)) for one in found] if alone else found


def _by_meaning(memory: Memory, query: str, passages: Sequence[Found], most: int) -> list[Found] | None:
    from mneme.engine.indexing import chosen_embedder

    embedder, _ = chosen_embedder(memory)
    if embedder is None:
        return None
    deadline = time.monotonic() + int(memory.workspace.settings["index.budget_ms"]) / 1000
    _embed(embedder, [one.snippet for one in passages], deadline)
    (asked,) = embedder.embed_query([query])
    scored = [
        _scored(one, meaning=_cosine(asked, vector))
        for one in passages
        if (vector := _vectors.get((embedder.name, one.snippet))) is not None
    ]
    return sorted(scored, key=lambda one: -one.meaning)[:most]


def _embed(embedder: Embedder, texts: Sequence[str], deadline: float) -> None:
    """Make the vectors that are missing, the newest first, as far as the time reaches; the rest come with later queries."""
    missing = [text for text in reversed(texts) if (embedder.name, text) not in _vectors]
    if len(_vectors) > MOST_KEPT_VECTORS:
        _vectors.clear()
    for at in range(0, len(missing), MOST_AT_ONCE):
        if time.monotonic() > deadline:
            return
        some = missing[at : at + MOST_AT_ONCE]
        _vectors.update(zip([(embedder.name, text) for text in some], embedder.embed_documents(some), strict=True))


def _cosine(one: bytes, two: bytes) -> float:
    from array import array

    left, right = array("f", one), array("f", two)
    return sum(a * b for a, b in zip(left, right, strict=True))


def _scored(one: Found, *, words: float = 0.0, meaning: float = 0.0) -> Found:
    return Found(
        one.path, one.line, one.end_line, one.snippet[:SNIPPET_CHARS] if words else one.snippet, words, meaning
    )
