"""Records and problems as terminal text, Markdown or JSON.

A surface's tool: it imports the types of records and hits and errors, nothing else, and returns text. What comes from memory is made
harmless first: escape sequences, control characters and bidirectional overrides are shown, never obeyed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mneme.errors import ERROR, SEVERITIES, WARN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from mneme.errors import Problem
    from mneme.formats.record import Record
    from mneme.recall.answer import Hit

    class Jsonable(Protocol):
        """Anything with a published JSON form."""

        def as_json(self) -> dict[str, object]:
            """Return that form."""


ENVELOPE_VERSION = 1
HIT_LINES, HIT_CHARS = 6, 480

# Marks that turn the direction of text or hide it; the joiners that emoji and Persian need are left alone.
_INVISIBLE = "\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_HARMFUL = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_INVISIBLE}]"
_HARMFUL_IN_JSON = f"[\x7f-\x9f\ud800-\udfff{_INVISIBLE}]"

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_STATE_STYLES = {"proposed": "cyan", "live": "green", "stale": "yellow", "superseded": "dim", "retired": "dim"}
_TRUST_STYLES = {"use": "green", "verify first": "yellow", "not authoritative": "cyan", "history": "dim"}
_SEVERITY_STYLES = {ERROR: "red", WARN: "yellow"}


def safe_text(text: str) -> str:
    r"""Return text that cannot act on a terminal: control characters and overrides are written as `\x1b`, `\u202e`."""
    # Nothing that is harmful counts as printable, and most of what is printed needs no pattern.
    return text if text.replace("\n", "").isprintable() else re.sub(_HARMFUL, _escape, text)


def one_line(text: str) -> str:
    """Return text that is harmless and stays on its line."""
    return safe_text(text.replace("\n", "\\n").replace("\t", " "))


def paint(text: str, style: str, *, colour: bool) -> str:
    """Return text in a style, or as it is where colour is not wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style and text else text


def message_text(message: str, hint: str = "") -> str:
    """Return a message for stderr: prefixed, harmless, its hint on the next line."""
    lines = [f"mneme: {safe_text(message)}"]
    lines += [f"  hint: {safe_text(line)}" for line in hint.splitlines()]
    return "\n".join(lines)


def problem_text(problem: Problem, *, colour: bool = False) -> str:
    """Return a problem as compilers print them: place, severity, rule, message; then the hint."""
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    severity = paint(problem.severity, _SEVERITY_STYLES.get(problem.severity, ""), colour=colour)
    where = f"{one_line(place)}: " if place else ""
    lines = [f"{where}{severity} {problem.rule}: {one_line(problem.message)}"]
    lines += [f"  hint: {safe_text(line)}" for line in problem.hint.splitlines()]
    return "\n".join(lines)


# What stands behind a record of a workspace that is not trusted, or whose check has failed.
DOUBT = "  not authoritative"


def problem_counts(problems: Iterable[Problem]) -> str:
    """Return how many problems there are of each severity, worst first: `2 errors, 1 warning`."""
    severities = [problem.severity for problem in problems]
    names = {ERROR: "error", WARN: "warning", "info": "remark"}
    counts = [(severities.count(severity), names[severity]) for severity in SEVERITIES]
    return ", ".join(f"{n} {name}{'' if n == 1 else 's'}" for n, name in counts if n) or "no problems"


def records_text(records: Sequence[Record], *, colour: bool = False, doubted: bool = False) -> str:
    """Return records one to a line, in columns: id, state, conf, the first line of the text, place.

    With `doubted` each says that it is not to be taken at its word.
    """
    width = max((len(record.id) for record in records), default=0)
    return "\n".join(_record_line(record, width, colour=colour) + DOUBT * doubted for record in records)


def hits_text(hits: Iterable[Hit], *, explain: bool = False, colour: bool = False) -> str:
    """Return hits, each with its score, what it may be used for, what it says, where it lies and what to know of it."""
    return "\n\n".join(_hit_text(hit, explain=explain, colour=colour) for hit in hits)


def record_text(record: Record, *, colour: bool = False) -> str:
    """Return one record in full: its text, then a line for every field that says something."""
    fields = [
        ("id", record.id),
        ("kind", record.kind),
        ("state", paint(record.state, _STATE_STYLES.get(record.state, ""), colour=colour)),
        ("conf", record.conf),
        ("since", record.since),
        ("seen", record.seen),
        ("tier", record.tier),
        ("audience", record.audience),
        *(("link", f"{link.relation} {link.target}") for link in record.links),
        ("source", place_text(record)),
    ]
    lines = [f"{paint(f'{name:<9}', 'dim', colour=colour)}{_field(name, value)}" for name, value in fields if value]
    return "\n".join([paint(safe_text(record.text), "bold", colour=colour), *lines])


def fields_text(values: dict[str, object], *, colour: bool = False) -> str:
    """Return names and values in two columns; a list is one line, and what says nothing is left out."""
    shown = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in values.items()
    }
    width = max(map(len, shown), default=0)
    said = {name: value for name, value in shown.items() if value not in ("", "None")}
    return "\n".join(
        f"{paint(f'{name:<{width}}', 'dim', colour=colour)}  {one_line(text)}" for name, text in said.items()
    )


def shown_text(record: Record, text: str, *, colour: bool = False, doubted: bool = False) -> str:
    """Return a record as it is written, under the place where it lies."""
    return f"{paint(place_text(record) + DOUBT * doubted, 'dim', colour=colour)}\n{safe_text(text)}\n"


def section_text(title: str, text: str, *, colour: bool = False) -> str:
    """Return a text under a title of its own."""
    return f"{paint(safe_text(title), 'bold', colour=colour)}\n{text}\n"


def facts_text(records: Sequence[Record], *, colour: bool = False) -> str:
    """Return facts one to a line: since when, what, and which one took its place."""
    width = max((len(record.id) for record in records), default=0)
    return "\n".join(_fact_line(record, width, colour=colour) for record in records)


def _fact_line(record: Record, width: int, *, colour: bool) -> str:
    since = paint(one_line(f"{record.since:<10}"), "dim", colour=colour)
    successor = next((link.target for link in record.links if link.relation == "superseded-by"), "")
    ended = f"  (superseded by {one_line(successor)})" if successor and record.state == "superseded" else ""
    return f"  {one_line(record.id):<{width}}  {since}  {_first_line(record.text)}{ended}"


def rows_text(rows: Iterable[object]) -> str:
    """Return rows that know their own line, harmless, one to a line."""
    return "\n".join(one_line(str(row)).rstrip() for row in rows)


def place_text(record: Record) -> str:
    """Return where a record lies, as `path:line` or `path:line-end`."""
    end = f"-{record.end_line}" if record.end_line > record.line else ""
    return one_line(f"{record.path}:{record.line}{end}" if record.line else record.path)


def records_markdown(records: Iterable[Record]) -> str:
    """Return records as a Markdown list, each with its state and its source."""
    return "\n".join(
        f"- **{record.id}** ({record.state}, {record.conf}) {_first_line(record.text)} (`{place_text(record)}`)"
        for record in records
    )


def json_text(
    records: Iterable[Jsonable] = (),
    problems: Iterable[Jsonable] = (),
    *,
    ascii_only: bool = False,
    **more: object,
) -> str:
    """Return the published envelope; it is valid JSON whatever bytes the files held."""
    import json

    envelope = {
        "version": ENVELOPE_VERSION,
        "records": [record.as_json() for record in records],
        "problems": [problem.as_json() for problem in problems],
        **more,
    }
    text = json.dumps(envelope, ensure_ascii=ascii_only, indent=2)
    return text if text.replace("\n", "").isprintable() else re.sub(_HARMFUL_IN_JSON, _escape_in_json, text)


def diff_text(diff: str, *, colour: bool = False) -> str:
    """Return a unified diff, harmless, its lines coloured where colour is wanted."""
    return "\n".join(_diff_line(line, colour=colour) for line in diff.rstrip("\n").split("\n"))


def _diff_line(line: str, *, colour: bool) -> str:
    style = ""
    if line.startswith(("+++", "---", "diff ")):
        style = "bold"
    elif line.startswith("@@"):
        style = "cyan"
    elif line.startswith("+"):
        style = "green"
    elif line.startswith("-"):
        style = "red"
    return paint(safe_text(line), style, colour=colour)


def _hit_text(hit: Hit, *, explain: bool, colour: bool) -> str:
    record = hit.record
    style = _TRUST_STYLES.get(hit.trust, "")
    head = f"{hit.score:.2f}  {paint(one_line(record.id), 'bold', colour=colour)}  {paint(hit.trust, style, colour=colour)}"
    about = [record.state, *([f"{record.conf} confidence"] if record.conf != "med" else [])]
    about += [f"since {record.since}"] if record.since else []
    about += [f"seen {record.seen}"] if record.seen and record.seen != record.since else []
    lines = [head, *(f"      {line}" for line in _said(hit))]
    lines.append(paint(f"      {place_text(record)}  {one_line(', '.join(about))}", "dim", colour=colour))
    lines += [f"      {paint(line, 'yellow', colour=colour)}" for line in _remarks(hit)]
    if explain:
        lines += [f"      {value:+7.2f}  {one_line(name):<14}  {said}".rstrip() for name, value, said in hit.reasons]
        lines.append(f"      {hit.log_odds:+7.2f}  together: a chance of {hit.score:.2f}")
    return "\n".join(lines)


def _said(hit: Hit) -> list[str]:
    """Return what a hit says, no longer than one reads at a glance, under the heading that it stands under."""
    text = hit.record.text.strip()
    short = text[:HIT_CHARS].split("\n")
    lines = [safe_text(line.replace("\t", " ")) for line in short[:HIT_LINES]]
    if len(short) > HIT_LINES or len(text) > HIT_CHARS or hit.cut:
        lines[-1] += " ..."
    title = one_line(hit.title)
    return [f"{title}:", *lines] if title and title.rpartition(" / ")[2] not in lines[0] else lines


def _remarks(hit: Hit) -> list[str]:
    """Return what a reader must know of a hit before using it."""
    remarks = [one_line(hit.note)] if hit.note else []
    for one in hit.conflicts:
        outcome = (
            f"this one wins by {one.by}" if one.wins else f"that one wins by {one.by}" if one.by else "neither wins"
        )
        remarks.append(f"contradicts {one_line(one.id)} ({one_line(one.what)}): {outcome}")
    if hit.same:
        remarks.append(f"said as well by {one_line(', '.join(hit.same))}")
    return remarks


def _record_line(record: Record, width: int, *, colour: bool) -> str:
    state = paint(f"{record.state:<10}", _STATE_STYLES.get(record.state, ""), colour=colour)
    place = paint(place_text(record), "dim", colour=colour)
    return f"{one_line(record.id):<{width}}  {state}  {record.conf:<4}  {_first_line(record.text)}  {place}"


def _field(name: str, value: str) -> str:
    """Make a field's value harmless; a state was checked and may be coloured."""
    return value if name == "state" else one_line(value)


def _first_line(text: str) -> str:
    return one_line(text.split("\n", 1)[0])


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:  # noqa: PLR2004 -- the widest two-digit escape
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- the widest four-digit escape


def _escape_in_json(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFFFF:  # noqa: PLR2004 -- the widest four-digit escape
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
