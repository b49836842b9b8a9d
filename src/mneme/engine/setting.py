"""Setting keys of `mneme.toml`, beside whatever else a person wrote there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.settings import FILE_NAME, set_value
from mneme.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done


def set_setting(memory: Memory, key: str, value: object, *, dry_run: bool = False) -> Done:
    """Give a key a value; nothing happens where it has it already."""
    return set_settings(memory, {key: value}, dry_run=dry_run)


def set_settings(memory: Memory, values: Mapping[str, object], *, dry_run: bool = False) -> Done:
    """Give keys their values in one plan."""
    reason = f"{', '.join(values)} set"
    with memory.writing("set", dry_run=dry_run):
        content = files.find_file(memory.root / FILE_NAME)
        text = (content or b"").decode("utf-8", "surrogateescape")
        for key, value in values.items():
            start, end, new = set_value(text, key, value)
            text = text[:start] + new + text[end:]
        change = files.plan_replace(FILE_NAME, content, text.encode("utf-8", "surrogateescape"), reason)
        done = memory.apply(files.Plan("set", (change,) if change else (), " ".join(values)), dry_run=dry_run)
    if done.n:  # whoever goes on with this memory goes by the new settings
        memory.workspace = open_workspace(memory.root, found_by=memory.workspace.found_by)
    return done
