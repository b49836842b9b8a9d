"""The page of a verification: what was found, section by section, each with its place and what would answer it.

Nothing in it reads as a claim of its own: names of files stand in plain quotes, so that a check does not find them again,
and what people and agents wrote is escaped.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from mneme.consolidate.refine.finding import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mneme.consolidate.refine.finding import Classed, Finding

MOST_OF_SECTION = 40
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def print_report(day: str, path: str, findings: Sequence[Finding], classed: Sequence[Classed]) -> str:
    """Return the page of a day."""
    return f"# Verification of {day}\n\n{print_body(path, findings, classed)}"


def print_body(path: str, findings: Sequence[Finding], classed: Sequence[Classed]) -> str:
    """Return the page without its date: what makes one day's report another one."""
    return "\n".join(_rows(posixpath.dirname(path), findings, classed)) + "\n"


def body_of(text: str) -> str:
    """Return a page without its date."""
    return text.partition("\n\n")[2]


def _rows(folder: str, findings: Sequence[Finding], classed: Sequence[Classed]) -> Iterator[str]:
    for section in SECTIONS:
        mine = [one for one in findings if one.section == section]
        yield from (f"## {section}", "")
        yield from _told(folder, mine)
        yield ""
    yield from ("## New memories", "")
    yield from _classes(folder, classed)


def _told(folder: str, findings: Sequence[Finding]) -> Iterable[str]:
    if not findings:
        return ["None."]
    rows = [_row(folder, one) for one in findings[:MOST_OF_SECTION]]
    left = len(findings) - len(rows)
    return [*rows, *([f"- and {left} more: mneme refine --json"] if left else [])]


def _row(folder: str, one: Finding) -> str:
    advice = f" (`{one.advice}`)" if one.advice and "`" not in one.advice and not _names_file(one.advice) else ""
    by = f" (said by {_plain(one.by)})" if one.by else ""
    return f"- {_plain(one.text)} [{_plain(one.anchor)}]({_link(folder, one.path)}){advice}{by}"


def _names_file(advice: str) -> bool:
    """Say whether an advice is for a shell rather than for a reader, or names a file that a check would look for."""
    return advice.startswith(("git ", "${"))


def _classes(folder: str, classed: Sequence[Classed]) -> Iterable[str]:
    if not classed:
        return ["None."]
    rows = ["| memory | class | confidence |", "| --- | --- | --- |"]
    for one in classed[:MOST_OF_SECTION]:
        has = f" (filed as {one.has})" if one.has and one.has != one.kind else ""
        rows.append(f"| [{_plain(one.text)}]({_link(folder, one.path)}) | {one.kind}{has} | {one.conf} |")
    return rows


def _link(folder: str, path: str) -> str:
    return quote(posixpath.relpath(path, folder or "."), safe="/@+,=~")


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
