"""The shipped command, crashed: killed at every call, cut off from power in every state, given a disk that fails.

`make crash` runs the whole of each matrix; the ordinary test run takes an evenly spread part of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from .disk import ARBITRARY, ORDERED, load_tree
from .matrices import (
    FULL,
    Report,
    fail_once,
    fault_matrix,
    find_faults,
    kill_matrix,
    missing_sync_matrix,
    power_matrix,
    recrash_matrix,
    relapse_matrix,
)
from .runs import Prepared, copy_template, fresh_folder, split_tree, without_lock
from .scenarios import NEEDLESS_SYNCS, SCENARIOS, Scenario, environment
from .syscalls import run_traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# A matrix of more states than this is sampled even by `make crash`, evenly.
MOST = 4000
# How much of each matrix `make crash` does and how much the ordinary test run does.
MATRICES: dict[str, Callable[[Prepared], Report]] = {
    "killed": partial(kill_matrix, count=None if FULL else 4),
    "cut off from power": partial(power_matrix, count=MOST if FULL else 8),
    "on a disk that fails": partial(fault_matrix, count=None if FULL else 4),
    "interrupted": partial(kill_matrix, count=None if FULL else 2, sent="INT"),
    "terminated": partial(kill_matrix, count=None if FULL else 2, sent="TERM"),
    "killed and then edited by hand": partial(kill_matrix, count=None if FULL else 2, by_hand=True),
    "killed again while recovering": partial(recrash_matrix, wrecks=None if FULL else 2, cuts=None if FULL else 2),
    "cut off from power while recovering": partial(relapse_matrix, kills=None if FULL else 2, count=24 if FULL else 3),
}
# The ordinary run takes every way for the first of these plans, the ways that differ most for the others.
THOROUGH = "supersede across two files"
ALWAYS = ("killed", "cut off from power", "on a disk that fails")
RUNS = [
    pytest.param(scenario, way, id=f"{scenario.name}: {way}")
    for scenario in SCENARIOS
    for way in MATRICES
    if FULL or scenario.name == THOROUGH or way in ALWAYS
]


@pytest.mark.parametrize(("scenario", "way"), RUNS)
def test_all_of_a_plan_or_nothing(
    scenario: Scenario, way: str, prepared: Callable[[Scenario], Prepared], figures: list[str]
) -> None:
    """However it is cut short, a command leaves every file wholly old or wholly new, all together."""
    report = MATRICES[way](prepared(scenario))
    figures.append(str(report))
    assert not report.failures, report.kinds()


@pytest.mark.parametrize(
    ("name", "folders"),
    [(THOROUGH, {"openat(.)", "openat(memory)"}), ("forget a cell", {"openat(.mneme.d)", "openat(.mneme.d/trash)"})],
)
def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    name: str, folders: set[str], prepared: Callable[[Scenario], Prepared]
) -> None:
    """What a disk does not tell of a folder may be any id, so none is given; or a copy, so it is not called gone."""
    ready = prepared(next(one for one in SCENARIOS if one.name == name))
    faults = [one for one in find_faults(ready) if one.error == "EIO" and one.place in folders]
    assert {one.place for one in faults} == folders
    assert [fault for one in faults for fault in fail_once(ready, one).faults] == []


@pytest.mark.parametrize("model", [ARBITRARY, ORDERED] if FULL else [ARBITRARY])
@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in SCENARIOS if FULL or scenario.name == THOROUGH],
    ids=lambda scenario: scenario.name,
)
def test_taking_a_sync_out_is_noticed(
    scenario: Scenario, model: str, prepared: Callable[[Scenario], Prepared], figures: list[str]
) -> None:
    """Every sync that the command makes is needed: without any one of them some power cut breaks the promise."""
    faults = missing_sync_matrix(prepared(scenario), model, 2000 if FULL else 16)
    needed = sum(map(bool, faults.values()))
    figures.append(f"{scenario.name}: {needed} of {len(faults)} syncs are needed ({model} order)")
    figures += [f"  nothing shows without {call}" for call, fault in faults.items() if not fault]
    # On a disk that keeps the order of names a later sync covers an earlier one, so only the figures are of interest.
    if model == ARBITRARY:
        missed = {call.split(" ", 1)[1] for call, fault in faults.items() if not fault}
        assert missed <= NEEDLESS_SYNCS.keys()


def _unprivileged() -> list[str]:
    """Return what makes a command subject to permissions even where the tests run as root."""
    if os.geteuid():
        return []
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_read_only_folder_is_refused_in_one_line(
    scenario: Scenario, prepared: Callable[[Scenario], Prepared]
) -> None:
    """Where nothing may be written, the command says so and ends with 2."""
    ready = prepared(scenario)
    with fresh_folder(ready.base) as folder:
        root = copy_template(ready, folder)
        before = _bodies(root)
        _set_modes(root, 0o555)
        ran = _run([*_unprivileged(), *scenario.argv], root, folder / "home")
        _set_modes(root, 0o755)
        _expect_refusal(ran)
        assert _bodies(root) == before


def _bodies(root: Path) -> dict[str, bytes]:
    """Return what the files hold, the lock aside: who holds it may be written even there."""
    return {key: entry.body for key, entry in without_lock(load_tree(root)).items()}


def _set_modes(root: Path, mode: int) -> None:
    for place in [*root.rglob("*"), root]:
        if place.is_dir() and not place.is_symlink():
            place.chmod(mode)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_read_only_file_system_is_refused_in_one_line(
    scenario: Scenario, prepared: Callable[[Scenario], Prepared]
) -> None:
    """Where every change is answered with 'read-only file system', the command says so and nothing has changed."""
    ready = prepared(scenario)
    with fresh_folder(ready.base) as folder:
        root = copy_template(ready, folder)
        before = load_tree(root)
        first = ready.points[0]
        inject = [f"{name}:error=EROFS:when=1+" for name in ("mkdir", "rename", "link", "unlink", "renameat2")]
        inject += [f"{first.name}:error=EROFS:when={first.nth}"] if first.name == "openat" else []
        ran, _ = run_traced(scenario.argv, root, environment(folder / "home"), folder / "trace", inject)
        _expect_refusal(subprocess.CompletedProcess(scenario.argv, ran.code, ran.out, ran.err))
        assert split_tree(load_tree(root))[0] == split_tree(before)[0]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_nothing_is_written_through_a_link_out_of_the_workspace(
    scenario: Scenario, prepared: Callable[[Scenario], Prepared]
) -> None:
    """Where a file of the plan, or its folder, is a link to somewhere else, that place stays as it is."""
    ready = prepared(scenario)
    for target in _links_to_try(ready):
        with fresh_folder(ready.base) as folder:
            root = copy_template(ready, folder)
            _move_outside(root / target, folder / "outside")
            before = load_tree(folder / "outside")
            ran = _run(scenario.argv, root, folder / "home")
            assert load_tree(folder / "outside") == before
            assert (root / target).is_symlink()
            if ran.returncode:
                _expect_refusal(ran)


def _move_outside(place: Path, outside: Path) -> None:
    outside.mkdir()
    if place.exists():
        shutil.move(place, outside / "thing")
    else:
        (outside / "thing").mkdir()
    place.symlink_to(outside / "thing")


def _links_to_try(ready: Prepared) -> list[str]:
    """Return the files that the plan changes, and the folders that they lie in, where a link can be put."""
    places = {*ready.scenario.changed, *(key.rpartition("/")[0] for key in ready.scenario.changed)} - {""}
    there = {"", *ready.old.memory}
    return sorted(key for key in places if key.rpartition("/")[0] in there and (key in there or "." not in key))


def test_a_link_out_of_the_workspace_is_refused_where_it_is_named(prepared: Callable[[Scenario], Prepared]) -> None:
    """Asked for a file that leads out of the workspace, the command says so and ends with 2."""
    ready = prepared(SCENARIOS[0])
    with fresh_folder(ready.base) as folder:
        root = copy_template(ready, folder)
        _move_outside(root / "memory" / "team.mneme", folder / "outside")
        _expect_refusal(_run((*ready.scenario.argv, "--file", "memory/team.mneme"), root, folder / "home"))


def _run(argv: Sequence[str], root: Path, home: Path) -> subprocess.CompletedProcess[str]:
    env = environment(home)
    return subprocess.run(argv, cwd=root, env=env, capture_output=True, text=True, check=False)


def _expect_refusal(ran: subprocess.CompletedProcess[str]) -> None:
    lines = [line for line in ran.stderr.splitlines() if "hint:" not in line]
    assert (ran.returncode, len(lines)) == (2, 1), ran.stderr
    assert lines[0].startswith("mneme: ")
    assert "unexpected" not in lines[0]
