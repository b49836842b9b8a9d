"""Running commands in throw-away copies of a workspace: traced for real, or forked from a warm process.

A reopening command runs in its own process either way. Forking one that has its modules loaded saves the start of an
interpreter, of which a matrix would otherwise pay thousands; it is a crash-free run of the same entry point.
"""

from __future__ import annotations

import importlib
import os
import runpy
import shutil
import signal
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from .disk import Tree, load_tree
from .scenarios import MACHINE, WARM, Scenario, environment
from .syscalls import Call, Ran, changing_calls, run_traced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORKERS = 2
FORK_LIMIT_SECONDS = 60


@contextmanager
def fresh_folder(base: Path) -> Iterator[Path]:
    """Make a folder for one run, gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir=base))
    (folder / "home").mkdir()
    try:
        yield folder
    finally:
        with suppress(PermissionError):
            folder.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)


def run_forked(argv: Sequence[str], cwd: Path, home: Path) -> Ran:
    """Run a Python command in a fork of this process; `argv` is [python] script arguments."""
    script = list(argv[1:] if Path(argv[0]).name.startswith("python") else argv)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if not pid:
            _be_the_command(script, cwd, environment(home), out.fileno(), err.fileno())
        _, status = os.waitpid(pid, 0)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return Ran(os.waitstatus_to_exitcode(status), *texts)


def _be_the_command(script: list[str], cwd: Path, env: dict[str, str], out: int, err: int) -> None:
    """Turn this fork into the command; never returns."""
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(FORK_LIMIT_SECONDS)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = script
        code = 0
        runpy.run_path(script[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - a fork must never fall back into its parent's code
        traceback.print_exc()
        code = 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


@dataclass(slots=True)
class Seen:
    """A workspace as a reader sees it after the reopening commands."""

    memory: Tree
    machine: frozenset[str]
    said: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Prepared:
    """A scenario made ready: its template, what was recorded, and the two outcomes that are right."""

    scenario: Scenario
    base: Path
    template: Path
    before: Tree
    after: Tree
    old: Seen
    new: Seen
    calls: list[Call] = field(default_factory=list)
    root: str = ""

    @property
    def points(self) -> list[Call]:
        """The calls that change the workspace: where it can be cut short."""
        return changing_calls(self.calls, self.root)

    def without_setup(self) -> Prepared:
        """Return a copy that can be sent to another process."""
        bare = Scenario(**{**vars(self.scenario), "setup": _no_setup})
        return Prepared(bare, self.base, self.template, self.before, self.after, self.old, self.new, [], self.root)


def _no_setup(_: Path) -> None:
    """Stand in for a setup that has been done."""


def split_tree(tree: Tree) -> tuple[Tree, Tree]:
    """Separate what belongs to people from what belongs to the machine."""
    machine = {key: entry for key, entry in tree.items() if key == MACHINE or key.startswith(MACHINE + "/")}
    return {key: entry for key, entry in tree.items() if key not in machine}, machine


def machine_names(tree: Tree, scenario: Scenario) -> frozenset[str]:
    """Return the names under the machine folder that have to be the same every time."""
    files = (key.removeprefix(MACHINE + "/") for key, entry in split_tree(tree)[1].items() if entry.kind != "folder")
    # A derived file's temporary may be left by a crash: the next write has to sweep it, not the next look.
    return frozenset(
        name for name in files if name.split("/")[0] not in scenario.machine_varies and name[-4:] != ".tmp"
    )


def without_varying(tree: Tree, scenario: Scenario) -> Tree:
    """Return the tree without what differs from run to run, so that equal states of several runs have equal names."""
    return {key: entry for key, entry in tree.items() if not key.startswith(_varying(scenario))}


def without_lock(tree: Tree) -> Tree:
    """Return the tree without what no recovery looks at: states that differ in it alone count once."""
    return {key: entry for key, entry in tree.items() if key not in {f"{MACHINE}/lock", f"{MACHINE}/.gitignore"}}


def _varying(scenario: Scenario) -> tuple[str, ...]:
    return (f"{MACHINE}/.ids.json.", *(f"{MACHINE}/{name}" for name in scenario.machine_varies))


def reopen(scenario: Scenario, folder: Path) -> tuple[Seen, list[str]]:
    """Run the reopening commands and return what is there then, and what they complained of."""
    faults, said = [], []
    for argv in scenario.reopen:
        ran = run_forked(argv, folder / "ws", folder / "home")
        said.append((ran.code, ran.out.replace(str(folder), "")))
        if ran.code not in {0, 1} or "Traceback" in ran.err:
            faults.append(f"'{' '.join(argv[1:])}' ended with {ran.code}: {ran.err.strip()[-600:]}{ran.out[-300:]}")
    tree = load_tree(folder / "ws")
    return Seen(split_tree(tree)[0], machine_names(tree, scenario), tuple(said)), faults


def copy_template(prepared: Prepared, folder: Path) -> Path:
    """Lay the workspace of the scenario into a run's folder."""
    shutil.copytree(prepared.template / "home", folder / "home", symlinks=True, dirs_exist_ok=True)
    return Path(shutil.copytree(prepared.template / "ws", folder / "ws", symlinks=True))


def prepare(scenario: Scenario, base: Path) -> Prepared:
    """Set the scenario up, run it once undisturbed under strace, and learn both right outcomes from that."""
    template = base / f"template-{len(list(base.glob('template-*')))}"
    (template / "ws").mkdir(parents=True)
    (template / "home").mkdir()
    scenario.setup(template / "ws")
    nothing = Seen({}, frozenset(), ())
    prepared = Prepared(scenario, base, template, load_tree(template / "ws"), {}, nothing, nothing)
    with fresh_folder(base) as folder:
        copy_template(prepared, folder)
        prepared.old, faults = reopen(scenario, folder)
        _insist(not faults, f"{scenario.name}: the workspace it starts from is not clean: {faults}")
    with fresh_folder(base) as folder:
        root = copy_template(prepared, folder)
        env = environment(folder / "home")
        ran, prepared.calls = run_traced(scenario.argv, root, env, folder / "trace", follow=True)
        _insist(ran.code == 0, f"{scenario.name}: the command itself fails: {ran}")
        prepared.root, prepared.after = str(root), load_tree(root)
        prepared.new, faults = reopen(scenario, folder)
        _insist(not faults, f"{scenario.name}: the workspace it leaves is not clean: {faults}")
    changed = {key for key in prepared.old.memory | prepared.new.memory if _differs(prepared, key)}
    _insist(changed == scenario.changed, f"{scenario.name}: it changes {sorted(changed)}")
    return prepared


def _differs(prepared: Prepared, key: str) -> bool:
    return prepared.old.memory.get(key) != prepared.new.memory.get(key)


def _insist(fact: bool, message: str) -> None:  # noqa: FBT001
    if not fact:
        raise AssertionError(message)


# --- many runs at a time ---------------------------------------------------------------------------------------


def _warm(modules: tuple[str, ...]) -> None:
    for name in modules:
        with suppress(ImportError):
            importlib.import_module(name)


@contextmanager
def open_pool() -> Iterator[ProcessPoolExecutor]:
    """Lend the worker processes; the first borrower waits for them to load the command's modules."""
    yield _pool()


@cache
def _pool() -> ProcessPoolExecutor:
    # A spawned worker finds this package by name, so the folder above it has to be on its path.
    above = str(Path(__file__).parents[__name__.count(".")])
    if above not in sys.path:
        sys.path.append(above)
    return ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn"), initializer=_warm, initargs=(WARM,))
