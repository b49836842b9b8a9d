"""A home with a clock and an embedder of its own: the only two things here that are not the real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.home.homes import CARDS, Clock, HashingEmbedder

from mneme.engine.home import Home, open_home
from mneme.formats.card import Card, print_card

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def embedder() -> HashingEmbedder:
    """Give an embedder that knows words alone."""
    return HashingEmbedder()


@pytest.fixture
def home(tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Give a home that does not exist yet, in a user's folder that is empty."""
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    for name in ("MNEME_HOME", "MNEME_FALLBACK", "MNEME_TELEMETRY"):
        monkeypatch.delenv(name, raising=False)
    return open_home(now=Clock(), root=tmp_path / "home", embedder=embedder)


@pytest.fixture
def write_cards(home: Home) -> Callable[..., None]:
    """Give a function that writes the home's cards."""

    def write(*cards: Card, before: str = "# kept by hand\n") -> None:
        home.root.mkdir(exist_ok=True)
        text = before + "".join(map(print_card, cards or CARDS))
        (home.root / "capabilities.yaml").write_text(text, encoding="utf-8")

    return write
