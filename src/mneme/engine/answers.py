"""An answer as bytes, for the way from the resident engine to whoever asked it; `parse_answer(print_answer(x)) == x`.

Light on purpose: whoever reads an answer need not load what found it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from mneme.errors import Problem
from mneme.formats.record import Link, Record
from mneme.recall.answer import Answer, Conflict, Hit

__all__ = ["ASKS", "OWN", "Answer", "parse_answer", "print_answer"]

# Who asks from our own command line, and what is asked: questions come to the desk of events, and are none.
OWN, ASKS = "mneme", "Recall"
# Raised with the shape of an answer: an engine that was started before an update is then not understood.
ANSWER_VERSION = 1


def print_answer(answer: Answer) -> bytes:
    """Return an answer as bytes."""
    return json.dumps({"version": ANSWER_VERSION, "answer": asdict(answer)}).encode()


def parse_answer(content: bytes) -> Answer | None:
    """Return the answer, or None where this is none, or one of another version."""
    try:
        told = json.loads(content)
        return _answer(told["answer"]) if told["version"] == ANSWER_VERSION else None
    except (ValueError, TypeError, KeyError):
        return None


def _answer(told: dict[str, Any]) -> Answer:
    more = {
        "hits": tuple(_hit(one) for one in told["hits"]),
        "problems": tuple(Problem(**one) for one in told["problems"]),
        "notices": tuple(told["notices"]),
        "window": tuple(told["window"]) if told["window"] else None,
    }
    return Answer(**{**told, **more})


def _hit(told: dict[str, Any]) -> Hit:
    more = {
        "record": _record(told["record"]),
        "why": tuple((name, value) for name, value in told["why"]),
        "same": tuple(told["same"]),
        "conflicts": tuple(Conflict(**one) for one in told["conflicts"]),
    }
    return Hit(**{**told, **more})


def _record(told: dict[str, Any]) -> Record:
    return Record(**{**told, "links": tuple(Link(**one) for one in told["links"])})
