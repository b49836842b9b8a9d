"""Cards in `capabilities.yaml`: what a capability does and when to reach for it, one mapping in a list each.

A file is read with the place of every value, so that a rewrite touches the values that change and nothing else: what a
person wrote around them, comments and unknown keys included, stays as it is. A card with a fault is left out and told
with its line; the others are read all the same. The YAML library is imported when a file is read, never before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mneme.errors import ERROR, BadInputError, Problem, RefusedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    Edit = tuple[int, int, str]

SOURCES = ("mcp", "skill", "plugin", "command", "project", "service", "os", "manual")
GLOBAL = "global"
DISCOVERED = "discovered"
_ID = re.compile(r"[a-z][a-z0-9_]*")
_DEEPEST_MERGE = 4
_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True)
class Card:
    """One capability, with what is counted about it; `active` says whether it is really there."""

    id: str
    name: str
    category: str
    action_verb: str
    triggers: tuple[str, ...]
    description: str
    params_required: tuple[str, ...] = ()
    params_optional: tuple[str, ...] = ()
    example: str = ""
    schema_version: str = "1"
    source: str = "manual"
    namespace: str = GLOBAL
    last_used: str | None = None
    success_count: int = 0
    failure_count: int = 0
    decay_score: float = 1.0
    active: bool = True
    line: int = field(default=0, compare=False)
    end_line: int = field(default=0, compare=False)

    def as_json(self) -> dict[str, object]:
        """Return the card as plain values, under the names that its file uses."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


FIELDS = tuple(one.name for one in fields(Card) if one.compare)
REQUIRED = ("id", "name", "category", "action_verb", "triggers", "description", "source")
_LISTS = frozenset({"triggers", "params_required", "params_optional"})
_COUNTS = frozenset({"success_count", "failure_count"})


@dataclass(frozen=True, slots=True)
class Written:
    """Where a card stands in its text: each value's span, the end of its last line, and how its keys are laid out."""

    spans: Mapping[str, tuple[int, int]]
    end: int
    column: int
    flow: bool


@dataclass(frozen=True, slots=True)
class CardFile:
    """The cards of one text, in order, each with its place, and what is wrong with the rest."""

    text: str
    path: str
    cards: tuple[Card, ...] = ()
    places: tuple[Written, ...] = ()
    problems: tuple[Problem, ...] = ()
    end: int = -1
    """Where the list of cards ends; below 0, there is none that could be added to."""
    column: int = 0
    flow: bool = False

    @property
    def is_broken(self) -> bool:
        """Say whether the text is not a list of cards at all, so that it must not be written to."""
        return self.end < 0


class _FaultError(Exception):
    """A value that a card can't have: what is wrong, and on which line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_cards(text: str, path: str, categories: Collection[str]) -> CardFile:
    """Read a file of cards; `categories` are the names that a card may give as its category."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        root = YAML(typ="safe", pure=True).compose(text.removeprefix("\ufeff"))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return _broken(text, path, (mark.line if mark else 0) + 1, str(error.problem or error.context or "not YAML"))
    except (YAMLError, RecursionError, ValueError) as error:
        return _broken(text, path, 1, str(error).split("\n", 1)[0] or "nested too deeply")
    shift = len(text) - len(text.removeprefix("\ufeff"))
    if root is None or root.tag.endswith(":null"):
        return CardFile(text, path, end=len(text))
    if not root.tag.endswith(":seq"):
        return _broken(text, path, root.start_mark.line + 1, "the file is not a list of cards")
    return _Reader(text, path, categories, shift).read(root)


def _broken(text: str, path: str, line: int, message: str) -> CardFile:
    fault = f"this is not YAML that holds cards: {message}"
    return CardFile(text, path, problems=(Problem(path, line, "broken-yaml", ERROR, fault, f"edit {path}"),))


class _Reader:
    """Turns the nodes of one text into cards."""

    __slots__ = ("_categories", "_path", "_problems", "_shift", "_text")

    def __init__(self, text: str, path: str, categories: Collection[str], shift: int) -> None:
        self._text, self._path, self._categories, self._shift = text, path, categories, shift
        self._problems: list[Problem] = []

    def read(self, root: Any) -> CardFile:  # noqa: ANN401 - the library's nodes have no types
        """Return everything that the list holds."""
        cards: dict[str, tuple[Card, Written]] = {}
        for node in root.value:
            try:
                card, place = self._card(node)
            except _FaultError as fault:
                self._report("card-fault", fault.line, fault.message)
                continue
            if card.id in cards:
                first = cards[card.id][0].line
                self._report("duplicate-card", card.line, f"id '{card.id}' is already used at line {first}")
            else:
                cards[card.id] = card, place
        flow = bool(root.flow_style)
        return CardFile(
            self._text,
            self._path,
            tuple(card for card, _ in cards.values()),
            tuple(place for _, place in cards.values()),
            tuple(self._problems),
            end=root.end_mark.index - 1 + self._shift if flow else self._end_of_list(root),
            column=root.start_mark.column,
            flow=flow,
        )

    def _report(self, rule: str, line: int, message: str) -> None:
        self._problems.append(Problem(self._path, line, rule, ERROR, message, f"edit {self._path}"))

    def _end_of_list(self, root: Any) -> int:  # noqa: ANN401
        """Return where a card can be added: at the end, unless something other than comments follows the list."""
        end = self._end_of_lines(root.value[-1].end_mark.index + self._shift)
        rest = (line.strip() for line in self._text[end:].split("\n"))
        return len(self._text) if all(not line or line.startswith("#") for line in rest) else end

    def _end_of_lines(self, at: int) -> int:
        if at and self._text[at - 1] == "\n":
            return at
        newline = self._text.find("\n", at)
        return len(self._text) if newline < 0 else newline + 1

    def _card(self, node: Any) -> tuple[Card, Written]:  # noqa: ANN401
        line = node.start_mark.line + 1
        if not node.tag.endswith(":map"):
            raise _FaultError("a card is a mapping of names to values", line)
        values = _members(node)
        missing = [name for name in REQUIRED if name not in values]
        if missing:
            raise _FaultError(f"the card has no '{missing[0]}'", line)
        read = {name: self._value(name, values[name]) for name in FIELDS if name in values}
        last = node.value[-1][1]
        end = self._end_of_lines(max(last.end_mark.index, node.value[-1][0].end_mark.index) + self._shift)
        card = Card(**read, line=line, end_line=self._text.count("\n", 0, max(end - 1, 0)) + 1)
        flow = bool(node.flow_style)
        spans = {
            key.value: (value.start_mark.index + self._shift, value.end_mark.index + self._shift)
            for key, value in node.value
            if key.end_mark.index <= value.start_mark.index
        }
        at = node.end_mark.index - 1 + self._shift if flow else end
        return card, Written(spans, at, node.value[0][0].start_mark.column, flow)

    def _value(self, name: str, node: Any) -> Any:  # noqa: ANN401
        line = node.start_mark.line + 1
        if name in _LISTS:
            return self._texts(name, node, line)
        if node.tag.endswith(":null") and name == "last_used":
            return None
        if not isinstance(node.value, str) or node.tag.endswith(":null"):
            raise _FaultError(f"'{name}' takes a single value", line)
        return _checked(name, node.value, line, self._categories)

    def _texts(self, name: str, node: Any, line: int) -> tuple[str, ...]:  # noqa: ANN401
        if not node.tag.endswith(":seq") or any(not isinstance(item.value, str) for item in node.value):
            raise _FaultError(f"'{name}' takes a list of texts", line)
        texts = tuple(item.value for item in node.value if item.value.strip())
        if name == "triggers":
            _check_triggers(texts, line)
        return texts


def _members(node: Any, depth: int = 0) -> dict[str, Any]:  # noqa: ANN401
    """Return the values of a mapping by key; what `<<` merges in counts where the mapping itself says nothing."""
    own: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in node.value:
        if key.value == "<<" and depth < _DEEPEST_MERGE:
            sources = value.value if value.tag.endswith(":seq") else [value]
            for one in sources:
                if one.tag.endswith(":map"):
                    merged = _members(one, depth + 1) | merged
        elif isinstance(key.value, str):
            own[key.value] = value
    return merged | own


def _checked(name: str, text: str, line: int, categories: Collection[str]) -> object:
    """Return a single value as what its field holds."""
    if name in _COUNTS:
        if not re.fullmatch(r"\d{1,12}", text):
            raise _FaultError(f"'{name}' is a count, not '{text}'", line)
        return int(text)
    if name == "decay_score":
        return _share(text, line)
    if name == "active":
        if text.lower() not in _YES | _NO:
            raise _FaultError(f"'active' is true or false, not '{text}'", line)
        return text.lower() in _YES
    fault = _fault_of_text(name, text, categories)
    if fault:
        raise _FaultError(fault, line)
    return text


def _share(text: str, line: int) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise _FaultError(f"'decay_score' lies between 0 and 1, which '{text}' does not", line)
    return share


def _fault_of_text(name: str, text: str, categories: Collection[str]) -> str:
    if name == "id" and not _ID.fullmatch(text):
        return f"'{text}' is no id: it is small letters, digits and '_', and begins with a letter"
    if name == "category" and text not in categories:
        return f"there is no category '{text}'"
    if name == "source" and text not in SOURCES:
        return f"there is no source '{text}'; there are {', '.join(SOURCES)}"
    if name == "last_used" and not _is_moment(text):
        return f"'{text}' is not a date or a time"
    if name in REQUIRED and not text.strip():
        return f"'{name}' is empty"
    return ""


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_triggers(triggers: Iterable[str], line: int) -> None:
    said = [trigger for trigger in triggers if trigger.strip()]
    if not said:
        raise _FaultError("'triggers' needs at least one word", line)
    for text in said:
        try:
            re.compile(pattern_of(text) or "")
        except (re.error, RecursionError, OverflowError) as error:
            raise _FaultError(f"the trigger '{text}' is no regular expression: {error}", line) from error


def pattern_of(trigger: str) -> str | None:
    """Return the regular expression that a trigger between slashes is; None for one that is words."""
    return trigger[1:-1] if len(trigger) > 2 and trigger[0] == trigger[-1] == "/" else None  # noqa: PLR2004 - two slashes


def check_card(card: Card, categories: Collection[str]) -> Card:
    """Return a card that was made from values, if its file could hold it; the error says what is wrong."""
    try:
        for name in FIELDS:
            value = getattr(card, name)
            if isinstance(value, str):
                _checked(name, value, 0, categories)
        _check_triggers(card.triggers, 0)
    except _FaultError as fault:
        raise BadInputError(fault.message, "mneme cards add --help") from fault
    return card


# --- writing ----------------------------------------------------------------------------------------------------------


def edit_card(file: CardFile, place: int, values: Mapping[str, object]) -> Iterator[Edit]:
    """Yield the edits that set single values of the card at a place in its file; those that are so are left alone."""
    card, written = file.cards[place], file.places[place]
    added: list[str] = []
    for name, value in values.items():
        if getattr(card, name) == value:
            continue
        text = print_value(value)
        span = written.spans.get(name)
        if span is None:
            added.append(f"{name}: {text}")
        elif file.text[span[0] : span[1]].startswith("*"):
            message = f"'{name}' of '{card.id}' stands elsewhere in the file, as an alias"
            raise RefusedError(message, f"edit {file.path}")
        else:
            gap = " " if file.text[span[0] - 1] == ":" else ""
            yield span[0], span[1], gap + text
    if added and written.flow:
        yield written.end, written.end, ", " + ", ".join(added)
    elif added:
        before = "" if not written.end or file.text[written.end - 1] == "\n" else "\n"
        yield written.end, written.end, before + "".join(f"{' ' * written.column}{line}\n" for line in added)


def edit_add(file: CardFile, cards: Iterable[Card]) -> Iterator[Edit]:
    """Yield the edit that adds cards at the end of a file's list."""
    added = list(cards)
    if not added:
        return
    if file.is_broken:
        raise RefusedError(f"'{file.path}' can't be written to while it can't be read", f"edit {file.path}")
    if file.flow:
        before = ", " if file.text[: file.end].rstrip()[-1:] != "[" else ""
        yield file.end, file.end, before + ", ".join(map(_print_flow, added))
        return
    before = "\n" if file.end and file.text[file.end - 1] != "\n" else ""
    yield file.end, file.end, before + "".join(print_card(card, file.column) for card in added)


def print_card(card: Card, column: int = 0) -> str:
    """Return a card as YAML, ready to be an item of a list whose dashes stand in that column."""
    margin = " " * column
    lines = [f"{name}: {print_value(getattr(card, name))}" for name in FIELDS]
    return "".join(f"{margin}{'  ' if place else '- '}{line}\n" for place, line in enumerate(lines))


def _print_flow(card: Card) -> str:
    return "{" + ", ".join(f"{name}: {print_value(getattr(card, name))}" for name in FIELDS) + "}"


def print_value(value: object) -> str:
    """Return a value as YAML on one line, which reads back as the same value whatever a text holds."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(_quoted(str(item)) for item in value)}]"
    text = str(value)
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else _quoted(text)


_PLAIN = re.compile(r"[A-Za-z](?:[\w./()+-]|[ ,](?=[\w(]))*", re.ASCII)
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_SPECIAL = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    return '"' + "".join(_SPECIAL.get(letter) or _escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the widths of YAML's escapes
