"""What the host programs on this machine can do, one module for each place where it is written down.

A scanner reads and starts nothing but what its module says it starts. What it finds is somebody else's text: secrets
in command lines are masked here, before anything else sees them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """Where to look: the user's folder, the project's, where programs lie, and what a started program may see."""

    user: Path
    here: Path | None = None
    search_path: str = ""
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A capability that a host has. `key` tells it from others of its source; `active` says whether it answers now."""

    source: str
    key: str
    name: str
    verb: str
    description: str
    triggers: tuple[str, ...]
    params_required: tuple[str, ...] = ()
    params_optional: tuple[str, ...] = ()
    example: str = ""
    active: bool = True
    origin: str = ""
    namespace: str = "global"


def first_sentence(text: str, longest: int = 100) -> str:
    """Return the beginning of a description, as what a thing does in short."""
    line = " ".join(text.split())
    for end in (". ", "! ", "; ", " - ", " — ", "。"):
        line = line.partition(end)[0]
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
