"""The matrices: every place where a command can be cut short, what is found there afterwards, and the verdict.

Right is: all files of the plan old, or all new; everything else, the machine folder included, as after an undisturbed
run; the reopening commands say what they say then; the next command works, and the plan can be taken back.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .disk import ARBITRARY, Entry, State, Tree, digest, find_states, load_tree, materialise, replay
from .runs import (
    Prepared,
    Seen,
    copy_template,
    fresh_folder,
    open_pool,
    reopen,
    run_forked,
    split_tree,
    without_lock,
    without_varying,
)
from .scenarios import MACHINE, environment
from .syscalls import OPENS, WRITES, Call, Ran, changing_calls, find_syncs, run_traced, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

T = TypeVar("T")
R = TypeVar("R")

FULL = os.environ.get("MNEME_CAMPAIGN") == "full"
OLD, NEW = "old", "new"
JOURNAL = f"{MACHINE}/journal/"
# A derived file's temporary under a name without a number: the next writer of that file replaces it.
NEXT_TIME = re.compile(re.escape(MACHINE) + r"/\.[a-z.-]+\.tmp")
REPEATS = 3
CHUNK = 16
# What a full disk refuses, beside opening: nothing that only gives room back.
NEEDS_ROOM = frozenset({"write", "pwrite64", "writev", "fsync", "fdatasync", "mkdir", "mkdirat", "link", "linkat"}) | {
    "rename",
    "renameat",
    "renameat2",
    "symlink",
    "symlinkat",
    "ftruncate",
    "fallocate",
    "copy_file_range",
    "sendfile",
}


@dataclass(slots=True)
class Report:
    """What a matrix found: how much it tried of how much there is, and each fault in words."""

    name: str
    runs: int = 0
    states: int = 0
    total: int = 0
    capped: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def kinds(self) -> str:
        """Say which faults there are, the same one in many places only once."""
        found: dict[str, list[str]] = {}
        for failure in self.failures:
            found.setdefault(re.sub(r"\[[^\[\]]*\]$|#?\d+", "", failure.split(": ", 1)[-1]), []).append(failure)
        return "\n".join(f"{len(each)} times, first: {each[0]}" for each in found.values())

    def __str__(self) -> str:
        bound = f" ({self.capped} from a bounded sample)" if self.capped else ""
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(self.outcomes.items()))
        tried = f"{self.runs} runs of {self.total}, {self.states} distinct states{bound}"
        return f"{self.name}: {tried}; {outcomes}; {len(self.failures)} faults"


@dataclass(slots=True)
class Verdict:
    """What one run came to: which side the files are on, and what is wrong."""

    side: str
    faults: list[str]
    tree: Tree = field(default_factory=dict)
    place: str = ""


def spread(items: Sequence[T], count: int | None) -> list[T]:
    """Take `count` items evenly over the whole sequence, both ends included; None takes all."""
    if count is None or count >= len(items):
        return list(items)
    if count == 1:
        return [items[0]]
    return [items[round(at * (len(items) - 1) / (count - 1))] for at in range(count)]


# --- the verdict -----------------------------------------------------------------------------------------------


def judge(prepared: Prepared, folder: Path, wanted: str = "") -> Verdict:
    """Reopen the workspace in `folder` and compare it with the two outcomes that are right."""
    seen, faults = reopen(prepared.scenario, folder)
    side, wrong = which_side(prepared, seen.memory)
    faults += wrong
    if wanted and side in {OLD, NEW} and side != wanted:
        faults.append(f"it is {side}, and has to be {wanted}")
    if not faults:
        faults += _compare_machine(prepared.old if side == OLD else prepared.new, seen)
    faults += _check_forgotten(prepared, folder, side)
    if not faults:
        faults += _go_on(prepared, folder, side)
    return Verdict(side, faults)


def which_side(prepared: Prepared, memory: Tree) -> tuple[str, list[str]]:
    """Say whether the memory files are wholly old or wholly new, and what is odd otherwise."""
    if memory == prepared.old.memory:
        return OLD, []
    if memory == prepared.new.memory:
        return NEW, []
    odd = [f"'{key}' {_which_entry(prepared, key, memory.get(key))}" for key in sorted(_keys(prepared, memory))]
    return "mixed", ["the files do not agree: " + ", ".join(odd)]


def _keys(prepared: Prepared, memory: Tree) -> set[str]:
    keys = memory.keys() | prepared.old.memory.keys() | prepared.new.memory.keys()
    return {key for key in keys if not memory.get(key) == prepared.old.memory.get(key) == prepared.new.memory.get(key)}


def _which_entry(prepared: Prepared, key: str, entry: Entry | None) -> str:
    old, new = prepared.old.memory.get(key), prepared.new.memory.get(key)
    if entry == old:
        return "is old"
    if entry == new:
        return "is new"
    if entry is None:
        return "is missing"
    if old is None and new is None:
        return "is left over"
    return f"is neither ({len(entry.body)} bytes, mode {entry.mode:o})"


def _compare_machine(right: Seen, seen: Seen) -> list[str]:
    faults = []
    if seen.machine != right.machine:
        more, less = sorted(seen.machine - right.machine), sorted(right.machine - seen.machine)
        faults.append(f"the machine folder differs: left over {more}, missing {less}")
    if seen.said != right.said:
        faults.append(f"the reopening commands say {seen.said!r} where they should say {right.said!r}")
    return faults


def _go_on(prepared: Prepared, folder: Path, side: str) -> list[str]:
    """Run the next command: the same again where nothing happened, the one that takes it back where it did."""
    scenario = prepared.scenario
    argv, wanted = (scenario.argv, prepared.new) if side == OLD else (scenario.back, prepared.old)
    if not argv:
        return []
    ran = run_forked(argv, folder / "ws", folder / "home")
    if ran.code:
        return [f"afterwards '{' '.join(argv[1:])}' ends with {ran.code}: {ran.err.strip()[-600:]}"]
    tree = load_tree(folder / "ws")
    litter = [key for key in tree if key.endswith(".tmp") and not NEXT_TIME.fullmatch(key)]
    faults = [f"afterwards '{' '.join(argv[1:])}' leaves {litter}"] if litter else []
    if _any_id(split_tree(tree)[0]) != _any_id(wanted.memory):
        faults.append(f"afterwards '{' '.join(argv[1:])}' does not do what it should")
    return faults


def _any_id(tree: Tree) -> Tree:
    """Take the numbers out of ids: one that a lost plan had been given may be passed over."""
    return {key: entry._replace(body=re.sub(rb"-\d{4}\b", b"-0000", entry.body)) for key, entry in tree.items()}


def _check_forgotten(prepared: Prepared, folder: Path, side: str) -> list[str]:
    text = prepared.scenario.forgotten
    if not text or side != NEW:
        return []
    holding = [key for key, entry in load_tree(folder / "ws").items() if text in entry.body]
    return [f"what was forgotten is still in {holding}"] if holding else []


# --- (a) kill -9 -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a run is cut short: the call, by name and count, and the how-manieth change of the workspace it is."""

    name: str
    nth: int
    index: int
    signal: str = "KILL"
    by_hand: bool = False  # somebody edits a file of the plan before the workspace is reopened

    def __str__(self) -> str:
        by_hand = ", then an edit by hand" if self.by_hand else ""
        return f"{self.signal} at {self.name} #{self.nth} (change {self.index}){by_hand}"


def cut_short(argv: Sequence[str], folder: Path, cut: Cut) -> tuple[Ran, list[Call]]:
    """Run a command for real and send it a signal as it enters one call."""
    inject = [f"{cut.name}:signal={cut.signal}:when={cut.nth}"]
    return run_traced(argv, folder / "ws", environment(folder / "home"), folder / "trace", inject)


def _was_cut_there(calls: Sequence[Call], root: str, cut: Cut) -> bool:
    """Check in the recording that the process died where it was meant to, and in that call."""
    found = changing_calls(calls, root)
    return len(found) == cut.index + 1 and found[-1].name == cut.name and found[-1].result is None


def kill_once(prepared: Prepared, cut: Cut) -> Verdict:
    """Kill the command at one call, reopen, judge; the answer holds the tree that the crash left."""
    for _ in range(REPEATS):
        with fresh_folder(prepared.base) as folder:
            root = copy_template(prepared, folder)
            _, calls = cut_short(prepared.scenario.argv, folder, cut)
            if not _was_cut_there(calls, str(root), cut):
                continue
            tree = load_tree(root)
            place = changing_calls(calls, str(root))[-1].summary(str(root))
            verdict = _judge_edited(prepared, folder) if cut.by_hand else judge(prepared, folder)
            verdict.faults = [f"{cut}, {place}: {fault}" for fault in verdict.faults]
            verdict.tree, verdict.place = without_varying(tree, prepared.scenario), place
            return verdict
    return Verdict("none", [f"{cut}: the command does not repeat itself"])


def _judge_edited(prepared: Prepared, folder: Path) -> Verdict:
    """Edit one file of the plan after the crash: the edit has to stay, the others to be wholly old or new."""
    key = _can_put_back(prepared)[0]
    theirs = b"edited by hand after the crash\n"
    (folder / "ws" / key).write_bytes(theirs)
    seen, faults = reopen(prepared.scenario, folder)
    entry = seen.memory.get(key)
    if entry is None or entry.body != theirs:
        faults.append(f"the edit by hand of '{key}' is lost")
    side, wrong = which_side(prepared, seen.memory | {key: prepared.old.memory[key]})
    if side == "mixed":
        side, other = which_side(prepared, seen.memory | {key: prepared.new.memory[key]})
        faults += [f"beside the edit by hand, {one}" for one in wrong if other]
    return Verdict("edited by hand", faults)


def kill_matrix(prepared: Prepared, count: int | None = None, *, sent: str = "KILL", by_hand: bool = False) -> Report:
    """Kill the command at every call by which it changes the workspace."""
    points = [] if by_hand and not _can_put_back(prepared) else prepared.points
    cuts = [Cut(call.name, call.nth, index, sent, by_hand) for index, call in enumerate(points)]
    with open_pool() as pool:
        verdicts = _map(pool, kill_once if sent == "KILL" else interrupt_once, prepared, spread(cuts, count))
    report = _report(
        f"{prepared.scenario.name}: {sent}{' and an edit by hand' if by_hand else ''}", verdicts, len(cuts)
    )
    report.states = len({digest(verdict.tree) for verdict in verdicts})
    return report


def interrupt_once(prepared: Prepared, cut: Cut) -> Verdict:
    """Interrupt the command, as Ctrl-C does: it may finish or give up, says so in a line, and leaves no half."""
    with fresh_folder(prepared.base) as folder:
        root = copy_template(prepared, folder)
        ran, _ = cut_short(prepared.scenario.argv, folder, cut)
        raw = which_side(prepared, split_tree(load_tree(root))[0])
        tree = without_varying(load_tree(root), prepared.scenario)
        faults = [] if raw[0] != "mixed" or not prepared.scenario.settles_at_once else [f"at once: {raw[1]}"]
        if "Traceback" in ran.err:
            faults.append(f"a stack trace: {ran.err.strip()[-500:]}")
        verdict = judge(prepared, folder, NEW if ran.code == 0 else "")
        verdict.faults = [f"{cut}: {fault}" for fault in faults + verdict.faults]
        verdict.side, verdict.tree = f"{verdict.side} with code {ran.code}", tree
        return verdict


# --- (a) a second crash, during recovery -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wreck:
    """A state that a crash left, and how many cuts to make in the command that recovers from it."""

    tree: Tree
    cuts: int | None


def recrash(prepared: Prepared, wreck: Wreck) -> list[Verdict]:
    """From one wreck, kill the recovering command at its every call, then reopen again."""
    argv = prepared.scenario.reopen[0]
    with fresh_folder(prepared.base) as folder:
        materialise(wreck.tree, folder / "ws")
        env = environment(folder / "home")
        _, calls = run_traced(argv, folder / "ws", env, folder / "trace")
        points = changing_calls(calls, str(folder / "ws"))
    cuts = [Cut(call.name, call.nth, index) for index, call in enumerate(points)]
    return [_recrash_once(prepared, wreck, argv, cut) for cut in spread(cuts, wreck.cuts)]


def _recrash_once(prepared: Prepared, wreck: Wreck, argv: Sequence[str], cut: Cut) -> Verdict:
    for _ in range(REPEATS):
        with fresh_folder(prepared.base) as folder:
            materialise(wreck.tree, folder / "ws")
            _, calls = cut_short(argv, folder, cut)
            if not _was_cut_there(calls, str(folder / "ws"), cut):
                continue
            tree = without_varying(load_tree(folder / "ws"), prepared.scenario)
            verdict = judge(prepared, folder)
            verdict.faults = [f"in recovery, {cut}: {fault}" for fault in verdict.faults]
            verdict.tree = tree
            return verdict
    return Verdict("none", [f"in recovery, {cut}: the command does not repeat itself"])


def recrash_matrix(prepared: Prepared, wrecks: int | None = None, cuts: int | None = None) -> Report:
    """Crash, crash again while recovering, reopen: from every distinct state that the first crash leaves."""
    found = [tree for tree in find_wrecks(prepared) if any(key.startswith(JOURNAL) for key in tree)]
    with open_pool() as pool:
        tasks = [Wreck(tree, cuts) for tree in spread(found, wrecks)]
        verdicts = list(itertools.chain.from_iterable(_map(pool, recrash, prepared, tasks)))
    report = _report(f"{prepared.scenario.name}: a second crash while recovering", verdicts, len(verdicts))
    report.states = len({digest(verdict.tree) for verdict in verdicts})
    return report


def find_wrecks(prepared: Prepared) -> list[Tree]:
    """Return the distinct trees between any two changes of the recorded run: what kill -9 leaves.

    A killed process's writes are all in the cache, so these follow from the recording; `kill_once` shows that the
    real thing leaves the same.
    """
    trees: dict[str, Tree] = {}
    for place, call in enumerate(prepared.calls):
        if call.changes(prepared.root):
            _, tree = replay(prepared.before, (prepared.calls[:place], prepared.root))
            trees.setdefault(digest(without_lock(tree)), tree)
    return list(trees.values())


# --- (b) power cut ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Remains:
    """A state to recover from, the side it has to come out on if any, and an edit by hand to make first."""

    tree: Tree
    wanted: str = ""
    by_hand: bool = False


def check_model(prepared: Prepared) -> None:
    """Insist that the model, fed the recording, arrives at the very tree that the command left."""
    _, modelled = replay(prepared.before, (prepared.calls, prepared.root))
    ours, real = modelled, prepared.after
    wrong = sorted(key for key in ours.keys() | real.keys() if ours.get(key) != real.get(key))
    if wrong:
        message = f"{prepared.scenario.name}: the model of the disk misreads the recording at {wrong}"
        raise AssertionError(message)


def recover_once(prepared: Prepared, remains: Remains) -> Verdict:
    """Lay a state down as a folder, reopen it, judge."""
    with fresh_folder(prepared.base) as folder:
        materialise(remains.tree, folder / "ws")
        verdict = _judge_reverted(prepared, folder) if remains.by_hand else judge(prepared, folder, remains.wanted)
        place = _describe(prepared, remains.tree)
        ended = ", as the command had ended" if remains.wanted == NEW else ""
        verdict.faults = [f"after a power cut{ended}: {fault} [{place}]" for fault in verdict.faults]
        verdict.tree = without_lock(remains.tree)
        return verdict


def _describe(prepared: Prepared, tree: Tree) -> str:
    """Say how a state differs from the one the command started from."""
    before = prepared.before
    keys = sorted(key for key in tree.keys() | before.keys() if tree.get(key) != before.get(key))
    words = {key: "gone" if key not in tree else f"{tree[key].kind}:{len(tree[key].body)}" for key in keys}
    return ", ".join(f"{key}={word}" for key, word in words.items()) or "as before"


def _judge_reverted(prepared: Prepared, folder: Path) -> Verdict:
    """The command had ended, somebody put one old text back by hand, then the power went: recovery must not undo that."""
    root = folder / "ws"
    key = _can_put_back(prepared)[0]
    body = prepared.old.memory[key].body
    (root / key).write_bytes(body)
    seen, faults = reopen(prepared.scenario, folder)
    entry = seen.memory.get(key)
    if entry is None or entry.body != body:
        faults.append(f"'{key}', put back by hand after the command had ended, is overwritten by recovery")
    return Verdict("edited by hand", faults)


def find_remains(
    prepared: Prepared, calls: Sequence[Call], model: str = ARBITRARY
) -> dict[tuple[str, str, bool], tuple[Remains, State]]:
    """Return every distinct thing to check after a power cut: states, and what has to come of each."""
    story, _ = replay(prepared.before, (calls, prepared.root))
    found: dict[tuple[str, str, bool], tuple[Remains, State]] = {}
    for state in find_states(story, model):
        name = digest(without_lock(state.tree))
        wanted = NEW if state.acknowledged else ""
        found.setdefault((name, wanted, False), (Remains(state.tree, wanted), state))
        if state.acknowledged and _can_put_back(prepared):
            found.setdefault((name, wanted, True), (Remains(state.tree, wanted, by_hand=True), state))
    return found


def _can_put_back(prepared: Prepared) -> list[str]:
    """Return the files that the plan edits in their place."""
    old, new = prepared.old.memory, prepared.new.memory
    return sorted(key for key in prepared.scenario.changed if key in old and key in new and old[key].kind == "file")


def power_matrix(prepared: Prepared, count: int | None = None, model: str = ARBITRARY) -> Report:
    """Recover from every state that a power cut during the command, or after it, can leave."""
    check_model(prepared)
    found = find_remains(prepared, prepared.calls, model)
    tasks = spread([remains for remains, _ in found.values()], count)
    with open_pool() as pool:
        verdicts = _map(pool, recover_once, prepared, tasks)
    report = _report(f"{prepared.scenario.name}: power cut, {model} order", verdicts, len(found))
    report.states = len({digest(verdict.tree) for verdict in verdicts})
    report.capped = sum(state.capped for _, state in found.values())
    return report


@dataclass(frozen=True, slots=True)
class Relapse:
    """A kill -9 after so many calls, a recovery, and a power cut somewhere in it or after it."""

    calls: list[Call]
    root: str
    count: int | None


def relapse(prepared: Prepared, task: Relapse) -> list[Verdict]:
    """Recover from a kill, with what the killed run never made durable still only in the cache; then cut the power."""
    argv = prepared.scenario.reopen[0]
    _, wreck = replay(prepared.before, (task.calls, task.root))
    with fresh_folder(prepared.base) as folder:
        materialise(wreck, folder / "ws")
        root = str(folder / "ws")
        _, calls = run_traced(argv, folder / "ws", environment(folder / "home"), folder / "trace", follow=True)
        side, _ = which_side(prepared, split_tree(load_tree(folder / "ws"))[0])
    story, _ = replay(prepared.before, (task.calls, task.root), (calls, root))
    remains: dict[tuple[str, str], Remains] = {}
    for state in find_states(story):
        wanted = side if state.acknowledged else ""
        remains.setdefault((digest(without_lock(state.tree)), wanted), Remains(state.tree, wanted))
    verdicts = [recover_once(prepared, one) for one in spread(list(remains.values()), task.count)]
    for verdict in verdicts:
        verdict.faults = [
            f"killed after {len(task.calls)} calls, recovered as {side}, {fault}" for fault in verdict.faults
        ]
    return verdicts


def relapse_matrix(prepared: Prepared, kills: int | None = None, count: int | None = None) -> Report:
    """Cut the power while, or after, a kill -9 is being recovered from."""
    check_model(prepared)
    places = [place for place, call in enumerate(prepared.calls) if call.changes(prepared.root)]
    tasks = [Relapse(prepared.calls[:place], prepared.root, count) for place in spread(places, kills)]
    with open_pool() as pool:
        verdicts = list(itertools.chain.from_iterable(_map(pool, relapse, prepared, tasks)))
    report = _report(f"{prepared.scenario.name}: power cut while recovering from a kill", verdicts, len(verdicts))
    report.states = len({digest(verdict.tree) for verdict in verdicts})
    return report


def missing_sync_matrix(prepared: Prepared, model: str = ARBITRARY, budget: int | None = None) -> dict[str, str]:
    """Take each sync out in turn: for each, the first fault that shows, or nothing if the matrix does not notice."""
    check_model(prepared)
    known = find_remains(prepared, prepared.calls, model)
    answer: dict[str, str] = {}
    with open_pool() as pool:
        for nth, call in enumerate(find_syncs(prepared.calls, prepared.root)):
            found = find_remains(prepared, without(prepared.calls, prepared.root, nth), model)
            fresh = [pair for key, pair in found.items() if key not in known]
            fresh.sort(key=lambda pair: (pair[1].losses, not pair[0].wanted))
            tasks = [remains for remains, _ in fresh][:budget]
            answer[f"{nth} {call.summary(prepared.root)}"] = _first_fault(pool, prepared, tasks)
    return answer


def _first_fault(pool: Executor, prepared: Prepared, tasks: Sequence[Remains]) -> str:
    for start in range(0, len(tasks), CHUNK):
        for verdict in _map(pool, recover_once, prepared, tasks[start : start + CHUNK]):
            if verdict.faults:
                return verdict.faults[0]
    return ""


# --- (c) a disk that fails -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that answers with an error, once, or from there on together with every later one of its kind."""

    error: str
    name: str
    nth: int
    place: str
    also: tuple[str, ...] = ()  # further injections: what fails from here on

    @property
    def inject(self) -> list[str]:
        """Return the strace options."""
        return [f"{self.name}:error={self.error}:when={self.nth}", *self.also]

    def __str__(self) -> str:
        return f"{self.error} at {self.name} #{self.nth}, {self.place}{', and from there on' if self.also else ''}"


def find_faults(prepared: Prepared) -> list[Fault]:
    """Return every failure to try: each error at each call once, and a disk that stays full or broken."""
    faults = []
    for place, call in enumerate(prepared.calls):
        if not _can_fail(call, prepared.root):
            continue
        words = call.summary(prepared.root)
        changes = call.changes(prepared.root)
        room = call.name in NEEDS_ROOM or (call.name in OPENS and call.creates())
        errors = ["EIO", *(["EINTR"] if changes else []), *(["ENOSPC"] if room else [])]
        faults += [Fault(error, call.name, call.nth, words) for error in errors]
        if changes:
            faults += [
                Fault(error, call.name, call.nth, words, _from_here(prepared, place, error))
                for error in ("EIO", "ENOSPC", "EROFS")
                if error != "ENOSPC" or room
            ]
    return faults


def _can_fail(call: Call, root: str) -> bool:
    return call.changes(root) or (call.name in OPENS | {"read"} and call.touches(root) and call.result is not None)


def _from_here(prepared: Prepared, place: int, error: str) -> tuple[str, ...]:
    """Return the injections by which everything later fails too.

    Opens and plain writes are left out: the same calls load modules and print the message, which a full disk does
    not touch. They fail once, at the place itself.
    """
    spared = OPENS | WRITES | {"read"}
    kinds = {call.name for call in prepared.points} - spared
    if error == "ENOSPC":
        kinds &= NEEDS_ROOM
    first = prepared.calls[place]
    seen = Counter(call.name for call in prepared.calls[:place])
    return tuple(f"{name}:error={error}:when={seen[name] + 1 + (name == first.name)}+" for name in sorted(kinds))


def fail_once(prepared: Prepared, fault: Fault) -> Verdict:
    """Let a call fail: exit 2 and one line, or success that really is one; and whole files either way."""
    with fresh_folder(prepared.base) as folder:
        root = copy_template(prepared, folder)
        env = environment(folder / "home")
        inject = _merged(fault.inject)
        ran, calls = run_traced(prepared.scenario.argv, root, env, folder / "trace", inject, follow=True)
        if not any(call.injected for call in calls):
            return Verdict("none", [f"{fault}: the command does not repeat itself"])
        tree = load_tree(root)
        faults = _check_words(prepared, ran) if ran.code else _check_success(prepared, calls, str(root))
        raw, wrong = which_side(prepared, split_tree(tree)[0])
        if raw == "mixed" and not fault.also and prepared.scenario.settles_at_once:
            faults.append(f"before reopening, {wrong[0]}")
        verdict = judge(prepared, folder, NEW if ran.code == 0 else "")
        verdict.faults = [f"{fault}: {one}" for one in faults + verdict.faults]
        verdict.side = f"{verdict.side} with code {ran.code}"
        verdict.tree = without_varying(tree, prepared.scenario)
        return verdict


def _merged(inject: Iterable[str]) -> list[str]:
    """Join a failure at one call with the failure of all later ones of the same name: strace takes one per name."""
    merged: dict[str, str] = {}
    for one in inject:
        name = one.split(":")[0]
        if name in merged:
            merged[name] += "+"
        else:
            merged[name] = one
    return list(merged.values())


def _check_words(prepared: Prepared, ran: Ran) -> list[str]:
    lines = ran.err.strip().splitlines()
    faults = []
    if ran.code != 2:
        faults.append(f"it ends with {ran.code}")
    if "Traceback" in ran.err or ": unexpected " in ran.err:
        faults.append(f"a stack trace: {ran.err.strip()[-700:]}")
    elif not lines or not lines[0].startswith(prepared.scenario.complains):
        faults.append(f"no clear line, but {ran.err!r}")
    elif len([line for line in lines if "hint:" not in line]) > 1:
        faults.append(f"more than one line: {ran.err!r}")
    return faults


def _check_success(prepared: Prepared, calls: Sequence[Call], root: str) -> list[str]:
    """Check that a command which succeeded in spite of a failure has made its work durable all the same."""
    story, _ = replay(prepared.before, (calls, root))
    last = [state.tree for state in find_states(story) if state.acknowledged]
    verdicts = [recover_once(prepared, Remains(tree, NEW)) for tree in spread(last, 8)]
    return [f"it says that all is well, but {fault}" for verdict in verdicts for fault in verdict.faults][:1]


def fault_matrix(
    prepared: Prepared, count: int | None = None, *, errors: Iterable[str] = (), calls: Iterable[str] = ()
) -> Report:
    """Let every call fail, in every way; or only with these errors, or only these calls."""
    errors, calls = set(errors), set(calls)
    faults = [
        fault
        for fault in find_faults(prepared)
        if (not errors or fault.error in errors) and (not calls or fault.name in calls)
    ]
    with open_pool() as pool:
        verdicts = _map(pool, fail_once, prepared, spread(faults, count))
    report = _report(f"{prepared.scenario.name}: a failing disk", verdicts, len(faults))
    report.states = len({digest(verdict.tree) for verdict in verdicts})
    return report


# --- doing many ------------------------------------------------------------------------------------------------


def _map(pool: Executor, job: Callable[[Prepared, T], R], prepared: Prepared, tasks: Sequence[T]) -> list[R]:
    """Do a job for many tasks on the pool; answers come in the order of the tasks."""
    return list(pool.map(partial(job, prepared.without_setup()), tasks))


def _report(name: str, verdicts: Sequence[Any], total: int) -> Report:
    report = Report(name, len(verdicts), 0, total)
    for verdict in verdicts:
        report.outcomes[verdict.side] += 1
        report.failures += verdict.faults
    return report
