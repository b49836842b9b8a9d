"""Frontmatter: the block of `key: value` lines between two `---` at the top of a note.

Reads the part of YAML that notes use and keeps the rest as it stands: every top-level key knows its span and that of
its value, what is beyond the subset is opaque, and what is broken becomes a Problem. Values stay the characters a
person wrote: no date, number or yes/no is converted, which is also why no YAML library is used here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.errors import ERROR, WARN, Problem

if TYPE_CHECKING:
    from mneme.formats.span import Lines

# How a value is written; an edit writes the new value the same way.
PLAIN, SINGLE, DOUBLE, INLINE_LIST, BLOCK_LIST = "plain", "single", "double", "inline-list", "block-list"
BLOCK_TEXT, EMPTY, OPAQUE = "block-text", "empty", "opaque"

_KEY = re.compile(
    r"""(?P<name>"(?:[^"\\\n]|\\.)*+"[ \t]* | '(?:[^'\n]|'')*+'[ \t]*
        | (?:[^\s:\#"'\[\]{}>|*&!%@`,?-]|[-?](?=\S))(?:[^:\n]|:(?=\S))*+)
        :(?=\s|$)[ \t]*""",
    re.VERBOSE,
)
_LIST_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|$)")
_NESTED = re.compile(r"""[ \t]*(?:-[ \t]|[^\s"'\[{#][^:\n]*:(?:[ \t]|$))""")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_ESCAPES |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\n": ""}
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'""", re.DOTALL)
_FLOW_ITEM = re.compile(
    r"""\s*+(?:("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')\s*|([^,\[\]{}"'][^,\[\]{}]*))?(?:,|$)""", re.DOTALL
)
_COMMENT = re.compile(r"(?:^|(?<=[ \t\n]))#[^\n]*")
_FENCE = re.compile(r"\n(?:---|\.\.\.)[ \t]*(?=\n|$)")
_OPAQUE_FIRST = frozenset("{&*!")
# Characters a plain YAML value may not begin with; other programs stop at them.
_INDICATORS = frozenset("@`%,]}")


@dataclass(frozen=True, slots=True)
class Key:
    """One top-level key; `start` to `end` is the whole entry, `value_start` to `value_end` its value as written."""

    name: str
    value: str | tuple[str, ...]
    style: str
    start: int
    end: int
    line: int
    end_line: int
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class Front:
    """A frontmatter block; `inner_end` is where its closing line starts, and where a new key goes."""

    keys: tuple[Key, ...]
    start: int
    end: int
    line: int
    end_line: int
    inner_end: int

    def find(self, name: str) -> Key | None:
        """Return the key of this name, the last one if it is given twice, as every reader takes it."""
        for key in reversed(self.keys):
            if key.name == name:
                return key
        return None

    def text(self, name: str, default: str = "") -> str:
        """Return a key's value as text; the items of a list joined with commas."""
        key = self.find(name)
        if key is None:
            return default
        return key.value if isinstance(key.value, str) else ", ".join(key.value)

    def listed(self, name: str) -> tuple[str, ...]:
        """Return a key's value as a list: a list as it is, text cut at its commas."""
        key = self.find(name)
        if key is None:
            return ()
        if isinstance(key.value, tuple):
            return key.value
        return tuple(item for part in key.value.split(",") if (item := part.strip()))


def parse_front(lines: Lines, path: str = "") -> tuple[Front | None, tuple[Problem, ...]]:
    """Read the frontmatter of a text; None when it has none."""
    start = lines.starts[0]
    if not lines.flat.startswith("---", start) or lines.rows[0].rstrip() != "---":
        return None, ()
    first_end = start + len(lines.rows[0])
    close = _FENCE.search(lines.flat, first_end)
    if close is None:
        if len(lines.rows) > 1 and _KEY.match(lines.rows[1]):
            return None, (Problem(path, 1, "unclosed-frontmatter", ERROR, "frontmatter has no closing '---'"),)
        return None, ()
    close_line = lines.line_of(close.end())
    keys, problems = _parse_keys(lines, 1, close_line - 1, path)
    if not keys and problems:
        # Two thematic breaks with prose between them, not somebody's broken metadata.
        return None, ()
    return Front(keys, start, close.end(), 1, close_line, lines.starts[close_line - 1]), problems


def _parse_keys(lines: Lines, first: int, stop: int, path: str) -> tuple[tuple[Key, ...], tuple[Problem, ...]]:
    """Read the rows from `first` up to `stop` (indexes from 0) as keys, each with the rows that continue it."""
    keys: list[Key] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    index = first
    while index < stop:
        row = lines.rows[index]
        match = _KEY.match(row)
        if match is None:
            if row.strip() and not row.lstrip().startswith("#"):
                problems.append(Problem(path, index + 1, "broken-frontmatter", ERROR, "line is not 'key: value'"))
            index += 1
            continue
        last = _last_row(lines.rows, index, stop, row[match.end() :])
        key, fault = _parse_key(lines, index, last, match)
        if not fault and key.name in seen:
            fault = f"key '{key.name}' is given twice"
        if fault:
            severity = WARN if fault.startswith("value") else ERROR
            problems.append(Problem(path, index + 1, "broken-frontmatter", severity, fault))
        seen.add(key.name)
        keys.append(key)
        index = last + 1
    return tuple(keys), tuple(problems)


def _last_row(rows: list[str], index: int, stop: int, rest: str) -> int:
    """Return the last row that belongs to the key at `index`: indented ones, list items, the end of a flow value."""
    last = index
    flow = rest[:1] in ("[", "{")
    empty = not rest.strip() or rest.startswith("#")
    for number in range(index + 1, stop):
        row = rows[number]
        first = row[:1]
        if first in (" ", "\t"):
            if row.strip():
                last = number
        elif first and not (flow and first in "]}") and not (empty and _LIST_ITEM.match(row)):
            break
        elif first:
            last = number
    return last


def _parse_key(lines: Lines, index: int, last: int, match: re.Match[str]) -> tuple[Key, str]:
    """Read one key and its value; the second result says what is wrong with it, if anything."""
    start = lines.starts[index]
    name = match["name"].rstrip()
    if name[0] in "\"'":
        name = _unquote(name)
    value_start, end = start + match.end(), lines.end_of(last)
    value_start = min(value_start, lines.end_of(index))
    raw = lines.flat[value_start:end]
    value, style, length, fault = _parse_value(raw)
    value_end = value_start + length
    if style == EMPTY:
        value_start = value_end = start + len(match[0].rstrip())
    return Key(name, value, style, start, end, index + 1, last + 1, value_start, value_end), fault


def _parse_value(raw: str) -> tuple[str | tuple[str, ...], str, int, str]:
    """Read a value: what it says, how it is written, how long it is without its comment, what is wrong."""
    first = raw[:1]
    if first in ('"', "'"):
        return _parse_quoted(raw)
    if first == "[":
        return _parse_inline_list(raw)
    if first in ("|", ">") and "\n" in raw:
        return _parse_block_text(raw)
    if first in _OPAQUE_FIRST:
        text = raw.rstrip()
        return text, OPAQUE, len(text), ""
    head, _, rest = raw.partition("\n")
    if rest and not _COMMENT.sub("", head).strip():
        return _parse_block(raw)
    return _parse_plain(raw)


def _parse_plain(raw: str) -> tuple[str, str, int, str]:
    if "#" in raw or "\n" in raw:
        bare = _COMMENT.sub("", raw, count=1) if "\n" not in raw else _COMMENT.sub("", raw)
        length = len(raw.rstrip()) if "\n" in raw else len(bare.rstrip())
        text = " ".join(bare.split()) if "\n" in raw else bare.strip()
    else:
        text = raw.strip()
        length = len(raw.rstrip())
    if not text:
        return "", EMPTY, 0, ""
    if ": " in text or text.endswith(":") or text[0] in _INDICATORS:
        return text, PLAIN, length, "value needs quotes for other programs to read it"
    return text, PLAIN, length, ""


def _parse_quoted(raw: str) -> tuple[str, str, int, str]:
    style = DOUBLE if raw[0] == '"' else SINGLE
    match = _QUOTED.match(raw)
    if match is None:
        text = raw.rstrip()
        return text, OPAQUE, len(text), "quote is not closed"
    rest = raw[match.end() :].strip()
    if rest and not rest.startswith("#"):
        text = raw.rstrip()
        return text, OPAQUE, len(text), "value goes on after its closing quote"
    return _unquote(match[0]), style, match.end(), ""


def _parse_inline_list(raw: str) -> tuple[str | tuple[str, ...], str, int, str]:
    close = _closing_bracket(raw)
    text = raw.rstrip()
    if close < 0:
        return text, OPAQUE, len(text), "list is not closed"
    rest = raw[close + 1 :].strip()
    items = _flow_items(raw[1:close])
    if items is None or (rest and not rest.startswith("#")):
        return text, OPAQUE, len(text), ""
    return items, INLINE_LIST, close + 1, ""


def _closing_bracket(raw: str) -> int:
    at = 1
    while (at := _first_of(raw, at)) >= 0:
        if raw[at] == "]":
            return at
        quoted = _QUOTED.match(raw, at) if raw[at - 1] in "[, \t\n" else None
        at = quoted.end() if quoted else at + 1
    return -1


_LIST_STOP = re.compile(r"""["'\]]""")


def _first_of(raw: str, at: int) -> int:
    match = _LIST_STOP.search(raw, at)
    return match.start() if match else -1


def _flow_items(body: str) -> tuple[str, ...] | None:
    """Read the inside of an inline list; None when it holds more than scalars."""
    items = []
    at = 0
    while at < len(body):
        match = _FLOW_ITEM.match(body, at)
        if match is None:
            return None
        if match[1]:
            items.append(_unquote(match[1]))
        elif match[2] and match[2].strip():
            items.append(" ".join(match[2].split()))
        at = max(match.end(), at + 1)
    return tuple(items)


def _parse_block_text(raw: str) -> tuple[str, str, int, str]:
    head, _, body = raw.partition("\n")
    rows = body.split("\n")
    indent = min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), default=0)
    text = "\n".join(row[indent:].rstrip() for row in rows).strip("\n")
    if head[0] == ">":
        text = "\n".join(" ".join(part.split("\n")) for part in text.split("\n\n"))
    return text, BLOCK_TEXT, len(raw.rstrip()), ""


def _parse_block(raw: str) -> tuple[str | tuple[str, ...], str, int, str]:
    """Read what stands below a key that has nothing beside it: a list of scalars, text, or something opaque."""
    rows = [row for row in raw.split("\n")[1:] if row.strip() and not row.lstrip().startswith("#")]
    length = len(raw.rstrip())
    if not rows:
        return "", EMPTY, 0, ""
    items = []
    for row in rows:
        match = _LIST_ITEM.match(row)
        body = row[match.end() :] if match else ""
        if match is None or _NESTED.match(body) or body[:1] in ("[", "|", ">") or body[:1] in _OPAQUE_FIRST:
            break
        item, _, _, fault = _parse_value(body)
        if fault.startswith(("quote", "value goes")) or not isinstance(item, str):
            break
        items.append(item)
    else:
        return tuple(items), BLOCK_LIST, length, ""
    if any(_NESTED.match(row) for row in rows) or rows[0].lstrip()[:1] in ("{", "[", '"', "'"):
        return raw.strip(), OPAQUE, length, ""
    return " ".join(" ".join(rows).split()), PLAIN, length, ""


def _unquote(quoted: str) -> str:
    body = quoted[1:-1]
    if quoted[0] == "'":
        text = body.replace("''", "'")
        return " ".join(text.split("\n")) if "\n" in text else text
    if "\n" in body:
        body = " ".join(part.strip() for part in body.split("\n")).replace("\\ ", "")
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else match[0]  # noqa: PLR2004 - the last code point there is
    return _ESCAPES.get(code, code)


# Words that other YAML readers would take for something else than text.
_TYPED = frozenset(("", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_PLAIN_OK = re.compile(
    r"[^\s\x00-\x1f\x7f\x85\u2028\u2029\ufeff:#\-?\[\]{},&*!|>'\"%@`][^\x00-\x1f\x7f\x85\u2028\u2029\ufeff]*"
)
_MUST_ESCAPE = re.compile(r'[\x00-\x1f\x7f\x85\u2028\u2029\ufeff"\\]')
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def print_scalar(value: str, style: str = PLAIN, *, in_list: bool = False) -> str:
    """Write a value in the wanted style, or in the nearest one that can hold it."""
    if style == SINGLE and _PLAIN_OK.fullmatch("x" + value):
        return "'" + value.replace("'", "''") + "'"
    if style != DOUBLE and _is_plain(value, in_list=in_list):
        return value
    return '"' + _MUST_ESCAPE.sub(_escape, value) + '"'


def _is_plain(value: str, *, in_list: bool) -> bool:
    if value.lower() in _TYPED or value != value.strip() or not _PLAIN_OK.fullmatch(value):
        return False
    if ": " in value or value.endswith(":") or "#" in value or "  " in value:
        return False
    return not in_list or not any(mark in value for mark in ",[]{}")


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}")  # noqa: PLR2004 - two digits
