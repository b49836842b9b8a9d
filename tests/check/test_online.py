"""Addresses are asked only when they should be, and only what is surely gone is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.check.web import ANSWERS, server

from mneme.check.online import why_gone
from mneme.engine import Memory
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)


def test_what_is_gone_and_what_only_refuses() -> None:
    """404 and 410 are gone; a redirection is not followed; refusals and faults of a server prove nothing."""
    with server() as (address, asked):
        told = {path for path in ANSWERS if why_gone(address + path)}
    assert told == {"/gone", "/missing"}
    assert sorted(asked) == sorted(f"HEAD {path}" for path in ANSWERS)


def test_nothing_answers() -> None:
    """A port nobody listens on and an address that is none prove nothing."""
    with server() as (address, _):
        pass
    assert why_gone(address) == ""
    assert why_gone("http://[") == ""


def test_a_check_asks_only_when_told_to(tmp_path: Path) -> None:
    """Without --online nothing is asked; with it, each line that names what is gone is a problem."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "mneme.toml").touch()
    with server() as (address, asked):
        text = f"# Notes\n\n- [manual]({address}/missing)\n- {address}/ok is fine\n- again {address}/missing#part\n"
        (tmp_path / "memory" / "notes.md").write_text(text)
        memory = Memory(open_workspace(tmp_path), lambda: NOW)
        assert memory.check().problems == ()
        assert asked == []
        problems = memory.check(online=True).problems
    assert [(one.rule, one.line) for one in problems] == [("gone-url", 3), ("gone-url", 5)]
    assert sorted(asked) == ["HEAD /missing", "HEAD /ok"]
