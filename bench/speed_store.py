"""A workspace of as many records as are wanted, as real files, the same every time; prints nothing when run.

Words are English, as common as their rank says, and make no sense together. Half of the records are cells, half are
entries of days' notes, a hundred to a file.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from datetime import date, timedelta
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PER_FILE = 100
LAST_DAY = date(2026, 1, 31)
_SETTINGS = 'profile = "default"\n'


class Language:
    """Words by how common they are, and sentences of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - it need not be secret
        words = (files("mneme.index") / "model/vocab.txt").read_text("utf-8").split()
        self.words = [word for word in words if len(word) > 1 and word.isascii() and word.isalpha()]
        self._sums = list(accumulate(1 / (place + 8) for place in range(len(self.words))))

    def word(self) -> str:
        """Return a word, the common ones more often."""
        return self.words[bisect_left(self._sums, self.random.random() * self._sums[-1])]

    def sentence(self, length: int) -> str:
        """Return so many words as a sentence."""
        return " ".join(self.word() for _ in range(length)).capitalize()


def write_workspace(root: Path, records: int, *, per_file: int = PER_FILE, seed: int = 1) -> None:
    """Write a workspace with so many records."""
    language = Language(seed)
    (root / "memory").mkdir(parents=True)
    (root / "mneme.toml").write_text(_SETTINGS, "utf-8")
    for number, first in enumerate(range(0, records, per_file)):
        count = min(per_file, records - first)
        name, lines = _cells(language, number, first, count) if number % 2 else _day(language, number, count)
        place = root / "memory" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(lines), "utf-8")


def questions(records: int, count: int, *, seed: int = 1) -> list[str]:
    """Return questions, each a handful of words of which some are rare, in the language of the workspace."""
    language = Language(seed)
    language.random.seed(records + 1)
    return [f"what about {language.sentence(6).lower()}?" for _ in range(count)]


def _cells(language: Language, number: int, first: int, count: int) -> tuple[str, Iterator[str]]:
    def lines() -> Iterator[str]:
        for place in range(count):
            topic = f"area{number % 40}/topic{place % 7}"
            yield f"@FACT-{first + place:06} {topic}\ngist  {language.sentence(12)}\n"
            yield f"cue   {language.word()} / {language.word()}\n"
            yield "state live  conf med  since 2026-01-02  seen 2026-01-20\n"
            yield f"> {language.sentence(10)}\n\n"

    return f"part{number % 50}/cells{number}.mneme", lines()


def _day(language: Language, number: int, count: int) -> tuple[str, Iterator[str]]:
    def lines() -> Iterator[str]:
        yield f"# {day}\n\n"
        for place in range(count):
            if place % 20 == 0:
                yield f"## {language.sentence(2)}\n\n"
            yield f"- {language.sentence(18)}\n"

    day = (LAST_DAY - timedelta(number // 2)).isoformat()
    return f"{day}.md", lines()
