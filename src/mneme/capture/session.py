"""What happened in a session, kept line by line while it runs, and told in one paragraph when it is over.

The lines are machine state: a session that ends without saying so is told at the next start, and once told the lines are
gone. The paragraph is put together from what was asked and done; no model is needed, and none is asked.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

ASKED, USED, FAILED, SAID = "asked", "used", "failed", "said"
LONGEST_QUOTE_CHARS = 160
MOST_FILES, MOST_TOOLS = 6, 5
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def session_name(session: str) -> str:
    """Return the name of the file that a session's lines lie in; ids that could be a path are hashed."""
    from hashlib import sha256

    if session and len(session) <= 80 and not _UNSAFE.search(session):  # noqa: PLR2004 - a name, not a text
        return f"{session}.jsonl"
    return f"{sha256(session.encode('utf-8', 'replace')).hexdigest()[:32]}.jsonl"


def print_line(at: datetime, what: str, text: str, *, host: str = "", file: str = "") -> str:
    """Return one line of a session."""
    values = {"at": at.isoformat(timespec="seconds"), "what": what, "text": text, "host": host, "file": file}
    return json.dumps({key: value for key, value in values.items() if value}, ensure_ascii=False)


def quote(text: str, limit: int = LONGEST_QUOTE_CHARS) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0] + "…"


@dataclass(slots=True)
class Session:
    """A session as its lines tell it."""

    host: str = ""
    first: str = ""
    last: str = ""
    asked: list[str] = field(default_factory=list)
    said: str = ""
    used: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    files: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any]) -> None:
        """Take one line in."""
        what, text, at = (str(line.get(key, "")) for key in ("what", "text", "at"))
        self.host = self.host or str(line.get("host", ""))
        self.first, self.last = self.first or at, at or self.last
        if what == ASKED:
            self.asked.append(text)
        elif what == SAID:
            self.said = text
        elif what in (USED, FAILED):
            (self.used if what == USED else self.failed)[text] += 1
        if (file := str(line.get("file", ""))) and file not in self.files:
            self.files.append(file)

    def __bool__(self) -> bool:
        return bool(self.asked or self.used)

    def turn(self) -> str:
        """Return what is under way, in one line: the last request, and what was said last."""
        asked = f'under way: "{quote(self.asked[-1])}"' if self.asked else ""
        return "; ".join(part for part in (asked, f'last said: "{quote(self.said)}"' if self.said else "") if part)

    def summary(self) -> str:
        """Return the session in one paragraph."""
        span = "-".join(dict.fromkeys(moment[11:16] for moment in (self.first, self.last) if moment))
        parts = [f"Session {span}".strip() + (f" ({self.host})" if self.host else "")]
        if self.asked:
            parts.append(f'asked "{quote(self.asked[0])}"')
        if len(self.asked) > 1:
            between = f"after {len(self.asked)} requests in all, " if len(self.asked) > 2 else ""  # noqa: PLR2004 - first and last
            parts.append(f'{between}last "{quote(self.asked[-1])}"')
        if self.said:
            parts.append(f'ended with "{quote(self.said)}"')
        if self.used or self.failed:
            parts.append(self._tools())
        if self.files:
            more = f" and {len(self.files) - MOST_FILES} more" if len(self.files) > MOST_FILES else ""
            parts.append(f"files: {', '.join(self.files[:MOST_FILES])}{more}")
        return f"{parts[0]}: {'; '.join(parts[1:])}."

    def _tools(self) -> str:
        total = self.used + self.failed
        told = [
            f"{name} {count}" + (f" ({self.failed[name]} failed)" if self.failed[name] else "")
            for name, count in total.most_common(MOST_TOOLS)
        ]
        return f"tools: {', '.join(told)}"


def said_in(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Return who said what, in order; a line that is torn is passed over."""
    roles = {ASKED: "user", SAID: "assistant"}
    return [
        (role, str(values["text"]))
        for values in _values_of(lines)
        if (role := roles.get(str(values.get("what")))) and isinstance(values.get("text"), str)
    ]


def _values_of(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            values = json.loads(line)
        except ValueError:
            continue
        if isinstance(values, dict):
            yield values


def read_session(lines: Iterable[str]) -> Session:
    """Return the session that lines tell; a line that is torn is passed over."""
    session = Session()
    for values in _values_of(lines):
        session.add(values)
    return session
