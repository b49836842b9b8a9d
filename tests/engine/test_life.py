"""Any life of a memory: every verb, hand edits, renames, deletions, crashes, in every profile.

Each memory says a word that nothing else says, so that it can be followed. Whatever happens, no memory is lost, no fact
and no cell is edited, nothing that holds has two homes, and nobody in a shared context is told what was private.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.engine.workspaces import put
from tests.files.workbench import COMMITTED, STAGED, WRITTEN, interrupt, new_root, tree

from mneme import files
from mneme.engine import Memory, open_memory
from mneme.errors import MnemeError
from mneme.formats.cell import parse_cells
from mneme.formats.fact import FORGOTTEN, immutable_facts
from mneme.formats.proposal import Proposal, Source
from mneme.profiles import PROFILES, templates_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mneme.files import Plan
    from mneme.formats.record import Record

SHARED = '\n[audience]\nshared = ["memory/semantic/*", "memory/reference/*", "brain/areas/*", "memory/open.mneme"]\n'
SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo zu".split()  # noqa: SIM905 - a list of words reads as one
WORKING = ("live", "stale")
# What shows what stands elsewhere, and so is no home: lists, views, pointers of ours.
VIEWS = ("memory/palace/", "DREAMS.md", "memory/dreaming/", "USER.md")
ENTITIES = ("Acme", "ACME Inc.", "Bo Larsen", "Ann")
STEPS, LONG_STEPS = 20, 40
LIVES, LONG_LIVES = 30, 1500


class DiedError(Exception):
    """The process was killed."""


class Dying(Memory):
    """A memory whose next plan is interrupted."""

    at, placed = COMMITTED, 0

    def apply(self, plan: Plan, *, dry_run: bool) -> object:  # type: ignore[override] # it never returns
        """Do the plan as far as it is said, and die."""
        del dry_run
        steps = files.show_plan(self.root, plan)
        if steps:
            interrupt(self.root, plan, self.at, placed=min(self.placed, len(steps)))
        raise DiedError


def sentence(number: int) -> str:
    """Return a text that is like no other, with the word by which it is known."""
    words = []
    for place in range(4):
        rest = number * 7919 + place * 104_729
        words.append("".join(SYLLABLES[rest // 15**at % 15] for at in range(3)))
    return f"{' '.join(words)} {mark(number)}"


def mark(number: int) -> str:
    """Return the word by which a memory is known."""
    return f"tok{number:04d}x"


class Life(RuleBasedStateMachine):
    """A workspace, and what must be true of it."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.root = self.stack.enter_context(new_root())
        self.now = datetime(2026, 1, 31, 9, tzinfo=UTC)
        self.number = 0
        self.kept: set[str] = set()
        self.told: set[str] = set()
        self.frozen: dict[str, object] = {}

    def teardown(self) -> None:
        """Leave nothing behind."""
        self.stack.close()

    @initialize(profile=st.sampled_from(PROFILES))
    def begin(self, profile: str) -> None:
        """Lay out a workspace in which some folders are shared."""
        self.profile = profile
        for template in templates_of(profile):
            put(self.root, template.path, template.content(self.now).decode())
        with (self.root / "mneme.toml").open("a", encoding="utf-8") as file:
            file.write(SHARED)
        self.frozen = self.facts_and_cells()

    # How things are looked at and done

    def memory(self, *, shared: bool = False) -> Memory:
        """Open the workspace; what a crash left is finished first."""
        return open_memory(str(self.root), now=lambda: self.now, shared=shared)

    def records(self) -> list[Record]:
        """Return every record, in one order."""
        with self.memory() as memory:
            return list(memory.list())

    def text(self) -> str:
        """Return all that the files say."""
        return "\n".join(content.decode("utf-8", "replace") for content in tree(self.root).values())

    def facts_and_cells(self) -> dict[str, object]:
        """Return what may never be edited: what facts and cells say, by file and id."""
        found: dict[str, object] = {}
        for path, content in tree(self.root).items():
            text = content.decode("utf-8", "replace")
            if path.endswith("items.json"):
                found |= {f"{path} {name}": said for name, said in immutable_facts(text).items()}
            if path.endswith(".mneme"):
                found |= {f"{path} {cell.id}": (cell.gist, cell.cue, cell.body) for cell in parse_cells(text).cells}
        return found

    def shared_words(self) -> set[str]:
        """Return the words that somebody in a shared context is told."""
        with self.memory(shared=True) as guest:
            said = "\n".join([*(record.text for record in guest.list()), str(guest.boot())])
        return {word for word in self.kept if word in said}

    def new_text(self) -> str:
        """Return a text that was never said."""
        self.number += 1
        return sentence(self.number)

    def act(self, verb: Callable[[Memory], object], *said: str, ends: tuple[str, ...] = ()) -> bool:
        """Do something; a refusal changes nothing. `said` is kept from then on, and `ends` may go."""
        before = tree(self.root)
        try:
            with self.memory() as memory:
                verb(memory)
        except MnemeError:
            assert tree(self.root) == before
            return False
        text = self.text()
        lost = {word for word in self.kept if word not in text} - set(ends)
        assert not lost, f"{lost} is lost"
        self.kept = {word for word in self.kept | set(said) if word in text}
        return True

    def by_hand(self) -> None:
        """Take what a person did for granted."""
        text = self.text()
        self.kept = {word for word in self.kept if word in text}
        self.frozen = self.facts_and_cells()
        self.told |= self.shared_words()

    def some_file(self, data: st.DataObject, suffix: str) -> str:
        """Draw one of the files, settings excepted; empty where there is none."""
        paths = sorted(path for path in tree(self.root) if path.endswith(suffix) and path != "mneme.toml")
        return data.draw(st.sampled_from(paths)) if paths else ""

    # What agents do

    @rule(data=st.data(), why=st.booleans())
    def remember(self, data: st.DataObject, *, why: bool) -> None:
        """Store a memory of any kind."""
        with self.memory() as memory:
            homes = memory.workspace.profile.homes
        kind = data.draw(st.sampled_from(sorted(homes)))
        given: dict[str, str] = {}
        if homes[kind].form == "facts":
            given["about"] = data.draw(st.sampled_from(ENTITIES))
        elif kind == "status":
            given["project"] = data.draw(st.sampled_from(["Atlas", "atlas", "Borg"]))
        elif why and kind in ("decision", "lesson", "user", "feedback"):
            given["why"] = self.new_text()
        text = self.new_text()
        word, more = mark(self.number), mark(self.number - 1) if "why" in given else ""
        self.act(lambda memory: memory.remember(text, kind=kind, force=True, **given), *filter(None, (word, more)))
        self.told |= {one for one in self.shared_words() if one in (word, more)}

    @rule(section=st.sampled_from([None, "Decisions", "Elsewhere"]))
    def note(self, section: str | None) -> None:
        """Write down what happened."""
        text = self.new_text()
        self.act(lambda memory: memory.note(text, section), mark(self.number))

    @rule()
    def close_the_day(self) -> None:
        """Close the day, in the place of an older closure."""
        text = self.new_text()
        gone = tuple(word for word in self.kept if self.in_closures(word))
        self.act(lambda memory: memory.close_day(decisions=text), mark(self.number), ends=gone)

    def in_closures(self, word: str) -> bool:
        """Say whether a word stands in the decisions of a closure."""
        return any(
            word.encode() in line
            for content in tree(self.root).values()
            for line in content.splitlines()
            if line.startswith(b"Decisions:")
        )

    @rule(friction=st.booleans())
    def add_to_the_buffer(self, *, friction: bool) -> None:
        """Write before answering."""
        text = self.new_text()
        self.act(lambda memory: memory.buffer_add(f"[ ] {text}", friction=friction), mark(self.number))

    @rule(force=st.booleans())
    def rotate_the_buffer(self, *, force: bool) -> None:
        """Move it to the day, or put that off."""
        self.act(lambda memory: memory.buffer_rotate(force=force))

    @rule(said=st.booleans())
    def wrap_up(self, *, said: bool) -> None:
        """End a session."""
        text = self.new_text()
        self.act(lambda memory: memory.wrap_up(text if said else ""), *([mark(self.number)] if said else []))

    @rule(data=st.data(), act=st.sampled_from(["supersede", "affirm", "stale", "retired", "live", "done"]))
    def revise(self, data: st.DataObject, act: str) -> None:
        """Revise any record; what it said stays somewhere."""
        records = self.records()
        if not records:
            return
        wanted = data.draw(st.sampled_from([record.id for record in records]))
        if act == "supersede":
            text = self.new_text()
            if self.act(lambda memory: memory.supersede(wanted, text), mark(self.number)):
                old = next((one for one in records if one.id == wanted), None)
                self.told |= {mark(self.number)} & self.shared_words() if old and old.audience == "shared" else set()
        elif act == "affirm":
            self.act(lambda memory: memory.affirm(wanted))
        elif act == "done":
            self.act(lambda memory: memory.done(wanted))
        else:
            self.act(lambda memory: memory.mark(wanted, act))

    @rule(act=st.sampled_from(["archive", "palace", "decay", "dream", "fix", "capture"]))
    def do_upkeep(self, act: str) -> None:
        """Upkeep moves and draws, and loses nothing."""
        verbs: dict[str, Callable[[Memory], object]] = {
            "archive": lambda memory: memory.archive(10, force=True),
            "palace": lambda memory: memory.palace(),
            "decay": lambda memory: memory.decay(),
            "dream": lambda memory: memory.dream(force=True),
            "fix": lambda memory: memory.check(fix=True),
            "capture": lambda memory: memory.capture(["note"], force=True),
        }
        self.act(verbs[act])

    @rule(accept=st.booleans())
    def propose(self, *, accept: bool) -> None:
        """Somebody proposes, and it is accepted or turned down."""
        text = self.new_text()
        proposal = Proposal(text, "decision", "capture", sources=(Source("memory/2026-01-01.md", "words"),))
        if not self.act(lambda memory: memory.propose([proposal]), mark(self.number)):
            return
        with self.memory() as memory:
            waiting = memory.proposals()
        if waiting and accept:
            self.act(lambda memory: memory.accept([waiting[-1].id]))
            self.told |= {mark(self.number)} & self.shared_words()  # its home is a shared one
        elif waiting:
            self.act(lambda memory: memory.reject([waiting[-1].id]))

    @rule(back=st.integers(0, 4))
    def undo(self, back: int) -> None:
        """Take a plan back; only what that plan wrote may go."""
        with self.memory() as memory:
            rows = memory.log()
            if back >= len(rows):
                return
            number = rows[back].n
            said = memory.diff(number)[1]
        if self.act(lambda memory: memory.undo(number), ends=tuple(word for word in self.kept if word in said)):
            self.kept |= {mark(n) for n in range(1, self.number + 1) if mark(n) in said and mark(n) in self.text()}
            self.frozen = self.facts_and_cells()

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """Destroy a memory: its words are nowhere in the workspace, in no history, in no index."""
        records = [one for one in self.records() if one.path.endswith((".json", ".mneme")) or "#" in one.id]
        if not records:
            return
        record = data.draw(st.sampled_from(records))
        words = tuple(word for word in self.kept if word in record.text)
        if self.act(lambda memory: memory.forget(record.id), ends=words):
            self.frozen = self.facts_and_cells()

    # What people do

    @rule(data=st.data(), where=st.sampled_from(["end", "start", "crlf"]))
    def edit_by_hand(self, data: st.DataObject, where: str) -> None:
        """Somebody writes a line into a note, or saves it with other line ends."""
        path = self.some_file(data, ".md")
        if not path:
            return
        content = (self.root / path).read_bytes()
        text = self.new_text().encode()
        if where == "crlf":
            content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        elif where == "end":
            content += b"\n- " + text + b"\n"
        elif not content.startswith(b"---"):
            content = b"A line of mine: " + text + b".\n\n" + content
        (self.root / path).write_bytes(content)
        self.kept |= {mark(self.number)} if text in content else set()
        self.by_hand()

    @rule(data=st.data())
    def rename_by_hand(self, data: st.DataObject) -> None:
        """Somebody gives a note another name, in its folder."""
        path = self.some_file(data, ".md")
        if not path:
            return
        self.number += 1
        (self.root / path).rename((self.root / path).with_name(f"renamed-{self.number}.md"))
        self.by_hand()

    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        """Somebody deletes a file."""
        path = self.some_file(data, "")
        if not path:
            return
        (self.root / path).unlink()
        self.by_hand()

    @rule()
    def lose_the_machines_folder(self) -> None:
        """What the machine keeps is deleted: undo is lost, no memory is."""
        shutil.rmtree(self.root / files.WORKPLACE, ignore_errors=True)

    @rule(days=st.sampled_from([1, 3, 15, 50]))
    def sleep(self, days: int) -> None:
        """Days go by."""
        self.now += timedelta(days=days, minutes=7)

    # What happens to machines

    @rule(
        data=st.data(),
        at=st.sampled_from([STAGED, WRITTEN, COMMITTED, COMMITTED]),
        placed=st.integers(0, 4),
        verb=st.sampled_from(["remember", "supersede", "rotate", "wrap-up", "archive"]),
    )
    def crash(self, data: st.DataObject, at: str, placed: int, verb: str) -> None:
        """A verb is killed anywhere: once the workspace is next opened it was done, or it was not."""
        text, before = self.new_text(), tree(self.root)
        records = [one.id for one in self.records() if one.state in WORKING]
        old = data.draw(st.sampled_from(records)) if records else ""
        verbs: dict[str, Callable[[Memory], object]] = {
            "remember": lambda memory: memory.remember(text, kind=self.some_kind(memory), force=True),
            "supersede": lambda memory: memory.supersede(old, text),
            "rotate": lambda memory: memory.buffer_rotate(force=True),
            "wrap-up": lambda memory: memory.wrap_up(text),
            "archive": lambda memory: memory.archive(10, force=True),
        }
        with self.memory() as sane:
            memory = Dying(sane.workspace, sane.now)
        memory.at, memory.placed = at, placed
        with suppress(DiedError, MnemeError):
            verbs[verb](memory)
        self.memory().close()
        after = self.text()
        assert not {word for word in self.kept if word not in after}
        if at != COMMITTED:
            assert tree(self.root) == before
        if mark(self.number) in after:
            self.kept.add(mark(self.number))
            self.told |= {mark(self.number)} & self.shared_words()

    @staticmethod
    def some_kind(memory: Memory) -> str:
        """Return a kind that needs no more than a text."""
        homes = memory.workspace.profile.homes
        return next(kind for kind in ("feedback", "decision", "event") if kind in homes)

    # What always holds

    @invariant()
    def nothing_is_edited_that_may_not_be(self) -> None:
        """What a fact or a cell says is what it said."""
        now = self.facts_and_cells()
        for name, said in self.frozen.items():
            assert name not in now or now[name] == said or FORGOTTEN in str(now[name])
            assert name in now or not (self.root / name.split(" ")[0]).exists() or self.was_said_elsewhere(name)
        self.frozen = now

    def was_said_elsewhere(self, name: str) -> bool:
        """Say whether a cell was renumbered or forgotten: its file remembers its id."""
        path, _, one = name.partition(" ")
        return one.encode() in (self.root / path).read_bytes()

    @invariant()
    def nothing_has_two_homes(self) -> None:
        """What holds stands in one place; what shows or points to it is no home."""
        homes: dict[str, list[str]] = {}
        for record in self.records():
            seen = record.state in WORKING and not record.path.startswith(VIEWS) and "remembered [" not in record.text
            for word in self.kept if seen else ():
                if word in record.text:
                    homes.setdefault(word, []).append(record.id)
        assert {word: where for word, where in homes.items() if len(where) > 1} == {}

    @invariant()
    def audience_never_widens(self) -> None:
        """Nobody in a shared context is told what was private when it was written."""
        assert self.shared_words() <= self.told

    @precondition(lambda self: self.kept)
    @invariant()
    def what_is_kept_is_found(self) -> None:
        """Every word that is kept stands in a file."""
        text = self.text()
        assert all(word in text for word in self.kept)


LONG = bool(os.environ.get("MNEME_CAMPAIGN"))
Life.TestCase.settings = settings(
    max_examples=LONG_LIVES if LONG else LIVES, stateful_step_count=LONG_STEPS if LONG else STEPS, deadline=None
)
TestLife = Life.TestCase
