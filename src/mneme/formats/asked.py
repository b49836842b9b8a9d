"""The questions that were asked lately, in words: one JSON line each, so that a night can ask them again.

The recall log knows a question by its hash alone; this short list is what memory is tried by before a night changes it.
It is machine state like the index, keeps a few hundred lines at most, and holds no secret.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTIONS = "questions.jsonl"
LONGEST_QUESTION = 300
KEPT_LINES = 400
RECENT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and when somebody asked it."""

    at: str
    text: str


def print_asked(asked: Asked) -> str:
    """Return a question as its line."""
    return json.dumps({"at": asked.at, "question": asked.text}, ensure_ascii=False)


def parse_asked(text: str) -> Iterator[Asked]:
    """Yield the questions of the list, in order; what is no whole line of it is passed over."""
    for line in text.split("\n"):
        try:
            read = json.loads(line)
            yield Asked(str(read["at"]), str(read["question"]))
        except (ValueError, KeyError, TypeError):
            continue


def recent(questions: Iterator[Asked], today: date, most: int) -> list[str]:
    """Return the last different questions of the last weeks, the latest first."""
    since = (today - timedelta(days=RECENT_DAYS)).isoformat()
    latest = sorted((one for one in questions if one.at[:10] >= since), key=lambda one: one.at, reverse=True)
    words = {" ".join(one.text.split()).lower(): one.text for one in reversed(latest)}
    return list(reversed(list(words.values())))[:most] if words else []
