"""What the engine's verbs answer with: values that know their JSON form and their line, and hold nothing open."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mneme.errors import ERROR, EXIT_CLEAN, EXIT_PROBLEMS, INFO, WARN, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.files import Entry, Forgotten, Step
    from mneme.formats.record import Record

WRITTEN, EXISTS, PROBABLE, NEW, UNCHANGED, DRY_RUN = "written", "exists", "probable", "new", "unchanged", "dry-run"


@dataclass(frozen=True, slots=True)
class Done:
    """What a writing verb did: the records it is about, the plan's number, or the diff of what it would do."""

    records: tuple[Record, ...] = ()
    n: int = 0
    paths: tuple[str, ...] = ()
    status: str = WRITTEN
    diff: str = ""
    problems: tuple[Problem, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, and how much it looked at."""

    problems: tuple[Problem, ...]
    cells: int

    @property
    def exit_code(self) -> int:
        """1 if anything is an error, else 0."""
        return EXIT_PROBLEMS if any(problem.severity == ERROR for problem in self.problems) else EXIT_CLEAN

    @property
    def summary(self) -> str:
        """The line that counts: cells, errors, warnings, notes."""
        named = ((ERROR, "error"), (WARN, "warning"), (INFO, "note"))
        severities = [problem.severity for problem in self.problems]
        counts = [(self.cells, "cell"), *((severities.count(severity), name) for severity, name in named)]
        return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts)


@dataclass(frozen=True, slots=True)
class Checked(Report):
    """What the check of everything found, how much it looked at, and what it mended."""

    notes: int = 0
    facts: int = 0
    done: Done | None = None

    @property
    def summary(self) -> str:
        """The line that counts: what was looked at, then errors, warnings, remarks."""
        kinds = ((self.cells, "cell"), (self.notes, "note"), (self.facts, "fact"))
        looked = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in kinds if count]
        named = ((ERROR, "error"), (WARN, "warning"), (INFO, "remark"))
        severities = [problem.severity for problem in self.problems]
        counts = [(severities.count(severity), name) for severity, name in named]
        told = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts]
        return f"{', '.join(looked) or 'nothing to check'}: {', '.join(told)}"


@dataclass(frozen=True, slots=True)
class Gone:
    """The report of what was forgotten, or the diff of what would be."""

    report: Forgotten | None = None
    diff: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the report's JSON form."""
        return (self.report.as_json() if self.report else {}) | {"diff": self.diff}

    def __str__(self) -> str:
        return str(self.report or "")


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing the index up to date came to; `because` says why there are no vectors, where there are none."""

    files: int
    read: int
    dropped: int
    pieces: int
    embedder: str = ""
    unembedded: int = 0
    because: str = ""
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the JSON form, which stands beside the problems."""
        return {name: value for name, value in asdict(self).items() if name not in ("problems", "notices")}

    def __str__(self) -> str:
        read = f"{self.read} read, {self.dropped} gone" if self.read or self.dropped else "nothing has changed"
        vectors = f"vectors by {self.embedder}" if self.embedder else f"by words alone: {self.because}"
        return f"{self.pieces} memories in {self.files} files, {read}; {vectors}"


@dataclass(frozen=True, slots=True)
class Beside:
    """A record that lies beside another one, and how."""

    record: Record
    how: str

    def as_json(self) -> dict[str, object]:
        """Return the record's JSON form, with how it is related."""
        return {**self.record.as_json(), "how": self.how}


@dataclass(frozen=True, slots=True)
class Related:
    """What lies beside a record, nearest first."""

    record: Record
    beside: tuple[Beside, ...]


@dataclass(frozen=True, slots=True)
class LogRow:
    """One plan of history, in a line."""

    n: int
    at: str
    verb: str
    note: str
    paths: tuple[str, ...]
    fate: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the row's JSON form."""
        return asdict(self)

    def __str__(self) -> str:
        what = " ".join(part for part in (self.verb, self.note) if part)
        fate = f"  ({self.fate})" if self.fate else ""
        return f"{self.n:>5}  {self.at[:16].replace('T', ' ')}  {what}  [{', '.join(self.paths)}]{fate}"


def log_row(entry: Entry, undone: set[int]) -> LogRow:
    """Return the line of a plan; `undone` are the numbers of those that were taken back."""
    fates = ((entry.n in undone, "undone"), (entry.lost, "text forgotten"), (entry.abandoned, "given up"))
    fate = next((word for holds, word in fates if holds), "")
    return LogRow(entry.n, entry.at, entry.verb, entry.note, entry.paths, fate)


def diff_of(steps: Iterable[Step]) -> str:
    """Return the steps of a plan as a unified diff."""
    from mneme.files import step_diff

    return "".join(map(step_diff, steps))
