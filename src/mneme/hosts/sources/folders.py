"""Skills, slash commands and agents: Markdown files in folders that hosts look into, the user's and the project's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.hosts.sources import Found, first_sentence
from mneme.hosts.sources.pages import read_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mneme.hosts.sources import Machine

SKILL_FOLDERS = (".claude/skills", ".agents/skills", ".codex/skills", ".gemini/skills", ".openclaw/skills")
COMMAND_FOLDERS = (".claude/commands", ".codex/prompts", ".cursor/commands")
AGENT_FOLDERS = (".claude/agents", ".cursor/agents")
DEEPEST = 4
MOST_FILES = 2_000


def find_skills(machine: Machine) -> Iterator[Found]:
    """Yield every skill: a folder with a `SKILL.md`."""
    for folder, namespace in _folders(machine, SKILL_FOLDERS):
        for place in _pages(folder, "SKILL.md"):
            page = read_page(place)
            name = page.get("name", "").strip() or place.parent.name
            yield _found("skill", "skill", name, page, f"the skill {name}", namespace)


def find_commands(machine: Machine) -> Iterator[Found]:
    """Yield every slash command: a Markdown file, named by its path."""
    for folder, namespace in _folders(machine, COMMAND_FOLDERS):
        for place in _pages(folder, ".md"):
            name = ":".join(place.relative_to(folder).with_suffix("").parts)
            page = read_page(place)
            hint = page.get("argument-hint", "").strip()
            yield _found("command", "command", name, page, f"/{name} {hint}".rstrip(), namespace)


def find_agents(machine: Machine) -> Iterator[Found]:
    """Yield every agent that work can be given to; on a card it is a skill, which is the nearest that there is."""
    for folder, namespace in _folders(machine, AGENT_FOLDERS):
        for place in _pages(folder, ".md"):
            page = read_page(place)
            name = page.get("name", "").strip() or place.stem
            yield _found("skill", "agent", name, page, f"the agent {name}", namespace)


def _found(source: str, kind: str, name: str, page: dict[str, str], example: str, namespace: str) -> Found:
    description = page.get("description", "").strip() or f"{kind} {name}"
    words = name.replace("-", " ").replace("_", " ").replace(":", " ")
    more = [word.strip() for word in page.get("keywords", "").split(",") if word.strip()]
    return Found(
        source=source,
        key=f"{kind}_{name}",
        name=name,
        verb=first_sentence(description),
        description=description,
        triggers=tuple(dict.fromkeys((name, words, *more))),
        example=example,
        origin=kind,
        namespace=namespace,
    )


def _folders(machine: Machine, names: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Yield the user's folders, then the project's, each with whom it speaks for."""
    for name in names:
        yield machine.user / name, "global"
    if machine.here is not None and machine.here != machine.user:
        for name in names:
            yield machine.here / name, str(machine.here)


def _pages(folder: Path, ending: str, depth: int = 0) -> Iterator[Path]:
    """Yield the files with an ending, in order of name, no deeper than a host looks."""
    try:
        entries = sorted(folder.iterdir())[:MOST_FILES]
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if depth < DEEPEST:
                yield from _pages(entry, ending, depth + 1)
        elif entry.name.endswith(ending):
            yield entry
