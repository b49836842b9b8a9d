"""The six profiles, as tables: what each published layout says, and nothing that decides.

A row says only what its layout says differently from the rest. `mneme.profiles.profile` makes a profile of a row and
the settings of a workspace; docs/profiles.md tells the same to people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mneme.errors import ERROR
from mneme.formats.record import COLD, HOT

if TYPE_CHECKING:
    from collections.abc import Mapping

# Homes that are words and not paths: where they lie is a place, or any cell file.
HOME_WORDS = ("cells", "memory", "day", "todos", "entities")


@dataclass(frozen=True, slots=True)
class Table:
    """What one layout says: homes and places by name, tiers in order, and the marks it is known by, with their points.

    Where several kinds share a home, the first is what a file there is called.
    A mark is a path; with `*` in it any path that fits, with `**/` before it a name in any folder, and several joined by
    `+` count when all are there.
    """

    homes: Mapping[str, str]
    places: Mapping[str, str]
    tiers: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, int], ...]
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tagged: tuple[str, ...] = ()
    budgets: Mapping[str, int] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)
    regions: tuple[str, ...] = ()
    day_sections: tuple[str, ...] = ()
    commit: bool = False
    pointers: bool = False
    qmd: bool = False


_PLACES = {
    "memory": "MEMORY.md",
    "user": "USER.md",
    "soul": "SOUL.md",
    "heartbeat": "HEARTBEAT.md",
    "dreams": "DREAMS.md",
    "buffer": "memory/working-buffer.md",
    "day": "memory/{date}.md",
    "archive": "memory/archive/{year}/{month}/",
    "palace": "memory/palace/",
    "reports": "memory/dreaming/verify/{date}.md",
}
_LAYERS = {"todos": "todos.md", "knowledge": "knowledge/"}
_ENTITIES = {"entities": "brain/areas/"}
_TIERS = (("memory/dreaming/*", COLD),)
_HOT_USER = (("{user}", HOT),)

# The words that the layout v4 allows, in its five groups.
_TAGS = {
    "infrastructure": (
        *("tailscale", "tailnet", "docker", "synapse", "matrix", "coturn", "qdrant", "ubuntu"),
        *("systemd", "ufw", "fail2ban", "samba", "ssh", "networking", "gateway", "pm2"),
    ),
    "preferences": ("rules", "style", "workflow", "memory", "habits"),
    "projects": ("audit", "skills", "security", "review"),
    "procedural": (
        *("deepseek", "puppeteer", "benchmark", "troubleshooting"),
        *("tasks", "checklist", "backup", "diagnostics"),
    ),
    "lessons": ("postmortem", "errors", "fixes", "anti-patterns"),
}
_TAGGED = ("memory/semantic/", "memory/procedural/")

# The nine checks that v4 runs before important operations: what fails one of them is an error there.
V4_ERRORS = (
    *("misplaced-tags", "missing-tags", "unknown-tag", "unverified-note", "long-buffer", "many-open-questions"),
    *("incomplete-closure", "broken-decision-link", "misnamed-day", "repeated-day", "expired-day"),
    *("orphaned-buffer", "pending-file", "stale-lock"),
)

_CELL_HOMES = dict.fromkeys(("decision", "goal", "preference", "gotcha", "fact", "todo"), "cells")
_CLASS_HOMES = {name: f"memory/{name}/" for name in ("user", "feedback", "project", "reference")}
_TAGGED_HOMES = {
    "infrastructure": "memory/semantic/infrastructure.md",
    "howto": "memory/procedural/{topic}.md",
    "lesson": "memory/procedural/lessons-learned.md",
}
_LAYER_HOMES = {"task": "todos", "status": "knowledge/project-tracker.md"}
_CURATED = ("decision", "goal", "preference", "gotcha", "lesson", "howto", "infrastructure", "reference", "user")
_CURATED_HOMES = dict.fromkeys((*_CURATED, "feedback", "project"), "memory")

_DEFAULT = Table(
    homes=_CELL_HOMES | _CLASS_HOMES | _TAGGED_HOMES | _LAYER_HOMES | {"event": "day", "entity": "entities"},
    places=_PLACES | _LAYERS | _ENTITIES,
    tiers=_TIERS + _HOT_USER,
    marks=(("memory/*.mneme + MEMORY.md", 6), ("*.mneme + memory/????-??-??*.md", 6)),
    tags=_TAGS,
    tagged=_TAGGED,
    regions=("index", "promoted", "summary", "palace"),
)
_OPENCLAW = Table(
    homes=_CURATED_HOMES | {"fact": "memory", "event": "day"},
    places=_PLACES,
    tiers=_TIERS + _HOT_USER,
    marks=(
        ("**/MEMORY.md", 1),
        ("memory/????-??-??*.md", 1),
        ("**/SOUL.md", 1),
        ("DREAMS.md", 1),
        ("memory/.dreams/", 1),
    ),
    regions=("promoted",),
)
_V4 = Table(
    homes=_TAGGED_HOMES
    | {
        "decision": "memory/semantic/decisions.md",
        "preference": "memory/semantic/preferences.md",
        "user": "memory/semantic/preferences.md",
        "feedback": "memory/semantic/preferences.md",
        "project": "memory/semantic/projects.md",
        "goal": "memory/semantic/projects.md",
        "gotcha": "memory/procedural/lessons-learned.md",
        "event": "day",
    },
    places=_PLACES | {"day": "memory/episodic/{date}.md"},
    tiers=_TIERS,
    marks=(
        ("memory/episodic/", 3),
        ("memory/semantic/", 3),
        ("memory/procedural/", 3),
        ("memory/working-buffer.md", 1),
        ("memory/semantic/decisions.md", 1),
        ("memory/procedural/lessons-learned.md", 1),
        ("memory/scripts/health-check.sh", 2),
    ),
    tags=_TAGS,
    tagged=_TAGGED,
    severities=dict.fromkeys(V4_ERRORS, ERROR),
    commit=True,
)
_NEVER_FORGET = Table(
    homes=_CLASS_HOMES
    | _LAYER_HOMES
    | {
        "preference": "memory/user/",
        "goal": "memory/user/",
        "lesson": "memory/feedback/",
        "gotcha": "memory/feedback/",
        "decision": "memory/project/",
        "infrastructure": "memory/reference/",
        "howto": "memory/reference/",
        "fact": "memory/reference/",
        "todo": "todos",
        "event": "day",
    },
    places=_PLACES | _LAYERS,
    tiers=_TIERS + _HOT_USER,
    marks=(
        ("todos.md", 2),
        ("memory/memory-types.md", 3),
        *((folder, 2) for folder in _CLASS_HOMES.values()),
        ("memory/palace/", 2),
        ("memory/dreaming/verify/", 2),
        ("knowledge/project-tracker.md", 2),
        ("knowledge/", 1),
    ),
    regions=("index", "promoted", "summary", "palace"),
    pointers=True,
)
_PROTOCOL = Table(
    homes=_CURATED_HOMES | {"fact": "entities", "entity": "entities", "event": "day"},
    places=_PLACES | _ENTITIES,
    tiers=_TIERS,
    marks=(
        ("brain/areas/", 3),
        ("life/areas/", 2),
        ("*/items.json", 3),
        ("**/summary.md", 1),
        ("memory/????-??-??*.md + */items.json", 1),
    ),
    regions=("summary",),
    day_sections=("What happened", "What was learned", "Why it matters", "Decisions", "Next"),
    qmd=True,
)
_CELLS = Table(
    homes=_CELL_HOMES | {"event": "day"},
    places=_PLACES,
    tiers=_TIERS,
    marks=(("*.mneme", 3), ("*.mn", 3)),
)

TABLES: Mapping[str, Table] = {
    "default": _DEFAULT,
    "openclaw": _OPENCLAW,
    "v4": _V4,
    "never-forget": _NEVER_FORGET,
    "protocol": _PROTOCOL,
    "cells": _CELLS,
}
