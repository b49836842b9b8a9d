"""Claude Code's plugins: those that its list of installed plugins names, and the folders of older ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme.check.mask import mask_text
from mneme.hosts.sources import Found, first_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.hosts.sources import Machine

ROOT = ".claude/plugins"
INSTALLED = "installed_plugins.json"
MANIFESTS = (".claude-plugin/plugin.json", "plugin.json")


def find_plugins(machine: Machine) -> Iterator[Found]:
    """Yield every plugin that is installed where its list says, or lies in the folder of plugins."""
    root = machine.user / ROOT
    listed = _json(root / INSTALLED).get("plugins")
    if isinstance(listed, dict):
        for full in sorted(listed):
            place = _place(listed[full])
            if place is not None and place.is_dir():
                name, _, market = str(full).partition("@")
                yield _plugin(name, market, place)
        return
    for manifest in sorted(root.glob("*/plugin.json")):
        yield _plugin(manifest.parent.name, "", manifest.parent)


def _place(about: object) -> Path | None:
    """Return where a plugin lies; its entry is one mapping, or a list of them."""
    one = about[-1] if isinstance(about, list) and about else about
    said = one.get("installPath") if isinstance(one, dict) else None
    return Path(said) if isinstance(said, str) else None


def _plugin(name: str, market: str, place: Path) -> Found:
    manifest = next((tree for one in MANIFESTS if (tree := _json(place / one))), {})
    skills = sorted(one.name for one in (place / "skills").glob("*") if one.is_dir())
    keywords = manifest.get("keywords")
    words = [str(word) for word in keywords] if isinstance(keywords, list) else []
    description = mask_text(" ".join(str(manifest.get("description") or f"plugin {name}").split()), 600)
    return Found(
        source="plugin",
        key=f"plugin_{name}",
        name=str(manifest.get("displayName") or name),
        verb=first_sentence(description),
        description=description,
        triggers=tuple(dict.fromkeys((name, *skills, *words))),
        example=f"the plugin {name}",
        origin=market,
    )


def _json(place: Path) -> dict[str, Any]:
    try:
        tree = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}
