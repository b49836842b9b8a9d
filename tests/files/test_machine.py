"""Any life of a workspace: plans, undo, hand edits, renames, deletions and crashes, against a model in memory."""

from __future__ import annotations

import shutil
from contextlib import ExitStack

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mneme import files
from mneme.errors import ConflictError, RefusedError
from mneme.files import Change, Edit, Plan, edited, plan_create, plan_edit, plan_move, plan_remove

from .workbench import COMMITTED, NOW, STAGED, WRITTEN, assert_settled, interrupt, new_root, put, tree

PATHS = ("a", "b", "sub/c", "sub/deep/d")
TEXTS = (b"", b"one\n", b"two\nthree\n", b"caf\xe9\r\n", b"last", b"\n\n")
Files = dict[str, bytes]


def effect(before: Files, plan: Plan) -> Files:
    """Return what the files should be after a plan."""
    after = dict(before)
    for change in plan.changes:
        content = after.pop(change.path, b"")
        if not change.remove:
            after[change.to or change.path] = edited(content, change.edits)
    return after


class Life(RuleBasedStateMachine):
    """A workspace and what it should hold."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.root = self.stack.enter_context(new_root())
        self.model: Files = {}
        self.number = 0
        self.effects: dict[int, tuple[Files, Files]] = {}
        self.undone: dict[int, int] = {}

    def teardown(self) -> None:
        """Leave nothing behind."""
        self.stack.close()

    # Drawing

    def change(self, data: st.DataObject, path: str, free: list[str]) -> Change:
        """Draw a change to one file as the model knows it."""
        if path not in self.model:
            return plan_create(path, data.draw(st.sampled_from(TEXTS)))
        content = self.model[path]
        act = data.draw(st.sampled_from(["edit", "edit", "edit", "remove", "move"]))
        if act == "remove":
            return plan_remove(path, content)
        places = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
        pairs = zip(places[::2], places[1::2], strict=False)
        edits = [Edit(start, end, data.draw(st.sampled_from(TEXTS))) for start, end in pairs]
        if act == "move" and free:
            return plan_move(path, content, free.pop(), edits)
        return plan_edit(path, content, edits)

    def plan(self, data: st.DataObject) -> Plan:
        """Draw a plan over one or more files."""
        paths = data.draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True))
        free = [path for path in PATHS if path not in self.model and path not in paths]
        return Plan("life", tuple(self.change(data, path, free) for path in paths))

    def happened(self, number: int, before: Files, after: Files) -> None:
        """Note that a plan went through."""
        if number:
            assert number == self.number + 1
            self.number = number
            self.effects[number] = (before, after)
        else:
            assert before == after
        self.model = after

    # What people and agents do

    @rule(data=st.data())
    def apply(self, data: st.DataObject) -> None:
        """A plan made from the files as they are goes through."""
        plan = self.plan(data)
        before, after = self.model, effect(self.model, plan)
        self.happened(files.apply(self.root, plan, now=NOW).n, before, after)

    @rule(data=st.data(), by_hand=st.binary(max_size=4))
    def apply_too_late(self, data: st.DataObject, by_hand: bytes) -> None:
        """A plan whose file was saved in the meantime changes nothing at all."""
        plan = self.plan(data)
        path = data.draw(st.sampled_from([change.path for change in plan.changes]))
        if self.model.get(path) == by_hand:
            return
        put(self.root, path, by_hand)
        self.model = self.model | {path: by_hand}
        try:
            files.apply(self.root, plan, now=NOW)
        except ConflictError:
            return
        raise AssertionError

    @rule(path=st.sampled_from(PATHS), content=st.sampled_from(TEXTS), before=st.booleans())
    def edit_by_hand(self, path: str, content: bytes, *, before: bool) -> None:
        """Somebody writes into a file, or makes one."""
        old = self.model.get(path, b"")
        self.model = self.model | {path: content + old if before else old + content}
        put(self.root, path, self.model[path])

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        """Somebody deletes a file."""
        path = data.draw(st.sampled_from(sorted(self.model)))
        (self.root / path).unlink()
        self.model = {other: content for other, content in self.model.items() if other != path}

    @precondition(lambda self: self.model)
    @rule(data=st.data(), to=st.sampled_from(PATHS))
    def rename_by_hand(self, data: st.DataObject, to: str) -> None:
        """Somebody renames a file, over another one if need be."""
        path = data.draw(st.sampled_from(sorted(self.model)))
        content = self.model[path]
        put(self.root, to, content)
        if to != path:
            (self.root / path).unlink()
        self.model = {other: text for other, text in self.model.items() if other != path} | {to: content}

    @precondition(lambda self: self.effects)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """An undo restores what the plan changed if nothing came after it; else that, or nothing, and no other file."""
        n = data.draw(st.sampled_from(sorted(self.effects)))
        before, after = self.effects[n]
        touched = {path for path in PATHS if before.get(path) != after.get(path)}
        paths = set(files.get_entry(self.root, n).paths)
        assert touched <= paths
        as_left = all(self.model.get(path) == after.get(path) for path in paths)
        already = n in files.undone_numbers(self.root)
        model = self.model
        try:
            number = files.apply(self.root, files.plan_undo(self.root, n), now=NOW).n
        except RefusedError:
            assert already or not as_left
            return
        assert not already
        found = tree(self.root)
        assert {path: found.get(path) for path in PATHS if path not in paths} == {
            path: model.get(path) for path in PATHS if path not in paths
        }
        if as_left:
            assert {path: found.get(path) for path in paths} == {path: before.get(path) for path in paths}
        self.happened(number, model, found)

    # Crashes

    @rule(data=st.data(), at=st.sampled_from([STAGED, WRITTEN, COMMITTED]), placed=st.integers(0, 3))
    def crash(self, data: st.DataObject, at: str, placed: int) -> None:
        """Killed anywhere, the plan is done or not done when the workspace is next opened."""
        plan = self.plan(data)
        steps = files.show_plan(self.root, plan)
        if not steps:
            return
        interrupt(self.root, plan, at, placed=min(placed, len(steps)))
        files.recover(self.root)
        if at == COMMITTED:
            self.happened(self.number + 1, self.model, effect(self.model, plan))

    @rule(data=st.data(), placed=st.integers(0, 3), by_hand=st.binary(max_size=4))
    def crash_and_edit_by_hand(self, data: st.DataObject, placed: int, by_hand: bytes) -> None:
        """Somebody saves one of the files before recovery: the save stays, the other files are as they were."""
        plan = Plan("life", tuple(change for change in self.plan(data).changes if change.to is None))
        steps = files.show_plan(self.root, plan)
        if not steps:
            return
        path = data.draw(st.sampled_from([step.path for step in steps]))
        after = effect(self.model, plan)
        interrupt(self.root, plan, placed=min(placed, len(steps)))
        put(self.root, path, by_hand)
        files.recover(self.root)
        self.number += 1
        if by_hand == self.model.get(path) or by_hand == after.get(path):
            self.effects[self.number] = (self.model, after)
            self.model = after
        else:
            assert files.get_entry(self.root, self.number).abandoned
            self.model = self.model | {path: by_hand}

    @rule()
    def lose_the_machine_s_folder(self) -> None:
        """Somebody deletes what the machine keeps: undo is lost, no memory is."""
        shutil.rmtree(self.root / ".mneme.d", ignore_errors=True)
        self.number, self.effects = 0, {}

    # What always holds

    @invariant()
    def holds_what_it_should(self) -> None:
        """Every file is there with its content, and nothing else is."""
        assert tree(self.root) == self.model

    @invariant()
    def is_settled(self) -> None:
        """Nothing is under way, nothing temporary is left, and the numbers are those that were given."""
        assert_settled(self.root)
        assert [entry.n for entry in files.entries(self.root)] == list(range(1, self.number + 1))


Life.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestLife = Life.TestCase
