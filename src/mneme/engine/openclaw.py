"""What OpenClaw's own configuration on this machine says, for the verbs that keep to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from mneme.consolidate.dream.rules import Rules
    from mneme.engine.memory import Memory


def openclaw_document(memory: Memory) -> object:
    """Return `openclaw.json` as a tree; nothing where there is none, and one that is broken is noted as a fault."""
    from mneme.formats.jsonc import BrokenSettingsError, parse_settings
    from mneme.workspace import program_folder

    folder = program_folder("OPENCLAW_STATE_DIR", ".openclaw")
    content = files.find_file(program_folder("OPENCLAW_CONFIG_PATH", str(folder / "openclaw.json")))
    try:
        return parse_settings((content or b"{}").decode("utf-8", "replace")).plain()
    except BrokenSettingsError as fault:
        memory.note_fault(f"openclaw.json:{fault.line}: {fault}")
        return {}


def works_in(document: object, memory: Memory) -> bool:
    """Say whether OpenClaw's agents have this workspace, as far as its configuration names one."""
    from mneme.workspace import given_folder

    agents = document.get("agents") if isinstance(document, dict) else None
    agents = agents if isinstance(agents, dict) else {}
    listed = agents.get("list")
    tables = [agents.get("defaults"), *(listed if isinstance(listed, list) else [])]
    named = [table["workspace"] for table in tables if isinstance(table, dict) and table.get("workspace")]
    return any(isinstance(one, str) and given_folder(one) == memory.root for one in named)


def dream_rules(memory: Memory) -> Rules:
    """Return the rules of a night; where the scoring is OpenClaw's, by its own configuration too."""
    from mneme.consolidate.dream.published import published_dreaming
    from mneme.consolidate.dream.rules import rules_of
    from mneme.consolidate.dream.score import OPENCLAW

    if memory.workspace.settings["dream.scoring"] != OPENCLAW:
        return rules_of(memory.workspace)
    document = openclaw_document(memory)
    return rules_of(memory.workspace, published_dreaming(document) if works_in(document, memory) else None)


def is_set_to_dream(memory: Memory) -> bool:
    """Say whether OpenClaw is set to dream over this workspace, whether it has yet or not."""
    from mneme.consolidate.dream.published import published_dreaming

    document = openclaw_document(memory)
    published = published_dreaming(document)
    return published is not None and published.enabled and works_in(document, memory)
