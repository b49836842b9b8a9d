"""The `.mneme` cell format: text to cells and back, pure and lossless.

`parse_cells` never stops at a bad line: whatever it cannot read it reports as a `Fault` and keeps, so that
`print_cells` gives back every byte. Edits are spans on the text, `(start, end, new_text)`; all the rest of the file
stays as it is. Two readers agree on every text: the strict one below, line by line, and a bulk one that takes all
canonical cells of a long file in one pass (`CellFile.columns`). Nothing here reads a file or the clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mneme.formats.record import (
    CONFS,
    LIVE,
    MED,
    PRIVATE,
    PROPOSED,
    RETIRED,
    SHARED,
    STALE,
    STATES,
    SUPERSEDED,
    Link,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.columns import Columns

TextEdit = tuple[int, int, str]
Content = tuple[str, tuple[str, ...], str]

CELL_SUFFIXES = (".mneme", ".mn")
BOM = "\ufeff"

KINDS = {
    "DEC": "decision",
    "OKR": "goal",
    "PREF": "preference",
    "GOTCHA": "gotcha",
    "FACT": "fact",
    "TODO": "todo",
}
PREFIXES = {kind: prefix for prefix, kind in KINDS.items()}

INVERSE_RELATIONS = {"supersedes": "superseded-by", "superseded-by": "supersedes"}
RELATIONS = ("supersedes", "superseded-by", "relates", "depends-on", "blocks", "refines")

ALLOWED_TRANSITIONS = {
    PROPOSED: (LIVE, RETIRED),
    LIVE: (STALE, SUPERSEDED, RETIRED),
    STALE: (LIVE, SUPERSEDED, RETIRED),
    SUPERSEDED: (),
    RETIRED: (),
}

STATUS_KEYS = ("state", "conf", "since", "seen")
TEXT_KEYS = ("gist", "cue")
KEYS = (*TEXT_KEYS, *STATUS_KEYS, "link")
REQUIRED_FIELDS = ("gist", "state", "since", "seen")

ID_DIGITS = 4
ID_WIDTH, STATE_WIDTH = 14, 6
MAX_NUMBER_DIGITS = 1000


class Fault(NamedTuple):
    """A line the parser could not take as it stands: which rule, where, about what, and the edits that mend it."""

    rule: str
    line: int
    id: str
    value: str
    fixes: tuple[TextEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One claim: what it says, how it stands, where it lies, and where its status values can be edited.

    Lines are counted from 1 and offsets in characters of the file's text; `end` is where the next cell may begin,
    `tail` is the end of the last line that belongs to this one. A span is `(start, end)`, or None where the value is
    not written.
    """

    id: str
    topic: str = ""
    gist: str = ""
    state: str = ""
    conf: str = MED
    since: str = ""
    seen: str = ""
    cue: str = ""
    body: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    line: int = 0
    end_line: int = 0
    start: int = 0
    end: int = 0
    retired: str = ""
    affirmed: str = ""
    was: tuple[str, ...] = ()
    audience: str = ""
    """`shared` or `private` where the cell says so, else empty: then its file decides."""
    state_span: tuple[int, int] | None = None
    conf_span: tuple[int, int] | None = None
    since_span: tuple[int, int] | None = None
    seen_span: tuple[int, int] | None = None
    head: int = 0
    tail: int = 0
    newline: str = "\n"


class CellFile:
    """A parsed file: its text untouched, its cells, its faults; read on first use and never changed afterwards."""

    __slots__ = ("_columns", "_strict", "path", "text")

    def __init__(self, text: str, path: str = "") -> None:
        self.path = path
        self.text = text
        self._strict: tuple[tuple[Cell, ...], tuple[Fault, ...]] | None = None
        self._columns: Columns | None = None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell in file order, read strictly."""
        return self._read()[0]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What could not be read as it stands, in file order."""
        return self._read()[1]

    @property
    def preamble(self) -> str:
        """The text before the first cell."""
        return self.text[: first_header_at(self.text)]

    @property
    def columns(self) -> Columns:
        """The fields of all cells side by side, read in bulk; they say what `cells` and `faults` say."""
        if self._columns is None:
            from mneme.formats.columns import read_columns

            self._columns = read_columns(self.text)
        return self._columns

    def _read(self) -> tuple[tuple[Cell, ...], tuple[Fault, ...]]:
        if self._strict is None:
            cells, faults = read_strictly(self.text)
            self._strict = tuple(cells), tuple(faults)
        return self._strict

    def __repr__(self) -> str:
        return f"CellFile({self.path!r}, {len(self.text)} characters)"


def parse_cells(text: str, path: str = "") -> CellFile:
    """Return the file that a text is; never fails, whatever the text."""
    return CellFile(text, path)


def print_cells(file: CellFile) -> str:
    """Return the text of a file: for a parsed one, the very text it was parsed from."""
    return file.text


# --- reading, strictly -------------------------------------------------------------------------------------------


@cache
def _first_header() -> re.Pattern[str]:
    return re.compile(r"\A\ufeff?@|[\r\n]@")


@cache
def _breaks() -> re.Pattern[str]:
    return re.compile(r"\r\n|\n|\r")


@cache
def _id_shape() -> re.Pattern[str]:
    return re.compile(rf"[A-Z][A-Z0-9]*-[0-9]{{{ID_DIGITS},}}")


@cache
def _lost_header() -> re.Pattern[str]:
    return re.compile(r"\s+@\s*\w+-\w")


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"\S+")


@cache
def _note_line() -> re.Pattern[str]:
    return re.compile(r"#\s*(?:(retired|affirmed)\s+([0-9]{4}-[0-9]{2}-[0-9]{2})|(was)\s+(\S+)|(audience):\s*(\w+))\s*")


@cache
def _bent_key() -> re.Pattern[str]:
    """Match a key that is nearly right: followed by a colon, or begun or written with capitals."""
    return re.compile(rf"({_any_case(KEYS)})(?:\s*[:\uff1a]|(?=\s))")


@cache
def _bent_pair() -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)({_any_case(STATUS_KEYS)})(?:\s*[:\uff1a]\s*|\s+)(\S+)")


def _any_case(keys: Sequence[str]) -> str:
    return "|".join(form for key in keys for form in (key, key.capitalize(), key.upper()))


@cache
def inline_comment() -> re.Pattern[str]:
    """Match a comment where there can be none: a `#` between blanks, after the start of a line."""
    return re.compile(r"\s#\s")


def is_id(text: str) -> bool:
    """Say whether a text is a well-formed id: capitals, a hyphen, four digits or more."""
    return _id_shape().fullmatch(text) is not None


@lru_cache(maxsize=4096)
def is_date(text: str) -> bool:
    """Say whether a text is a real day in the extended form, as in 2026-06-05."""
    return _date_or_none(text) is not None


def _date_or_none(text: str) -> date | None:
    if len(text) != len("2026-06-05") or text[4] != "-" or text[7] != "-" or not text.isascii():
        return None
    year, month, day = text[:4], text[5:7], text[8:]
    # `int` also takes signs, underscores and space around.
    if not (year + month + day).isdigit():
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def to_date(text: str) -> date:
    """Return the day that an extended date names; ValueError for anything `is_date` refuses."""
    found = _date_or_none(text)
    if found is None:
        message = f"not a date: {text!r}"
        raise ValueError(message)
    return found


def _mended_date(text: str) -> str:
    """Return the extended form of a date that is only written otherwise, or an empty text."""
    shape = re.fullmatch(r"([0-9]{4})([-/.\u5e74]?)([0-9]{1,2})([-/.\u6708]?)([0-9]{1,2})\u65e5?", text)
    if shape and bool(shape[2]) == bool(shape[4]) and (shape[2] or len(text) == len("20260605")):
        mended = f"{shape[1]}-{shape[3]:0>2}-{shape[5]:0>2}"
        return mended if is_date(mended) else ""
    if re.fullmatch(r"[0-9]{4}-?W[0-9]{2}-?[1-7]", text):
        try:
            return date.fromisocalendar(int(text[:4]), int(text.replace("-", "")[5:7]), int(text[-1])).isoformat()
        except ValueError:
            return ""
    return ""


class _Lines(NamedTuple):
    """The lines of a stretch of text without their breaks, the offset of each one, and the number of the first."""

    texts: list[str]
    starts: list[int]
    first: int


def split_lines(text: str, start: int = 0, first: int = 1) -> _Lines:
    """Return the lines of a text (LF, CRLF and lone CR break one), its first at an offset and a number."""
    if "\r" not in text:
        lines = text.split("\n")
        return _Lines(lines, list(accumulate(map(len, lines[:-1]), _after_break, initial=start)), first)
    lines, starts, at = [], [], 0
    for found in _breaks().finditer(text):
        lines.append(text[at : found.start()])
        starts.append(start + at)
        at = found.end()
    lines.append(text[at:])
    starts.append(start + at)
    return _Lines(lines, starts, first)


def _after_break(at: int, size: int) -> int:
    return at + size + 1


def count_lines(text: str) -> int:
    """Return how many line breaks a text has."""
    breaks = text.count("\n")
    return breaks if "\r" not in text else breaks + text.count("\r") - text.count("\r\n")


def first_header_at(text: str) -> int:
    """Return the offset of the first cell, or the length of a text that has none."""
    found = _first_header().search(text)
    return len(text) if found is None else found.end() - 1


def read_strictly(text: str) -> tuple[list[Cell], list[Fault]]:
    """Read a whole text strictly: the cells, and the faults in file order."""
    table = split_lines(text)
    lines = table.texts
    faults: list[Fault] = []
    if text.startswith(BOM):
        lines[0], table.starts[0] = lines[0][1:], 1
    heads = [at for at, line in enumerate(lines) if line[:1] == "@"]
    read_preamble(table, heads[0] if heads else len(lines), faults)
    cells = [_read_cell(text, table, *stretch, faults) for stretch in pairwise([*heads, len(lines)])]
    return cells, whole_faults(text, faults)


def whole_faults(text: str, faults: list[Fault]) -> list[Fault]:
    """Add the faults that are the file's, not a cell's, and put all in file order."""
    marked = [Fault("byte-order-mark", 1, "", "")] if text.startswith(BOM) else []
    return sorted([*marked, *faults, *_undecoded_lines(text)], key=attrgetter("line"))


def read_block(text: str, start: int, line: int, size: int) -> tuple[Cell, list[Fault]]:
    """Read strictly the one cell that starts at an offset and a line and whose stretch has a size."""
    faults: list[Fault] = []
    table = split_lines(text[start : start + size], start, line)
    return _read_cell(text, table, 0, len(table.texts), faults), faults


def _undecoded_lines(text: str) -> list[Fault]:
    """Report the lines that hold bytes which are not UTF-8 (kept as lone surrogates)."""
    if _encodable(text):
        return []
    return [
        Fault("not-utf-8", number, "", _first_lone(line))
        for number, line in enumerate(split_lines(text).texts, 1)
        if not _encodable(line)
    ]


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _first_lone(line: str) -> str:
    lone = next(ord(char) for char in line if "\ud800" <= char <= "\udfff")
    return f"0x{lone & 0xFF:02x}" if 0xDC80 <= lone <= 0xDCFF else f"U+{lone:04X}"  # noqa: PLR2004 - surrogateescape


def read_preamble(table: _Lines, stop: int, faults: list[Fault]) -> None:
    """Report what stands before the first cell: text that is not a comment, and a header that is not at column 0."""
    told = False
    for at, line in enumerate(table.texts[:stop]):
        if _is_marker(line):
            faults.append(Fault("conflict-marker", at + 1, "", line[:7]))
        elif _is_lost_header(line):
            faults.append(_lost(table, at, ""))
            return
        elif not told and line[:1] != "#" and line.strip():
            told = True
            faults.append(Fault("text-before-first-cell", at + 1, "", line.strip()))


def _is_marker(line: str) -> bool:
    return line[:7] in {"<<<<<<<", ">>>>>>>"} and line[7:8] in {"", " "}


def _is_lost_header(line: str) -> bool:
    return "@" in line and _lost_header().match(line) is not None


def _lost(table: _Lines, at: int, above: str) -> Fault:
    line, start = table.texts[at], table.starts[at]
    indent = len(line) - len(line.lstrip())
    value = line.strip()[1:].split(None, 1)[0]
    return Fault("indented-header", table.first + at, above, value, ((start, start + indent, ""),))


class _Draft:
    """One cell while it is being read: values by field, where they stand, and what was wrong."""

    __slots__ = ("bent", "body", "faults", "head", "id", "last", "links", "notes", "spans", "topic", "values")

    def __init__(self, faults: list[Fault]) -> None:
        self.id = self.topic = ""
        self.values: dict[str, str] = {}
        self.spans: dict[str, tuple[int, int]] = {}
        self.bent: list[_Bent] = []
        self.body: list[str] = []
        self.links: list[Link] = []
        self.notes: list[tuple[str, str]] = []
        self.faults = faults
        self.head = self.last = 0

    def fault(self, rule: str, line: int, value: str = "", *fixes: TextEdit) -> None:
        self.faults.append(Fault(rule, line, self.id, value, fixes))

    def put(self, key: str, value: str, line: int) -> None:
        if key in self.values:
            self.fault("duplicate-field", line, key)
        self.values[key] = value


def _read_cell(text: str, table: _Lines, first: int, last: int, faults: list[Fault]) -> Cell:
    """Read the cell whose header is at index `first` and that ends before index `last`."""
    lines, starts, number = table
    draft = _Draft(faults)
    _read_header(draft, lines[first], starts[first], number + first)
    draft.head = draft.last = first
    end = starts[last] if last < len(starts) else starts[-1] + len(lines[-1])
    for at in range(first + 1, last):
        line = lines[at]
        if not line or line.isspace():
            continue
        kind = _read_line(draft, line, starts[at], number + at)
        if kind == "lost":
            faults.append(_lost(table, at, draft.id))
            end = starts[at]
            break
        if kind:
            draft.last = at
            draft.head = at if kind == "gist" else draft.head
    _settle(draft, number + first)
    return _finished(draft, text, table, first, end)


def _audience(notes: Sequence[tuple[str, str]]) -> str:
    said = [value for name, value in notes if name == "audience"]
    return "" if not said else SHARED if SHARED in said else PRIVATE


def _finished(draft: _Draft, text: str, table: _Lines, first: int, end: int) -> Cell:
    lines, starts, number = table
    values, spans, notes = draft.values, draft.spans, draft.notes
    return Cell(
        id=draft.id,
        topic=draft.topic,
        gist=values.get("gist", ""),
        state=values.get("state", ""),
        conf=values.get("conf", MED),
        since=values.get("since", ""),
        seen=values.get("seen", ""),
        cue=values.get("cue", ""),
        body=tuple(draft.body),
        links=tuple(draft.links),
        line=number + first,
        end_line=number + draft.last,
        start=starts[first],
        end=end,
        retired=next((value for name, value in notes if name == "retired"), ""),
        affirmed=max((value for name, value in notes if name == "affirmed"), default=""),
        was=tuple(value for name, value in notes if name == "was"),
        audience=_audience(notes),
        state_span=spans.get("state"),
        conf_span=spans.get("conf"),
        since_span=spans.get("since"),
        seen_span=spans.get("seen"),
        head=starts[draft.head] + len(lines[draft.head]),
        tail=starts[draft.last] + len(lines[draft.last]),
        newline=_newline_at(text, starts[first] + len(lines[first])),
    )


def _newline_at(text: str, at: int) -> str:
    """Return the line break that stands at an offset, else the one the text ends its last whole line with."""
    here = text[at : at + 2]
    if here:
        return here if here == "\r\n" else here[0]
    return newline_of(text)


def newline_of(tail: str) -> str:
    """Return the last line break of a text, or a line feed if it has none."""
    line_feed, carriage = tail.rfind("\n"), tail.rfind("\r")
    if carriage > line_feed:
        return "\r"
    return "\r\n" if line_feed > 0 and carriage == line_feed - 1 else "\n"


def _read_header(draft: _Draft, line: str, start: int, number: int) -> None:
    words = line[1:].split(None, 2)
    if not words or words[0][0] == "#":
        draft.fault("missing-id", number)
        return
    draft.id = words[0]
    if not line[1].isspace():
        draft.fault("missing-header-space", number, words[0], (start + 1, start + 1, " "))
    if not is_id(words[0]):
        draft.fault("malformed-id", number, words[0])
    if len(words) == 1 or words[1][0] == "#":
        draft.fault("missing-topic", number)
    else:
        draft.topic = words[1]
        if not all(words[1].split("/")):
            draft.fault("malformed-topic", number, words[1])
    extra = " ".join(words[1:]) if len(words) > 1 and words[1][0] == "#" else "".join(words[2:])
    if extra:
        draft.fault("inline-comment" if extra[0] == "#" else "text-after-topic", number, extra.rstrip())


def _read_line(draft: _Draft, line: str, start: int, number: int) -> str:
    """Take one line into the draft; return what it was, or an empty text for a line that belongs to nobody."""
    if line[0] == "#":
        return _read_note(draft, line)
    if _is_marker(line):
        draft.fault("conflict-marker", number, line[:7])
        return ""
    words = line.split(None, 1)
    key = words[0]
    if key[0] == ">":
        draft.body.append(_body_text(line))
        return "body"
    reader = _READERS.get(key)
    if reader is not None:
        return reader(draft, line, start, number)
    if key[0] == "@" and _is_lost_header(line):
        return "lost"
    return _read_bent(draft, line, start, number)


def _body_text(line: str) -> str:
    text = line[line.index(">") + 1 :]
    return text[1:] if text[:1] == " " else text


def _read_note(draft: _Draft, line: str) -> str:
    found = _note_line().fullmatch(line)
    if found is None:
        return ""
    name = found[1] or found[3] or found[5]
    draft.notes.append((name, found[2] or found[4] or found[6]))
    return "note"


def _read_text_field(draft: _Draft, line: str, _start: int, number: int) -> str:
    key, *rest = line.split(None, 1)
    value = rest[0].rstrip() if rest else ""
    if value:
        draft.put(key, value, number)
        if "#" in value and (comment := inline_comment().search(value)):
            draft.fault("inline-comment", number, value[comment.start() + 1 :])
    elif key == "cue":
        draft.fault("empty-cue", number)
        draft.values.setdefault("cue", "")
    return key


def _read_status(draft: _Draft, line: str, start: int, number: int) -> str:
    words = list(_words().finditer(line))
    at = 0
    while at < len(words):
        key = words[at][0]
        if key not in STATUS_KEYS:
            rest = line[words[at].start() :].rstrip()
            draft.fault("inline-comment" if key[0] == "#" else "text-in-status", number, rest)
            break
        if at + 1 < len(words):
            _read_pair(draft, key, words[at + 1], start, number)
        at += 2
    return "status"


def _read_pair(draft: _Draft, key: str, word: re.Match[str], start: int, number: int) -> None:
    span = (start + word.start(), start + word.end())
    draft.put(key, word[0], number)
    draft.spans[key] = span
    _check_value(draft, key, word[0], span, number)


def _check_value(draft: _Draft, key: str, value: str, span: tuple[int, int], number: int) -> None:
    if key == "state":
        if value not in STATES:
            draft.fault("unknown-state", number, value)
    elif key == "conf":
        if value not in CONFS:
            draft.fault("unknown-conf", number, value)
    elif not is_date(value):
        mended = _mended_date(value)
        draft.fault("invalid-date", number, f"{key} {value}", *([(*span, mended)] if mended else ()))


def _read_link(draft: _Draft, line: str, _start: int, number: int) -> str:
    words = line.split(None, 3)
    if len(words) < 3 or words[2][0] == "#":  # noqa: PLR2004 - link, relation, id
        draft.fault("incomplete-link", number, line.strip())
        return "link"
    draft.links.append(Link(words[1], words[2], number))
    if words[1] not in RELATIONS:
        draft.fault("unknown-relation", number, words[1])
    if len(words) > 3:  # noqa: PLR2004
        extra = words[3].rstrip()
        draft.fault("inline-comment" if extra[0] == "#" else "text-after-link", number, extra)
    return "link"


_READERS = {
    **dict.fromkeys(TEXT_KEYS, _read_text_field),
    **dict.fromkeys(STATUS_KEYS, _read_status),
    "link": _read_link,
}


def _read_bent(draft: _Draft, line: str, start: int, number: int) -> str:
    """Take a line whose key is nearly right (`Gist:`): kept aside until it is known whether the right key is there."""
    indent = len(line) - len(line.lstrip())
    found = _bent_key().match(line, indent)
    if found is None:
        return ""
    rule = "misspelt-key" if found.end() == found.end(1) else "colon-after-key"
    key = found[1].lower()
    if key in STATUS_KEYS:
        for pair in _bent_pair().finditer(line, indent):
            where = (start + pair.start(), start + pair.end())
            draft.bent.append(_Bent(rule, number, pair[1].lower(), pair[2], where, start + pair.start(2)))
    else:
        where = (start + indent, start + len(line))
        draft.bent.append(_Bent(rule, number, key, line[found.end() :].strip(), where, 0))
    return "bent"


class _Bent(NamedTuple):
    """A field whose key is nearly right."""

    rule: str
    line: int
    key: str
    value: str
    span: tuple[int, int]
    value_start: int

    def is_sound(self) -> bool:
        """Say whether the value is what the right key would accept."""
        if self.key == "state":
            return self.value in STATES
        if self.key == "conf":
            return self.value in CONFS
        if self.key in {"since", "seen"}:
            return is_date(self.value)
        if self.key == "link":
            words = self.value.split()
            return len(words) == 2 and words[0] in RELATIONS and is_id(words[1])  # noqa: PLR2004
        return bool(self.value)


def _settle(draft: _Draft, number: int) -> None:
    """Report what the whole cell lacks, and take nearly right lines for fields that nothing else gives."""
    if draft.id or draft.values:
        for key in REQUIRED_FIELDS:
            if key not in draft.values:
                draft.fault("missing-field", number, key)
    for bent in draft.bent:
        taken = bent.key not in draft.values and bent.is_sound()
        draft.fault(bent.rule, bent.line, bent.key, *([(*bent.span, f"{bent.key} {bent.value}")] if taken else ()))
        if taken and bent.key == "link":
            relation, target = bent.value.split()
            draft.links.append(Link(relation, target, bent.line))
        elif taken:
            draft.values[bent.key] = bent.value
            if bent.key in STATUS_KEYS:
                draft.spans[bent.key] = (bent.value_start, bent.value_start + len(bent.value))
    if draft.id and "cue" not in draft.values:
        draft.fault("missing-cue", number)
    if draft.id and not draft.body:
        draft.fault("missing-body", number)
