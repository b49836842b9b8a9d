"""Settings of other programs, as JSON with whatever liberties they take: changed in place, and given back to the byte.

Reads JSON, with comments and trailing commas, and JSON5's single quotes and bare keys. Putting something in touches
nothing around it; taking it out again leaves the text as it was. How something lies says whose it is: what goes into
an empty container hugs its bracket, what is made with its container stands apart from it, so a container that has
nothing left in it is known to be ours or not. Pure; no text raises anything but `BrokenSettingsError`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

OBJECT, ARRAY, SCALAR = "object", "array", "scalar"
DEEPEST = 100

Step = str | int

_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'', re.DOTALL)
_BARE = re.compile(r"[\w$+.-]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*(?=\n|\r))")
_WORDS = {"true": True, "false": False, "null": None}


class BrokenSettingsError(ValueError):
    """A text is no JSON of any kind that we know: what is wrong, and on which line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its span. Members of an object have a key, which begins at `key_start`."""

    kind: str
    start: int
    end: int
    value: Any = None
    children: tuple[Node, ...] = ()
    key: str = ""
    key_start: int = -1

    @property
    def first(self) -> int:
        """Return where the node begins, its key included."""
        return self.start if self.key_start < 0 else self.key_start

    def plain(self) -> Any:  # noqa: ANN401 - whatever the settings hold
        """Return the value as Python has it."""
        if self.kind == OBJECT:
            return {child.key: child.plain() for child in self.children}
        return [child.plain() for child in self.children] if self.kind == ARRAY else self.value

    def find(self, path: Sequence[Step]) -> Node | None:
        """Return the node at a path of keys and positions; of two members with one key, the last."""
        if not path:
            return self
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            child = self.children[step] if self.kind == ARRAY and step < len(self.children) else None
        else:
            child = next((one for one in reversed(self.children) if self.kind == OBJECT and one.key == step), None)
        return None if child is None else child.find(rest)


def parse_settings(text: str) -> Node:
    """Return the root of a text."""
    return _Parser(text).root()


def print_settings(value: object) -> str:
    """Return a new file with a value."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def with_item(text: str, path: Sequence[Step], item: object) -> str:
    """Return the text with an item at the end of the array at a path; what is missing on the way is made."""
    return _with(text, path, item, ARRAY)


def with_member(text: str, path: Sequence[Step], value: object) -> str:
    """Return the text with a value at a path; what is missing on the way is made, what is there is replaced."""
    node = parse_settings(text).find(path)
    if node is None:
        return _with(text, path[:-1], value, OBJECT, str(path[-1]))
    return text if node.plain() == value else with_value(text, path, value)


def with_value(text: str, path: Sequence[Step], value: object) -> str:
    """Return the text with another value in the place of the one at a path."""
    node = parse_settings(text).find(path)
    if node is None:
        message = f"there is no '{'.'.join(map(str, path))}'"
        raise BrokenSettingsError(message, 1)
    printed = _printed(text, value, _indent_at(text, node.first)) if _is_open(text, node) else json.dumps(value)
    return text[: node.start] + printed + text[node.end :]


def without(text: str, path: Sequence[Step]) -> str | None:
    """Return the text without what lies at a path, nor any container that was made for it; None for a file made so."""
    root = parse_settings(text)
    node, above = root.find(path), root.find(path[:-1])
    if node is None or above is None:
        return text
    if len(above.children) > 1:
        return _cut(text, above, above.children.index(node))
    if text[above.start + 1 : node.first].isspace():
        if len(path) > 1:
            return without(text, path[:-1])
        emptied = text[: above.start] + "{}" + text[above.end :]
        return None if emptied.strip() == "{}" else emptied
    return text[: node.first] + text[node.end :]


def _with(text: str, path: Sequence[Step], value: object, kind: str, key: str = "") -> str:
    """Put a value into the container at a path, making the containers that are missing."""
    root = parse_settings(text)
    depth = next(n for n in range(len(path), -1, -1) if root.find(path[:n]) is not None)
    above = root.find(path[:depth])
    missing = path[depth:]
    if above is None or above.kind != (OBJECT if missing else kind):
        place = ".".join(map(str, path[:depth])) or "the file"
        message = f"'{place}' is not {'an object' if missing or kind == OBJECT else 'a list'}"
        raise BrokenSettingsError(message, _line_at(text, above.start if above else 0))
    made = 0
    if missing:
        inner: Any = [value] if kind == ARRAY else {key: value}
        for step in reversed(missing[1:]):
            inner = {str(step): inner}
        key, value, made = str(missing[0]), inner, len(missing)
    return _put(text, above, value, key, made)


def _put(text: str, above: Node, value: object, key: str, made: int) -> str:
    """Put a value at the end of a container; so many levels of it are containers that are made on the way."""
    opening = json.dumps(key, ensure_ascii=False) + ": " if key else ""
    if not above.children:
        inner = _printed(text, value, _indent_at(text, above.first))
        at = above.start + 1
        return text[:at] + opening + inner + text[at:]
    last = above.children[-1]
    if not _is_open(text, above):
        return text[: last.end] + ", " + opening + _on_one_line(value, made) + text[last.end :]
    indent = _indent_at(text, last.first)
    said = _newline(text) + indent + opening + _printed(text, value, indent)
    # A comment behind the last one stays behind it; a comma that is there already stands for ours.
    comma = _comma_after(text, last.end)
    if comma is not None:
        return text[:comma] + "," + said + text[comma:]
    behind = _REST_OF_LINE.match(text, last.end)
    at = behind.end() if behind else last.end
    return text[: last.end] + "," + text[last.end : at] + said + text[at:]


def _cut(text: str, above: Node, index: int) -> str:
    """Take one of several children out."""
    node = above.children[index]
    if index == 0:
        return text[: node.first] + text[above.children[1].first :]
    before = above.children[index - 1]
    comma = _comma_after(text, before.end)
    if comma is None:
        return text
    trivia = text[comma + 1 : node.first]
    line = max(trivia.rfind("\n"), 0)
    line -= trivia[line - 1 : line] == "\r"
    kept = trivia[:line] if "\n" in trivia else trivia.rstrip()
    return text[:comma] + text[comma + 1 : comma + 1 + len(kept)] + text[node.end :]


def _comma_after(text: str, at: int) -> int | None:
    """Return where the comma behind a value is."""
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr] # it matches nothing, too
    return at if text[at : at + 1] == "," else None


def _is_open(text: str, node: Node) -> bool:
    """Say whether a value spreads over several lines."""
    return "\n" in text[node.start : node.end]


def _printed(text: str, value: object, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + indent).join(lines)


def _on_one_line(value: Any, made: int) -> str:  # noqa: ANN401 - whatever is put in
    """Return a value on one line, in which the containers that are made stand apart from what is in them."""
    if not made:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[ {_on_one_line(value[0], made - 1)} ]"
    key, inner = next(iter(value.items()))
    return f"{{ {json.dumps(key, ensure_ascii=False)}: {_on_one_line(inner, made - 1)} }}"


def _unit(text: str) -> str:
    """Return by how much a level is indented in this text."""
    found = re.search(r"\n([ \t]+)[^ \t\r\n]", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, at: int) -> str:
    """Return the white space that the line of a place begins with."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:at]) - len(text[line:at].lstrip(" \t"))]


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


class _Parser:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def root(self) -> Node:
        """Return the one value of the text."""
        self._space()
        node = self._value(0)
        self._space()
        if self.at < len(self.text):
            self._fail("there is something after the end")
        return node

    def _space(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr] # it matches nothing, too

    def _fail(self, message: str) -> NoReturn:
        raise BrokenSettingsError(message, _line_at(self.text, self.at))

    def _value(self, depth: int) -> Node:
        start, mark = self.at, self.text[self.at : self.at + 1]
        if depth > DEEPEST:
            self._fail("it is nested too deeply")
        if mark in ("{", "["):
            return self._container(start, OBJECT if mark == "{" else ARRAY, depth)
        if mark in ('"', "'"):
            value = self._string()
            return Node(SCALAR, start, self.at, value)
        found = _BARE.match(self.text, start)
        if not found:
            self._fail("a value is missing")
        self.at = found.end()
        return Node(SCALAR, start, self.at, self._word(found[0]))

    def _word(self, word: str) -> object:
        if word in _WORDS:
            return _WORDS[word]
        try:
            return json.loads(word)
        except ValueError:
            pass
        try:
            return float(int(word, 0)) if word.lower().lstrip("+-").startswith("0x") else float(word)
        except ValueError:
            self._fail(f"'{word}' is no value")

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if not found:
            self._fail("a text has no end")
        self.at = found.end()
        body = found[0]
        if body[0] == "'":
            inner = body[1:-1].replace("\\'", "'")
            body = '"' + re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', inner) + '"'
        try:
            value = json.loads(body, strict=False)
        except ValueError:
            return body[1:-1]
        return str(value)

    def _container(self, start: int, kind: str, depth: int) -> Node:
        self.at += 1
        closing = "}" if kind == OBJECT else "]"
        children: list[Node] = []
        while True:
            self._space()
            if self.text[self.at : self.at + 1] == closing:
                self.at += 1
                return Node(kind, start, self.at, None, tuple(children))
            children.append(self._member(depth) if kind == OBJECT else self._value(depth + 1))
            self._space()
            mark = self.text[self.at : self.at + 1]
            if mark == ",":
                self.at += 1
            elif mark != closing:
                self._fail(f"a comma or '{closing}' is missing")

    def _member(self, depth: int) -> Node:
        key_start = self.at
        if self.text[self.at : self.at + 1] in ('"', "'"):
            key = self._string()
        else:
            found = _BARE.match(self.text, self.at)
            if not found:
                self._fail("a key is missing")
            key, self.at = found[0], found.end()
        self._space()
        if self.text[self.at : self.at + 1] != ":":
            self._fail("a colon is missing")
        self.at += 1
        self._space()
        value = self._value(depth + 1)
        return Node(value.kind, value.start, value.end, value.value, value.children, key, key_start)
