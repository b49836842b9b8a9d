"""The files that a new workspace begins with, one list per profile.

Each text says in a line what its file is for and then gets out of the way. Dates are filled in, nothing else is: a new
workspace holds no memory that nobody stored, the protocol's example entity excepted, which is there to be read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.profiles.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Template:
    """A file to begin with; `{day}` and `{moment}` in its text stand for the day and the time of its making."""

    path: str
    text: str

    def content(self, now: datetime) -> bytes:
        """Return the content of the file as it is made now."""
        moment = now.isoformat(timespec="seconds")
        return self.text.replace("{day}", now.date().isoformat()).replace("{moment}", moment).encode()


def templates_of(profile: str) -> tuple[Template, ...]:
    """Return the files that a workspace of a profile begins with, its settings first."""
    files = (("mneme.toml", settings_text(profile, {})), *_FILES[profile])
    return tuple(Template(path, text) for path, text in files)


def settings_text(profile: str, places: Mapping[str, str]) -> str:
    """Return the `mneme.toml` that a folder begins with: its profile, and what lies elsewhere than the profile has it."""
    text = _SETTINGS.replace("PROFILE", profile) + "commit = true\n" * TABLES[profile].commit
    lines = [f'{name} = "{_quoted(place)}"\n' for name, place in places.items()]
    return text + "\n[places]\n" * bool(lines) + "".join(lines)


def _quoted(text: str) -> str:
    """Return a text as it stands between quotes in TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in escaped)


_SETTINGS = """\
# The settings of this workspace; docs/settings.md describes every key, docs/profiles.md every profile.
profile = "PROFILE"
"""
_CELLS = """\
# One claim per cell. What a cell says is never edited: `mneme supersede ID` puts a new one in its place.
"""
_REGION = "<!-- mneme:{name}:start -->\n<!-- mneme:{name}:end -->\n"
_INDEX, _PALACE, _SUMMARY = (_REGION.replace("{name}", name) for name in ("index", "palace", "summary"))

# What several profiles share

_CURATED = """\
# Memory

<!-- What should hold for long: preferences, decisions, ways of working, lessons. Events belong in the day's note. -->
"""
_INDEXED = f"""\
# Memory

<!-- An index: one line for each memory, written between the marks. What you write outside them stays as it is. -->

{_INDEX}"""
_USER = """\
# User

<!-- Who the user is: name, role, languages, how to address them. -->
"""
_KNOWN_USER = f"""{_USER}
## Known

{_SUMMARY}"""
_SOUL = """\
# Soul

<!-- Who the agent is: its voice, its values, what it will not do. -->
"""
_HEARTBEAT = """\
# Heartbeat

<!-- Reminders, one list item each; one that begins with a date is due on that day: - 2031-05-01 renew the domain -->
"""
_TODOS = """\
# Todos

<!-- What is to be done, as boxes to tick. How a project stands belongs in knowledge/, what was learned in memory/. -->

## Now

## Later
"""
_KEEP = ""

# v4


def _tagged(title: str, tags: str, body: str) -> str:
    return f"# {title}\n#tags: {tags}\n> last_verified: {{day}}\n\n{body}"


_V4_MEMORY = _tagged(
    "Agent Memory",
    "memory, rules",
    """\
<!-- Loaded by every session, so at most 60 lines: what is decided, what is open, where the rest lies. -->

## Active Decisions

<!-- One line each, with a link to where the decision and its reason stand. -->

## Open Questions

<!-- At most five, one list item each. -->

## Where things are

- What is known: [infrastructure](memory/semantic/infrastructure.md), [preferences](memory/semantic/preferences.md),
  [projects](memory/semantic/projects.md), [decisions](memory/semantic/decisions.md)
- How things are done: [lessons learned](memory/procedural/lessons-learned.md)
- What is in hand: [working buffer](memory/working-buffer.md)
""",
)
_INFRASTRUCTURE = _tagged(
    "Infrastructure",
    "networking, systemd, ssh",
    "<!-- Hosts, addresses, ports, services, and how they hang together. -->\n",
)
_PREFERENCES = _tagged(
    "Preferences", "rules, style, workflow, habits", "<!-- How the user wants things done: style, rules, habits. -->\n"
)
_PROJECTS = _tagged("Projects", "audit, review", "<!-- What is being worked on, and what each project is for. -->\n")
_DECISIONS = _tagged("Decisions", "rules, review", "<!-- What is settled, and why; the newest last. -->\n")
_LESSONS = _tagged(
    "Lessons Learned",
    "postmortem, errors, fixes, anti-patterns",
    "<!-- What went wrong, why, and what to do the next time. -->\n",
)
_BUFFER = """\
# Working Buffer
created: {moment}
last_active: {moment}

"""

# The layout's own three scripts, for whoever calls them by name; all they do is call the command.
_SCRIPT = """\
#!/bin/sh
# {what}
exec mneme --workspace "$(dirname "$0")/../.." {call}
"""


def _script(what: str, call: str) -> str:
    return _SCRIPT.replace("{what}", what).replace("{call}", call)


_ARCHIVER = _script(
    "Move days' notes that are more than N days old (30) to memory/archive/YYYY/MM/.", 'archive --days "${1:-30}"'
)
_WRITER = _script("Write a file of this workspace from standard input, whole or not at all.", 'write "$1"')
_HEALTH = _script("Check this workspace; the exit code is 0 if all is well, and 1 if anything fails.", 'check "$@"')

# never-forget

_TYPES = """\
# The four types of memory

Each memory is one file. Its folder says what it is about, its frontmatter what it says in a line.

| type | folder | what goes there |
|---|---|---|
| user | memory/user/ | who the user is: role, knowledge, preferences, goals |
| feedback | memory/feedback/ | what the user corrected, and what they confirmed |
| project | memory/project/ | what was decided in a project, and why |
| reference | memory/reference/ | where things are outside: tools, links, systems |

A file looks like this:

```markdown
---
name: Short replies
description: Answers are lists, never tables
type: feedback
created: 2031-05-01
---

## Rule / Fact

## Why

## How to apply
```

What does not belong here: what the code, git or a manual says already, how a bug was fixed, what only holds for the
moment. Tasks go to todos.md, where a project stands to knowledge/project-tracker.md, what happened to the day's note.
"""
_TRACKER = """\
# Projects

<!-- Where each project stands, one section each: what is done, what holds it up, what it needs. -->
"""
_VIEWS = (("timeline", "Timeline"), ("projects", "Projects"), ("technology", "Technology"), ("custom", "Custom"))


def _view(title: str) -> str:
    return f"# {title}\n\n<!-- A view that is drawn from memory between the marks. -->\n\n{_PALACE}"


# protocol

_DAY_TEMPLATE = """\
# YYYY-MM-DD

## What happened

## What was learned

## Why it matters

## Decisions

## Next
"""
_EXAMPLE_FACTS = """\
[
  {
    "id": "example-001",
    "fact": "This entity shows how facts are kept",
    "category": "status",
    "timestamp": "{day}",
    "source": "observation",
    "status": "superseded",
    "supersededBy": "example-002"
  },
  {
    "id": "example-002",
    "fact": "This entity shows how facts are kept, and may be removed",
    "category": "status",
    "timestamp": "{day}",
    "source": "observation",
    "status": "active",
    "supersededBy": null
  }
]
"""
_EXAMPLE_SUMMARY = """\
# Example

<!-- What holds about this entity, drawn from its facts between the marks. -->

<!-- mneme:summary:start -->
## Status

- This entity shows how facts are kept, and may be removed ({day})
<!-- mneme:summary:end -->
"""

_CURATED_FILES = (("MEMORY.md", _CURATED), ("USER.md", _USER), ("SOUL.md", _SOUL))
_CLASSES = ("user", "feedback", "project", "reference")

_FILES = {
    "default": (
        ("MEMORY.md", _INDEXED),
        ("USER.md", _KNOWN_USER),
        ("SOUL.md", _SOUL),
        ("todos.md", _TODOS),
        ("memory/project.mneme", _CELLS),
    ),
    "openclaw": (*_CURATED_FILES, ("HEARTBEAT.md", _HEARTBEAT), ("memory/.gitkeep", _KEEP)),
    "v4": (
        ("MEMORY.md", _V4_MEMORY),
        ("memory/semantic/infrastructure.md", _INFRASTRUCTURE),
        ("memory/semantic/preferences.md", _PREFERENCES),
        ("memory/semantic/projects.md", _PROJECTS),
        ("memory/semantic/decisions.md", _DECISIONS),
        ("memory/procedural/lessons-learned.md", _LESSONS),
        ("memory/working-buffer.md", _BUFFER),
        ("memory/episodic/.gitkeep", _KEEP),
        ("memory/scripts/archive-old-episodic.sh", _ARCHIVER),
        ("memory/scripts/atomic-write.sh", _WRITER),
        ("memory/scripts/health-check.sh", _HEALTH),
    ),
    "never-forget": (
        ("MEMORY.md", _INDEXED),
        ("USER.md", _KNOWN_USER),
        ("SOUL.md", _SOUL),
        ("HEARTBEAT.md", _HEARTBEAT),
        ("todos.md", _TODOS),
        ("memory/memory-types.md", _TYPES),
        *((f"memory/{name}/.gitkeep", _KEEP) for name in _CLASSES),
        *((f"memory/palace/{name}.md", _view(title)) for name, title in _VIEWS),
        ("memory/dreaming/verify/.gitkeep", _KEEP),
        ("knowledge/project-tracker.md", _TRACKER),
    ),
    "protocol": (
        ("MEMORY.md", _CURATED),
        ("memory/TEMPLATE.md", _DAY_TEMPLATE),
        ("brain/areas/example/summary.md", _EXAMPLE_SUMMARY),
        ("brain/areas/example/items.json", _EXAMPLE_FACTS),
    ),
    "cells": (("memory/project.mneme", _CELLS),),
}
