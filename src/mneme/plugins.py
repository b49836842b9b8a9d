"""What other packages add: embedders, checks, importers and language models, found by entry point on first use.

The packages that are installed are asked once per process, and only when a name is wanted, so that starting up costs
nothing. A plugin that fails to load is an error about that plugin, never about what asked for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from mneme.errors import BadInputError, MnemeError

GROUPS = ("mneme.embedders", "mneme.checks", "mneme.importers", "mneme.models")


@cache
def plugin_names(group: str) -> dict[str, str]:
    """Return the names of a group's plugins, each with the object it stands for."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=group)}


def get_plugin(group: str, name: str) -> Any:  # noqa: ANN401 - each group's contract says what it is
    """Return a plugin by name; an unknown name is told with those that exist."""
    from importlib.metadata import entry_points

    found = list(entry_points(group=group, name=name))
    if not found:
        known = ", ".join(sorted(plugin_names(group))) or "none is installed"
        message = f"there is no plugin '{name}' in '{group}'; known: {known}"
        raise BadInputError(message)
    try:
        return found[0].load()
    except Exception as error:
        message = f"the plugin '{name}' of '{group}' cannot be loaded: {error}"
        raise MnemeError(message, f"pip show {found[0].value.partition('.')[0]}") from error
