"""Chinese text -> English words in Chinese order, so that a question in one language meets a note in the other.

Not a translation: each run of Han characters is cut into the fewest words that the dictionary has, and each word
gives way to its first meaning. An English model places the result near the English sentence. Text without Han
characters passes untouched. The dictionary is one file, opened when the first Han character is met.
"""

from __future__ import annotations

import mmap
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002a6df]+")
LONGEST_WORD = 8
LONGEST_RUN = 2000  # cutting is linear, yet a megabyte without a full stop is still read in bounded time
# Particles: they hold a sentence together, and each has a noun among its meanings that the sentence is not about.
PARTICLES = frozenset("的了是在把被吗呢吧啊着过得地就也都还很")
_STOPS = str.maketrans({"？": "? ", "，": ", ", "。": ". ", "、": ", ", "！": "! ", "：": ": ", "；": "; "})


class Glosses:
    """A Chinese-English dictionary of one meaning a word; `print_glosses` of the build wrote it.

    Each line holds the words that begin with one character: that character, then `rest=meaning` for each of them,
    with tabs between. Lines are in the order of their bytes, and taken apart when their character is met.
    """

    __slots__ = ("_file", "_path", "_words")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: mmap.mmap | None = None
        self._words: dict[str, dict[str, str]] = {}

    def in_english(self, text: str) -> str:
        """Return a text whose Han characters are replaced by what they mean, word for word."""
        if text.isascii() or not HAN.search(text):
            return text
        return " ".join(HAN.sub(self._meaning, text).translate(_STOPS).split())

    def _meaning(self, run: re.Match[str]) -> str:
        meanings = (self._get(word) for word in self.words(run[0][:LONGEST_RUN]) if word not in PARTICLES)
        return f" {' '.join(meaning for meaning in meanings if meaning)} "

    def words(self, run: str) -> list[str]:
        """Cut a run of Han characters into the fewest words; of two such cuts, the one with the longer words."""
        best: list[tuple[int, int, int]] = [(0, 0, 0)]
        best.extend((len(run) + 1, 0, 0) for _ in run)
        for start in range(len(run)):
            count, evenness, _ = best[start]
            for end in self._ends(run, start):
                cut = (count + 1, evenness - (end - start) ** 2, start)
                best[end] = min(best[end], cut)
        cuts: list[str] = []
        end = len(run)
        while end:
            start = best[end][2]
            cuts.append(run[start:end])
            end = start
        return cuts[::-1]

    def _ends(self, run: str, start: int) -> Iterator[int]:
        yield start + 1
        beginning = self._beginning(run[start])
        for end in range(start + 2, min(len(run), start + LONGEST_WORD) + 1):
            if run[start + 1 : end] in beginning:
                yield end

    def _get(self, word: str) -> str:
        return self._beginning(word[0]).get(word[1:], "")

    def _beginning(self, first: str) -> dict[str, str]:
        words = self._words.get(first)
        if words is None:
            pairs = (entry.partition("=") for entry in self._line(first).split("\t") if entry)
            words = self._words[first] = {rest: meaning for rest, _, meaning in pairs}
        return words

    def _line(self, first: str) -> str:
        """Return what follows a character on its line: a search by halves, for the lines are in order."""
        file = self._file = self._file or _mapped(self._path)
        wanted = first.encode("utf-8")
        low, high = 0, len(file)
        while low < high:
            middle = (low + high) // 2
            start, end = file.rfind(b"\n", low, middle) + 1 or low, file.find(b"\n", middle)
            begins, _, rest = file[start:end].partition(b"\t")
            if begins == wanted:
                return rest.decode("utf-8")
            low, high = (end + 1, high) if begins < wanted else (low, start)
        return ""


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
