"""One check of everything, where something changed: the notes that did, and then whatever ties files together."""

from __future__ import annotations

import hashlib
from array import array
from binascii import a2b_base64, b2a_base64
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from mneme import files
from mneme.check import audience, durable, statements
from mneme.check.beside import LEAST_NOTES, look_beside
from mneme.check.buffer import check_buffer, check_leftover
from mneme.check.cell import check_cells
from mneme.check.days import check_days
from mneme.check.drift import Project, names_in
from mneme.check.facts import check_fact_changes, check_facts, check_summary
from mneme.check.found import Found, find, worded
from mneme.check.front import said_audience
from mneme.check.index_region import check_index, listed_in
from mneme.check.links import Links, targets_in
from mneme.check.note import Standard, check_head_of, check_note
from mneme.check.past import check_past
from mneme.check.past_facts import facts_before
from mneme.check.places import Places
from mneme.check.role import Roles
from mneme.check.rule import in_report_order, with_severities
from mneme.check.rules import check_severities
from mneme.check.scan import is_provable, is_read_only
from mneme.errors import MnemeError
from mneme.formats.cell import parse_cells
from mneme.formats.fact import ACTIVE, parse_facts
from mneme.formats.note import LARGE_NOTE_BYTES, LARGE_NOTE_HEAD_BYTES, parse_note
from mneme.formats.record import SHARED, WORKING_STATES
from mneme.formats.spine import cell_record
from mneme.profiles import select_memory
from mneme.profiles.profile import SUMMARY
from mneme.settings import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from mneme.check.role import Role
    from mneme.check.scan import Tree
    from mneme.errors import Problem
    from mneme.formats.cell import CellFile
    from mneme.formats.fact import FactFile
    from mneme.workspace import Workspace

# Texts are held while files are compared with each other, up to so many characters; the rest is read again.
HELD_CHARS = 64 * 1024 * 1024

Placed = tuple[str, Found]


class Seen(NamedTuple):
    """What a check knows of a note: its hash, what is wrong with it, and what ties it to others."""

    digest: str
    found: list[Found]
    targets: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    keys: array[int] | None = None
    claims: tuple[tuple[int, str], ...] = ()
    audience: str = ""
    indexes: bool = False


class Whole:
    """One check of a workspace. `kept` is what to keep of each note; `until` is when time alone changes the answer."""

    def __init__(
        self,
        workspace: Workspace,
        now: datetime,
        tree: Tree,
        kept: Mapping[str, Any],
        key: Sequence[str],
        extra: Sequence[str] = (),
    ) -> None:
        self.workspace, self.now, self.tree = workspace, now, tree
        self.profile = workspace.profile
        self.today = now.date()
        self.severities = check_severities(self.profile.severities)
        selected = select_memory(tree.files, self.profile)
        self.note_paths = [path for path in selected.notes if path not in tree.aliases]
        self.note_paths += [path for path in extra if path not in set(self.note_paths)]
        self.cell_paths = [path for path in selected.cells if path not in tree.aliases]
        self.fact_paths = [path for path in selected.facts if path not in tree.aliases]
        self.places = Places(workspace.root, tree.files)
        self.roles: dict[str, Role] = {}
        self.until: datetime | None = None
        self.volatile = False
        self.read_outside: set[str] = set()
        self.counts = (0, len(self.note_paths), 0)
        usable = kept.get("key") == [*key, str(store_of_settings(workspace))]
        self._old: Mapping[str, Any] = kept["notes"] if usable else {}
        self.renewed = not usable
        self.seen: dict[str, Seen] = {}
        self._told: Mapping[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._held = 0
        self._key = [*key, str(store_of_settings(workspace))]

    # --- the parts, in order --------------------------------------------------------------------------------------

    def check(self, behind: Callable[[Sequence[str]], int] = lambda _: 0) -> list[Problem]:
        """Return every problem of the workspace, graded as the profile and the settings grade it."""
        found: list[Placed] = list(self._of_tree())
        roles = Roles(self.profile)
        self.roles = {path: roles.of(path) for path in self.note_paths}
        standard = Standard(self.profile, self.today)
        mine, theirs = self._shared_out()
        answers = look_beside(theirs, lambda path: self._told_of(path, standard))
        for path in mine:
            found += self._of_note(path, self.roles[path], standard)
        found += check_days(self.roles, self.profile, self.today)
        found += self._of_buffers()
        facts = self._read_facts(found)
        cells, problems = self._read_cells(found)
        self._told = answers()
        for path in theirs:
            found += self._of_note(path, self.roles[path], standard)
        self.counts = (sum(len(file.columns) for file in cells), len(self.note_paths), _count(facts.values()))
        found += self._of_links(cells, facts)
        found += self._of_statements(cells, facts)
        found += self._of_drift()
        if late := behind([*self.note_paths, *self.cell_paths, *self.fact_paths]):
            found.append(("./", find("index-behind", 0, value=_counted(late, "file"))))
        worded_all = [worded(path, one) for path, one in found]
        problems += sorted(with_severities(worded_all, self.severities), key=lambda one: (one.path, one.line))
        return in_report_order(problems)

    def _of_tree(self) -> Iterator[Placed]:
        tree = self.tree
        for path, why in tree.unlisted.items():
            yield path, find("unreadable-file", 0, value=f"the folder cannot be listed: {why}")
        for path, what in tree.unopened.items():
            yield path, find("unreadable-file", 0, value=f"it is {what}, not a file")
        for path, what in tree.unfollowed.items():
            yield path, find("unfollowed-link", 0, value=what)
        for path in tree.leftovers:
            try:
                content = files.read_file(self.workspace.root / path)
            except MnemeError:
                continue
            yield from ((path, one) for one in check_leftover(path, content))
        chosen = [*self.note_paths, *self.cell_paths, *self.fact_paths]
        for path in chosen:
            stamp = tree.files.get(path)
            if stamp is not None and is_read_only(stamp):
                yield path, find("read-only-file", 0)
            if not path.isprintable() or path != path.strip():
                yield path, find("odd-file-name", 0, **odd_name(path))

    def _shared_out(self) -> tuple[list[str], list[str]]:
        """Part the notes in two halves of about the same work; the files of facts and of cells are in the first."""
        paths = [path for path in self.roles if path not in self._old]
        work = len(paths) + 2 * len(self.fact_paths) + 4 * len(self.cell_paths)
        theirs = paths[max(0, len(paths) - work // 2) :] if len(paths) >= LEAST_NOTES else []
        beside = set(theirs)
        return [path for path in self.roles if path not in beside], theirs

    def _told_of(self, path: str, standard: Standard) -> list[Any] | None:
        """Return what is seen in a note as plain values, or None where it can't be read."""
        try:
            content = self._content(path)
        except OSError:
            return None
        seen = self._look(path, content, hashlib.sha256(content).hexdigest(), self.roles[path], standard)
        self._texts.clear()
        return _plain(seen)

    # --- notes by themselves --------------------------------------------------------------------------------------

    def _of_note(self, path: str, role: Role, standard: Standard) -> Iterator[Placed]:
        """Look at one note, or remember what was seen in it; yields what is wrong with it by itself."""
        old = self._old.get(path)
        stamp = self.tree.files.get(path)
        if old is not None and stamp is not None and old[0] == list(stamp):
            self.seen[path] = _from_json(old[1])
            return iter([(path, one) for one in self.seen[path].found])
        self.renewed = True
        if (told := self._told.get(path)) is not None:
            self.seen[path] = _from_json(told)
            return iter([(path, one) for one in self.seen[path].found])
        try:
            content = self._content(path)
        except FileNotFoundError:
            return iter([(path, find("vanished-file", 0))])
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            return iter([(path, find("unreadable-file", 0, value=f"it cannot be read: {reason}"))])
        digest = hashlib.sha256(content).hexdigest()
        if old is not None and old[1][0] == digest:
            self.seen[path] = _from_json(old[1])
        else:
            self.seen[path] = self._look(path, content, digest, role, standard)
        return iter([(path, one) for one in self.seen[path].found])

    def _content(self, path: str) -> bytes:
        """Return a note's content; of one that is too large to be a note its head."""
        stamp = self.tree.files.get(path)
        size = stamp[1] if stamp else 0
        with open(f"{self.workspace.root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - ten thousand times
            if size > LARGE_NOTE_BYTES:
                return file.read(LARGE_NOTE_HEAD_BYTES) or b""
            content = file.read(size + 1) or b""
            while len(content) == size + 1 and size < LARGE_NOTE_BYTES and (more := file.read(LARGE_NOTE_BYTES)):
                content += more
                size = len(content) - 1
        return content

    def _look(self, path: str, content: bytes, digest: str, role: Role, standard: Standard) -> Seen:
        stamp = self.tree.files.get(path)
        if stamp is not None and stamp[1] > LARGE_NOTE_BYTES:
            return Seen(digest, check_head_of(content, stamp[1]))
        note, found = check_note(content, path, role, standard)
        text = note.text
        self._hold(path, text)
        return Seen(
            digest,
            found,
            targets_in(text),
            names_in(text) if role.kind != "day" else (),
            statements.keys_of(content) if role.durable else None,
            tuple(durable.claims_in(text)) if role.day is not None and not role.archived else (),
            said_audience(note) if text.startswith("---") else "",
            "mneme:index:start" in text,
        )

    def _hold(self, path: str, text: str) -> None:
        if self._held < HELD_CHARS:
            self._texts[path] = text
            self._held += len(text)

    def read(self, path: str) -> str | None:
        """Return the text of a note as it was checked, or as it is now; None where it can't be read."""
        if path in self._texts:
            return self._texts[path]
        try:
            text = self._content(path).decode("utf-8", "surrogateescape")
        except OSError:
            return None
        if path not in self.tree.files:
            self.read_outside.add(path)
        self._hold(path, text)
        return text

    def kept(self, unproven: Iterable[str]) -> dict[str, Any]:
        """Return what to keep of each note for the next check; of one whose stamp proves nothing the hash decides."""
        stamps = {**self.tree.files, **dict.fromkeys(unproven)}
        notes = {path: [stamps[path], _as_json(seen)] for path, seen in self.seen.items() if path in stamps}
        return {"key": self._key, "notes": notes}

    def unproven(self, before_ns: int) -> list[str]:
        """Return the files whose stamp proves nothing: touched so lately that they may be touched again unseen."""
        late = [path for path, stamp in self.tree.files.items() if not is_provable(stamp, before_ns)]
        settled_ns = files.settled_before_ns() if late else 0
        return [path for path in late if not self._is_settled(path, settled_ns)]

    def _is_settled(self, path: str, before_ns: int) -> bool:
        """Say whether a file is by now surely what was checked: its stamp is old enough, and its hash the same."""
        seen, stamp = self.seen.get(path), self.tree.files[path]
        if not is_provable(stamp, before_ns):
            return False
        if seen is None:
            return path not in self.cell_paths and path not in self.fact_paths
        try:
            return hashlib.sha256(self._content(path)).hexdigest() == seen.digest
        except OSError:
            return False

    # --- buffers, facts, cells ------------------------------------------------------------------------------------

    def _of_buffers(self) -> Iterator[Placed]:
        for path, role in self.roles.items():
            if role.kind == "buffer" and (text := self.read(path)) is not None:
                found, until = check_buffer(parse_note(text, path), self.profile.budgets, self.now)
                if until is not None and (self.until is None or until < self.until):
                    self.until = until.astimezone(self.now.tzinfo)
                yield from ((path, one) for one in found)

    def _read_facts(self, found: list[Placed]) -> dict[str, FactFile]:
        facts: dict[str, FactFile] = {}
        for path in self.fact_paths:
            text = self._text_of(path, found)
            if text is not None:
                facts[path] = parse_facts(text, path)
                found += [(path, one) for one in check_facts(facts[path], self.today)]
        ids = frozenset(fact.id for file in facts.values() for fact in file.facts)
        for path, was in facts_before(self.workspace.root, set(facts)):
            file = facts.get(path) or parse_facts("", path)
            if path not in facts and not self._were_facts(path):
                continue
            found += [(path, one) for one in check_fact_changes(was, file, ids)]
        for path, file in facts.items():
            summary = path.rpartition("/")[0] + "/" + SUMMARY
            if summary in self.tree.files and (text := self.read(summary)) is not None:
                found += [(summary, one) for one in check_summary(parse_note(text, summary), file.facts)]
            elif file.facts:
                found.append((path, find("missing-summary", 0, value=_counted(len(file.facts), "fact"))))
        return facts

    def _were_facts(self, path: str) -> bool:
        """Say whether a file that is gone held facts, as far as its place tells: another program's may have the name."""
        folders = path.split("/")[:-1]
        inside = bool(self.profile.places.entities) and path.startswith(self.profile.places.entities)
        return (inside or "areas" in folders) and not (self.workspace.root / path).exists()

    def _text_of(self, path: str, found: list[Placed]) -> str | None:
        """Return a whole file as text; one that can't be read is one problem."""
        try:
            content = self._whole_content(path)
        except MnemeError as error:
            rule = "unreadable-file" if (self.workspace.root / path).exists() else "vanished-file"
            found.append((path, find(rule, 0, value=error.message)))
            return None
        return content.decode("utf-8", "surrogateescape")

    def _whole_content(self, path: str) -> bytes:
        """Return a whole file; one that is large, or can't be read, is left to the one that says so in words."""
        stamp = self.tree.files.get(path)
        if stamp is not None and stamp[1] <= LARGE_NOTE_BYTES:
            with suppress(OSError):
                return self._content(path)
        return files.read_file(self.workspace.root / path, name=path)

    def _read_cells(self, found: list[Placed]) -> tuple[list[CellFile], list[Problem]]:
        texts = [(path, self._text_of(path, found)) for path in self.cell_paths]
        cells = [parse_cells(text, path) for path, text in texts if text is not None]
        settings = self.workspace.settings
        problems = check_cells(
            cells,
            today=self.today,
            severities=self.severities,
            decay_days=settings["cells.stale_after_days"],
            gist_width=settings["cells.gist_columns"],
            body_characters=settings["cells.body_chars"],
        )
        problems += check_past(self.workspace.root, cells, cells, self.severities)
        return cells, problems

    # --- what ties files together ---------------------------------------------------------------------------------

    def links_among(self, cells: Iterable[CellFile], facts: Mapping[str, FactFile]) -> Links:
        """Return what follows links in this workspace."""
        ids = {cell_id for file in cells for cell_id in file.columns.ids}
        ids |= {fact.id for file in facts.values() for fact in file.facts}
        return Links(self.places, ids, self.read)

    def _of_links(self, cells: Iterable[CellFile], facts: Mapping[str, FactFile]) -> Iterator[Placed]:
        links = self.links_among(cells, facts)
        for path, seen in self.seen.items():
            if seen.targets and links.suspects(path, seen.targets) and (text := self.read(path)) is not None:
                yield from ((path, one) for one in links.check(parse_note(text, path)))
        yield from self._of_index(links)
        shared = self._shared_notes()
        for path in shared:
            yield from (
                (path, one) for one in audience.find_shown(path, self.read(path) or "", links, self._audience_of)
            )

    def unlisted(self, links: Links) -> list[str]:
        """Return the memories of a class that no index lists."""
        listed: set[str] = set()
        for path, role in self.roles.items():
            if (role.is_memory or role.kind == "index" or path.lower().endswith("/index.md")) and (
                text := self.read(path)
            ):
                listed |= listed_in(parse_note(text, path), links)
        return [path for path, role in self.roles.items() if role.classified and path not in listed]

    def _of_index(self, links: Links) -> Iterator[Placed]:
        main = self.main_index
        unlisted = self.unlisted(links) if main else []
        for path in self._indexes():
            note = parse_note(self.read(path) or "", path)
            yield from ((path, one) for one in check_index(note, links, unlisted if path == main else ()))

    def _indexes(self) -> list[str]:
        return [path for path, seen in self.seen.items() if seen.indexes]

    @property
    def main_index(self) -> str:
        """The note whose index lists what no other does; empty where no note has an index."""
        indexes = self._indexes()
        return self.profile.places.memory if self.profile.places.memory in indexes else "".join(indexes[:1])

    def _of_statements(self, cells: Sequence[CellFile], facts: Mapping[str, FactFile]) -> Iterator[Placed]:
        homes = {path: seen.keys for path, seen in self.seen.items() if seen.keys is not None}
        others = [*_cell_statements(cells), *_fact_statements(facts)]
        yield from statements.find_repeats(homes, self.read, others, self._are_linked)
        shared = set(self._shared_notes())
        public = [one for file in cells for one in _shared_cells(file)]
        if shared or public:
            private = [path for path in self.seen if path not in shared]
            yield from audience.find_leaks(sorted(shared), public, private, self.read)
        yield from self._of_audience()
        yield from self._of_claims([*homes, *self.fact_paths, *self.cell_paths])

    def _of_audience(self) -> Iterator[Placed]:
        for path, role in self.roles.items():
            if role.kind in audience.NEVER_SHARED and path in self.seen and self.seen[path].audience == SHARED:
                value = f"'{path}' says that it is shared, and is never to be"
                yield path, find("audience-leak", 1, value=value)
        paths = [*self.note_paths, *self.cell_paths, *self.fact_paths]
        for glob, path in audience.check_globs(self.profile.shared, paths, self._audience_of):
            yield FILE_NAME, find("ineffective-sharing", 0, value=glob, other=path)

    def _of_claims(self, homes: Sequence[str]) -> Iterator[Placed]:
        limit = self.profile.budgets.working_days
        claims = []
        for path, seen in self.seen.items():
            day = self.roles[path].day
            if seen.claims and day is not None and (self.today - date.fromisoformat(day.date)).days > limit:
                claims += [durable.Claim(path, line, text, durable.words_of(text)) for line, text in seen.claims]
        if claims:
            yield from durable.find_uncarried(claims, homes, self.read)

    def _of_drift(self) -> Iterator[Placed]:
        named = {path: seen.named for path, seen in self.seen.items() if seen.named}
        if not named:
            return
        project = Project(self.workspace.root, self.places, self.read)
        found = list(project.find_drift(named))
        self.read_outside |= project.read
        # Any source may define a function again; only a report without such a finding can be kept.
        self.volatile = any(one.rule == "gone-function" for _, one in found)
        yield from found

    # --- whom a note is for ---------------------------------------------------------------------------------------

    def _audience_of(self, path: str) -> str:
        seen = self.seen.get(path)
        return seen.audience if seen and seen.audience else self.workspace.audience_of(path)

    def _shared_notes(self) -> list[str]:
        if not self.profile.shared:
            return [path for path, seen in self.seen.items() if seen.audience == SHARED]
        return [path for path in self.seen if self._audience_of(path) == SHARED]

    def _are_linked(self, one: str, other: str) -> bool:
        """Say whether one of two notes points to the other, so that a sentence in both has one home all the same."""
        return self._points(one, other) or self._points(other, one)

    def _points(self, path: str, other: str) -> bool:
        seen = self.seen.get(path)
        name = other.rpartition("/")[2]
        return seen is not None and any(name in target for target in seen.targets)


def store_of_settings(workspace: Workspace) -> object:
    """Return what tells one state of the settings from another."""
    from mneme.check.store import stamp_of

    return stamp_of(str(workspace.root), FILE_NAME)


def odd_name(path: str) -> dict[str, str]:
    """Return what is odd about a name, and how the file might be called instead."""
    clean = "".join(char if char.isprintable() else "-" for char in path.strip()).replace(" /", "/")
    if "\n" in path or "\r" in path:
        value = "has a line end in it"
    elif path != path.strip():
        value = "begins or ends with a space"
    else:
        value = "has a character in it that cannot be shown"
    return {"value": value, "target": clean}


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _count(facts: Iterable[FactFile]) -> int:
    return sum(len(file.facts) for file in facts)


def _cell_statements(cells: Sequence[CellFile]) -> Iterator[statements.Statement]:
    for file in cells:
        columns = file.columns
        for at, gist in enumerate(columns.gists):
            if columns.states[at] in WORKING_STATES and len(gist) >= statements.LEAST_BYTES:
                yield statements.Statement(file.path, columns.line(at), gist)


def _fact_statements(facts: Mapping[str, FactFile]) -> Iterator[statements.Statement]:
    for path, file in facts.items():
        for fact in file.facts:
            if fact.status == ACTIVE and len(fact.fact) >= statements.LEAST_BYTES and "\n" not in fact.fact:
                yield statements.Statement(path, fact.line, fact.fact)


def _shared_cells(file: CellFile) -> Iterator[statements.Statement]:
    if "audience" in file.text:
        for cell in file.cells:
            if cell_record(cell, file.path).audience == SHARED:
                yield statements.Statement(file.path, cell.line, cell.gist)


def _as_json(seen: Seen) -> list[Any]:
    keys = None if seen.keys is None else b2a_base64(seen.keys.tobytes(), newline=False).decode()
    return [seen.digest, seen.found, seen.targets, seen.named, keys, seen.claims, seen.audience, seen.indexes]


def _plain(seen: Seen) -> list[Any]:
    """Return what is known of a note as values without names, as `_from_json` takes them."""
    digest, _, *rest = _as_json(seen)
    return [digest, [tuple(one) for one in seen.found], *rest]


def _from_json(values: Sequence[Any]) -> Seen:
    digest, found, targets, named, keys, claims, said, indexes = values
    return Seen(
        digest,
        [Found(*one) for one in found],
        tuple(targets),
        tuple(named),
        None if keys is None else array("I", a2b_base64(keys)),
        tuple((line, text) for line, text in claims),
        said,
        indexes,
    )
