"""An empty workspace for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .workbench import new_root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def root() -> Iterator[Path]:
    """Yield an empty workspace."""
    with new_root() as place:
        yield place
