"""Setting one key of `mneme.toml`, beside whatever else a person wrote there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.settings import FILE_NAME, set_value

if TYPE_CHECKING:
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done


def set_setting(memory: Memory, key: str, value: object, *, dry_run: bool = False) -> Done:
    """Give a key a value; nothing happens where it has it already."""
    reason = f"{key} is set"
    with memory.writing("set", dry_run=dry_run):
        content = files.find_file(memory.root / FILE_NAME)
        text = (content or b"").decode("utf-8", "surrogateescape")
        start, end, new = set_value(text, key, value)
        after = (text[:start] + new + text[end:]).encode("utf-8", "surrogateescape")
        if content is None:
            changes = [files.plan_create(FILE_NAME, after, reason)]
        else:
            changes = [one for one in (files.plan_replace(FILE_NAME, content, after, reason),) if one]
        return memory.apply(files.Plan("set", tuple(changes), key), dry_run=dry_run)
