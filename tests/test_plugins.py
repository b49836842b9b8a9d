"""Plugins: found by entry point in what is really installed, loaded on first use."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mneme.errors import BadInputError, MnemeError
from mneme.plugins import GROUPS, get_plugin, plugin_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POINTS = """\
[mneme.checks]
strict = some_plugin:check
broken = some_plugin_that_fails:check
missing = some_plugin:nothing
absent = no_such_module:check
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a small distribution with plugins."""
    place = tmp_path / "some_plugin-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: some-plugin\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text(POINTS)
    (tmp_path / "some_plugin.py").write_text("def check():\n    return 'checked'\n")
    (tmp_path / "some_plugin_that_fails.py").write_text("raise RuntimeError('no engine')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin_names.cache_clear()
    yield
    plugin_names.cache_clear()
    sys.modules.pop("some_plugin", None)


def test_names_without_loading() -> None:
    """The names are told without importing anything of the plugins."""
    assert plugin_names("mneme.checks")["strict"] == "some_plugin:check"
    assert "some_plugin" not in sys.modules


def test_a_plugin_is_loaded() -> None:
    """The object the name stands for."""
    assert get_plugin("mneme.checks", "strict")() == "checked"


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    """Or with the word that there are none."""
    with pytest.raises(
        BadInputError, match=r"no plugin 'strickt' in 'mneme\.checks'; known: absent, broken, missing, strict"
    ):
        get_plugin("mneme.checks", "strickt")
    with pytest.raises(BadInputError, match="known: none is installed"):
        get_plugin("mneme.no_such_group", "x")


@pytest.mark.parametrize("name", ["broken", "missing", "absent"])
def test_a_plugin_that_fails_is_an_error_about_it(name: str) -> None:
    """One clear error with the reason and what to look at; the cause is kept."""
    with pytest.raises(MnemeError, match=f"plugin '{name}' of 'mneme.checks' cannot be loaded: ") as caught:
        get_plugin("mneme.checks", name)
    assert caught.value.__cause__ is not None
    assert caught.value.hint.startswith("pip show ")


def test_groups_are_named_after_us() -> None:
    """Every group a plugin can be in."""
    assert GROUPS == ("mneme.embedders", "mneme.checks", "mneme.importers", "mneme.models")
