"""Profiles: where each kind of memory lives, what is checked and what loads when, as tables that settings override.

A profile is data. Nothing here touches the disk: paths come in as texts and answers go out, so that the same questions
can be asked of a workspace, of a plan and of a folder that is not one yet.
"""

from mneme.keys import KINDS, PROFILES
from mneme.profiles.detect import Detection, Reason, detect, odd_places
from mneme.profiles.profile import (
    CELLS,
    DAY,
    FACTS,
    FILE,
    FOLDER,
    Budgets,
    Home,
    Places,
    Profile,
    entity_of,
    profile_of,
)
from mneme.profiles.select import SUFFIXES, MemoryFiles, select_memory
from mneme.profiles.templates import Template, settings_text, templates_of

__all__ = [
    "CELLS",
    "DAY",
    "FACTS",
    "FILE",
    "FOLDER",
    "KINDS",
    "PROFILES",
    "SUFFIXES",
    "Budgets",
    "Detection",
    "Home",
    "MemoryFiles",
    "Places",
    "Profile",
    "Reason",
    "Template",
    "detect",
    "entity_of",
    "odd_places",
    "profile_of",
    "select_memory",
    "settings_text",
    "templates_of",
]
