"""The two channels a fault can take, and nothing else.

A `Problem` is a fault in somebody's files: it is collected and shown beside the good results, and never stops a
load. A `MnemeError` means that the operation cannot go on: it carries a hint that is a command and an exit code.
Standard library only; every other module may import this one.
"""

from __future__ import annotations

from dataclasses import dataclass

EXIT_CLEAN = 0
EXIT_PROBLEMS = 1
EXIT_FAILED = 2

ERROR, WARN, INFO, IGNORE = "error", "warn", "info", "ignore"
SEVERITIES = (ERROR, WARN, INFO)
# The rule of a file or a folder that could not be read: whoever meets one has not seen everything.
UNREADABLE = "unreadable-file"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault in one file, at one line; ordering is by place, as a reader meets them."""

    path: str
    line: int
    rule: str
    severity: str
    message: str
    hint: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form of a problem."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        first = f"{place}: " * bool(place) + f"{self.severity} {self.rule}: {self.message}"
        return f"{first}\n  hint: {self.hint}" if self.hint else first


class MnemeError(Exception):
    """The operation cannot go on: what is wrong, then what to run about it."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInputError(MnemeError):
    """What the caller gave cannot be used: an unknown id, an impossible date, a malformed prefix."""


class UnsureError(BadInputError):
    """Several answers fit, and only somebody can say which is meant; `choices` are those, the likeliest first."""

    def __init__(self, message: str, hint: str = "", *, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.choices = choices


class NotFoundError(MnemeError):
    """The thing asked for is not there."""


class LockedError(MnemeError):
    """Another process is writing to this workspace and did not finish in time."""


class ConflictError(MnemeError):
    """The files are no longer what the plan was made from."""


class RefusedError(MnemeError):
    """The plan breaks a law of the format, or would lose somebody's work."""


class StorageError(MnemeError):
    """The disk said no: full, read-only, failing, or a path that may not be written."""
