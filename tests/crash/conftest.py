"""Prepared scenarios, made once a session, and the figures of the matrices at the end of the run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from .runs import Prepared, prepare

if TYPE_CHECKING:
    from collections.abc import Callable

    from .scenarios import Scenario

FIGURES: list[str] = []


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scenario], Prepared]:
    """Return the function that makes a scenario ready, or finds it made ready already."""
    base = tmp_path_factory.mktemp("crash")
    return cache(lambda scenario: prepare(scenario, base))


@pytest.fixture(scope="session")
def figures() -> list[str]:
    """Return the list of lines to print at the end."""
    return FIGURES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the matrices counted."""
    if FIGURES:
        terminalreporter.section("crashes")
        for line in FIGURES:
            terminalreporter.write_line(line)
