"""What keeps Active Memory from being a burden: answers kept for a moment, and a pause after too many that were late.

Kept in the process that answers, and nowhere else; time is given, in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

MOST_KEPT = 1000
OK, EMPTY, TIMEOUT, UNAVAILABLE, SKIPPED = "ok", "empty", "timeout", "unavailable", "skipped"
_KEPT_STATES = frozenset({OK, EMPTY})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one turn: how it went, what was said, and how long it took."""

    status: str
    summary: str = ""
    elapsed_ms: int = 0
    mode: str = ""
    because: str = ""
    hits: int = 0
    cached: bool = False
    meaning: str = ""

    @property
    def line(self) -> str:
        """Return the status line that is shown after an answer, where somebody asks for it."""
        took = (
            f"{self.elapsed_ms}ms"
            if self.elapsed_ms < _SECOND_MS
            else f"{self.elapsed_ms / _SECOND_MS:.1f}".removesuffix(".0") + "s"
        )
        more = f" summary={len(self.summary)} chars" if self.summary else ""
        why = f" ({self.because})" if self.because else ""
        return (
            f"\U0001f9e9 Active Memory: status={self.status} elapsed={took} query={self.mode}{more}{why}"
            + " cached" * self.cached
        )

    @property
    def debug_line(self) -> str:
        """Return the second line, which says how it came to that."""
        mode = "words" if self.meaning else "words+meaning"
        why = f" fallback={self.meaning}" if self.meaning else ""
        said = self.summary or self.because or "nothing"
        line = f"backend=mneme effectiveMode={mode}{why} searchMs={self.elapsed_ms} hits={self.hits} | {said}"
        return f"\U0001f50e Active Memory Debug: {' '.join(line.split())[:300]}"


_SECOND_MS = 1000


@dataclass(slots=True)
class Keeper:
    """The answers of the last moments by session and question, and how many in a row were late, by agent."""

    answers: dict[str, tuple[int, str, Outcome]] = field(default_factory=dict)
    late: dict[str, tuple[int, int]] = field(default_factory=dict)

    def find(self, session: str, question: str, now_ms: int, keep_ms: int, turn: str = "") -> Outcome | None:
        """Return the answer to the same question in the same session, if it is young enough or of the same turn."""
        at, of_turn, outcome = self.answers.get(_key(session, question), (0, "", None))
        is_young = 0 <= now_ms - at < keep_ms or (bool(turn) and turn == of_turn)
        return outcome if outcome is not None and is_young else None

    def keep(self, session: str, question: str, outcome: Outcome, now_ms: int, turn: str = "") -> None:
        """Keep an answer; one that was late or could not be had is never kept. The oldest go when there are too many."""
        if outcome.status in _KEPT_STATES:
            self.answers[_key(session, question)] = (now_ms, turn, outcome)
            while len(self.answers) > MOST_KEPT:
                del self.answers[min(self.answers, key=lambda key: self.answers[key][0])]

    def is_open(self, agent: str, now_ms: int, most: int, cooldown_ms: int) -> bool:
        """Say whether an agent's recalls rest, because too many in a row were late; after the pause one is let through."""
        count, last = self.late.get(agent, (0, 0))
        return count >= most and 0 <= now_ms - last < cooldown_ms

    def told(self, agent: str, outcome: Outcome, now_ms: int) -> None:
        """Count an outcome: one that was late adds up, any other begins again."""
        if outcome.status == TIMEOUT:
            self.late[agent] = (self.late.get(agent, (0, 0))[0] + 1, now_ms)
        else:
            self.late.pop(agent, None)


def _key(session: str, question: str) -> str:
    return sha256(f"{session}\0{question}".encode("utf-8", "surrogatepass")).hexdigest()
