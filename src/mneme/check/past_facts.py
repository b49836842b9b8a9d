"""What facts were before: as git has them, or else as our own history wrote them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mneme import git
from mneme.check.past import past_plans
from mneme.formats.fact import immutable_facts
from mneme.profiles.profile import ITEMS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    Words = tuple[str, str, str, str]

_KEYS = ("fact", "category", "timestamp", "source")


def facts_before(root: Path, paths: Collection[str]) -> Iterator[tuple[str, dict[str, Words]]]:
    """Yield the files of facts that may have been edited, with what no edit may change of them, by id."""
    repository = git.find_repository(root)
    committed: set[str] = set()
    if repository is not None:
        for path, content in git.head_contents(root, git.changed_files(root, ITEMS)).items():
            committed.add(path)
            yield path, immutable_facts(_decoded(content))
    yield from (
        (path, facts)
        for path, facts in _written(root).items()
        if path not in committed and (path in paths or not (root / path).exists())
    )


def _written(root: Path) -> dict[str, dict[str, Words]]:
    """Return the facts that our plans wrote, by file."""
    known: dict[str, dict[str, Words]] = {}
    for entry in past_plans(root):
        if entry.abandoned:
            continue
        for step in entry.steps:
            if not step.target.endswith(ITEMS):
                continue
            facts = known.setdefault(step.target, {})
            if step.removes:
                facts.clear()
            for hunk in step.hunks:
                old, new = _facts_in(_decoded(hunk.old)), _facts_in(_decoded(hunk.new))
                for name in old.keys() - new.keys():
                    facts.pop(name, None)
                facts.update(new)
    return known


def _facts_in(text: str) -> dict[str, Words]:
    """Return the facts that stand whole in a piece of a file."""
    found: dict[str, Words] = {}
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                one, two, three, four = (str(value.get(key) or "") for key in _KEYS)
                found[value["id"]] = one, two, three, four
        at = text.find("{", end)
    return found


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
