"""What OpenClaw makes of what its two searches find: one score, what is too much alike set back, and what fits is told."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HITS, LEAST_SCORE, CANDIDATES_PER_HIT, MOST_CANDIDATES = 6, 0.35, 4, 200
BY_MEANING, BY_WORDS = 0.7, 0.3
SNIPPET_CHARS = 700
DIVERSITY, HALF_LIFE_DAYS = 0.7, 30.0
NO_RANK = 0.001
COVERED, DENSE, IN_PATH, MOST_LENGTH, LONG_TEXT = 0.45, 0.2, 0.18, 0.18, 160

_TOKEN = re.compile(r"\w+")
_PLAIN = re.compile(r"[a-z0-9_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u1100-\u11ff]")
_DAY = re.compile(r"(?:^|/)memory/(\d{4}-\d{2}-\d{2})\.md$")


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch that a search found: `words` and `meaning` are what each search gives it, `score` what both come to."""

    path: str
    line: int
    end_line: int
    snippet: str
    words: float = 0.0
    meaning: float = 0.0
    score: float = 0.0

    @property
    def citation(self) -> str:
        """Return where it stands, as it is cited."""
        return f"{self.path}#L{self.line}" + (f"-L{self.end_line}" if self.end_line != self.line else "")

    def as_json(self) -> dict[str, object]:
        """Return it as the tool of that host gives it."""
        lines = {"startLine": self.line, "endLine": self.end_line}
        rest = {"score": round(self.score or self.words, 6), "snippet": cited(self), "source": "memory"}
        return {"path": self.path, **lines, **rest, "citation": self.citation}

    @property
    def place(self) -> tuple[str, int, int]:
        """Return what tells it from others."""
        return self.path, self.line, self.end_line


def match_words(query: str) -> str | None:
    """Return a query as the full-text index takes it: every word, quoted, all of them; None where there is none."""
    words = [f'"{word}"' for word in _TOKEN.findall(query)]
    return " AND ".join(words) or None


def rank_score(rank: float) -> float:
    """Return the score of a rank as SQLite's bm25 gives it, which is below zero for what fits."""
    if not math.isfinite(rank):
        return NO_RANK
    return -rank / (1 - rank) if rank < 0 else 1 / (1 + rank)


def merged(
    meaning: Iterable[Found], words: Iterable[Found], by_meaning: float = BY_MEANING, by_words: float = BY_WORDS
) -> list[Found]:
    """Put what both searches found together, best first; of what both found the snippet of the search by words stays."""
    total = by_meaning + by_words
    one, two = (by_meaning / total, by_words / total) if total > 0 else (0.0, 0.0)
    found = {each.place: each for each in meaning}
    for each in words:
        known = found.get(each.place)
        found[each.place] = replace(known, words=each.words, snippet=each.snippet or known.snippet) if known else each
    scored = [replace(each, score=one * each.meaning + two * each.words) for each in found.values()]
    return sorted(scored, key=lambda each: -each.score)


def decayed(found: Found, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> Found:
    """Return what was found with its score worn by the age of its day's note; what is of no day keeps it."""
    day = _DAY.search(found.path.replace("\\", "/"))
    if not day or half_life_days <= 0:
        return found
    try:
        then = datetime.combine(date.fromisoformat(day[1]), datetime.min.time(), UTC)
    except ValueError:
        return found
    age = max(0.0, (now - then).total_seconds() / 86_400)
    return replace(found, score=found.score * math.exp(-math.log(2) / half_life_days * age))


def tokens_of(text: str) -> frozenset[str]:
    """Return the words of a text as likeness is told by them; of wide writing each character and each pair."""
    lower = text.lower().strip()
    wide = [bool(_WIDE.match(char)) for char in lower]
    pairs = (lower[at : at + 2] for at in range(len(lower) - 1) if wide[at] and wide[at + 1])
    alone = (char for char, is_wide in zip(lower, wide, strict=True) if is_wide)
    return frozenset([*_PLAIN.findall(lower), *pairs, *alone])


def likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Return the share of words that two texts have in common."""
    return len(one & two) / len(one | two) if one | two else 1.0


def marginal(relevance: float, likest: float, share: float = DIVERSITY) -> float:
    """Return what a hit is worth beside those that were chosen before it."""
    return share * relevance - (1 - share) * likest


def diverse(found: Sequence[Found], share: float = DIVERSITY) -> list[Found]:
    """Return hits in the order in which each adds most to those before it."""
    share = max(0.0, min(1.0, share))
    if share == 1 or len(found) < 2:  # noqa: PLR2004 - one hit is like nothing else
        return sorted(found, key=lambda each: -each.score)
    scores = [each.score for each in found]
    low, spread = min(scores), max(scores) - min(scores)
    words = {at: tokens_of(each.snippet) for at, each in enumerate(found)}
    left, chosen = list(range(len(found))), list[int]()

    def worth(at: int) -> tuple[float, float]:
        likest = max((likeness(words[at], words[other]) for other in chosen), default=0.0)
        return marginal((found[at].score - low) / spread if spread else 1.0, likest, share), found[at].score

    while left:
        best = max(left, key=worth)
        chosen.append(best)
        left.remove(best)
    return [found[at] for at in chosen]


def by_words_alone(query: Sequence[str], found: Found) -> float:
    """Return the score of a hit where nothing is known of meaning: how much of the query it holds, and where."""
    asked, said = list(dict.fromkeys(query)), set(_TOKEN.findall(found.snippet.lower()))
    if not asked:
        return found.words
    shared = sum(word in said for word in asked)
    path = sum(word in found.path.lower() for word in asked)
    length = min(len(found.snippet) / LONG_TEXT, MOST_LENGTH)
    more = COVERED * shared / len(asked) + DENSE * shared / max(len(said), 1) + IN_PATH * path + length
    return min(1.0, found.words + more)


def sure_enough(found: Sequence[Found], least: float = LEAST_SCORE, by_words: float = BY_WORDS) -> list[Found]:
    """Return the hits that reach a score; where none does, those that hold the words and reach what words alone give."""
    sure = [one for one in found if one.score >= least]
    lower = min(least, by_words)
    return sure or [one for one in found if one.words > 0 and one.score >= lower]


def cited(found: Found) -> str:
    """Return a snippet with its source under it."""
    return f"{found.snippet.strip()}\n\nSource: {found.citation}"


def clamped(snippets: Sequence[str], most_chars: int) -> list[str]:
    """Return the first snippets that fit into so many characters, the last one cut; all of them without a limit."""
    if most_chars <= 0:
        return list(snippets)
    kept: list[str] = []
    for one in snippets:
        if most_chars <= 0:
            break
        kept.append(one[:most_chars])
        most_chars -= len(one)
    return kept
