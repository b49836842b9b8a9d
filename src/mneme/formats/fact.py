"""Entity facts: `items.json`, a list of facts that are never edited, only superseded.

`parse_facts` reads any text and keeps it; every fact knows its lines, and every key its span, so that adding a fact
or marking one superseded is a span edit that leaves each other byte alone. What a fact says is never changed here:
there is no function for it. Text that is not JSON is one problem with a line and a column.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mneme.errors import ERROR, BadInputError, NotFoundError, Problem, RefusedError
from mneme.formats.entry import entry_hash
from mneme.formats.jsontext import (
    BrokenJsonError,
    Member,
    Node,
    scan_list,
    scan_node,
    scan_object,
    scan_pairs,
    skip_space,
)
from mneme.formats.record import LIVE, PRIVATE, RETIRED, SUPERSEDED, WARM, Link, Record
from mneme.formats.span import BOM, Lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from mneme.formats.span import Splice

KEYS = ("id", "fact", "category", "timestamp", "source", "status", "supersededBy")
CONFIRMED = "confirmed"
CATEGORIES = ("relationship", "milestone", "status", "preference", "decision")
SOURCES = ("conversation", "observation")
ACTIVE = "active"
# What a fact says that was forgotten on purpose: it holds no more, and keeps its id.
FORGOTTEN = "[forgotten]"
STATUSES = (ACTIVE, SUPERSEDED)

ID_DIGITS = 3
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBERED = re.compile(r"(.*?)-?([0-9]{1,18})")
# The names under which files in the wild keep their list when it is not the whole file.
_LIST_NAMES = ("facts", "items", "entries", "records", "atoms")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact; a key that is missing or not text reads as the empty string, and `members` has it as written."""

    id: str
    fact: str
    category: str
    timestamp: str
    source: str
    status: str
    superseded_by: str
    confirmed: str
    line: int
    end_line: int
    start: int
    end: int
    text: str = field(repr=False, compare=False)

    @property
    def members(self) -> tuple[Member, ...]:
        """Return its keys and values as they are written, each with its span."""
        return scan_object(self.text, self.start)[0]

    @property
    def date(self) -> str:
        """Return the day of its timestamp, or the empty string."""
        match = _DAY.match(self.timestamp)
        return match[0] if match else ""

    def find(self, key: str) -> Member | None:
        """Return the member with this key, the last one if it is given twice, as every JSON reader takes it."""
        for member in reversed(self.members):
            if member.key == key:
                return member
        return None


@dataclass(frozen=True, slots=True)
class FactFile:
    """An `items.json`: its text, its facts in order, and what is broken in it.

    `list_start` and `list_end` enclose the list with its brackets; both are -1 when there is none to add to. After a
    fault the facts above it are read, and every edit is refused.
    """

    text: str
    path: str
    lines: Lines
    facts: tuple[Fact, ...]
    problems: tuple[Problem, ...]
    list_start: int
    list_end: int
    last_end: int
    broken: bool

    def find(self, fact_id: str) -> Fact | None:
        """Return the first fact with this id, or None."""
        return next((fact for fact in self.facts if fact.id == fact_id), None)

    def get(self, fact_id: str) -> Fact:
        """Return the first fact with this id."""
        fact = self.find(fact_id)
        if fact is None:
            raise NotFoundError(f"'{fact_id}' is not in '{self.path}'", f"mneme show {self.path}")
        return fact


def parse_facts(text: str, path: str = "") -> FactFile:
    """Read any text as a file of facts: a list, or an object that holds one."""
    lines = split_lines(text)
    start = skip_space(text, 1 if text.startswith(BOM) else 0)
    if start == len(text):
        return FactFile(text, path, lines, (), (), -1, -1, -1, broken=False)
    reader = _Reader(text, path, lines)
    try:
        reader.read_root(start)
    except BrokenJsonError as fault:
        reader.report_fault(fault)
    return reader.result()


def print_facts(file: FactFile) -> str:
    """Return the text of a file of facts, character for character."""
    return file.text


def immutable_facts(text: str) -> dict[str, tuple[str, str, str, str]]:
    """Return what no edit may change, by id: what each fact says, its category, its time and its source.

    The second fact with one id is `acme-001 (2)`, and so on; one without an id is named by the hash of its words.
    """
    parts: dict[str, tuple[str, str, str, str]] = {}
    repeats: Counter[str] = Counter()
    for fact in parse_facts(text).facts:
        name = fact.id or entry_hash(fact.fact)
        repeats[name] += 1
        again = repeats[name]
        parts[name if again == 1 else f"{name} ({again})"] = (fact.fact, fact.category, fact.timestamp, fact.source)
    return parts


class _Reader:
    """Collects facts and problems while a text is read once from its start to its end."""

    __slots__ = ("broken", "facts", "last_end", "lines", "list_end", "list_start", "path", "problems", "text")

    def __init__(self, text: str, path: str, lines: Lines) -> None:
        self.text, self.path, self.lines = text, path, lines
        self.facts: list[Fact] = []
        self.problems: list[Problem] = []
        self.list_start = self.list_end = self.last_end = -1
        self.broken = False

    def read_root(self, at: int) -> None:
        if self.text[at] == "[":
            end = self.read_list(at)
        else:
            node = scan_node(self.text, at)
            end = node.end
            self.read_wrapper(node)
        rest = skip_space(self.text, end)
        if rest < len(self.text):
            raise BrokenJsonError("text after the end of the value", rest)

    def read_wrapper(self, node: Node) -> None:
        """Find the list inside an object, by its usual names and then by being a list of objects."""
        lists = [member for member in node.members if isinstance(member.value, list)]
        named = [member for name in _LIST_NAMES for member in lists if member.key == name]
        shaped = [member for member in lists if member.value and all(isinstance(item, dict) for item in _list(member))]
        if not named and not shaped:
            self.problem(node.start, "no list of facts in the file")
            self.broken = True
            return
        self.read_list((named or shaped)[0].start)

    def read_list(self, at: int) -> int:
        self.list_start = at
        self.list_end = scan_list(self.text, at, "]", self.read_element)
        return self.list_end

    def read_element(self, text: str, at: int) -> int:
        pairs, end = scan_pairs(text, at)
        self.last_end = end
        if pairs is None:
            self.problem(at, "element of the list is not an object")
            return end
        said = dict(pairs)
        self.facts.append(_fact(said, text, at, end, self.lines))
        if len(said) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, count in counts.items() if count > 1)
            self.problem(at, f"key '{twice}' of a fact is given twice")
        return end

    def problem(self, at: int, message: str, rule: str = "broken-facts") -> None:
        self.problems.append(Problem(self.path, self.lines.line_of(at), rule, ERROR, message))

    def report_fault(self, fault: BrokenJsonError) -> None:
        self.broken = True
        at = min(fault.at, len(self.text))
        line = self.lines.line_of(at)
        column = at - self.lines.starts[line - 1] + 1
        self.problem(at, f"not JSON at column {max(column, 1)}: {fault.message}", "invalid-json")

    def result(self) -> FactFile:
        return FactFile(
            self.text,
            self.path,
            self.lines,
            tuple(self.facts),
            tuple(self.problems),
            self.list_start,
            self.list_end,
            self.last_end,
            self.broken,
        )


def _list(member: Member) -> list[object]:
    return member.value if isinstance(member.value, list) else []


def _fact(said: Mapping[str, object], text: str, start: int, end: int, lines: Lines) -> Fact:
    return Fact(
        id=_text(said.get("id")),
        fact=_text(said.get("fact")),
        category=_text(said.get("category")),
        timestamp=_text(said.get("timestamp")),
        source=_text(said.get("source")),
        status=_text(said.get("status")),
        superseded_by=_text(said.get("supersededBy")),
        confirmed=_text(said.get(CONFIRMED)),
        line=lines.line_of(start),
        end_line=lines.line_of(end - 1),
        start=start,
        end=end,
        text=text,
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


# Chains: which fact took which one's place


def heads(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts that hold: active, and with no successor in the file."""
    facts = tuple(facts)
    known = {fact.id for fact in facts}
    return tuple(
        fact
        for fact in facts
        if fact.status != SUPERSEDED and fact.fact != FORGOTTEN and not _has_successor(fact, known)
    )


def _has_successor(fact: Fact, known: Container[str]) -> bool:
    return bool(fact.superseded_by) and fact.superseded_by != fact.id and fact.superseded_by in known


def as_of(facts: Iterable[Fact], day: str) -> tuple[Fact, ...]:
    """Return the facts that held at the end of an ISO day.

    A fact holds from its date until the date of the one that took its place; one without a date always did. One that
    is superseded by nothing in the file ended at a time nobody knows, and is left out.
    """
    facts = tuple(facts)
    by_id = {fact.id: fact for fact in reversed(facts)}
    return tuple(fact for fact in facts if fact.date <= day and fact.fact != FORGOTTEN and not _ended(fact, by_id, day))


def _ended(fact: Fact, by_id: Mapping[str, Fact], day: str) -> bool:
    if _has_successor(fact, by_id):
        return by_id[fact.superseded_by].date <= day
    return fact.status == SUPERSEDED


def chains(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], ...]:
    """Return the facts in groups that supersede one another, each in the order of the file.

    A fact that has nothing to do with another is a group of its own. Cycles and missing links do no harm.
    """
    facts = tuple(facts)
    first_of = {fact.id: number for number, fact in reversed(list(enumerate(facts)))}
    root = list(range(len(facts)))

    def find_root(number: int) -> int:
        while root[number] != number:
            root[number] = root[root[number]]
            number = root[number]
        return number

    for number, fact in enumerate(facts):
        target = first_of.get(fact.superseded_by) if fact.superseded_by else None
        if target is not None:
            one, other = sorted((find_root(number), find_root(target)))
            root[other] = one
    groups: dict[int, list[Fact]] = {}
    for number, fact in enumerate(facts):
        groups.setdefault(find_root(number), []).append(fact)
    return tuple(tuple(group) for group in groups.values())


def history(facts: Iterable[Fact], fact_id: str) -> tuple[Fact, ...]:
    """Return a fact with everything it took the place of and everything that took its place, in the file's order."""
    return next((group for group in chains(facts) if any(fact.id == fact_id for fact in group)), ())


def summary_groups(facts: Iterable[Fact]) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """Return what an entity's summary shows: the facts that hold, by category, oldest first.

    The known categories come in their own order, unknown ones after them by name.
    """
    groups: dict[str, list[Fact]] = {}
    for fact in heads(facts):
        groups.setdefault(fact.category, []).append(fact)
    order = {category: number for number, category in enumerate(CATEGORIES)}
    names = sorted(groups, key=lambda name: (order.get(name, len(order)), name))
    return tuple((name, tuple(sorted(groups[name], key=lambda fact: fact.date))) for name in names)


# Edits


def next_fact_id(entity: str, taken: Iterable[str]) -> str:
    """Return the next id of an entity: its slug and the number after the highest one ever used."""
    numbers = [int(match[2]) for name in taken if (match := _NUMBERED.fullmatch(name)) and match[1] == entity]
    return f"{entity}-{max(numbers, default=0) + 1:0{ID_DIGITS}d}"


def append_fact(file: FactFile, values: Mapping[str, object]) -> Splice:
    """Add a fact at the end of the list, written the way the last one is."""
    _refuse_broken(file)
    if not isinstance(values.get("id"), str) or not values["id"]:
        raise BadInputError("a fact needs an id")
    if file.find(str(values["id"])):
        raise RefusedError(f"id '{values['id']}' is already used in '{file.path}'", f"mneme show {values['id']}")
    newline = file.lines.newline
    if file.list_start < 0:
        body = _Style.default(newline).print(values)
        return 0, len(file.text), f"{_bom(file)}[{newline}  {body}{newline}]{newline}"
    if file.last_end < 0:
        body = _Style.default(newline).print(values)
        return file.list_start, file.list_end, f"[{newline}  {body}{newline}]"
    style = _style(file)
    return file.last_end, file.last_end, "," + style.before + style.print(values)


def supersede_fact(file: FactFile, fact_id: str, by: str) -> tuple[Splice, ...]:
    """Mark a fact superseded by another one; only its status and its pointer change."""
    _refuse_broken(file)
    fact = file.get(fact_id)
    if by == fact_id:
        raise RefusedError(f"'{fact_id}' cannot supersede itself", f"mneme show {fact_id}")
    return _set_members(file, fact, {"status": SUPERSEDED, "supersededBy": by})


def blank_fact(file: FactFile, fact_id: str) -> tuple[Splice, ...]:
    """Take away what a fact says, for good; its id and its place in every chain stay."""
    _refuse_broken(file)
    return _set_members(file, file.get(fact_id), {"fact": FORGOTTEN})


def confirm_fact(file: FactFile, fact_id: str, day: str) -> tuple[Splice, ...]:
    """Set the day a fact was last affirmed."""
    _refuse_broken(file)
    return _set_members(file, file.get(fact_id), {CONFIRMED: day})


def _refuse_broken(file: FactFile) -> None:
    if file.broken:
        raise RefusedError(f"'{file.path}' cannot be read whole", f"mneme check {file.path}")


def _bom(file: FactFile) -> str:
    return BOM if file.text.startswith(BOM) else ""


def _set_members(file: FactFile, fact: Fact, values: Mapping[str, str]) -> tuple[Splice, ...]:
    """Replace the values of keys that are there; put the others behind the last key, in one edit."""
    style = _Style.of(file.text, fact, "")
    edits = []
    added = []
    for key, value in values.items():
        member = fact.find(key)
        if member:
            edits.append((member.start, member.end, style.value(value)))
        else:
            added.append(style.pair(key, value))
    if added and fact.members:
        at = fact.members[-1].end
        edits.append((at, at, "".join("," + style.between + pair for pair in added)))
    elif added:
        edits.append((fact.start, fact.end, "{" + style.first + ("," + style.between).join(added) + style.last + "}"))
    return tuple(edits)


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file writes its facts: the white space at every joint, and whether it escapes what is not ASCII."""

    before: str
    first: str
    between: str
    colon: str
    last: str
    ascii: bool

    @classmethod
    def default(cls, newline: str) -> _Style:
        return cls(f"{newline}  ", f"{newline}    ", f"{newline}    ", ": ", f"{newline}  ", ascii=False)

    @classmethod
    def of(cls, text: str, fact: Fact, before: str) -> _Style:
        """Read the style off a fact."""
        escapes = text.isascii() and "\\u" in text
        members = fact.members
        if not members:
            return cls(before, "", " ", ": ", "", escapes)
        first = text[fact.start + 1 : members[0].key_start]
        between = first if len(members) == 1 else text[members[0].end : members[1].key_start].replace(",", "", 1)
        if len(members) == 1 and not first:
            between = " "
        colon = text[members[0].key_end : members[0].start]
        return cls(before, first, between, colon, text[members[-1].end : fact.end - 1], escapes)

    def value(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=self.ascii)

    def pair(self, key: str, value: object) -> str:
        return f"{json.dumps(key, ensure_ascii=self.ascii)}{self.colon}{self.value(value)}"

    def print(self, values: Mapping[str, object]) -> str:
        pairs = ("," + self.between).join(self.pair(key, value) for key, value in values.items())
        return "{" + self.first + pairs + self.last + "}"


def _style(file: FactFile) -> _Style:
    """Return the style of the last fact of a file, or the default one when its list holds none."""
    newline = file.lines.newline
    if not file.facts:
        return _Style.default(newline)
    last = file.facts[-1]
    before = _space_before(file.text, last.start)
    if len(file.facts) > 1 and not before:
        before = " "
    return _Style.of(file.text, last, before)


def _space_before(text: str, at: int) -> str:
    start = at
    while start and text[start - 1] in " \t\r\n":
        start -= 1
    return text[start:at]


# Records


def fact_record(fact: Fact, entity: str, path: str, *, audience: str = PRIVATE, tier: str = WARM) -> Record:
    """Return a fact as the record the contract describes; one without an id is known by its words."""
    links = [Link("about", entity, fact.line)]
    if fact.superseded_by:
        links.append(Link("superseded-by", fact.superseded_by, fact.line))
    gone = fact.status == SUPERSEDED or bool(fact.superseded_by)
    return Record(
        id=fact.id or f"{path}#{entry_hash(fact.fact)}",
        kind="fact",
        path=path,
        line=fact.line,
        end_line=fact.end_line,
        text=fact.fact,
        state=SUPERSEDED if gone else RETIRED if fact.fact == FORGOTTEN else LIVE,
        since=fact.date,
        seen=fact.confirmed or fact.date,
        audience=audience,
        tier=tier,
        links=tuple(links),
    )
