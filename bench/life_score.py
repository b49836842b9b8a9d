"""What became of a year: scored from what was true and from how the files looked each night, and from nothing else.

`truth` is a file of facts, each with the versions it had and whether it mattered; `nights` a file with one line for
each night: what MEMORY.md said, which facts were asked for, how large the files were, how long it took. Nothing of what
made the year, and nothing of what lived it, is imported.
"""

from __future__ import annotations

import json
import re
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ALIKE = 0.7
FLAT_FROM = 30
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
_TAIL = re.compile(r"\s*(?:\(\d{4}-\d\d-\d\d, [^()]*\)\s*)?<!--.*?-->|\s*\[score=[^\]]*\]$")


def score(truth: Path, nights: Path) -> dict[str, Any]:
    """Return the figures of a year."""
    facts = json.loads(truth.read_text(encoding="utf-8"))["facts"]
    rows = [json.loads(line) for line in nights.read_text(encoding="utf-8").splitlines()]
    judge = _Judge(facts)
    promoted: dict[str, int] = {}
    noise = standing = stale = answered = over = twice = 0
    for before, row in zip([{"promoted": []}, *rows[:-1]], rows, strict=True):
        for line in row["promoted"]:
            promoted.setdefault(_said(line), judge.fact_of(line))
        noise += sum(judge.fact_of(line) < 0 for line in row["promoted"])
        standing += len(row["promoted"])
        twice += judge.said_twice(row["promoted"])
        over += any(size > most for size, most in row["sizes"].values())
        for asked in row["asked"]:
            told = [line for line in before["promoted"] if judge.is_about(line, asked)]
            answered += bool(told)
            stale += any(judge.is_outdated(line, asked, row["day"]) for line in told)
    mattering = {fact["id"] for fact in facts if fact["matters"]}
    kept = {fact for fact in promoted.values() if fact in mattering}
    last = rows[-1]["promoted"]
    seconds = [row["seconds"] for row in rows]
    early = seconds[FLAT_FROM : FLAT_FROM * 2] or seconds
    return {
        "nights": len(rows),
        "promoted": len(promoted),
        "precision": _share(sum(fact in mattering for fact in promoted.values()), len(promoted)),
        "recall": _share(len(kept), len(mattering)),
        "noise_share": _share(noise, standing),
        "said_twice_share": _share(twice, standing),
        "noise_at_end": _share(sum(judge.fact_of(line) < 0 for line in last), len(last)),
        "stale_share": _share(stale, answered),
        "answered_from_memory": answered,
        "nights_over_budget": over,
        "memory_lines_at_end": rows[-1]["sizes"]["memory_lines"][0],
        "memory_chars_at_end": rows[-1]["sizes"]["memory_chars"][0],
        "nights_not_idle_again": sum(not row["same_again"] for row in rows),
        "cpu_seconds_a_night": {
            "median": round(median(seconds), 4),
            "from_30": round(median(early), 4),
            "last_30": round(median(seconds[-FLAT_FROM:]), 4),
            "growth": round(median(seconds[-FLAT_FROM:]) / median(early), 2),
        },
    }


class _Judge:
    """Knows which fact a line of MEMORY.md is about, and which version of it."""

    def __init__(self, facts: list[dict[str, Any]]) -> None:
        self.facts = {fact["id"]: fact for fact in facts}
        self.words = {
            (fact["id"], number, way): _words(text)
            for fact in facts
            for number, version in enumerate(fact["versions"])
            for way, text in enumerate([version["text"], *version.get("again", ())])
        }
        self.known: dict[str, tuple[int, int]] = {}

    def fact_of(self, line: str) -> int:
        """Return the id of the mattering fact that a line states; -1 for anything else, which is noise."""
        fact = self._version(line)[0]
        return fact if fact >= 0 and self.facts[fact]["matters"] else -1

    def said_twice(self, lines: list[str]) -> int:
        """Return how many lines state what another line states as well, neither of them marked as outdated."""
        current = [line for line in lines if "superseded by" not in line and "stale since" not in line]
        known = [self._version(line) for line in current if self.fact_of(line) >= 0]
        return len(known) - len(set(known))

    def is_about(self, line: str, fact: int) -> bool:
        """Say whether a line states some version of a fact."""
        return self._version(line)[0] == fact

    def is_outdated(self, line: str, fact: int, day: str) -> bool:
        """Say whether a line gives as current what was true before and is not true on a day."""
        if "superseded by" in line or "stale since" in line:
            return False
        versions = self.facts[fact]["versions"]
        # What changed today may be told tomorrow: the note is a day old at the most.
        current = max((number for number, version in enumerate(versions) if version["day"] < day), default=0)
        return self._version(line)[1] < current

    def _version(self, line: str) -> tuple[int, int]:
        said = _said(line)
        if said not in self.known:
            words = _words(said)
            # What turned and turned back says again what it said first: then it is the latest that is meant.
            best = max(self.words, key=lambda each: (_likeness(words, self.words[each]), each[1]), default=(-1, 0, 0))
            meant = best[0] >= 0 and _likeness(words, self.words[best]) >= ALIKE
            self.known[said] = best[:2] if meant else (-1, 0)
        return self.known[said]


def _said(line: str) -> str:
    return _TAIL.sub("", line.strip()).removeprefix("- ").strip()


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _likeness(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / max(1, len(one | two))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
