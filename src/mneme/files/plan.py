"""What a writing operation intends: spans of bytes to replace in files whose content is known by hash.

A plan is a value. It can be shown as a diff, compared, thrown away or handed to `apply`; making one touches no disk.
Spans are counted in bytes of the content that the change was made from, ascend, and never overlap.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mneme.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

CONTEXT_LINES = 3
NO_NEWLINE = "\\ No newline at end of file"


def digest(content: bytes) -> str:
    """Return the name under which a content is known: its SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes from `start` up to `end` with `new`."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one file: created (`base` is None), edited, moved to `to`, or taken away.

    `content` and `after` are what the maker of the plan had at hand anyway: the content that `base` is the hash of, and
    the hash of what the edits make of it. They save work on long files and decide nothing. A new file takes mode and
    owner from `like`.
    """

    path: str
    base: str | None
    edits: tuple[Edit, ...] = ()
    reason: str = ""
    to: str | None = None
    remove: bool = False
    content: bytes | None = field(default=None, compare=False, repr=False)
    after: str | None = field(default=None, compare=False, repr=False)
    like: Path | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes that happen together or not at all.

    `free` lifts the law that content is immutable: for undo, forget and merge alone. `undoes` is the plan taken back;
    `prune` names folders to remove afterwards if nothing is left in them.
    """

    verb: str
    changes: tuple[Change, ...] = ()
    note: str = ""
    free: bool = False
    undoes: int | None = None
    prune: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __add__(self, other: Plan) -> Plan:
        """Join two plans for different files under the first one's verb."""
        shared = {change.path for change in self.changes} & {change.path for change in other.changes}
        if shared:
            message = f"two parts of one plan change '{min(shared)}'"
            raise RefusedError(message)
        return replace(self, changes=self.changes + other.changes, prune=self.prune + other.prune)


def plan_create(path: str, content: bytes, reason: str = "") -> Change:
    """Return the change that makes a new file."""
    return Change(path, None, (Edit(0, 0, content),), reason)


def plan_edit(path: str, content: bytes, edits: Iterable[Edit], reason: str = "") -> Change:
    """Return the change that makes `edits` in a file that now holds `content`."""
    ordered = tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))
    base, after = _digests(content, ordered)
    return Change(path, base, ordered, reason, content=content, after=after)


def plan_replace(path: str, content: bytes | None, new: bytes, reason: str = "") -> Change | None:
    """Return the smallest single-span change from `content` to `new`; None when they are the same."""
    if content is None:
        return plan_create(path, new, reason)
    if content == new:
        return None
    start = _common_prefix(content, new)
    tail = _common_prefix(content[start:][::-1], new[start:][::-1])
    return plan_edit(path, content, [Edit(start, len(content) - tail, new[start : len(new) - tail])], reason)


def plan_remove(path: str, content: bytes, reason: str = "") -> Change:
    """Return the change that moves a file to the trash."""
    return Change(path, digest(content), (), reason, remove=True)


def plan_move(path: str, content: bytes, to: str, edits: Iterable[Edit] = (), reason: str = "") -> Change:
    """Return the change that moves a file, editing it on the way where asked."""
    return replace(plan_edit(path, content, edits, reason), to=to)


def text_edits(text: str, spans: Iterable[tuple[int, int, str]]) -> tuple[Edit, ...]:
    """Turn spans counted in characters of a decoded text into spans of its bytes."""
    plain = text.isascii()

    def at(offset: int) -> int:
        return offset if plain else len(text[:offset].encode("utf-8", "surrogateescape"))

    return tuple(Edit(at(start), at(end), new.encode("utf-8", "surrogateescape")) for start, end, new in sorted(spans))


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Return `content` with the edits made; refuses spans that overlap or lie outside."""
    parts: list[bytes] = []
    done = 0
    for edit in edits:
        if not done <= edit.start <= edit.end <= len(content):
            message = f"edits overlap or leave the file at byte {edit.start}"
            raise RefusedError(message)
        parts += (content[done : edit.start], edit.new)
        done = edit.end
    parts.append(content[done:])
    return b"".join(parts)


def _digests(content: bytes, edits: Sequence[Edit]) -> tuple[str, str]:
    """Return the hashes before and after; what comes before the first edit is read once for both."""
    view = memoryview(content)
    first = max(0, edits[0].start) if edits else len(content)
    before = hashlib.sha256(view[:first])
    after, done = before.copy(), first
    before.update(view[first:])
    for edit in edits:
        after.update(view[done : edit.start])
        after.update(edit.new)
        done = max(done, edit.end)
    after.update(view[done:])
    return before.hexdigest(), after.hexdigest()


def _common_prefix(one: bytes, two: bytes) -> int:
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True, slots=True)
class Hunk:
    """An edit widened to whole lines, with its surroundings: what history keeps and a diff shows."""

    at: int
    line: int
    old: bytes
    new: bytes
    pre: bytes = b""
    post: bytes = b""

    def as_edit(self) -> Edit:
        """Return the hunk as a span of the content before it."""
        return Edit(self.at, self.at + len(self.old), self.new)


def hunks_of(content: bytes, edits: Sequence[Edit]) -> tuple[Hunk, ...]:
    """Widen edits to whole lines, joining those that meet; nothing but the neighbourhood of each is read."""
    hunks: list[Hunk] = []
    for group in _line_groups(content, edits):
        start, end = group.start, group.end
        inner = [Edit(edit.start - start, edit.end - start, edit.new) for edit in group.edits]
        old = content[start:end]
        before, after = _context_start(content, start), _context_end(content, end)
        line = content.count(b"\n", 0, start) + 1
        hunks.append(Hunk(start, line, old, edited(old, inner), content[before:start], content[end:after]))
    return tuple(hunks)


@dataclass(slots=True)
class _Group:
    start: int
    end: int
    edits: list[Edit] = field(default_factory=list)


def _line_groups(content: bytes, edits: Sequence[Edit]) -> Iterator[_Group]:
    """Yield the stretches of whole lines that edits touch; what comes of each ends with a line, or with the file."""
    waiting = list(edits)
    while waiting:
        first = waiting.pop(0)
        group = _Group(content.rfind(b"\n", 0, first.start) + 1, first.end, [first])
        while True:
            while waiting and waiting[0].start <= group.end:
                group.edits.append(waiting.pop(0))
                group.end = max(group.end, group.edits[-1].end)
            if _ends_whole(content, group):
                break
            newline = content.find(b"\n", group.end)
            group.end = len(content) if newline < 0 else newline + 1
        yield group


def _ends_whole(content: bytes, group: _Group) -> bool:
    if group.end == len(content):
        return True
    was_whole = group.end == 0 or content[group.end - 1 : group.end] == b"\n"
    done, last = group.start, b"\n"
    for edit in group.edits:
        last = edit.new[-1:] or content[done : edit.start][-1:] or last
        done = edit.end
    return was_whole and (content[done : group.end][-1:] or last) == b"\n"


def _context_start(content: bytes, at: int) -> int:
    for _ in range(CONTEXT_LINES):
        if at == 0:
            break
        at = content.rfind(b"\n", 0, at - 1) + 1
    return at


def _context_end(content: bytes, at: int) -> int:
    for _ in range(CONTEXT_LINES):
        newline = content.find(b"\n", at)
        if newline < 0:
            return len(content)
        at = newline + 1
    return at


def print_diff(hunks: Sequence[Hunk], old_name: str, new_name: str) -> str:
    """Return the unified diff of one file's hunks; hunks whose surroundings meet are shown as one."""
    lines = [f"--- {old_name}", f"+++ {new_name}"]
    drift = 0
    for chain in _chains(hunks):
        lines += _diff_lines(chain, drift)
        drift += sum(len(_split(hunk.new)) - len(_split(hunk.old)) for hunk in chain)
    return "\n".join(lines) + "\n"


def _chains(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    chain: list[Hunk] = []
    for hunk in hunks:
        if chain and hunk.at - len(hunk.pre) > chain[-1].at + len(chain[-1].old) + len(chain[-1].post):
            yield chain
            chain = []
        chain.append(hunk)
    if chain:
        yield chain


def _diff_lines(chain: list[Hunk], drift: int) -> list[str]:
    body: list[tuple[str, str]] = [(" ", line) for line in _split(chain[0].pre)]
    for hunk, following in zip(chain, [*chain[1:], None], strict=True):
        body += _changed_lines(hunk)
        body += [(" ", line) for line in _split(_between(hunk, following))]
    body, skipped = _with_little_context(body)
    first = chain[0].line - len(_split(chain[0].pre)) + skipped
    before = _range(first, sum(mark != "+" for mark, _ in body))
    after = _range(first + drift, sum(mark != "-" for mark, _ in body))
    out = [f"@@ -{before} +{after} @@"]
    for mark, line in body:
        out.append(mark + line.removesuffix("\n"))
        if not line.endswith("\n"):
            out.append(NO_NEWLINE)
    return out


def _changed_lines(hunk: Hunk) -> list[tuple[str, str]]:
    old, new = _split(hunk.old), _split(hunk.new)
    head: list[tuple[str, str]] = []
    tail: list[tuple[str, str]] = []
    while old and new and old[0] == new[0]:
        head.append((" ", old.pop(0)))
        new.pop(0)
    while old and new and old[-1] == new[-1]:
        tail.append((" ", old.pop()))
        new.pop()
    return [*head, *(("-", line) for line in old), *(("+", line) for line in new), *reversed(tail)]


def _between(hunk: Hunk, following: Hunk | None) -> bytes:
    if following is None:
        return hunk.post
    gap = following.at - hunk.at - len(hunk.old)
    missing = gap - len(hunk.post)
    return hunk.post[:gap] if missing <= 0 else hunk.post + following.pre[-missing:]


def _with_little_context(body: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    changed = [index for index, (mark, _) in enumerate(body) if mark != " "]
    if not changed:
        return body, 0
    first = max(0, changed[0] - CONTEXT_LINES)
    return body[first : changed[-1] + CONTEXT_LINES + 1], first


def _range(first: int, count: int) -> str:
    return f"{first if count else first - 1},{count}"


def _split(content: bytes) -> list[str]:
    pieces = content.decode("utf-8", "surrogateescape").split("\n")
    last = pieces.pop()
    return [piece + "\n" for piece in pieces] + ([last] if last else [])
