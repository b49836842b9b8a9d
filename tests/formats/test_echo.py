"""What memory told is known again in whatever form it was told; what a person writes with a date or a path is not it."""

from __future__ import annotations

import pytest

from mneme.formats.echo import is_echo
from mneme.formats.promoted import PromotedRow, print_promoted

ROW = PromotedRow("Backups go to Glacier.", "2026-04-01", "memory/2026-04-01.md#1a2b3c4d", "memory:x:1:1")


@pytest.mark.parametrize(
    "text",
    [
        print_promoted(ROW),
        print_promoted(ROW).split(" <!--")[0],
        "Recalled from memory: Backups go to Glacier. (2026-04-01, memory/2026-04-01.md#1a2b3c4d; stale since 2026-06-01).",
        "Memory says backups go to Glacier (2026-04-01, memory/2026-04-01.md:7)",
        "<active_memory_plugin> Backups go to Glacier </active_memory_plugin>",
        '"Backups go to Glacier" [memory/project.mneme:1-3]',
        "Backups go to Glacier [score=0.812 recalls=3 avg=0.900 source=memory/2026-04-01.md:3-3]",
        "Backups go to Glacier.\n\nSource: memory/2026-04-01.md#L3",
    ],
)
def test_what_memory_told_is_an_echo(text: str) -> None:
    """A promotion, whole or without its mark, a quote, a block, a search's result."""
    assert is_echo(text)


@pytest.mark.parametrize(
    "text",
    [
        "Backups go to Glacier (since 2026-04-01, see docs/backup.md).",
        "Ann was born in Lisbon (1990-04-01, a Sunday).",
        "The bug is in src/app.py:12, fixed on 2026-04-01.",
        "[notes](memory/2026-04-01.md#backups) say more about backups",
        "The memory of the machine is 16 GB <memory is full>",
        "备份保留 365 天（2026-04-01 起）。",
    ],
)
def test_a_persons_words_are_none(text: str) -> None:
    """Dates, paths, links and angle brackets of their own."""
    assert not is_echo(text)
