"""Asking a person which of several answers is meant: by number, by name, or with nothing for the first."""

from __future__ import annotations

import io
import sys

import pytest

from mneme.cli.context import IO
from mneme.errors import UnsureError

UNSURE = UnsureError("which is it?", "mneme --help", choices=("decision", "fact"))


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        """Say that a person is there."""
        return True


def answered(typed: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is taken for an answer."""
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    return IO(io.StringIO(), io.StringIO()).choose(UNSURE)


@pytest.mark.parametrize(
    ("typed", "meant"), [("\n", "decision"), ("2\n", "fact"), ("goal\n", "goal"), ("", "decision")]
)
def test_an_answer_is_a_number_a_name_or_nothing(typed: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that was not offered stands for itself."""
    assert answered(typed, monkeypatch) == meant


@pytest.mark.parametrize("typed", ["3\n", "0\n"])
def test_a_number_that_was_not_offered_is_no_name(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It made an entity called '2'."""
    with pytest.raises(UnsureError):
        answered(typed, monkeypatch)


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script gets the error with its hint."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    with pytest.raises(UnsureError):
        IO(io.StringIO(), io.StringIO()).choose(UNSURE)
