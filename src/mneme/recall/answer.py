"""What a recall comes back with: hits in order, how sure they are, and how far the index was behind the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.errors import Problem
    from mneme.formats.record import Record

# The two operating points: what somebody asked for is answered generously, what nobody asked for must be worth it.
ASKED, INJECTION = "asked", "injection"
POINTS = (ASKED, INJECTION)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another hit that says otherwise: which, in what, and whether this one wins over it."""

    id: str
    what: str
    wins: bool
    by: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the conflict's JSON form."""
        return {"id": self.id, "what": self.what, "wins": self.wins, "by": self.by}


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that a recall found: the chance that it is relevant, what it may be used for, and why it is here.

    `why` are named terms of log-odds; they sum to `log_odds`, whose sigmoid is `score`. `same` are ids of records that
    say nearly the same and were left out for it. A text that was cut to a budget is `cut`.
    """

    record: Record
    score: float
    trust: str
    log_odds: float = 0.0
    why: tuple[tuple[str, float], ...] = ()
    title: str = ""
    topic: str = ""
    note: str = ""
    same: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False

    @property
    def id(self) -> str:
        """The record's id."""
        return self.record.id

    @property
    def text(self) -> str:
        """What the record says."""
        return self.record.text

    @property
    def source(self) -> str:
        """Where it lies, as `path:line` or `path:line-end`."""
        record = self.record
        end = f"-{record.end_line}" if record.end_line > record.line else ""
        return f"{record.path}:{record.line}{end}" if record.line else record.path

    @property
    def reasons(self) -> tuple[tuple[str, float, str], ...]:
        """Why it is here: each term with its log-odds, and what it says in words."""
        from mneme.recall.why import in_words  # only where somebody asks

        return tuple((name, value, in_words(name)) for name, value in self.why)

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form: the record's, with score, trust and why; the rest where there is any."""
        more: dict[str, object] = {
            "title": self.title,
            "note": self.note,
            "same": list(self.same),
            "conflicts": [one.as_json() for one in self.conflicts],
            "cut": self.cut,
        }
        return {
            **self.record.as_json(),
            "score": round(self.score, 6),
            "trust": self.trust,
            "why": [{"term": name, "log_odds": round(value, 6)} for name, value in self.why],
            **{name: value for name, value in more.items() if value},
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of one recall, best first; none when nothing in memory is about the question.

    `certain` says that the best hit would do at the strict point as well. `by` is what found them, `words` or
    `words and meaning`, and `because` why meaning had no part in it. `window` are the days that the question is about.
    """

    hits: tuple[Hit, ...] = ()
    certain: bool = False
    by: str = "words"
    because: str = ""
    window: tuple[str, str] | None = None
    fresh: bool = True
    behind_files: int = 0
    unembedded: int = 0
    notices: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:
        return bool(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    @property
    def state(self) -> dict[str, object]:
        """What stands beside the records in the JSON envelope."""
        return {
            "certain": self.certain,
            "by": self.by,
            "because": self.because,
            "window": list(self.window) if self.window else None,
            "fresh": self.fresh,
            "behind_files": self.behind_files,
            "unembedded": self.unembedded,
        }
